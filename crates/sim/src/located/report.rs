//! What is known of a step that located its impacts.

use crate::collide::ContactKey;
use crate::ledger::Ledger;
use crate::step::StepReport;

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocatedReport {
    /// In their order.
    pub events: Vec<Event>,
    /// Steps it is made of, and how many of them are extrapolated.
    pub steps: usize,
    pub extrapolated: usize,
    /// Ordinary steps that were computed to find them.
    pub trials: usize,
    /// Steps that were given up for their error.
    pub rejected: usize,
    /// The largest estimate of the error of one step [m or rad]: how far one step and two of half its length are apart. 0
    /// unless steps are extrapolated or their error is bounded.
    pub error: f64,
    /// There were `max_impacts`, and the rest of the step is one ordinary step.
    pub is_cut_short: bool,
    /// Length of the shortest step [s].
    pub shortest: f64,
    /// The last step.
    pub last: StepReport,
    /// The judge has accepted everything.
    pub certified: bool,
    /// Where the energy of all steps and impacts went. None unless the settings of the step ask for it, and where steps are
    /// extrapolated.
    pub ledger: Option<Ledger>,
}

/// Something that happened within a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// [s]
    pub time: f64,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// Velocities jumped.
    Impact {
        /// The contacts that approached.
        strikes: Vec<Strike>,
        /// Kinetic energy before and after it [J], and what the law gained.
        K: [f64; 2],
        gained: f64,
    },
    /// A contact that bounced ever lower came to rest. The time is that of its last bounce, the limit of all that were still to
    /// come.
    Rest { key: ContactKey },
}

/// A contact in an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strike {
    pub key: ContactKey,
    /// How fast B moves away from A along the normal before and after the impact [m/s].
    pub u_n: [f64; 2],
}
