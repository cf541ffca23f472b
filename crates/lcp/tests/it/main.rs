//! The crate from outside: what must hold whichever solver answers.

mod properties;
