//! Meshes that are refused: where, and with which words. None makes the reader allocate what a header claims.

use stiction_scene::mesh::{self, Limits, Place};

/// A header that claims so many triangles, and the bytes after it.
fn binary(count: u32, rest: &[u8]) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(count.to_le_bytes());
    bytes.extend(rest);
    bytes
}

/// A triangle of a binary file.
fn facet(numbers: [f32; 9]) -> Vec<u8> {
    let normal = [0.0_f32; 3];
    let numbers = normal.iter().chain(&numbers);
    numbers.flat_map(|x| x.to_le_bytes()).chain([0, 0]).collect()
}

const CORNERS: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

fn with(place: usize, x: f32) -> Vec<u8> {
    let mut corners = CORNERS;
    corners[place] = x;
    binary(2, &[facet(CORNERS), facet(corners)].concat())
}

fn text(corner: &str) -> Vec<u8> {
    format!("solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n{corner}\nendloop\nendfacet\nendsolid s\n")
        .into_bytes()
}

type Case = (&'static str, &'static str, Vec<u8>, Place, &'static str);

fn cases() -> Vec<Case> {
    let stl = "m.stl";
    let obj = "m.obj";
    let begin = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let face = |face: &str| format!("{begin}{face}\n").into_bytes();
    let flat = binary(1, &facet([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0]));
    let mut open_end = text("vertex 0 1 0");
    open_end.truncate(open_end.len() - "endsolid s\n".len());
    vec![
        ("no ending", "mesh", vec![], Place::Whole, "ends in .stl"),
        ("unknown ending", "m.ply", vec![], Place::Whole, "found `m.ply`"),
        ("empty", stl, vec![], Place::Whole, "found 0 bytes"),
        ("short", stl, vec![0; 83], Place::Whole, "found 83 bytes"),
        (
            "a billion triangles",
            stl,
            binary(1_000_000_000, &[0; 116]),
            Place::Byte(80),
            "50000000084 bytes, as the header says 1000000000 triangles, found 200",
        ),
        ("cut off", stl, binary(1, &facet(CORNERS)[..49]), Place::Byte(80), "found 133 bytes"),
        (
            "too long",
            stl,
            binary(1, &[facet(CORNERS), vec![0]].concat()),
            Place::Byte(80),
            "found 135 bytes",
        ),
        ("none", stl, binary(0, &[]), Place::Whole, "a triangle"),
        ("NaN", stl, with(4, f32::NAN), Place::Byte(84 + 50 + 12 + 16), "found NaN"),
        ("infinite", stl, with(8, f32::INFINITY), Place::Byte(84 + 50 + 12 + 32), "found inf"),
        ("all flat", stl, flat, Place::Whole, "none but 1 without an area"),
        ("text: word for a number", stl, text("vertex 0 one 0"), Place::Line(6), "found `one`"),
        ("text: NaN", stl, text("vertex 0 nan 0"), Place::Line(6), "finite number"),
        ("text: two numbers", stl, text("vertex 0 1"), Place::Line(7), "found `endloop`"),
        ("text: two corners", stl, text(""), Place::Line(7), "expected `vertex`"),
        (
            "text: four corners",
            stl,
            text("vertex 0 1 0\nvertex 1 1 0"),
            Place::Line(7),
            "expected `endloop`",
        ),
        (
            "text: cut off",
            stl,
            text("vertex 0 1 0")[..60].to_vec(),
            Place::Line(5),
            "the end of the file",
        ),
        (
            "text: after the end",
            stl,
            [text("vertex 0 1 0"), b"facet".to_vec()].concat(),
            Place::Line(10),
            "expected `solid`",
        ),
        ("text: no end", stl, open_end, Place::Line(9), "`facet` or `endsolid`"),
        ("text: nothing in it", stl, b"solid s\nendsolid s\n".to_vec(), Place::Whole, "a triangle"),
        ("empty", obj, vec![], Place::Whole, "a triangle"),
        ("two coordinates", obj, b"v 0 0\n".to_vec(), Place::Line(1), "three coordinates, found 2"),
        ("word for a number", obj, b"v 0 0 a\n".to_vec(), Place::Line(1), "found `a`"),
        ("infinite", obj, b"v 0 0 0\nv 0 inf 0\n".to_vec(), Place::Line(2), "finite number"),
        ("overflow", obj, b"v 0 0 1e400\n".to_vec(), Place::Line(1), "finite number"),
        ("index 0", obj, face("f 0 1 2"), Place::Line(4), "found `0`"),
        (
            "index 4 of 3",
            obj,
            face("f 1 2 4/1/1"),
            Place::Line(4),
            "one of the 3 vertices above, found `4/1/1`",
        ),
        ("index -4 of 3", obj, face("f 1 2 -4"), Place::Line(4), "found `-4`"),
        (
            "index beyond 64 bits",
            obj,
            face("f 1 2 99999999999999999999"),
            Place::Line(4),
            "found `99999999999999999999`",
        ),
        (
            "smallest index",
            obj,
            face("f 1 2 -9223372036854775808"),
            Place::Line(4),
            "vertices above",
        ),
        (
            "vertex after its face",
            obj,
            b"v 0 0 0\nf 1 2 3\nv 1 0 0\nv 0 1 0\n".to_vec(),
            Place::Line(2),
            "one of the 1 vertices",
        ),
        ("two corners", obj, face("f 1 2"), Place::Line(4), "three or more corners, found 2"),
        ("flat", obj, face("f 1 1 2"), Place::Whole, "none but 1"),
        ("no text", obj, vec![0xff; 100], Place::Whole, "a triangle"),
    ]
}

#[test]
fn each_bad_mesh_is_refused_at_its_place() {
    for (name, file, bytes, place, message) in cases() {
        let Err(error) = mesh::read(&bytes, file, &Limits::default()) else {
            panic!("{name}: was read")
        };
        assert_eq!((error.place, error.name.as_str()), (place, file), "{name}: {error}");
        assert!(error.to_string().contains(message), "{name}: {error}");
    }
}

#[test]
fn limits_hold() {
    let few = Limits { triangles: 1, ..Limits::default() };
    let two = with(0, 0.5);
    let error = mesh::read(&two, "m.stl", &few).expect_err("two triangles");
    assert_eq!(error.place, Place::Byte(134));
    assert!(error.to_string().contains("at most 1 triangles"), "{error}");
    let fan = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nf 1 2 3\n";
    let error = mesh::read(fan, "m.obj", &few).expect_err("two triangles");
    assert_eq!(error.place, Place::Line(5));
    let error = mesh::read(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n", "m.obj", &few);
    assert_eq!(error.expect_err("four vertices").place, Place::Line(4));
    let error = mesh::read(&two, "m.stl", &Limits { bytes: 183, ..Limits::default() });
    assert!(error.expect_err("184 bytes").to_string().contains("at most 183 bytes"));
}

/// Every prefix of a file, and every file with one byte changed, is read or refused.
#[test]
fn files_that_are_cut_or_changed_do_not_panic() {
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2/2/2 -1//3\n".to_vec();
    for (name, bytes) in [("m.stl", with(0, 0.5)), ("m.stl", text("vertex 0 1 0")), ("m.obj", obj)]
    {
        for end in 0..bytes.len() {
            drop(mesh::read(&bytes[..end], name, &Limits::default()));
            for byte in [0, b' ', b'-', b'9', 0xff] {
                let mut changed = bytes.clone();
                changed[end] = byte;
                drop(mesh::read(&changed, name, &Limits::default()));
            }
        }
    }
}
