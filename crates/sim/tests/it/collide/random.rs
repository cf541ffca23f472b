//! Pseudo-random numbers that their seed determines on every platform (splitmix64).

use stiction_sim::{Quat, Vec3};

pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }

    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Each entry in ±size.
    pub(crate) fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::from_fn(|_, _| self.between(-size, size))
    }

    pub(crate) fn quat(&mut self) -> Quat {
        loop {
            let [w, x, y, z] = [(); 4].map(|()| self.between(-1.0, 1.0));
            let quat = Quat { w, x, y, z };
            if quat.norm() > 0.1 && quat.norm() < 1.0 {
                return quat.normalized();
            }
        }
    }
}
