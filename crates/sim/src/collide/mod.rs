//! Which bodies touch, where, and how deep: from poses to contacts, without physics.
//!
//! ```text
//!  X_WG of each geom ──► bounds ──► pairs ──► one function per pair of shapes ──► contacts, sorted by key
//! ```
//!
//! # Signs
//!
//! A contact is between geoms a < b of the model; its normal points from A into B. The gap φ is negative inside. The
//! contact's point lies midway between the two surfaces, on the normal: the point of A is p − φ/2 n, that of B p + φ/2 n.
//!
//! # Which contacts
//!
//! All whose gap is at most the sum of the two margins plus the `horizon` of the call. Not between: shapes of one body, bodies
//! that fixed joints weld together (the world is such a body), neighbours on a joint unless the model says so, and shapes
//! whose groups do not meet.
//!
//! # Pairs
//!
//! | | half-space | points | sphere | ellipsoid | capsule | box | others |
//! |---|---|---|---|---|---|---|---|
//! | half-space | – | each point | 1 | 1 | 2 ends | 8 corners | vertices, points of the rims |
//! | points | | – | each | each | each | each | parry, each |
//! | sphere | | | 1 | 1 | 1 | 1 | parry |
//! | ellipsoid | | | | parry, as a hull | parry | parry | parry |
//! | capsule | | | | | 1 to 3 | parry | parry |
//! | box | | | | | | up to 8 | parry |
//!
//! Where two features are equally near, the choice is fixed by the shapes' own axes (first axis, positive side), so that
//! a scene that is turned gives the same contacts turned. No input that is finite gives a normal that is not of unit
//! length.
//!
//! # Cost
//!
//! O(n log n + pairs), single-threaded. After the first call with as many contacts, nothing is allocated, except by
//! pairs that go to parry. The same poses give the same bits, whatever was detected before.

mod bounds;
mod box_box;
mod broad;
mod capsule;
pub mod collider;
pub mod contact;
mod ellipsoid;
mod filter;
mod half_space;
mod narrow;
mod nearest;
pub(crate) mod parry;
mod segments;
mod surface;
mod within;

pub use collider::Collider;
pub use contact::{Contact, ContactKey};
pub(crate) use half_space::corner_of;
pub use surface::surface;
pub(crate) use within::{Way, Within};
