//! How far each body may come within a step, and who is near enough for that.
//!
//! A body is taken to go by h times the mean of its velocities before and after the kick, a point of its shapes at most as far from there as
//! the faster of the two would bring it. Pairs are looked at as far as that lets them close: bodies that fall side by side are no nearer to each
//! other for it. What a body does in the end is compared with what was assumed; where it goes beyond, as one that was at rest and is
//! hit, its neighbours are looked for again. So in the end no pair that these velocities close was overlooked.

use crate::collide::{Contact, ContactKey, Way, Within};
use crate::contact::level::level;
use crate::contact::reach::Reach;
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::model::Model;
use crate::tree::kinematics::{Kinematics, Velocities};

/// Memory: the ways of the bodies, and what is needed to look again.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// Of each body; empty where all pairs are looked at alike.
    pub(super) of_body: Vec<Way>,
    is_farther: Vec<bool>,
    found: Vec<Contact>,
    /// What was found before, sorted.
    keys: Vec<ContactKey>,
}

impl Ways {
    /// From velocities before and after the kick.
    pub(super) fn find(
        &mut self,
        h: f64,
        reach: &Reach,
        kin: &Kinematics,
        [before, after]: [&Velocities; 2],
    ) {
        self.of_body.clear();
        for body in 0..kin.X_WB.len() {
            let [(v, turning), (v_after, turning_after)] =
                [before, after].map(|velocities| reach.speeds(body, kin, velocities));
            let fastest = (v.norm() + turning).max(v_after.norm() + turning_after);
            self.of_body.push(Way { moved: 0.5 * h * (v + v_after), slack: h * fastest });
        }
    }

    /// Bodies that go beyond their ways at these velocities have new ones; false if there are none.
    fn follow(&mut self, h: f64, reach: &Reach, kin: &Kinematics, velocities: &Velocities) -> bool {
        self.is_farther.clear();
        for (body, way) in self.of_body.iter_mut().enumerate() {
            let (v, turning) = reach.speeds(body, kin, velocities);
            // a NaN is beyond
            let is_farther = !((h * v - way.moved).norm() + h * turning <= way.slack);
            if is_farther {
                *way = Way { moved: h * v, slack: h * (v.norm() + turning) };
            }
            self.is_farther.push(is_farther);
        }
        self.is_farther.contains(&true)
    }
}

impl ContactWork {
    /// Looks at the neighbours of bodies that go farther at these velocities than was assumed; contacts that were not found before
    /// are spare.
    pub(super) fn look_farther(&mut self, model: &Model, h: f64, (data, v): (&Data, &[f64])) {
        let ways = &mut self.ways;
        if ways.of_body.is_empty() {
            return;
        }
        self.kicked.update_speeds(model, &data.kin, v);
        if !ways.follow(h, &self.reach, &data.kin, &self.kicked) {
            return;
        }
        let within = Within::WaysOf(&ways.of_body, &ways.is_farther);
        self.collider.detect_within(model, &data.kin, within, &mut ways.found);
        level(&mut ways.found);
        ways.keys.clear();
        ways.keys.extend(self.contacts.iter().chain(&self.spare).map(|contact| contact.key));
        ways.keys.sort_unstable();
        let is_new = |contact: &&Contact| ways.keys.binary_search(&contact.key).is_err();
        let before = self.spare.len();
        self.spare.extend(ways.found.iter().filter(is_new));
        self.found += self.spare.len() - before;
    }
}

#[cfg(test)]
mod tests {
    use crate::collide::{Collider, Contact};
    use crate::contact::assemble::place_of;
    use crate::contact::rows::{ContactRows, Place};
    use crate::data::Data;
    use crate::force::Input;
    use crate::inertia::Inertia;
    use crate::math::{Quat, Vec3};
    use crate::model::{Coordinates, FrameSpec, JointKind, Model, ModelSpec, Shape, Surface};
    use crate::settings::StepSettings;
    use crate::step::step;
    use crate::testing::Random;

    /// A loose heap of balls, boxes and octahedra over the ground.
    fn heap() -> Model {
        let mut spec = ModelSpec::new();
        spec.gravity = Vec3::new(0.0, 0.0, -10.0);
        spec.material("stuff", Surface::rigid(0.5));
        spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
        let mut random = Random::new(7);
        for i in 0..36_u32 {
            let name = format!("body-{i}");
            let shape = match i % 3 {
                0 => Shape::Sphere { radius: 0.1 },
                1 => Shape::Box { half: Vec3::new(0.12, 0.08, 0.05) },
                _ => {
                    let axes = [Vec3::x() * 0.12, Vec3::y() * 0.1, Vec3::z() * 0.08];
                    Shape::Hull(axes.iter().flat_map(|a| [*a, -a]).collect())
                }
            };
            let [x, y, z] = [i % 3, i / 3 % 3, i / 9].map(|k| 0.27 * f64::from(k));
            spec.body(&name, Inertia::principal(1.0, [4e-3; 3]));
            spec.shape(&format!("shape-{i}"), FrameSpec::of(&name), shape, "stuff");
            let at = FrameSpec::world().at(x, y, z + 0.15).turned(Quat::exp(&random.vector(2.0)));
            spec.joint(&format!("free-{i}"), JointKind::Free, at, FrameSpec::of(&name));
        }
        spec.build(Coordinates::Generalized).expect("a model")
    }

    #[test]
    fn no_pair_of_shapes_that_a_step_closes_is_overlooked() {
        let (model, settings) = (heap(), StepSettings { h: 5e-3, ..Default::default() });
        let (mut state, mut data) = (model.state(), Data::new(&model));
        // the last of them, above the others, comes down fast: it hits those that hit others
        let last = state.v.len() - 6;
        state.v[last..].iter_mut().for_each(|v| *v = -20.0);
        let (mut collider, mut contacts) = (Collider::new(&model), Vec::<Contact>::new());
        let (mut rows, mut u, mut closed) = (ContactRows::default(), Vec::new(), 0);
        for at in 0..80 {
            step(&model, &settings, &Input::default(), &mut state, &mut data).expect("a step");
            collider.detect(&model, &data.kin, 0.5, &mut contacts);
            let places: Vec<Place> = contacts.iter().map(place_of).collect();
            rows.update(&model, &data.kin, &places);
            rows.velocities(&data.work.v_kick, &mut u);
            let fastest = u.iter().fold(1.0_f64, |m, u| m.max(u.abs()));
            for (contact, u) in contacts.iter().zip(u.chunks_exact(3)) {
                let allowed = (contact.gap / settings.h).max(-settings.contact.max_recovery);
                let opening = u[0] + allowed;
                assert!(opening >= -1e-8 * fastest, "{at}: {contact:?} {opening}");
                closed += usize::from(opening < 1e-8 * fastest);
            }
        }
        assert!(closed > 1000, "{closed}");
    }
}
