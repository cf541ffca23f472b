use super::*;

/// A cube of edge 1 with a corner at the origin: corners and outward quadrilaterals.
const CORNERS: [[f32; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];
const FACES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

fn cube_triangles() -> Vec<[[f32; 3]; 3]> {
    let halves = FACES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    halves.map(|triangle| triangle.map(|i| CORNERS[i])).collect()
}

fn binary_cube(header: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, 0);
    bytes.extend(12_u32.to_le_bytes());
    for triangle in cube_triangles() {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0xff; 2]);
    }
    bytes
}

fn text_cube() -> String {
    let mut text = String::from("solid a cube\n");
    for triangle in cube_triangles() {
        text += "  facet normal nan 0 0\n    outer loop\n";
        for [x, y, z] in triangle {
            text += &format!("      vertex {x:e} {y} {z}\n");
        }
        text += "    endloop\n  endfacet\n";
    }
    text + "endsolid a cube\n"
}

fn obj_cube() -> String {
    let mut text = String::from("mtllib cube.mtl\no cube\n");
    for [x, y, z] in CORNERS {
        text += &format!("v {x} {y} {z} 1.0 0.5 0.2\n");
    }
    for (i, [a, b, c, d]) in FACES.iter().enumerate() {
        let form = |v: usize| match i {
            0 => format!("{}", v + 1),
            1 => format!("{}/7", v + 1),
            2 => format!("{}//3", v + 1),
            3 => format!("{}/7/3", v + 1),
            _ => format!("{}", v as i32 - 8),
        };
        text += &format!("f {} {} {} {}\n", form(*a), form(*b), form(*c), form(*d));
    }
    text
}

fn read_all(bytes: &[u8], name: &str) -> Triangles {
    read(bytes, name, &Limits::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_cube_is_the_same_in_every_format() {
    let surfaces = [
        read_all(&binary_cube(b"made by hand"), "cube.stl"),
        read_all(&binary_cube(b"solid but binary"), "cube.STL"),
        read_all(text_cube().as_bytes(), "cube.stl"),
        read_all(text_cube().to_uppercase().as_bytes(), "cube.stl"),
        read_all(obj_cube().as_bytes(), "package://p/cube.obj"),
        read_all(dae::tests::cube().as_bytes(), "cube.dae"),
    ];
    for (i, surface) in surfaces.iter().enumerate() {
        assert_eq!((surface.vertices.len(), surface.triangles.len()), (8, 12), "{i}");
        assert!((surface.volume() - 1.0).abs() < 1e-15, "{i}: {}", surface.volume());
        assert_eq!(surface.flat, 0, "{i}");
    }
    assert_eq!(surfaces[4].ignored, 2);
}

#[test]
fn a_header_of_blanks_or_line_ends_after_solid_does_not_make_a_file_text() {
    let mut header = b"solid ".to_vec();
    header.resize(80, b'\n');
    assert_eq!(read_all(&binary_cube(&header), "cube.stl").triangles.len(), 12);
}

#[test]
fn two_solids_of_one_text_are_one_surface() {
    let text = text_cube() + &text_cube().replace("vertex ", "vertex 1");
    assert_eq!(read_all(text.as_bytes(), "two.stl").triangles.len(), 24);
}

#[test]
fn equal_vertices_are_merged_zeros_of_both_signs_too_and_lone_ones_dropped() {
    let text = "v 5 5 5\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 -0.0\nf 2 3 4\nf 5 4 3\nf 2 5 3\n";
    let surface = read_all(text.as_bytes(), "m.obj");
    assert_eq!(surface.vertices, [Vec3::zeros(), Vec3::x(), Vec3::y()]);
    assert_eq!(surface.triangles, [[0, 1, 2], [0, 2, 1]]);
    assert_eq!(surface.flat, 1);
}

#[test]
fn the_hull_of_a_cube_with_points_inside_and_on_it_has_eight_vertices() {
    let mut points: Vec<Vec3> = Vec::new();
    for i in 0..=4 {
        for j in 0..=4 {
            points.extend(
                (0..=4).map(|k| 0.25 * Vec3::new(f64::from(i), f64::from(j), f64::from(k))),
            );
        }
    }
    let hull = hull(&points, 100).expect("solid");
    assert_eq!((hull.vertices.len(), hull.triangles.len()), (8, 12));
    assert!((hull.volume() - 1.0).abs() < 1e-15 && hull.left_out < 1e-15);
}

/// Points on a sphere, by the golden angle.
fn sphere(n: usize) -> Vec<Vec3> {
    let point = |i: usize| {
        let z = 1.0 - (2 * i + 1) as f64 / n as f64;
        let (s, c) = libm::sincos(2.399963229728653 * i as f64);
        let r = (1.0 - z * z).sqrt();
        Vec3::new(r * c, r * s, z)
    };
    (0..n).map(point).collect()
}

#[test]
fn a_hull_contains_all_points_and_is_closed() {
    let points = sphere(500);
    let hull = hull(&points, usize::MAX).expect("solid");
    assert_eq!(hull.vertices.len(), 500);
    // Euler: every edge has two faces
    assert_eq!(hull.triangles.len(), 2 * 500 - 4);
    assert!(hull.left_out <= 1e-6);
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    assert!(hull.volume() < ball && hull.volume() > 0.97 * ball, "{}", hull.volume());
}

#[test]
fn a_hull_of_few_vertices_says_how_much_it_leaves_out() {
    let points = sphere(5000);
    let mut last = f64::INFINITY;
    for most in [8, 32, 128] {
        let hull = hull(&points, most).expect("solid");
        assert_eq!(hull.vertices.len(), most);
        assert_eq!(hull.triangles.len(), 2 * most - 4);
        assert!(hull.left_out < 0.5 * last, "{most}: {}", hull.left_out);
        // the volume left out is no more than a shell of this thickness
        let ball = 4.0 / 3.0 * std::f64::consts::PI;
        assert!(hull.volume() > ball * (1.0 - hull.left_out).powi(3) - 0.01);
        last = hull.left_out;
    }
    assert!(last < 0.04, "{last}");
}

#[test]
fn points_in_a_plane_have_no_hull() {
    let flat: Vec<Vec3> = sphere(50).iter().map(|p| Vec3::new(p.x, p.y, p.x - p.y)).collect();
    assert_eq!(hull(&flat, 100), None);
    assert_eq!(hull(&[], 100), None);
    assert_eq!(hull(&[Vec3::x(); 7], 100), None);
}

#[test]
fn hulls_of_rough_numbers_keep_their_vertices() {
    // a cylinder as a file of four-byte numbers has it, far from the origin
    let n = 48;
    let mut points = Vec::new();
    for i in 0..n {
        let (s, c) = libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(n));
        for z in [0.0, 0.1] {
            let p = Vec3::new(0.5 + 0.05 * c, 0.3 + 0.05 * s, 0.7 + z);
            points.push(p.map(|x| f64::from(x as f32)));
        }
    }
    let hull = hull(&points, 128).expect("solid");
    assert_eq!(hull.vertices.len(), 2 * n as usize);
    assert!(hull.left_out < 1e-7);
}
