use super::*;
use crate::math::Quat;
use crate::spatial::Pose;

/// Sums of a few rounded terms of one size.
const ROUNDING: f64 = 1e-14;

fn assert_close(a: &Inertia, b: &Inertia, tolerance: f64, what: &str) {
    let scale = b.I_com.amax();
    assert!((a.mass - b.mass).abs() <= tolerance * b.mass, "{what}: {a:?} {b:?}");
    assert!((a.com - b.com).norm() <= tolerance * (scale / b.mass).sqrt(), "{what}: {a:?} {b:?}");
    assert!((a.I_com - b.I_com).amax() <= tolerance * scale, "{what}: {a:?} {b:?}");
}

fn with_mass(solid: &Solid, mass: f64) -> Inertia {
    solid.with_mass(mass).expect("a body")
}

fn with_density(solid: &Solid, density: f64) -> Inertia {
    solid.with_density(density).expect("a body")
}

#[test]
fn closed_forms_at_numbers_that_come_out_even() {
    let cases = [
        (Solid::Sphere { radius: 2.0 }, [8.0; 3]),
        (Solid::Box { edges: [1.0, 2.0, 3.0] }, [65.0 / 12.0, 50.0 / 12.0, 25.0 / 12.0]),
        (Solid::Cylinder { radius: 2.0, length: 6.0 }, [20.0, 20.0, 10.0]),
        (Solid::Cone { radius: 2.0, height: 4.0 }, [6.0, 6.0, 6.0]),
        (Solid::Ellipsoid { radii: [1.0, 2.0, 3.0] }, [13.0, 10.0, 5.0]),
        (Solid::ThinShell { radius: 3.0 }, [30.0; 3]),
        (Solid::ThinDisc { radius: 2.0 }, [5.0, 5.0, 10.0]),
        (Solid::ThinRod { length: 6.0 }, [15.0, 15.0, 0.0]),
    ];
    for (solid, moments) in cases {
        let body = with_mass(&solid, 5.0);
        let mut expected = Inertia::principal(5.0, moments);
        expected.com.z = if matches!(solid, Solid::Cone { .. }) { 1.0 } else { 0.0 };
        assert_close(&body, &expected, ROUNDING, &format!("{solid:?}"));
    }
    // water: a cube of 0.1 m is a kilogram
    let cube = Solid::Box { edges: [0.1; 3] };
    assert_close(&with_density(&cube, 1000.0), &with_mass(&cube, 1.0), ROUNDING, "cube");
}

/// Mass and inertia of a body of density one that is round about z, from its squared radius at height z. Simpson's
/// rule on each piece: where the squared radius is a parabola the integrands are quartic and the error, about
/// (1/1000)⁴/180 of the size, is below rounding.
fn round_body(pieces: &[(f64, f64)], radius2: impl Fn(f64) -> f64) -> Inertia {
    let n = 2000;
    let mut sums = [0.0; 4];
    for &(from, to) in pieces {
        let h = (to - from) / n as f64;
        for i in 0..=n {
            let weight = if i == 0 || i == n {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            };
            let z = from + h * i as f64;
            // a slice: a disc of area A, with moments A r²/4 across and A r²/2 along z
            let r2 = radius2(z).max(0.0);
            let A = PI * r2;
            let slice = [A, A * z, A * r2 / 4.0 + A * z * z, A * r2 / 2.0];
            for (sum, slice) in sums.iter_mut().zip(slice) {
                *sum += weight * h / 3.0 * slice;
            }
        }
    }
    let [mass, mz, across, along] = sums;
    let z = mz / mass;
    let mut body = Inertia::principal(mass, [across - mz * z, across - mz * z, along]);
    body.com.z = z;
    body
}

#[test]
fn round_solids_agree_with_their_slices() {
    let (r, l) = (0.7, 1.9);
    let sphere = |z: f64| r * r - z * z;
    let capsule = |z: f64| r * r - (z.abs() - l / 2.0).max(0.0).powi(2);
    let (half, top) = (l / 2.0, l / 2.0 + r);
    let cases = [
        (Solid::Sphere { radius: r }, round_body(&[(-r, r)], sphere)),
        (
            Solid::Capsule { radius: r, length: l },
            round_body(&[(-top, -half), (-half, half), (half, top)], capsule),
        ),
        (Solid::Cylinder { radius: r, length: l }, round_body(&[(-half, half)], |_| r * r)),
        (
            Solid::Cone { radius: r, height: l },
            round_body(&[(0.0, l)], |z| (r * (1.0 - z / l)).powi(2)),
        ),
        (
            Solid::Ellipsoid { radii: [r, r, l] },
            round_body(&[(-l, l)], |z| r * r * (1.0 - z * z / (l * l))),
        ),
    ];
    for (solid, slices) in cases {
        assert_close(&with_density(&solid, 1.0), &slices, 1e-11, &format!("{solid:?}"));
    }
}

/// Whether a point is in the solid, by the definition of its shape alone.
fn contains(solid: &Solid, p: &Vec3) -> bool {
    let across = p.x.hypot(p.y);
    match solid {
        Solid::Sphere { radius } => p.norm() <= *radius,
        Solid::Box { edges } => (0..3).all(|i| p[i].abs() <= edges[i] / 2.0),
        Solid::Capsule { radius, length } => {
            across.hypot((p.z.abs() - length / 2.0).max(0.0)) <= *radius
        }
        Solid::Cylinder { radius, length } => across <= *radius && p.z.abs() <= length / 2.0,
        Solid::Cone { radius, height } => p.z >= 0.0 && across <= radius * (1.0 - p.z / height),
        Solid::Ellipsoid { radii } => (0..3).map(|i| (p[i] / radii[i]).powi(2)).sum::<f64>() <= 1.0,
        _ => false,
    }
}

#[test]
fn solids_agree_with_random_points_inside_them() {
    let solids = [
        Solid::Sphere { radius: 0.8 },
        Solid::Box { edges: [0.5, 1.0, 1.7] },
        Solid::Capsule { radius: 0.4, length: 0.9 },
        Solid::Cylinder { radius: 0.5, length: 1.5 },
        Solid::Cone { radius: 0.7, height: 0.9 },
        Solid::Ellipsoid { radii: [0.3, 0.6, 0.9] },
    ];
    for solid in solids {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let (mut inside, mut sum, mut C) = (0.0, Vec3::zeros(), Mat3::zeros());
        let n = 400_000;
        for _ in 0..n {
            let p = Vec3::new(random(), random(), random());
            if contains(&solid, &p) {
                inside += 1.0;
                sum += p;
                C += p * p.transpose();
            }
        }
        let com = sum / inside;
        let C = C / inside - com * com.transpose();
        let volume = 8.0 * inside / n as f64;
        let points = Inertia { mass: 1.0, com, I_com: Mat3::identity() * C.trace() - C };
        // at least 20,000 points inside: deviations of 1/√20000 of the spread are 0.7 %, and three times that is rare
        assert!(inside > 20_000.0);
        assert_close(&with_mass(&solid, 1.0), &points, 0.02, &format!("{solid:?}"));
        assert!((solid.measure().expect("sizes") / volume - 1.0).abs() < 0.02, "{solid:?}");
    }
}

#[test]
fn thin_shapes_are_limits_of_solids() {
    let thin = 1e-4;
    // a sphere less a smaller one
    let outer = with_density(&Solid::Sphere { radius: 1.0 + thin }, 1.0);
    let inner = with_density(&Solid::Sphere { radius: 1.0 }, 1.0);
    let mass = outer.mass - inner.mass;
    let shell = Inertia { mass, com: Vec3::zeros(), I_com: outer.I_com - inner.I_com };
    assert_close(&with_mass(&Solid::ThinShell { radius: 1.0 }, mass), &shell, 3.0 * thin, "shell");
    let disc = with_mass(&Solid::ThinDisc { radius: 1.0 }, 2.0);
    let coin = with_mass(&Solid::Cylinder { radius: 1.0, length: thin }, 2.0);
    assert_close(&disc, &coin, thin * thin, "disc");
    let rod = with_mass(&Solid::ThinRod { length: 1.0 }, 2.0);
    let needle = with_mass(&Solid::Cylinder { radius: thin, length: 1.0 }, 2.0);
    assert_close(&rod, &needle, 6.0 * thin * thin, "rod");
    assert_eq!(Solid::ThinRod { length: 3.0 }.measure(), Ok(3.0));
    assert_eq!(Solid::ThinDisc { radius: 1.0 }.measure(), Ok(PI));
}

#[test]
fn parts_make_the_whole() {
    let whole = with_density(&Solid::Box { edges: [0.4, 0.6, 2.0] }, 700.0);
    let half = |z: f64| {
        with_density(&Solid::Box { edges: [0.4, 0.6, 1.0] }, 700.0)
            .moved(&Pose::translation(0.0, 0.0, z))
    };
    assert_close(&(half(-0.5) + half(0.5)), &whole, ROUNDING, "two halves");
    // of unequal parts, and seen from elsewhere
    let X = Pose::from_parts(Vec3::new(3.0, -1.0, 2.0), Quat::exp(&Vec3::new(0.3, 1.0, -0.4)));
    let part = |length: f64, z: f64| {
        let solid = Solid::Box { edges: [0.4, 0.6, length] };
        with_density(&solid, 700.0).moved(&(X * Pose::translation(0.0, 0.0, z)))
    };
    let sum = Inertia::sum(&[part(0.2, -0.9), part(1.5, -0.05), part(0.3, 0.85)]);
    assert_close(&sum, &whole.moved(&X), 10.0 * ROUNDING, "three parts");
}

#[test]
fn points_are_a_body_once_they_are_not_in_line() {
    let point = |x, y, z| Inertia::point(0.5, Vec3::new(x, y, z));
    let line = point(0.0, 0.0, -1.0) + point(0.0, 0.0, 1.0);
    assert_close(&line, &Inertia::principal(1.0, [1.0, 1.0, 0.0]), ROUNDING, "dumb-bell");
    assert!(matches!(line.check(), Err(InertiaError::NotPositiveDefinite { .. })));
    let cross = Inertia::sum(&[line, point(1.0, 0.0, 0.0), point(-1.0, 0.0, 0.0)]);
    assert_close(&cross, &Inertia::principal(2.0, [1.0, 2.0, 1.0]), ROUNDING, "cross");
    assert_eq!(cross.check(), Ok(()));
}

/// The surface of a box from corner `p` to `p + edges`.
fn box_mesh(p: [f64; 3], edges: [f64; 3]) -> Mesh {
    let corner = |i: usize| Vec3::from_fn(|k, _| p[k] + edges[k] * f64::from((i >> k & 1) as u32));
    let faces =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh { vertices: (0..8).map(corner).collect(), triangles }
}

fn moved(mesh: &Mesh, X: &Pose) -> Mesh {
    let vertices = mesh.vertices.iter().map(|p| X.point(p)).collect();
    Mesh { vertices, triangles: mesh.triangles.clone() }
}

#[test]
fn a_mesh_of_a_box_is_the_box_wherever_it_is() {
    let edges = [0.4, 1.2, 0.7];
    let mesh = box_mesh(edges.map(|edge| -edge / 2.0), edges);
    let solid = with_density(&Solid::Box { edges }, 3.0);
    let of = |mesh: &Mesh| with_density(&Solid::Mesh(mesh.clone()), 3.0);
    assert_close(&of(&mesh), &solid, ROUNDING, "at the origin");
    let X = Pose::from_parts(Vec3::new(2.0, -3.0, 1.0), Quat::exp(&Vec3::new(1.0, 0.5, -0.8)));
    assert_close(&of(&moved(&mesh, &X)), &solid.moved(&X), 1e-13, "moved");
    // vertices at 1e5 m are rounded to 1e-11 m
    let far = Pose::translation(1e5, -1e5, 1e5);
    assert_close(&of(&moved(&mesh, &far)), &solid.moved(&far), 1e-9, "far");

    // a heap of triangles that share no vertex
    let vertices = mesh.triangles.iter().flatten().map(|&v| mesh.vertices[v]).collect();
    let triangles = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    assert_close(&of(&Mesh { vertices, triangles }), &solid, ROUNDING, "heap");
}

#[test]
fn a_mesh_of_two_bodies_is_their_sum_and_a_hole_counts_negative() {
    let (a, b) = (box_mesh([0.0; 3], [1.0; 3]), box_mesh([3.0, 0.0, 0.5], [0.5, 0.4, 0.3]));
    let join = |a: &Mesh, b: &Mesh, inwards: bool| {
        let mut both = a.clone();
        both.vertices.extend(&b.vertices);
        both.triangles.extend(b.triangles.iter().map(|t| {
            let [i, j, k] = t.map(|v| v + 8);
            if inwards { [i, k, j] } else { [i, j, k] }
        }));
        Solid::Mesh(both)
    };
    let of = |mesh: &Mesh| with_density(&Solid::Mesh(mesh.clone()), 1.0);
    let sum = of(&a) + of(&b);
    assert_close(&with_density(&join(&a, &b, false), 1.0), &sum, 1e-13, "two");
    let hole = box_mesh([0.2; 3], [0.5; 3]);
    let hollow = with_density(&join(&a, &hole, true), 1.0);
    assert_close(&(hollow + of(&hole)), &of(&a), 1e-13, "hollow");
}

#[test]
fn sizes_masses_and_densities_out_of_their_domain_are_named() {
    let make: [fn(f64) -> Solid; 13] = [
        |x| Solid::Sphere { radius: x },
        |x| Solid::Box { edges: [1.0, x, 1.0] },
        |x| Solid::Capsule { radius: x, length: 1.0 },
        |x| Solid::Capsule { radius: 1.0, length: x },
        |x| Solid::Cylinder { radius: x, length: 1.0 },
        |x| Solid::Cylinder { radius: 1.0, length: x },
        |x| Solid::Cone { radius: x, height: 1.0 },
        |x| Solid::Cone { radius: 1.0, height: x },
        |x| Solid::Ellipsoid { radii: [1.0, 1.0, x] },
        |x| Solid::ThinShell { radius: x },
        |x| Solid::ThinDisc { radius: x },
        |x| Solid::ThinRod { length: x },
        |x| Solid::Box { edges: [x; 3] },
    ];
    for make in make {
        assert!(make(1.0).with_mass(1.0).is_ok());
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            for result in [make(bad).with_mass(1.0), make(bad).with_density(1.0)] {
                let error = result.expect_err("bad size");
                let is_size = |v: f64| v == bad || (v.is_nan() && bad.is_nan());
                assert!(matches!(error, ShapeError::Size { value, .. } if is_size(value)));
            }
            let error = make(1.0).with_mass(bad).expect_err("bad mass");
            assert!(matches!(error, ShapeError::Mass(_)), "{error}");
            let error = make(1.0).with_density(bad).expect_err("bad density");
            assert!(matches!(error, ShapeError::Density(_)), "{error}");
        }
        // products of finite numbers that are not
        assert_eq!(make(1e200).with_mass(1e200), Err(ShapeError::Range));
    }
    let tiny = Solid::Sphere { radius: 1e-120 };
    assert_eq!(tiny.with_density(1.0), Err(ShapeError::Range));
    assert_eq!(tiny.with_mass(1e-100), Err(ShapeError::Range));
}

#[test]
fn meshes_that_enclose_nothing_are_named() {
    let good = box_mesh([0.0; 3], [1.0; 3]);
    let refused = |spoil: fn(&mut Mesh)| {
        let mut mesh = good.clone();
        spoil(&mut mesh);
        Solid::Mesh(mesh).with_mass(1.0).expect_err("spoilt")
    };
    assert_eq!(refused(|m| m.vertices[3].y = f64::NAN), ShapeError::Vertex { vertex: 3 });
    let error = refused(|m| m.triangles[2][1] = 8);
    assert_eq!(error, ShapeError::Triangle { triangle: 2, vertex: 8 });
    // without the last triangle, 4 → 7 → 6, the edges of its neighbours lack their partners
    let error = refused(|m| m.triangles.truncate(11));
    assert_eq!(error, ShapeError::Open { edge: [4, 6] });
    let error = refused(|m| m.triangles[5].swap(0, 1));
    assert!(matches!(error, ShapeError::Open { .. }), "{error}");
    let error = refused(|m| m.triangles.iter_mut().for_each(|t| t.swap(0, 1)));
    assert!(matches!(error, ShapeError::Volume(v) if (v + 1.0).abs() < 1e-15), "{error}");
    assert_eq!(refused(|m| m.triangles.clear()), ShapeError::Volume(0.0));
    assert_eq!(refused(|m| m.vertices.iter_mut().for_each(|p| p.z = 0.0)), ShapeError::Volume(0.0));
    assert_eq!(refused(|m| m.vertices.iter_mut().for_each(|p| *p *= 1e150)), ShapeError::Range);

    // a cube and, turned inwards, a long rod beside it: positive volume, negative moments
    let mut mesh = box_mesh([0.0; 3], [1.0; 3]);
    let inverted = box_mesh([5.0, 0.0, 0.0], [0.1, 0.1, 9.0]);
    mesh.vertices.extend(inverted.vertices);
    mesh.triangles.extend(inverted.triangles.iter().map(|&[a, b, c]| [a + 8, c + 8, b + 8]));
    let error = Solid::Mesh(mesh).with_mass(1.0).expect_err("inside out");
    assert!(matches!(error, ShapeError::Inertia(_)), "{error}");
}
