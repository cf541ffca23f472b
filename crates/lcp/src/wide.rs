//! Loops for the widest registers that the processor has.
//!
//! Code that is compiled for any processor of its kind uses registers of two numbers. Here the same loops are compiled for those of four as well, and
//! the processor is asked which to run. No operation is joined with another and none is done in another order, so bits do not depend on the answer.
//!
//! Decision: `docs/decisions/0017-pulp.md`.

use pulp::{Arch, Simd, WithSimd};

/// Loops, with all that they read and write.
pub(crate) trait Loops {
    type Output;

    /// `#[inline(always)]`, as all functions that it calls: what stays a call is not compiled anew.
    fn run(self) -> Self::Output;
}

pub(crate) fn wide<L: Loops>(loops: L) -> L::Output {
    Arch::new().dispatch(Compiled(loops))
}

struct Compiled<L>(L);

impl<L: Loops> WithSimd for Compiled<L> {
    type Output = L::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> L::Output {
        self.0.run()
    }
}
