//! COLLADA: geometry of the scene.

use super::{Fault, Limits, Place, Soup};

pub(super) fn read(_bytes: &[u8], _limits: &Limits) -> Result<Soup, Fault> {
    Err(Fault::new(Place::Whole, "STL or OBJ", "COLLADA"))
}
