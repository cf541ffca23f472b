//! How errors fall with the step through impacts.

use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::{Data, Geometry, ModelSpec, Quat, State, Vec3};

use super::{at, run_located};
use crate::scenes::{build, cuboid_inertia, largest_difference, place};

/// Errors at one time with steps h, h/2, h/4 against h/64.
fn errors(run: impl Fn(f64) -> State, h: f64) -> [f64; 3] {
    let best = run(h / 64.0);
    [h, h / 2.0, h / 4.0].map(|h| {
        let state = run(h);
        largest_difference(&state.q, &best.q).max(largest_difference(&state.v, &best.v))
    })
}

/// A block of four feet that is thrown onto a slope, sticks to it by its plastic impact and slides down.
fn thrown(geometry: Geometry, h: f64, end: f64) -> State {
    let mut spec = ModelSpec::new();
    let angle = 0.5;
    let quat = Quat::exp(&Vec3::new(0.0, angle, 0.0));
    spec.material("stuff", Surface::rigid(0.3));
    spec.shape("ground", FrameSpec::world().turned(quat), Shape::HalfSpace, "stuff");
    spec.body("block", cuboid_inertia(1.0, Vec3::repeat(1.0)));
    let feet = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
    let feet = feet.map(|[x, y]| Vec3::new(x, y, -0.5)).to_vec();
    spec.shape("feet", FrameSpec::of("block"), Shape::Points(feet), "stuff");
    let (model, mut state) = build(&spec);
    place(&mut state, 0, quat.to_matrix() * Vec3::new(0.0, 0.0, 0.8), quat);
    (state.v[0], state.v[1]) = (1.0, 0.4);
    let mut data = Data::new(&model);
    let n = (end / h).round() as usize;
    run_located(&model, &at(h, geometry), &mut state, &mut data, n);
    state
}

#[test]
fn a_block_thrown_onto_a_slope_is_of_first_order() {
    for geometry in [Geometry::Begin, Geometry::Middle, Geometry::End] {
        let [a, b, c] = errors(|h| thrown(geometry, h, 0.64), 0.016);
        // flight in the middle of the step is exact, and only the slide is left
        assert!(c <= 1e-9 || (a / b >= 1.7 && b / c >= 1.7), "{geometry:?}: {a:e} {b:e} {c:e}");
        if geometry == Geometry::Middle {
            assert!(c <= 1e-3, "{c:e}");
        }
    }
}

#[test]
fn a_double_pendulum_that_hits_a_wall_is_of_second_order_with_the_geometry_in_the_middle() {
    let run = |geometry: Geometry, h: f64| {
        let (model, mut state) = super::cases::arm_at_wall();
        let mut data = Data::new(&model);
        let n = (0.8 / h).round() as usize;
        let course = run_located(&model, &at(h, geometry), &mut state, &mut data, n);
        assert_eq!(course.impacts(), 1, "{:?}", course.events);
        state
    };
    for (geometry, least) in [(Geometry::Begin, 1.6), (Geometry::Middle, 1.6), (Geometry::End, 1.6)]
    {
        let [a, b, c] = errors(|h| run(geometry, h), 0.01);
        assert!(a / b >= least && b / c >= least, "{geometry:?}: {a:e} {b:e} {c:e}");
    }
}
