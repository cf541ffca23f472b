//! Steps that locate their impacts: nothing is missed, everything ends, and what the report says is so.

mod cases;
mod order;
mod rest;
mod tunnel;

use stiction_sim::impact::ImpactLaw;
use stiction_sim::located::{Event, EventKind};
use stiction_sim::{
    Data, Geometry, Input, LocatedSettings, Model, State, StepSettings, step_located,
};

pub(crate) use stiction_sim::located::Event as Happened;

const LAWS: [ImpactLaw; 4] =
    [ImpactLaw::Poisson, ImpactLaw::Newton, ImpactLaw::ClosedForm, ImpactLaw::Dissipative];

/// Steps of length h that look at forces and contacts there.
pub(crate) fn at(h: f64, geometry: Geometry) -> LocatedSettings {
    let step = StepSettings { h, geometry, ..Default::default() };
    LocatedSettings { step, ..Default::default() }
}

/// What happened in some steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    pub(crate) events: Vec<Event>,
    pub(crate) steps: usize,
    pub(crate) trials: usize,
}

impl Course {
    pub(crate) fn impacts(&self) -> usize {
        let is_impact = |event: &&Event| matches!(event.kind, EventKind::Impact { .. });
        self.events.iter().filter(is_impact).count()
    }

    pub(crate) fn rests(&self) -> usize {
        self.events.len() - self.impacts()
    }
}

/// n certified steps. Whatever happens in one lies within it, in order; impacts gain no energy unless they say so.
pub(crate) fn run_located(
    model: &Model,
    settings: &LocatedSettings,
    state: &mut State,
    data: &mut Data,
    n: usize,
) -> Course {
    let mut course = Course::default();
    for i in 0..n {
        let start = state.time;
        let report = step_located(model, settings, &Input::default(), state, data)
            .unwrap_or_else(|error| panic!("step {i} at {start} s: {error}"));
        assert!(report.certified, "step {i} at {start} s: {report:?}");
        assert_eq!(state.time, start + settings.step.h);
        let mut last = start;
        for event in &report.events {
            let EventKind::Impact { strikes, K, gained } = &event.kind else { continue };
            assert!(event.time >= last && event.time <= state.time, "{event:?} at {start}");
            last = event.time;
            assert!(!strikes.is_empty(), "{event:?}");
            for strike in strikes {
                assert!(strike.u_n[0] < 0.0, "{strike:?}");
            }
            assert!(K[1] - K[0] <= gained + 1e-12 * K[0], "{event:?}");
        }
        course.steps += report.steps;
        course.trials += report.trials;
        course.events.extend(report.events);
    }
    course
}
