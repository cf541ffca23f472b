//! Pages from outside: what stands in them, and what must not.

mod page;
mod samples;
mod thinning;
