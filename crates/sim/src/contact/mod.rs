//! Contact: one problem for all friction laws.
//!
//! `rows` are the contacts' Jacobian and Delassus matrix, `space` the mechanics of a step seen from its contacts; a law of `law` turns it into a complementarity
//! problem or a cone problem of `stiction-lcp` and reads the impulses off the answer.

pub mod rows;
pub mod space;
