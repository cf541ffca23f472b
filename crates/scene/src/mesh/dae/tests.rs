use super::*;
use crate::mesh::{MeshError, Triangles, read as read_mesh};

/// A cube of edge 1: half of it as triangles, half as polygons, in millimetres, moved there by nodes.
pub(in crate::mesh) fn cube() -> String {
    document(
        "0.001",
        "Z_UP",
        "0 3 2 0 2 1 4 5 6 4 6 7 0 1 5 0 5 4",
        "<translate>-500 0 0</translate>",
    )
}

/// Corners at 0 and 1000 units, shifted back and forth by a node, mirrored twice.
fn document(metre: &str, up: &str, triangles: &str, extra: &str) -> String {
    let pairs: String = triangles.split(' ').map(|vertex| format!("9 {vertex} ")).collect();
    format!(
        r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{metre}"/><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="f" count="999999999">
0 0 0 1 0 0 1 1 0 0 1 0 <!-- above --> 0 0 1 1 0 1 1 1 1 0 1 1</float_array>
<technique_common><accessor source="#f" count="8" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="6"><input semantic="NORMAL" source="#n" offset="0"/>
<input semantic="VERTEX" source="#v" offset="1"/><p>{pairs}</p></triangles>
<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 3 3</vcount>
<p>1 2 6 5 2 3 7 2 7 6</p></polylist>
<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>3 0 4 7</p></polygons>
<lines count="0"/></mesh></geometry></library_geometries>
<library_nodes><node id="n"><scale>1 -1 1</scale><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="w"><node>
<matrix>1000 0 0 500 0 1000 0 0 0 0 1000 0 0 0 0 1</matrix>{extra}<node><scale>0.001 0.001 0.001</scale>
<translate>500000 0 0</translate><translate>-500 0 0</translate><scale>1000 1000 1000</scale>
<node><scale>1 -1 1</scale><instance_node url="#n"/></node></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene>
</COLLADA>"##
    )
}

fn read_text(text: &str) -> Result<Triangles, MeshError> {
    read_mesh(text.as_bytes(), "m.dae", &Limits::default())
}

fn extent(surface: &Triangles) -> (Vec3, Vec3) {
    let start = (surface.vertices[0], surface.vertices[0]);
    surface.vertices.iter().fold(start, |(low, high), p| (low.inf(p), high.sup(p)))
}

/// One triangle, of the corners given, under a node with the transformation given.
fn triangle(transformation: &str, up: &str) -> Triangles {
    let text = format!(
        r##"<COLLADA><asset><up_axis>{up}</up_axis></asset><geometry id="g"><mesh><source id="s">
<float_array>1 0 0 0 2 0 0 0 3</float_array></source><vertices><input semantic="POSITION" source="#s"/></vertices>
<triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
<visual_scene id="w"><node>{transformation}<instance_geometry url="#g"/></node></visual_scene>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"##
    );
    read_text(&text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn transformations_follow_one_another_and_degrees_are_degrees() {
    let both = "<translate>1 0 0</translate><rotate>0 0 2 90</rotate>";
    let surface = triangle(both, "Z_UP");
    let expected = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 3.0)];
    for (p, q) in surface.vertices.iter().zip(expected) {
        assert!((p - q).amax() < 1e-15, "{p} {q}");
    }
}

#[test]
fn the_axis_that_points_up_changes_nothing() {
    for axis in ["X_UP", "Y_UP", "Z_UP", ""] {
        let surface = triangle("", axis);
        assert_eq!(surface.vertices, [Vec3::x(), 2.0 * Vec3::y(), 3.0 * Vec3::z()], "{axis}");
    }
}

#[test]
fn a_node_that_mirrors_keeps_the_outside() {
    let volume = |surface: Triangles| {
        let [a, b, c] = surface.triangles[0].map(|v| surface.vertices[v as usize]);
        a.dot(&b.cross(&c))
    };
    assert!(volume(triangle("<scale>-1 1 1</scale>", "Z_UP")) > 0.0);
    assert!(volume(triangle("<scale>-1 -1 1</scale>", "Z_UP")) > 0.0);
}

#[test]
fn units_and_places_are_those_of_the_scene() {
    let (low, high) = extent(&read_text(&cube()).expect("a cube"));
    assert!((high - low - Vec3::new(1.0, 1.0, 1.0)).amax() < 1e-12, "{low} {high}");
}

#[test]
fn bad_files_are_refused_at_their_lines() {
    let good = cube();
    let doubling: String = (0..40)
        .map(|i| format!("<node id=\"d{i}\"><instance_node url=\"#d{j}\"/><instance_node url=\"#d{j}\"/></node>", j = i + 1))
        .collect();
    let bomb =
        good.replace("<library_nodes>", &format!("<library_nodes>{doubling}<node id=\"d40\"/>"));
    let cases: Vec<(&str, String, u32, &str)> = vec![
        ("not XML", "<COLLADA>".to_string(), 1, "XML"),
        ("entities", "<!DOCTYPE a [<!ENTITY b 'c'>]>\n<COLLADA/>".to_string(), 1, "document type"),
        ("another root", good.replace("COLLADA", "collada"), 2, "`collada`"),
        ("unit NaN", good.replace("0.001\"", "nan\""), 3, "finite number"),
        ("unit 0", good.replace("0.001\"", "0\""), 3, "positive meter"),
        ("number NaN", good.replace("0 0 1 1 0 1", "0 0 1 nan 0 1"), 5, "found `nan`"),
        ("unknown source", good.replace("#s\"", "#t\""), 8, "found `#t`"),
        ("unknown scene", good.replace("#w\"", "#x\""), 20, "found `#x`"),
        ("no positions", good.replace("POSITION", "COLOR"), 8, "POSITION"),
        ("no vertices", good.replace("VERTEX", "COLOR"), 9, "VERTEX"),
        ("index beyond", good.replace("9 7 ", "9 8 "), 10, "one of 8 vertices, found 8"),
        ("index negative", good.replace("1 2 6 5 ", "1 2 6 -5 "), 12, "found -5"),
        ("a corner short", good.replace("2 7 6</p>", "2 7</p>"), 12, "3 corners of the last"),
        ("a polygon short", good.replace("2 3 7 2 7 6</p>", "2 3 7</p>"), 12, "<vcount>"),
        ("an index short", good.replace("9 4 </p>", "9</p>"), 10, "2 indices of each corner"),
        ("offset", good.replace("offset=\"1\"", "offset=\"1e9\""), 10, "offset below 1000"),
        ("matrix of 15", good.replace("500 0 1000", "500 1000"), 17, "16 numbers, found 15"),
        (
            "axis 0",
            good.replace("<translate>-500 0 0</translate><node>", "<rotate>0 0 0 1</rotate><node>"),
            17,
            "an axis",
        ),
        (
            "a circle",
            good.replace("<instance_geometry url=\"#g\"/>", "<instance_node url=\"#n\"/>"),
            15,
            "fewer nodes",
        ),
        (
            "doubling",
            bomb.replace("<instance_node url=\"#n\"/>", "<instance_node url=\"#d0\"/>"),
            15,
            "fewer nodes",
        ),
    ];
    for (name, text, line, message) in cases {
        assert_ne!(text, good, "{name}");
        let Err(error) = read_text(&text) else { panic!("{name}: was read") };
        assert_eq!(error.place, Place::Line(line), "{name}: {error}");
        assert!(error.to_string().contains(message), "{name}: {error}");
    }
}
