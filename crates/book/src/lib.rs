//! The Rust of the README and of the pages in `docs`, run as doc tests. There is nothing else in this crate.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/certificate.md")]
mod certificate {}
