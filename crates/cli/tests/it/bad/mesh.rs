//! Surfaces: STL and OBJ, as the hull of a body and as a mesh of a robot.

use std::path::Path;

use super::harness::{Case, put, refuse};

#[test]
fn files_that_are_no_surfaces_are_refused_by_name() {
    refuse("mesh", &cases());
}

const STL: &[&str] = &["run", "stl.toml"];
const OBJ: &[&str] = &["run", "obj.toml"];

fn stl(name: &'static str, says: &'static [&'static str], make: fn(&Path)) -> Case {
    Case { name, make, args: STL, says }
}

fn obj(name: &'static str, says: &'static [&'static str], make: fn(&Path)) -> Case {
    Case { name, make, args: OBJ, says }
}

fn scene(dir: &Path, ending: &str, content: impl AsRef<[u8]>) {
    let mesh = format!("mesh.{ending}");
    let shape = format!("{{ kind = \"hull\", file = \"{mesh}\" }}");
    put(dir, &format!("{ending}.toml"), format!("[bodies.a]\nmass = 1\nshapes = {shape}\n"));
    put(dir, &mesh, content);
}

/// A binary file that claims so many triangles and has these numbers.
fn binary(claimed: u32, numbers: &[f32]) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(claimed.to_le_bytes());
    for facet in numbers.chunks(12) {
        bytes.extend(facet.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

const FACET: [f32; 12] = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = in_bytes();
    cases.extend(in_text());
    cases.extend(objects());
    cases
}

fn in_bytes() -> Vec<Case> {
    vec![
        stl("empty", &["mesh.stl"], |dir| scene(dir, "stl", "")),
        stl("one byte", &["mesh.stl"], |dir| scene(dir, "stl", [0])),
        stl("header alone", &["mesh.stl"], |dir| scene(dir, "stl", binary(0, &[]))),
        stl("half a header", &["mesh.stl"], |dir| scene(dir, "stl", [0; 50])),
        stl("a billion triangles", &["mesh.stl: byte 80: ", "1000000000"], |dir| {
            scene(dir, "stl", binary(1_000_000_000, &FACET));
        }),
        stl("all bits of a count", &["mesh.stl: byte 80: "], |dir| {
            scene(dir, "stl", binary(u32::MAX, &FACET));
        }),
        stl("one too many", &["mesh.stl: byte 80: "], |dir| scene(dir, "stl", binary(2, &FACET))),
        stl("one too few", &["mesh.stl: byte 80: "], |dir| {
            scene(dir, "stl", binary(1, &[FACET, FACET].concat()));
        }),
        stl("cut in a triangle", &["mesh.stl: byte 80: "], |dir| {
            let whole = binary(1, &FACET);
            scene(dir, "stl", &whole[..whole.len() - 7]);
        }),
        stl("nan in bytes", &["mesh.stl: byte 96: "], |dir| {
            let mut facet = FACET;
            facet[3] = f32::NAN;
            scene(dir, "stl", binary(1, &facet));
        }),
        stl("infinity in bytes", &["mesh.stl: byte 128: "], |dir| {
            let mut facet = FACET;
            facet[11] = f32::INFINITY;
            scene(dir, "stl", binary(1, &facet));
        }),
        stl("one flat triangle", &["mesh.stl"], |dir| scene(dir, "stl", binary(1, &[0.0; 12]))),
        stl("no inside", &["stl.toml:3:"], |dir| scene(dir, "stl", binary(1, &FACET))),
        stl("larger than is read", &["mesh.stl"], |dir| {
            scene(dir, "stl", "");
            let file = std::fs::File::create(dir.join("mesh.stl")).expect("a file can be made");
            file.set_len((256 << 20) + 1).expect("a file can have holes");
        }),
    ]
}

fn in_text() -> Vec<Case> {
    vec![
        stl("word alone", &["mesh.stl"], |dir| scene(dir, "stl", "solid")),
        stl("no facet", &["mesh.stl"], |dir| scene(dir, "stl", "solid a\nendsolid a\n")),
        stl("cut in a facet", &["mesh.stl: line 3: "], |dir| {
            scene(dir, "stl", "solid a\nfacet normal 0 0 1\nouter loop");
        }),
        stl("nan in text", &["mesh.stl: line 4: "], |dir| {
            scene(
                dir,
                "stl",
                "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 nan 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n",
            );
        }),
        stl("word for a number", &["mesh.stl: line 4: "], |dir| {
            scene(
                dir,
                "stl",
                "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 zero 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n",
            );
        }),
        stl("four corners", &["mesh.stl: line 7: ", "`endloop`"], |dir| {
            scene(
                dir,
                "stl",
                "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0\nendloop\nendfacet\nendsolid\n",
            );
        }),
        stl("no end", &["mesh.stl: line 9: "], |dir| {
            scene(
                dir,
                "stl",
                "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n",
            );
        }),
    ]
}

fn objects() -> Vec<Case> {
    vec![
        obj("empty object", &["mesh.obj"], |dir| scene(dir, "obj", "")),
        obj("bytes", &["mesh.obj"], |dir| scene(dir, "obj", [0xff; 1000])),
        obj("vertices alone", &["mesh.obj"], |dir| {
            scene(dir, "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n")
        }),
        obj("vertex that there is not", &["mesh.obj: line 4: "], |dir| {
            scene(dir, "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
        }),
        obj("vertex 0", &["mesh.obj: line 4: "], |dir| {
            scene(dir, "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n");
        }),
        obj("vertex before the first", &["mesh.obj: line 4: "], |dir| {
            scene(dir, "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n");
        }),
        obj("vertex beyond 64 bits", &["mesh.obj: line 1: "], |dir| {
            scene(dir, "obj", "f 1 2 99999999999999999999\n");
        }),
        obj("face of two", &["mesh.obj: line 4: "], |dir| {
            scene(dir, "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n");
        }),
        obj("two coordinates", &["mesh.obj: line 1: "], |dir| scene(dir, "obj", "v 0 0\n")),
        obj("nan in an object", &["mesh.obj: line 1: "], |dir| scene(dir, "obj", "v 0 nan 0\n")),
        obj("beyond f64", &["mesh.obj: line 1: "], |dir| scene(dir, "obj", "v 0 1e999 0\n")),
        obj("word for an index", &["mesh.obj: line 1: "], |dir| scene(dir, "obj", "f a b c\n")),
    ]
}
