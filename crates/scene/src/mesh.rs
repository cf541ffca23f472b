//! Surfaces of triangles from STL and OBJ files.
