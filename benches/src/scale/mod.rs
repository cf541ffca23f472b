//! The scenes by which speed at scale is measured, and the measurement.

pub mod answer;
pub mod crowds;
mod measure;
pub mod piles;
pub mod robots;
pub mod stacks;
pub mod world;

pub use measure::{Course, Measured, measure};
pub use world::World;

/// A scene of the set: its name, what it is, and how many steps are measured after the first.
#[derive(Clone, Copy)]
pub struct Scene {
    pub name: &'static str,
    pub about: &'static str,
    pub steps: usize,
    pub build: fn() -> World,
}

/// In the order in which they are shown, a family after the other and from small to large.
pub const SCENES: [Scene; 19] = [
    scene("cube", "a cube on the ground", 100, stacks::cube),
    scene("disks-10", "planar pile of 10 disks, μ 0.8", 10, || piles::disks(4, 0.8, true)),
    scene("disks-210-mu02", "planar pile of 210 disks, μ 0.2: it collapses", 5, || {
        piles::disks(20, 0.2, true)
    }),
    scene("disks-210-mu08", "planar pile of 210 disks, μ 0.8", 10, || piles::disks(20, 0.8, true)),
    scene("row-210-mu02", "the same pile of spheres in space, μ 0.2", 5, || {
        piles::disks(20, 0.2, false)
    }),
    scene("row-210-mu08", "the same pile of spheres in space, μ 0.8", 10, || {
        piles::disks(20, 0.8, false)
    }),
    scene("spheres-30", "pyramid of 30 spheres, 4 layers, μ 0.8", 10, || piles::spheres(4, 0.8)),
    scene("spheres-385", "pyramid of 385 spheres, 10 layers, μ 0.8", 10, || {
        piles::spheres(10, 0.8)
    }),
    scene("spheres-1240", "pyramid of 1240 spheres, 15 layers, μ 0.8", 5, || {
        piles::spheres(15, 0.8)
    }),
    scene("spheres-9455", "pyramid of 9455 spheres, 30 layers, μ 0.8", 2, || {
        piles::spheres(30, 0.8)
    }),
    scene("wall-50", "wall of 50 bricks", 10, || stacks::wall(10, 5)),
    scene("wall-510", "wall of 510 bricks", 10, || stacks::wall(51, 10)),
    scene("tower-512", "ten cubes, twice as heavy from one to the next", 50, || stacks::tower(2.0)),
    scene("tower-1e9", "ten cubes, ten times as heavy from one to the next", 50, || {
        stacks::tower(10.0)
    }),
    scene("mixed-27", "27 bodies of four shapes dropped into a box", 100, || stacks::mixed(3)),
    scene("mixed-1000", "1000 bodies of four shapes dropped into a box", 200, || stacks::mixed(10)),
    scene("quadruped", "a quadruped of 18 degrees of freedom on four feet", 200, robots::quadruped),
    scene("chain-200", "a chain of 200 links over a drum", 20, || robots::chain(200)),
    scene("crane", "a crane with two loops, masses 1e6 to 1", 1000, robots::crane),
];

const fn scene(
    name: &'static str,
    about: &'static str,
    steps: usize,
    build: fn() -> World,
) -> Scene {
    Scene { name, about, steps, build }
}

impl Scene {
    pub fn named(name: &str) -> Option<&'static Self> {
        SCENES.iter().find(|scene| scene.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allocation_counter::measure;
    use stiction_sim::contact::law::{Cone, Law, LawSolver};
    use stiction_sim::{Data, Input, step};

    /// Piles and walls at rest, a robot whose springs still move it, a tower whose contacts are solved in each step.
    #[test]
    fn steady_steps_allocate_nothing() {
        for name in ["disks-210-mu08", "spheres-30", "spheres-385", "wall-50", "wall-510"]
            .into_iter()
            .chain(["tower-512", "quadruped", "crane", "cube"])
        {
            let world = (Scene::named(name).expect("a scene").build)();
            let (model, settings) = (world.model().expect("a model"), world.settings());
            let (mut state, mut data) = (model.state(), Data::new(&model));
            let mut steps = |n: usize| {
                for _ in 0..n {
                    let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
                    let contact = report.expect("a step").contact;
                    assert!(contact.is_none_or(|contact| contact.certified), "{name}: {contact:?}");
                }
            };
            steps(10);
            assert_eq!(measure(|| steps(5)).count_total, 0, "{name}");
        }
    }

    /// Chaos: what is solved from one beginning says little of others. A step that is not certified is taken all the same.
    #[test]
    #[ignore = "half a minute of processor time"]
    fn heaps_that_begin_otherwise_are_certified() {
        let (mut steps, mut certified) = (0, 0);
        for start in 0..9 {
            let world = stacks::mixed_from(10, 0.37 * f64::from(start));
            let course = Course {
                steps: 105,
                rounds: 1,
                law: Law::Cone(Cone::default()),
                solver: LawSolver::Auto,
            };
            let found = super::measure(&world, course).expect("a model");
            assert_eq!(found.error, None, "{start}");
            (steps, certified) = (steps + found.steps + 1, certified + found.certified);
        }
        assert!(steps == 954 && certified >= 950, "{certified} of {steps}");
    }

    /// Bytes at most in use while a pyramid of spheres takes its first steps, and its contacts.
    fn memory(layers: usize) -> (f64, usize) {
        let world = piles::spheres(layers, 0.8);
        let mut contacts = 0;
        let used = measure(|| {
            let (model, settings) = (world.model().expect("a model"), world.settings());
            let (mut state, mut data) = (model.state(), Data::new(&model));
            for _ in 0..2 {
                let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
                let contact = report.expect("a step").contact.expect("contacts");
                assert!(contact.certified, "{layers}: {contact:?}");
                contacts = contact.contacts;
            }
        });
        (used.bytes_max as f64, contacts)
    }

    #[test]
    #[ignore = "ten seconds of processor time"]
    #[allow(clippy::print_stdout, reason = "its figures are kept in results/threads.md")]
    fn ten_thousand_spheres_take_less_than_two_gib_and_memory_is_linear_in_contacts() {
        let (small, few) = memory(15);
        let (large, many) = memory(31);
        let share = |bytes: f64, contacts: usize| bytes / contacts as f64;
        println!("{few}: {small} B, {many}: {large} B");
        assert!(many > 58_000 && large < 2.0 * 1024.0 * 1024.0 * 1024.0, "{many}: {large} B");
        assert!(share(large, many) < 1.5 * share(small, few), "{small} {few}, {large} {many}");
    }
}
