//! What the state a run begins with shows: overlaps, speeds, rows that repeat, a first step that fails.

use stiction_scene::{Simulation, Stepping};
use stiction_sim::collide::Collider;
use stiction_sim::tree::kinematics;
use stiction_sim::{Data, StepError};

use super::masses::radius;
use super::{Built, Remark};

/// Remarks of one kind after which the rest is counted.
const MOST: usize = 8;
/// Bodies of a scene whose first step is tried.
const MOST_STEPPED: usize = 200;
/// An overlap below this share of the smaller shape is what rounding of a file's decimals leaves.
const DEEP: f64 = 1e-6;

pub(super) fn overlaps(built: &Built<'_>) -> Vec<Remark> {
    let (model, state) = (built.model, built.state);
    let mut data = Data::new(model);
    kinematics::update_positions(model, &state.q, &mut data);
    let mut contacts = Vec::new();
    Collider::new(model).detect(model, data.positions(), 0.0, &mut contacts);
    contacts.sort_by(|a, b| a.gap.total_cmp(&b.gap));
    let mut pairs = Vec::new();
    for contact in &contacts {
        let pair = [contact.key.shape_a, contact.key.shape_b].map(|i| &model.geoms()[i as usize]);
        let size = pair.iter().filter_map(|geom| radius(&geom.shape)).fold(f64::INFINITY, f64::min);
        let size = if size.is_finite() { size } else { 1.0 };
        let names = pair.map(|geom| geom.name.as_str());
        if -contact.gap > DEEP * size && !pairs.iter().any(|(known, _)| *known == names) {
            pairs.push((names, -contact.gap));
        }
    }
    let deeper = pairs.len().saturating_sub(MOST);
    let mut remarks: Vec<Remark> = pairs
        .iter()
        .take(MOST)
        .map(|([a, b], depth)| Remark {
            lint: "overlap",
            what: format!("shapes `{a}` and `{b}` overlap by {depth:.2e} m at the start"),
            hint: "the first step pushes them apart: move them, or bound stepping.max_recovery",
        })
        .collect();
    if deeper > 0 {
        remarks.push(Remark {
            lint: "overlap",
            what: format!("{deeper} more pairs of shapes overlap at the start"),
            hint: "a larger spacing of arrays leaves room",
        });
    }
    remarks
}

/// Bodies that pass more than their own size in one step, where impacts are not located.
pub(super) fn speeds(built: &Built<'_>) -> Vec<Remark> {
    let (model, state) = (built.model, built.state);
    let Stepping::Fixed(settings) = &built.scene.stepping else { return Vec::new() };
    let mut data = Data::new(model);
    kinematics::update(model, &state.q, &state.v, &mut data);
    let mut remarks = Vec::new();
    for geom in model.geoms() {
        let (Some(body), Some(size)) = (geom.at.body, radius(&geom.shape)) else { continue };
        let way = settings.h * data.velocities().V[body].v.norm();
        if way > 2.0 * size && remarks.len() < MOST {
            remarks.push(Remark {
                lint: "tunnel",
                what: format!(
                    "shape `{}` moves {way:.2e} m in one step, more than its own size",
                    geom.name
                ),
                hint: "shorten stepping.h, or set stepping.located = true",
            });
        }
    }
    remarks
}

/// Takes one step, and looks at its rows; where there are so many bodies that this takes long, it is left to the run.
pub(super) fn first_step(built: &Built<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if built.model.bodies().len() > MOST_STEPPED {
        return remarks;
    }
    let Ok(mut simulation) = Simulation::new(built.scene) else { return remarks };
    match simulation.step() {
        Ok(stepped) if stepped.last.rank < stepped.last.rows => remarks.push(Remark {
            lint: "redundant",
            what: format!(
                "{} of {} rows of constraints repeat others: the motion is determined, the forces in the joints are not",
                stepped.last.rows - stepped.last.rank,
                stepped.last.rows
            ),
            hint: "make one joint of a loop a `ball`, or give a constraint a stiffness",
        }),
        Ok(_) => {}
        Err(error) => remarks.push(Remark {
            lint: "first-step",
            what: format!("the first step fails: {error}"),
            hint: hint_for(&error),
        }),
    }
    remarks
}

fn hint_for(error: &StepError) -> &'static str {
    match error {
        StepError::NotClosed { .. } => {
            "the joints and constraints of the start do not fit together: check their frames"
        }
        StepError::Overlap { .. } => "move the shapes apart, or raise stepping.max_overlap",
        StepError::ContactNeedsEuler => "set stepping.method = \"euler\"",
        StepError::Uncertified(_) => {
            "raise solver.tol, or set stepping.strictness = \"lenient\" to go on without certificates"
        }
        StepError::Law(_) => "choose another law or solver",
        _ => "look at `stiction inspect` of this scene",
    }
}
