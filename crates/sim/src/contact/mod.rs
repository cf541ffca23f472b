//! Contact: one problem for all friction laws.
//!
//! `space` is the mechanics of a step seen from its contacts; a law of `law` turns it into a complementarity
//! problem or a cone problem of `stiction-lcp` and reads the impulses off the answer.

pub mod law;
pub mod space;
