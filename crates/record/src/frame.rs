//! What is known after a step.

/// A state, and what the step that led to it did. Frame 0 is the state a run begins with.
///
/// Filled anew for each step: `clear` keeps the memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    pub step: u64,
    /// [s]
    pub time: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Of each body's own frame in the world: x, y, z [m], quaternion w, x, y, z.
    pub poses: Vec<[f64; 7]>,
    pub contacts: Vec<Contact>,
    pub certificate: Certificate,
    pub energy: Energy,
    /// Impacts that were located within the step.
    pub impacts: Vec<Impact>,
}

/// A contact of the step, with what passed through it. Vectors are in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// Places in [`Header::shapes`](crate::Header::shapes).
    pub shape_a: u32,
    pub shape_b: u32,
    /// Which of the contacts of the two.
    pub feature: u32,
    /// [m]
    pub point: [f64; 3],
    /// Unit vector from A to B.
    pub normal: [f64; 3],
    /// Positive: apart [m].
    pub gap: f64,
    /// On B [N·s].
    pub impulse: [f64; 3],
    /// Of B against A after the step [m/s].
    pub velocity: [f64; 3],
    pub mu: f64,
    pub mode: Mode,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// Without an impulse.
    #[default]
    Open = 0,
    Stick = 1,
    Slip = 2,
}

/// The judge's word on the step.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    pub certified: bool,
    /// Scaled residual of the problem that was solved: a pure number, held against the tolerance. 0 where there was nothing
    /// to solve.
    pub residual: f64,
    /// Distance from the law that was asked for, and from exact Coulomb friction.
    pub law: f64,
    pub coulomb: f64,
    /// Largest gap of a joint or loop at the end of the step: lengths [m], angles [rad].
    pub gap: f64,
    pub misalignment: f64,
    /// Deepest overlap of shapes at the beginning of the step [m].
    pub overlap: f64,
    pub iterations: u32,
    /// The solver that answered; empty: none was needed.
    pub solver: String,
}

impl Default for Certificate {
    fn default() -> Self {
        Self {
            certified: true,
            residual: 0.0,
            law: 0.0,
            coulomb: 0.0,
            gap: 0.0,
            misalignment: 0.0,
            overlap: 0.0,
            iterations: 0,
            solver: String::new(),
        }
    }
}

/// Energies at the end of the step and where that of the step went [J].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Energy {
    pub kinetic: f64,
    /// Of gravity and springs.
    pub potential: f64,
    /// Of the step, named by [`Header::ledger`](crate::Header::ledger); empty where no ledger is kept.
    pub terms: Vec<f64>,
}

/// An impact located within a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impact {
    /// [s]
    pub time: f64,
    /// Contacts that approached.
    pub contacts: u32,
    /// Largest approach speed [m/s].
    pub speed: f64,
    /// Kinetic energy lost [J].
    pub lost: f64,
}

impl Frame {
    /// Nothing, with the memory kept.
    pub fn clear(&mut self) {
        self.q.clear();
        self.v.clear();
        self.poses.clear();
        self.contacts.clear();
        self.energy.terms.clear();
        self.impacts.clear();
    }
}
