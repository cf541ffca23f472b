//! URDF: robots as other programs describe them.
