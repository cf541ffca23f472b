//! The same question once more: what rests has the contacts, the rows and the answer of its last step.
//!
//! Contacts depend on the position and on how far they are looked for, rows and the root of W on the position, the contacts and the
//! length of the step, the answer on these, the free velocities and the forces that it starts from. All of that is compared, number by
//! number; what was found for the same numbers is what would be found again. The law's judge sees every step.

use crate::collide::{Contact, Way};
use crate::contact::law::{self, Law, LawAnswer, LawSolver};
use crate::contact::rows::Place;
use crate::contact::settings::ContactSettings;
use crate::contact::space::{ContactData, ContactSpace};
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::settings::{StepSettings, Stiffness};
use crate::state::State;
use stiction_lcp::Verdict;

/// What was found last, and for what.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    detection: Option<Detection>,
    rows: Rows,
    answer: Option<Answer>,
}

/// Contacts of a position.
#[derive(Clone, Debug)]
struct Detection {
    q: Vec<f64>,
    horizon: f64,
    is_near: bool,
    ways: Vec<Way>,
    contacts: Vec<Contact>,
}

/// How far contacts are looked for: alike, and whether beyond those that overlap; or by the ways of bodies.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    pub(super) horizon: f64,
    pub(super) is_near: bool,
    pub(super) ways: &'a [Way],
}

/// The rows in `ContactWork`, of contacts alone.
#[derive(Clone, Debug, Default)]
struct Rows {
    q: Vec<f64>,
    /// The length of the step, and how springs enter it; None: nothing is known.
    of: Option<(f64, Stiffness)>,
    contacts: Vec<Contact>,
    /// With their tangents turned.
    places: Vec<Place>,
}

/// An answer that was its own start, for these rows.
#[derive(Clone, Debug)]
struct Answer {
    u_free: Vec<f64>,
    contacts: Vec<ContactData>,
    law: Law,
    solver: LawSolver,
    tol: f64,
    answer: LawAnswer,
    /// Solves until then: islands are those of the last one.
    solves: usize,
}

impl Known {
    /// The contacts of a position, where they are known; these are written to `contacts`.
    pub(super) fn recall_contacts(
        &self,
        q: &[f64],
        How { horizon, is_near, ways }: How<'_>,
        contacts: &mut Vec<Contact>,
    ) -> bool {
        let Some(known) = &self.detection else { return false };
        let is_same = known.horizon == horizon
            && known.is_near == is_near
            && known.ways == ways
            && same(&known.q, q);
        if is_same {
            contacts.clone_from(&known.contacts);
        }
        is_same
    }

    pub(super) fn keep_contacts(
        &mut self,
        q: &[f64],
        How { horizon, is_near, ways }: How<'_>,
        contacts: &[Contact],
    ) {
        let new = || Detection {
            q: Vec::new(),
            horizon,
            is_near,
            ways: Vec::new(),
            contacts: Vec::new(),
        };
        let known = self.detection.get_or_insert_with(new);
        (known.horizon, known.is_near) = (horizon, is_near);
        copy(&mut known.ways, ways);
        copy(&mut known.q, q);
        copy(&mut known.contacts, contacts);
    }

    /// Rows are made anew.
    pub(super) fn forget_rows(&mut self) {
        self.answer = None;
        self.rows.of = None;
    }
}

impl ContactWork {
    /// Whether the rows of this step are those that stand; their places are then theirs.
    pub(super) fn recall_rows(
        &mut self,
        settings: &StepSettings,
        state: &State,
        data: &Data,
    ) -> bool {
        let known = &self.known.rows;
        let is_same = known.of == Some((settings.h, settings.stiffness))
            && self.is_plain(data)
            && same(&known.q, &state.q)
            && known.contacts == self.contacts;
        if is_same {
            copy(&mut self.places, &known.places);
        }
        is_same
    }

    /// Keeps what the rows are made of, where that is contacts alone.
    pub(super) fn keep_rows(&mut self, settings: &StepSettings, state: &State, data: &Data) {
        if !self.is_plain(data) {
            return;
        }
        let known = &mut self.known.rows;
        known.of = Some((settings.h, settings.stiffness));
        copy(&mut known.q, &state.q);
        copy(&mut known.contacts, &self.contacts);
        copy(&mut known.places, &self.places);
    }

    /// No guides, no bounded rows, no bilateral rows, and W by its root.
    fn is_plain(&self, data: &Data) -> bool {
        self.guides.is_empty()
            && self.active.is_empty()
            && data.work.rows.is_empty()
            && self.space.W.root().is_some()
    }

    /// The answer to this question, where it is the last one once more; judged by the law.
    pub(super) fn recall_answer(&mut self, settings: &ContactSettings) -> Option<LawAnswer> {
        let known = self.known.answer.as_ref()?;
        let ContactSettings { law, solver, tol, .. } = settings;
        let is_same = (&known.law, &known.solver, &known.tol) == (law, solver, tol)
            && known.solves == self.work.solves()
            && same(&known.u_free, &self.space.u_free)
            && known.contacts == self.space.contacts;
        is_same.then(|| law::judge_again(&self.space, law, *tol, &known.answer, &mut self.work))
    }

    /// Keeps an answer that was its own start.
    pub(super) fn keep_answer(&mut self, settings: &ContactSettings, answer: &LawAnswer) {
        let is_kept = self.known.rows.of.is_some()
            && answer.verdict == Verdict::Certified
            && answer.moved.is_empty()
            && is_its_start(&self.space, &answer.p);
        self.known.answer = is_kept.then(|| Answer {
            u_free: self.space.u_free.clone(),
            contacts: self.space.contacts.clone(),
            law: settings.law,
            solver: settings.solver,
            tol: settings.tol,
            answer: answer.clone(),
            solves: self.work.solves(),
        });
    }
}

/// Whether these impulses are the forces that the contacts remember.
fn is_its_start(space: &ContactSpace, p: &[f64]) -> bool {
    let h = space.h;
    space.contacts.iter().zip(p.chunks_exact(3)).all(|(c, p)| {
        [c.lambda_n, c.lambda_t[0], c.lambda_t[1]].map(|lambda| h * lambda) == [p[0], p[1], p[2]]
    })
}

/// Bit by bit.
fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Without new memory where it is as long.
fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}
