//! The contact problem of the next step.

use std::fmt::Write;

use stiction_lcp::Matrix;
use stiction_record::{Contact, Frame};
use stiction_scene::Simulation;
use stiction_sim::contact::law::{self, LawProblem};
use stiction_sim::{MatX, Model};

use crate::print::short;
use crate::run::frame;

/// Dense decompositions are for problems up to this size.
pub(crate) const MOST_ROWS: usize = 600;
/// Singular values below this share of the largest count as zero.
const ZERO: f64 = 1e-12;
/// Contacts that are listed as text.
const MOST_LISTED: usize = 40;

pub(crate) struct ContactProblem {
    pub(crate) contacts: Vec<Contact>,
    /// `u = J v` of the contacts' rows, and `W = J M̂⁻¹ Jᵀ`.
    pub(crate) J: MatX,
    pub(crate) W: Option<MatX>,
    pub(crate) u_free: Vec<f64>,
    pub(crate) rank_W: Option<usize>,
    /// What the law makes of it: its kind, unknowns and the rank of its matrix.
    pub(crate) law: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) unknowns: usize,
    pub(crate) rank: Option<usize>,
    /// Why there is no next state.
    pub(crate) error: Option<String>,
}

impl ContactProblem {
    /// By a step on a copy.
    pub(crate) fn of(simulation: &Simulation) -> Self {
        let mut copy = simulation.clone();
        let settings = *copy.stepping.step();
        let stepped = copy.step();
        let error = stepped.as_ref().err().map(ToString::to_string);
        let mut after = Frame::default();
        frame::fill_contacts(&mut after.contacts, &copy.data);
        let mut problem = Self {
            contacts: after.contacts,
            J: copy.data.contact_jacobian(),
            W: None,
            u_free: Vec::new(),
            rank_W: None,
            law: settings.contact.law.name(),
            kind: "none",
            unknowns: 0,
            rank: None,
            error,
        };
        let Some(space) = copy.data.contact_space().filter(|space| space.W.nrows() > 0) else {
            return problem;
        };
        problem.u_free.clone_from(&space.u_free);
        problem.W = dense(space.W.matrix());
        problem.rank_W = problem.W.as_ref().map(rank);
        if let Ok(assembled) = law::assemble(space, &settings.contact.law) {
            let (kind, A) = match &assembled.problem {
                LawProblem::Lcp(lcp) if lcp.is_lcp() => ("lcp", lcp.A()),
                LawProblem::Lcp(lcp) if lcp.is_mixed() => ("mlcp", lcp.A()),
                LawProblem::Lcp(lcp) => ("box", lcp.A()),
                LawProblem::Friction(cones) => ("friction cones", cones.W()),
                LawProblem::Convex(cones) => ("convex cones", cones.W()),
            };
            (problem.kind, problem.unknowns) = (kind, A.nrows());
            problem.rank = dense(A).as_ref().map(rank);
        }
        problem
    }

    pub(crate) fn text(&self, text: &mut String, model: &Model) {
        let _ = writeln!(text, "  next step: {} contacts", self.contacts.len());
        let name = |shape: u32| model.geoms()[shape as usize].name.as_str();
        for contact in self.contacts.iter().take(MOST_LISTED) {
            let pair = format!("{} – {}", name(contact.shape_a), name(contact.shape_b));
            let [x, y, z] = contact.point;
            let (mode, gap) = (contact.mode, contact.gap);
            let _ = writeln!(
                text,
                "    {pair:<32} at ({x:.4}, {y:.4}, {z:.4}), gap {gap:>10.3e} m, μ {}, {mode:?}",
                contact.mu
            );
        }
        if self.contacts.len() > MOST_LISTED {
            let _ = writeln!(text, "    and {} more", self.contacts.len() - MOST_LISTED);
        }
        if self.unknowns > 0 {
            let _ = writeln!(
                text,
                "  contact problem: {} rows, rank of W {}; law {}: {}, {} unknowns, rank {}",
                self.u_free.len(),
                told(self.rank_W),
                self.law,
                self.kind,
                self.unknowns,
                told(self.rank)
            );
        }
        if let Some(error) = &self.error {
            let _ = writeln!(text, "  there is no next state: {error}");
        }
        if let Some(W) = &self.W {
            let _ = writeln!(text, "  condition of W: {}", short(super::condition(W)));
        }
    }
}

fn told(rank: Option<usize>) -> String {
    rank.map_or_else(|| "not computed, too large".to_string(), |rank| rank.to_string())
}

fn dense(A: &Matrix) -> Option<MatX> {
    let (rows, columns) = (A.nrows(), A.ncols());
    if rows.max(columns) > MOST_ROWS {
        return None;
    }
    let mut dense = MatX::zeros(rows, columns);
    for j in 0..columns {
        A.for_column(j, |i, x| dense[(i, j)] += x);
    }
    Some(dense)
}

fn rank(A: &MatX) -> usize {
    let values = A.clone().singular_values();
    let largest = values.max();
    values.iter().filter(|&&value| value > ZERO * largest).count()
}
