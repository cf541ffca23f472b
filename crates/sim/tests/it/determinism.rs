//! The same bits each time: with fresh data at every step, after saving, in debug and release builds.
//!
//! The numbers below were found by a debug and a release build on x86-64 Linux; the test command runs the one, `cargo xtask long`
//! the other. Whoever changes the arithmetic on purpose replaces them: a failure prints the new ones.

use crate::scenes::{build, cuboid_inertia, place};
use crate::touching::{Scene, scenes};
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::{Data, Input, Model, ModelSpec, Quat, State, StepSettings, Vec3};

const STEPS: usize = 1000;

/// After [`STEPS`] steps, in the order of the scenes.
const HASHES: [u64; 11] = [
    0x859e_2d98_c2e2_d9d1,
    0x6083_5b74_9063_e296,
    0x0d1c_4e1b_bf24_c237,
    0x00a1_e25c_3d2b_cc8d,
    0x5b6a_b40d_d71c_aecc,
    0x768f_d9ac_73bc_d12a,
    0x1c8c_d1b5_f6cb_f122,
    0xc17b_1f77_4a70_c682,
    0xdd07_24d1_24f7_b9fe,
    0x4ec4_cba5_9865_b002,
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

/// A box on the ground.
fn boxed(mass: f64, half: f64, mu: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.material("wood", Surface::rigid(mu));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "wood");
    let edges = 2.0 * Vec3::new(0.1, 0.1, half);
    spec.body("box", cuboid_inertia(mass, edges));
    spec.shape("box", FrameSpec::of("box"), Shape::Box { half: 0.5 * edges }, "wood");
    let (model, mut state) = build(&spec);
    place(&mut state, 0, Vec3::new(0.0, 0.0, 0.1), Quat::IDENTITY);
    (model, state)
}

#[test]
fn data_of_another_model_of_the_same_sizes_changes_no_bit() {
    let (first, mut state) = boxed(1.0, 0.1, 0.5);
    let settings = StepSettings::default();
    let step = |model: &Model, state: &mut State, data: &mut Data| {
        stiction_sim::step(model, &settings, &Input::default(), state, data).expect("a step");
    };
    let mut data = Data::new(&first);
    // what rests has its contacts, its rows and its answer from the last step
    (0..20).for_each(|_| step(&first, &mut state, &mut data));
    for (mass, half, mu) in [(1.0, 0.08, 0.5), (3.0, 0.1, 0.5), (1.0, 0.1, 0.0), (1.0, 0.1, 0.5)] {
        let (other, _) = boxed(mass, half, mu);
        let (mut mine, mut fresh) = (state.clone(), state.clone());
        (mine.v[0], fresh.v[0]) = (0.2, 0.2);
        for i in 0..3 {
            step(&other, &mut mine, &mut data);
            step(&other, &mut fresh, &mut Data::new(&other));
            assert!(mine.to_bytes() == fresh.to_bytes(), "{mass} {half} {mu}: step {i}");
        }
        step(&first, &mut state, &mut data);
    }
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
