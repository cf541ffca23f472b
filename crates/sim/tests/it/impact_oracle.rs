//! Single bounces with friction, Newton's and Poisson's law, against stored answers: `tools/oracles/impacts.py` enumerates stick
//! and slip exactly, and nothing of this crate took part.

use serde::Deserialize;
use stiction_sim::contact::law::{Cone, Law, Pyramid};
use stiction_sim::impact::{ImpactLaw, ImpactSettings};
use stiction_sim::model::{FrameSpec, Shape};
use stiction_sim::{Inertia, Model, ModelSpec, Quat, State, Vec3};

use crate::impact::{by, certified, ground};
use crate::scenes::{add_points, build, largest_difference, place};

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    kind: String,
    mass: f64,
    /// Half the length of a rod, or the radius of a ball [m].
    half: f64,
    /// Tangent of half the angle about y.
    half_tilt: f64,
    mu: f64,
    e: f64,
    v: Vec<f64>,
    newton: Vec<f64>,
    poisson: Vec<f64>,
}

impl Case {
    fn scene(&self) -> (Model, State) {
        let mut spec = ModelSpec::new();
        ground(&mut spec, self.mu, self.e);
        let (m, l) = (self.mass, self.half);
        let is_rod = self.kind == "rod";
        if is_rod {
            let moment = m * l * l / 3.0;
            let inertia = Inertia::principal(m, [moment, moment, 0.01 * moment]);
            add_points(&mut spec, "body", inertia, vec![Vec3::new(0.0, 0.0, -l)]);
        } else {
            spec.body("body", Inertia::principal(m, [0.4 * m * l * l; 3]));
            spec.shape("body", FrameSpec::of("body"), Shape::Sphere { radius: l }, "stuff");
        }
        let (model, mut state) = build(&spec);
        let quat = Quat::exp(&Vec3::new(0.0, 2.0 * self.half_tilt.atan(), 0.0));
        place(&mut state, 0, quat.to_matrix() * Vec3::new(0.0, 0.0, l), quat);
        state.v.copy_from_slice(&self.v);
        (model, state)
    }
}

fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/oracles/impacts.json");
    let text = std::fs::read_to_string(path).expect("the file of cases");
    serde_json::from_str::<Cases>(&text).expect("cases").cases
}

#[test]
fn a_hundred_stored_bounces_come_out_the_same_under_both_laws() {
    let cases = cases();
    assert_eq!(cases.len(), 100);
    let mut differ = 0;
    for (i, case) in cases.iter().enumerate() {
        differ += usize::from(case.newton != case.poisson);
        for (law, expected) in
            [(ImpactLaw::Newton, &case.newton), (ImpactLaw::Poisson, &case.poisson)]
        {
            let (model, mut state) = case.scene();
            certified(&model, &by(law), &mut state);
            let off = largest_difference(&state.v, expected);
            assert!(off <= 1e-10, "{i}, {law:?}, {}: off by {off:e}", case.kind);
        }
    }
    assert!(differ >= 50, "{differ} cases tell the two laws apart");
}

#[test]
fn what_is_returned_is_e_times_what_was_compressed() {
    for (i, case) in cases().iter().enumerate() {
        let (model, mut state) = case.scene();
        let report = certified(&model, &by(ImpactLaw::Poisson), &mut state);
        let (p_c, p_d) = (report.p_c[0], report.p_d[0]);
        // or more, where the end would come down again
        assert!(p_d >= case.e * p_c - 1e-13, "{i}: {p_d} {p_c}");
        if case.kind == "ball" {
            assert!((p_d - case.e * p_c).abs() <= 1e-12 * p_c, "{i}: {p_d} {p_c}");
        }
    }
}

#[test]
fn rods_in_a_plane_bounce_the_same_under_pyramid_and_cone() {
    for (i, case) in cases().iter().enumerate().filter(|(_, case)| case.kind == "rod") {
        for (law, expected) in
            [(ImpactLaw::Newton, &case.newton), (ImpactLaw::Poisson, &case.poisson)]
        {
            for friction in [Law::Pyramid(Pyramid::default()), Law::Cone(Cone::default())] {
                let (model, mut state) = case.scene();
                certified(&model, &ImpactSettings { friction, ..by(law) }, &mut state);
                let off = largest_difference(&state.v, expected);
                assert!(off <= 1e-10, "{i}, {law:?}, {}: off by {off:e}", friction.name());
            }
        }
    }
}
