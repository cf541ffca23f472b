//! Every result of MuJoCo for one tree beside ours.

use stiction_sim::tree::rnea::BiasOf;
use stiction_sim::tree::{aba, crba, energy, rnea};

use super::read::{FromMujoco, Tree};
use super::{Deviations, compare, updated};

pub(super) fn deviations(tree: &Tree<FromMujoco>) -> Deviations {
    let (model, mut data) = updated(tree);
    let results = &tree.results;
    let expected = compare::symmetric(&results.mass_matrix);
    let M = crba::mass_matrix(&model, &mut data).to_dense(model.pattern());
    let (mut c, mut a) = (vec![f64::NAN; model.nv()], vec![f64::NAN; model.nv()]);
    rnea::bias(&model, &mut data, BiasOf::All, &mut c);
    let F_ext = tree.F_ext(&model);
    aba::forward_dynamics(&model, &mut data, &results.tau, Some(&F_ext), &mut a)
        .expect("has inertia");
    let com = energy::centre_of_mass(&model, &data);
    let scalar = |found: f64, expected: f64| compare::relative(found - expected, expected.abs());
    let kinetic = energy::kinetic(&model, &data, &tree.v);
    vec![
        ("mass matrix", compare::mass_matrix(&M, &expected)),
        ("bias", compare::forces(&c, &results.bias, &expected, &compare::is_angular(&model))),
        ("forward dynamics", compare::accelerations(&a, &results.forward_dynamics, &expected)),
        ("centre of mass", compare::vector(com.as_slice(), &results.com)),
        ("kinetic energy", scalar(kinetic, results.kinetic_energy)),
        ("potential energy", scalar(energy::potential(&model, &data), results.potential_energy)),
    ]
}
