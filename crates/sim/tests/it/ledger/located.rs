//! Steps that locate their impacts: the books of steps and impacts together close.

use stiction_sim::contact::{ContactSettings, Strictness};
use stiction_sim::impact::{ImpactLaw, ImpactSettings};
use stiction_sim::located::EventKind;
use stiction_sim::{
    Coordinates, Geometry, Input, LocatedSettings, StepError, StepSettings, step_located,
};

use super::random::{overlap, scene, start};
use super::{assert_closed, one, settings};
use crate::mechanisms::SETS;
use crate::sample::Rng;

#[test]
fn random_scenes_with_located_impacts_close() {
    let laws =
        [ImpactLaw::Poisson, ImpactLaw::Newton, ImpactLaw::ClosedForm, ImpactLaw::Dissipative];
    let geometries = [Geometry::Begin, Geometry::Middle, Geometry::End];
    let [mut steps, mut impacts, mut refused] = [0; 3];
    for seed in 0..300 {
        let mut rng = Rng(seed);
        let spec = scene(&mut rng);
        let tree = one(&spec, Coordinates::Generalized);
        let mut run = one(&spec, SETS[rng.index(2)]);
        start(&mut rng, &mut run, &tree);
        let contact = ContactSettings { strictness: Strictness::Lenient, ..Default::default() };
        let geometry = geometries[rng.index(3)];
        let step = StepSettings { contact, geometry, ..settings(rng.between(5e-4, 5e-3)) };
        let impact = ImpactSettings {
            law: laws[rng.index(4)],
            strictness: Strictness::Lenient,
            ..Default::default()
        };
        let s = LocatedSettings { step, impact, ..Default::default() };
        if overlap(&run, &step) {
            continue;
        }
        for _ in 0..30 {
            match step_located(&run.model, &s, &Input::default(), &mut run.state, &mut run.data) {
                Ok(report) => {
                    steps += 1;
                    let is_impact = |kind: &EventKind| matches!(kind, EventKind::Impact { .. });
                    impacts += report.events.iter().filter(|e| is_impact(&e.kind)).count();
                    assert_closed(&report.ledger.expect("asked for"), &format!("seed {seed}"));
                }
                Err(StepError::NoSolution | StepError::NotClosed { .. }) => {
                    refused += 1;
                    break;
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    assert!(impacts > 80 && refused < 20, "{steps} {impacts} {refused}");
}
