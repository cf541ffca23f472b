//! Surfaces: STL in bytes and in text, OBJ, COLLADA; and the hull of what was read.

use stiction_scene::mesh::{self, Limits};

use crate::Target;

/// A tetrahedron.
const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
const HULL_VERTICES: usize = 32;
const MEMORY: u64 = 32 << 20;

pub fn stl() -> Target {
    let seeds = vec![stl_bytes(), stl_text().into_bytes()];
    Target { name: "stl", read: |bytes| read(bytes, "x.stl"), seeds, words: STL, memory: MEMORY }
}

pub fn obj() -> Target {
    let seeds = vec![OBJ_SEED.as_bytes().to_vec()];
    Target { name: "obj", read: |bytes| read(bytes, "x.obj"), seeds, words: OBJ, memory: MEMORY }
}

pub fn dae() -> Target {
    let seeds = vec![DAE_SEED.as_bytes().to_vec()];
    Target { name: "dae", read: |bytes| read(bytes, "x.dae"), seeds, words: DAE, memory: MEMORY }
}

fn read(bytes: &[u8], name: &str) -> String {
    match mesh::read(bytes, name, &Limits::default()) {
        Err(error) => error.to_string(),
        Ok(surface) => {
            let corners = surface.vertices.len();
            let inside = surface.triangles.iter().flatten().all(|v| (*v as usize) < corners);
            assert!(inside, "a triangle has a vertex that there is not");
            let finite = surface.vertices.iter().all(|v| v.iter().all(|x| x.is_finite()));
            assert!(finite, "a vertex is not finite");
            match mesh::hull(&surface.vertices, HULL_VERTICES) {
                None => "read, without a hull".to_string(),
                Some(hull) => {
                    assert!(hull.vertices.len() <= HULL_VERTICES, "a hull beyond its bound");
                    format!("read, {} is flat", surface.flat > 0)
                }
            }
        }
    }
}

const STL: &[&str] = &[
    "solid",
    "endsolid",
    "facet",
    "normal",
    "outer",
    "loop",
    "vertex",
    "endloop",
    "endfacet",
    "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\n",
];

const OBJ: &[&str] = &[
    "v 0 0 0\n",
    "v 1e30 1 1\n",
    "f 1 2 3\n",
    "f -1 -2 -3\n",
    "f 1/1/1 2//2 3/3\n",
    "f 1 2 3 4 5 6\n",
    "vn",
    "vt",
    "usemtl",
    "mtllib",
    "o",
    "g",
    "s off",
    "#",
    "\\\n",
    "-1",
    "0",
];

const DAE: &[&str] = &[
    "COLLADA",
    "asset",
    "unit",
    "meter",
    "up_axis",
    "library_geometries",
    "geometry",
    "mesh",
    "source",
    "float_array",
    "count",
    "stride",
    "offset",
    "accessor",
    "vertices",
    "input",
    "triangles",
    "polylist",
    "vcount",
    "p",
    "<p>0 1 2</p>",
    "semantic",
    "POSITION",
    "VERTEX",
    "#",
    "node",
    "matrix",
    "instance_geometry",
    "visual_scene",
    "<!DOCTYPE a>",
    "&lt;",
    "NaN",
];

fn stl_bytes() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend((FACES.len() as u32).to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        let numbers = face.iter().flat_map(|v| CORNERS[*v]);
        bytes.extend(numbers.flat_map(f32::to_le_bytes));
        bytes.extend([0; 2]);
    }
    bytes
}

fn stl_text() -> String {
    let mut text = "solid tetrahedron\n".to_string();
    for face in FACES {
        text += " facet normal 0 0 0\n  outer loop\n";
        for [x, y, z] in face.map(|v| CORNERS[v]) {
            text += &format!("   vertex {x} {y} {z}\n");
        }
        text += "  endloop\n endfacet\n";
    }
    text + "endsolid tetrahedron\n"
}

const OBJ_SEED: &str = "\
# a pyramid
mtllib none.mtl
o pyramid
v 0 0 0
v 1 0 0
v 1 1 0 1.0
v 0 1 0 0.5 0.5 0.5
v 0.5 0.5 1
vn 0 0 -1
vt 0 0
f 1/1/1 4/1/1 3/1/1 2/1/1
f 1 2 5
f 2//1 3//1 5//1
f -3 -2 -1
f 4/1 1/1 5/1
";

const DAE_SEED: &str = r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit meter="0.01" name="centimeter"/><up_axis>Z_UP</up_axis></asset>
 <library_geometries><geometry id="g"><mesh>
  <source id="s"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
   <technique_common><accessor source="#a" count="4" stride="3">
    <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
   </accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
  <triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3</p></triangles>
  <polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3 3</vcount><p>0 3 2 1 2 3</p></polylist>
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="vs"><node id="n"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
  <instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#vs"/></scene>
</COLLADA>
"##;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_surfaces() {
        for seed in [stl().seeds, obj().seeds].concat() {
            let name = if seed.starts_with(b"#") { "x.obj" } else { "x.stl" };
            assert_eq!(read(&seed, name), "read, false is flat");
        }
    }
}
