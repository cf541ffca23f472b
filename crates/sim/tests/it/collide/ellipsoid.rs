//! Ellipsoids: by hand, against all points of their surface, and as the hulls that stand for them.

use stiction_sim::Vec3;
use stiction_sim::collide::ContactKey;
use stiction_sim::model::Shape;

use super::random::Random;
use super::{assert_close, at, capsule, pair, sphere, turned};

const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

fn ellipsoid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Ellipsoid { half: Vec3::new(x, y, z) }
}

#[test]
fn an_ellipsoid_stands_and_lies_on_a_half_space() {
    let ground = (Shape::HalfSpace, at(0.0, 0.0, 1.0));
    let egg = ellipsoid(1.0, 2.0, 3.0);
    let standing = pair(ground.clone(), (egg.clone(), at(5.0, 6.0, 4.25)), 0.5);
    assert_eq!(standing.len(), 1);
    assert_eq!(standing[0].key, ContactKey { shape_a: 0, shape_b: 1, feature: 0 });
    assert_close(&standing[0], [5.0, 6.0, 1.125], [0.0, 0.0, 1.0], 0.25);
    let lying = (egg.clone(), turned(0.0, 0.0, 2.0, [0.0, QUARTER, 0.0]));
    assert_close(&pair(ground.clone(), lying, 0.0)[0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], 0.0);
    // tilted by θ about y: its lowest point is at the height −h = −√(z² cos² θ + x² sin² θ), and at
    // (z² − x²) sin θ cos θ/h on the side to which the top does not lean
    let theta = 0.4_f64;
    let (s, c) = theta.sin_cos();
    let h = (9.0 * c * c + s * s).sqrt();
    let tilted = pair(ground, (egg, turned(0.0, 0.0, 4.0, [0.0, theta, 0.0])), 1.0);
    let gap = 3.0 - h;
    assert_close(&tilted[0], [-8.0 * s * c / h, 0.0, 1.0 + 0.5 * gap], [0.0, 0.0, 1.0], gap);
}

#[test]
fn spheres_and_points_meet_an_ellipsoid_where_it_is_nearest() {
    // below (3 cos t, 2 sin t) of the ellipse, along its normal (2 cos t, 3 sin t)
    let (s, c) = 0.7_f64.sin_cos();
    let n = Vec3::new(2.0 * c, 3.0 * s, 0.0).normalize();
    let x = Vec3::new(3.0 * c, 2.0 * s, 0.0);
    let egg = (ellipsoid(3.0, 2.0, 1.0), at(0.0, 0.0, 0.0));
    for d in [1.5, 0.25, 0.0] {
        let p = x + n * (d + 0.5);
        let ball = pair((sphere(0.5), at(p.x, p.y, p.z)), egg.clone(), 2.0);
        let middle = x + n * (0.5 * d);
        assert_close(&ball[0], middle.data.0[0], (-n).data.0[0], d);
        let point = (Shape::Points(vec![p]), at(0.0, 0.0, 0.0));
        let middle = x + n * (0.5 * (d + 0.5));
        assert_close(&pair(egg.clone(), point, 3.0)[0], middle.data.0[0], n.data.0[0], d + 0.5);
    }
    // inside, above the flat side
    let point = (Shape::Points(vec![Vec3::new(0.0, 0.0, 0.75)]), at(0.0, 0.0, 0.0));
    assert_close(&pair(point, egg, 0.0)[0], [0.0, 0.0, 0.875], [0.0, 0.0, -1.0], -0.25);
}

#[test]
fn an_ellipsoid_of_equal_axes_is_a_sphere() {
    let mut random = Random::new(21);
    for case in 0..500 {
        let radius = random.between(0.2, 1.0);
        let X = stiction_sim::Pose::from_parts(random.vector(1.0), random.quat());
        let other = match case % 3 {
            0 => Shape::HalfSpace,
            1 => sphere(random.between(0.2, 1.0)),
            _ => Shape::Points((0..4).map(|_| random.vector(0.5)).collect()),
        };
        let other = (other, stiction_sim::Pose::from_parts(random.vector(1.0), random.quat()));
        let round = pair(other.clone(), (ellipsoid(radius, radius, radius), X), 10.0);
        let ball = pair(other, (sphere(radius), X), 10.0);
        assert_eq!(round.len(), ball.len());
        for (a, b) in round.iter().zip(&ball) {
            assert_eq!(a.key, b.key);
            assert_close(a, b.p_W.data.0[0], b.n_W.data.0[0], b.gap);
        }
    }
}

#[test]
fn no_point_of_an_ellipsoid_is_lower_or_nearer_than_its_contact() {
    let mut random = Random::new(22);
    for _ in 0..200 {
        let half = Vec3::from_fn(|_, _| random.between(0.05, 1.0));
        let mut pose = || stiction_sim::Pose::from_parts(random.vector(1.0), random.quat());
        let (X, ground, ball) = (pose(), pose(), pose());
        let egg = (Shape::Ellipsoid { half }, X);
        let on_ground = pair((Shape::HalfSpace, ground), egg.clone(), 100.0)[0];
        let near_ball = pair((sphere(0.1), ball), egg, 100.0)[0];
        let n: Vec3 = ground.R.column(2).into();
        let centre = X.R.tr_mul(&(ball.p - X.p)).component_div(&half);
        for _ in 0..400 {
            let u = random.quat().to_matrix() * Vec3::z();
            let x = X.point(&half.component_mul(&u));
            assert!(n.dot(&(x - ground.p)) >= on_ground.gap - 1e-14);
            if centre.norm() > 1.0 {
                assert!((x - ball.p).norm() - 0.1 >= near_ball.gap - 1e-14);
            }
        }
        // and the contact is on the surface
        for contact in [on_ground, near_ball] {
            let x = contact.p_W + contact.n_W * (0.5 * contact.gap);
            let g = X.R.tr_mul(&(x - X.p)).component_div(&half);
            assert!((g.norm() - 1.0).abs() < 1e-6, "{}", g.norm() - 1.0);
        }
    }
}

#[test]
fn against_other_shapes_an_ellipsoid_is_a_hull_that_is_half_a_percent_smaller() {
    let mut random = Random::new(23);
    let mut apart = 0;
    for case in 0..300 {
        let half = Vec3::from_fn(|_, _| random.between(0.3, 1.0));
        let quat = random.quat();
        let X = stiction_sim::Pose::from_parts(random.vector(0.3), quat);
        // the top of each is a large face at z = −1.5, which stands for a half-space
        let flat = match case % 3 {
            0 => (Shape::cuboid(20.0, 20.0, 1.0), at(0.0, 0.0, -2.0)),
            1 => (Shape::Cylinder { radius: 10.0, half_length: 0.5 }, at(0.0, 0.0, -2.0)),
            _ => (capsule(1e-3, 1e-3), at(0.0, 0.0, -1.501)),
        };
        let contacts = pair(flat.clone(), (Shape::Ellipsoid { half }, X), 10.0);
        let lowest = contacts.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
        let exact = if case % 3 < 2 {
            let ground = (Shape::HalfSpace, at(0.0, 0.0, -1.5));
            pair(ground, (Shape::Ellipsoid { half }, X), 10.0)[0].gap
        } else {
            let ball = (sphere(1e-3), at(0.0, 0.0, -1.501));
            pair(ball, (Shape::Ellipsoid { half }, X), 10.0)[0].gap
        };
        apart += usize::from(exact > 0.0);
        // 1e-3: the capsule is not quite a ball
        let short = if case % 3 < 2 { 0.0 } else { 1e-3 };
        let largest = half.max();
        assert!(lowest >= exact - short - 1e-6, "case {case}: {lowest} {exact}");
        assert!(lowest <= exact + 0.0046 * largest + 1e-6, "case {case}: {lowest} {exact}");
    }
    assert!(apart > 200, "{apart}");
}
