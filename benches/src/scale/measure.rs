//! How long the steps of a scene take, and how good they are.
//!
//! The first step is cold: nothing is remembered, and nothing allocated. The others are warm. Both are taken several
//! times from the beginning; of each step the least time counts. Processor time of this thread.

use cpu_time::ThreadTime;
use serde::Serialize;
use stiction_sim::contact::law::{Law, LawSolver};
use stiction_sim::{Data, Input, Model, State, StepReport, StepSettings, step};

use super::world::World;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// Steps after the first, and how often all are taken.
    pub steps: usize,
    pub rounds: usize,
    /// The friction law of all contacts, and who solves it.
    pub law: Law,
    pub solver: LawSolver,
}

#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    pub bodies: usize,
    pub degrees_of_freedom: usize,
    /// Step length [s].
    pub h: f64,
    /// Steps after the first, of those that came to an end.
    pub steps: usize,
    /// Most contacts of a step.
    pub contacts: usize,
    /// Time of the first step, and of the mean, the largest and the last of the others [ms]. None where there is none.
    pub cold_ms: Option<f64>,
    pub warm_ms: Option<f64>,
    pub worst_ms: Option<f64>,
    pub last_ms: Option<f64>,
    /// Steps that the judge certified, the first among them; those without a contact count.
    pub certified: usize,
    /// Worst scaled residual of a step, by the judge; 0 without contacts.
    pub residual: f64,
    /// Largest approaching speed of a contact [m/s] and deepest overlap [m].
    pub approach: f64,
    pub overlap: f64,
    /// Largest gap of a joint that rows close [m].
    pub joint_gap: f64,
    /// Iterations of the first step, and of the others in the mean.
    pub cold_iterations: usize,
    pub warm_iterations: f64,
    /// The solver that answered first, and last.
    pub cold_link: &'static str,
    pub warm_link: &'static str,
    /// Why there was no next step, if so.
    pub error: Option<String>,
}

impl Measured {
    /// Whether every step that was asked for was taken, and certified.
    pub fn is_certified(&self, course: Course) -> bool {
        self.error.is_none() && self.steps == course.steps && self.certified > course.steps
    }
}

/// Takes the steps of a scene. The error is the model's, in words.
pub fn measure(world: &World, course: Course) -> Result<Measured, String> {
    let model = world.model().map_err(|error| error.to_string())?;
    let mut settings = world.settings();
    (settings.contact.law, settings.contact.solver) = (course.law, course.solver);
    let mut times: Vec<f64> = Vec::new();
    let mut reports = Vec::new();
    let mut error = None;
    for _ in 0..course.rounds.max(1) {
        let round = steps(&model, &settings, model.state(), course.steps);
        for (k, &time) in round.times.iter().enumerate() {
            match times.get_mut(k) {
                Some(least) => *least = least.min(time),
                None => times.push(time),
            }
        }
        (reports, error) = (round.reports, round.error);
    }
    Ok(summary(world, &model, &times, &reports, error))
}

struct Round {
    times: Vec<f64>,
    reports: Vec<StepReport>,
    error: Option<String>,
}

fn steps(model: &Model, settings: &StepSettings, mut state: State, count: usize) -> Round {
    let mut data = Data::new(model);
    let mut round = Round { times: Vec::new(), reports: Vec::new(), error: None };
    for _ in 0..=count {
        let clock = ThreadTime::now();
        match step(model, settings, &Input::default(), &mut state, &mut data) {
            Ok(report) => {
                round.times.push(clock.elapsed().as_secs_f64());
                round.reports.push(report);
            }
            Err(error) => {
                round.error = Some(error.to_string());
                break;
            }
        }
    }
    round
}

fn summary(
    world: &World,
    model: &Model,
    times: &[f64],
    reports: &[StepReport],
    error: Option<String>,
) -> Measured {
    let warm = times.get(1..).unwrap_or_default();
    let ms = |seconds: f64| 1e3 * seconds;
    let mean = |sum: f64| if warm.is_empty() { 0.0 } else { sum / warm.len() as f64 };
    let touching = || reports.iter().filter_map(|report| report.contact);
    let link = |report: Option<&StepReport>| {
        report.and_then(|report| report.contact).map_or("", |contact| contact.link)
    };
    let iterations = |report: &StepReport| report.contact.map_or(0, |contact| contact.iterations);
    let all: usize = reports.iter().skip(1).map(iterations).sum();
    Measured {
        bodies: world.bodies.len(),
        degrees_of_freedom: model.nv(),
        h: world.h,
        steps: warm.len(),
        contacts: touching().map(|contact| contact.contacts).max().unwrap_or(0),
        cold_ms: times.first().copied().map(ms),
        warm_ms: (!warm.is_empty()).then(|| ms(mean(warm.iter().sum()))),
        worst_ms: warm.iter().copied().reduce(f64::max).map(ms),
        last_ms: warm.last().copied().map(ms),
        certified: reports
            .iter()
            .filter(|report| report.contact.is_none_or(|contact| contact.certified))
            .count(),
        residual: touching().fold(0.0, |worst, contact| larger(worst, contact.problem)),
        approach: touching().fold(0.0, |worst, c| larger(worst, c.residual.gap_velocity)),
        overlap: touching().fold(0.0, |worst, contact| larger(worst, contact.overlap)),
        joint_gap: reports.iter().fold(0.0, |worst, report| larger(worst, report.gap)),
        cold_iterations: reports.first().map_or(0, iterations),
        warm_iterations: mean(all as f64),
        cold_link: link(reports.first()),
        warm_link: link(reports.last()),
        error,
    }
}

/// The larger of two; NaN is the largest.
fn larger(a: f64, b: f64) -> f64 {
    if !(b <= a) { b } else { a }
}
