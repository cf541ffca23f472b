//! The same bits each time: with fresh data at every step, after saving, in debug and release builds.
//!
//! The numbers below were found by a debug and a release build on x86-64 Linux; the test command runs the one, `cargo xtask long`
//! the other. Whoever changes the arithmetic on purpose replaces them: a failure prints the new ones.

use crate::touching::{Scene, scenes};
use stiction_sim::{Data, State};

const STEPS: usize = 1000;

/// After [`STEPS`] steps, in the order of the scenes.
const HASHES: [u64; 11] = [
    0x7540_90de_190f_6fca,
    0x9ce9_0e4f_8e26_3c99,
    0xdead_f29f_c28c_bfe0,
    0x00a1_e25c_3d2b_cc8d,
    0xce99_99da_8b7f_537b,
    0xf195_57d5_00c2_8eee,
    0x4e18_4c3b_d1fd_f374,
    0xfa09_b2ac_1ffd_0f3b,
    0x5fbc_1755_1b92_eeea,
    0xfde8_5fc8_80cf_a3c5,
    0x2caf_9397_4cf0_f535,
];

/// FNV-1a of 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn compare_hashes() {
    let hash_of = |scene: &Scene| hash(&scene.after(STEPS).state.to_bytes());
    let found: Vec<u64> = scenes().iter().map(hash_of).collect();
    let differ: Vec<String> = scenes()
        .iter()
        .zip(found.iter().zip(&HASHES))
        .filter(|(_, (found, expected))| found != expected)
        .map(|(scene, _)| scene.name())
        .collect();
    assert!(differ.is_empty(), "{differ:?} differ; all of them: {found:#018x?}");
}

#[test]
fn the_hash_is_the_published_one() {
    assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
}

#[test]
fn scenes_end_with_the_bits_they_always_had() {
    compare_hashes();
}

#[test]
#[ignore = "the same once more, for the command that tests the release build"]
fn scenes_end_with_the_bits_they_always_had_in_release() {
    compare_hashes();
}

#[test]
fn fresh_data_at_every_step_and_a_saved_state_change_no_bit() {
    for scene in scenes() {
        let n = 200;
        let whole = scene.after(n).state;
        let mut fresh = scene.run();
        let mut saved = scene.run();
        for i in 0..n {
            fresh.data = Data::new(&fresh.model);
            fresh.step(&scene.settings);
            if i == n / 2 {
                saved.state = State::from_bytes(&saved.state.to_bytes()).expect("saved");
                saved.data = Data::new(&saved.model);
            }
            saved.step(&scene.settings);
        }
        assert!(fresh.state.to_bytes() == whole.to_bytes(), "{}: fresh data", scene.name());
        assert!(saved.state.to_bytes() == whole.to_bytes(), "{}: saved", scene.name());
    }
}
