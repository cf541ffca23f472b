//! The contact problem of a step, solved under a law and put into the velocities; what it passes joins in.

use crate::contact::assemble::{idle_data, place_of};
use crate::contact::law::{LawAnswer, idle_opening};
use crate::contact::rows::Place;
use crate::contact::settings::{ContactReport, Strictness};
use crate::contact::space::ContactSpace;
use crate::contact::spare;
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::model::Model;
use crate::settings::StepSettings;
use crate::state::State;
use crate::step::StepError;
use crate::tree::matrix::TreeFactor;
use stiction_lcp::Verdict;

impl ContactWork {
    /// Solves everything for the present `v_kick`, which holds the impulses p so far and meets the bilateral rows, and replaces them. Bilateral rows
    /// are to be met again afterwards; W knows that they will be. Then `again`: limits and contacts that turn out to be passed join in,
    /// and if there are none, false is the answer and nothing is solved.
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        (data, again): (&mut Data, bool),
    ) -> Result<bool, StepError> {
        let has_joined = again
            && (self.activate_passed(settings, &data.work.v_kick)
                | (self.join_spare(model, settings, state, (data, &data.work.v_kick)) > 0));
        if again && !has_joined {
            return Ok(false);
        }
        if !self.p.is_empty() {
            if has_joined || self.report.is_none() {
                self.assemble(model, settings, state, data)?;
            }
            self.solve_law(model, settings, state, data)?;
        }
        Ok(true)
    }

    fn solve_law(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        data: &mut Data,
    ) -> Result<(), StepError> {
        self.set_free_velocities(&data.work.v_kick);
        let contact = &settings.contact;
        let mut answer = match self.recall_answer(contact) {
            Some(answer) => answer,
            None => {
                (self.work.may_split, self.work.has_answer) = (true, self.report.is_some());
                let answer = self.find_answer(model, settings, state, data);
                (self.work.may_split, self.work.has_answer) = (false, false);
                let answer = answer?;
                self.keep_answer(contact, &answer);
                answer
            }
        };
        let certified = answer.verdict == Verdict::Certified;
        self.report = Some(ContactReport {
            contacts: self.found,
            guides: self.guides.len(),
            rows: self.active.len(),
            overlap: self.overlap,
            certified,
            residual: answer.residual,
            coulomb: answer.coulomb,
            problem: answer.problem,
            link: answer.link,
            iterations: answer.iterations,
        });
        if matches!(answer.verdict, Verdict::NoSolution(_)) {
            return Err(StepError::NoSolution);
        }
        if !certified && contact.strictness == Strictness::Strict {
            return Err(StepError::Uncertified(answer.refusal()));
        }
        let work = &mut data.work;
        self.find_change(model, &work.M_hat, &mut answer);
        for (v, dv) in work.v_kick.iter_mut().zip(&self.dv) {
            *v += dv;
        }
        self.p.copy_from_slice(&answer.p);
        std::mem::swap(&mut self.moved, &mut answer.moved);
        self.u.copy_from_slice(&answer.u);
        self.work.take_back(answer);
        if certified {
            self.stop_what_rests(model, data);
        }
        Ok(())
    }

    /// `dv`: what the impulses of an answer change velocities by, beyond what those so far did.
    fn find_change(&mut self, model: &Model, M_hat: &TreeFactor, answer: &mut LawAnswer) {
        let (before, after) = (self.moved.plain(&self.p), answer.moved.plain(&answer.p));
        self.dp.clear();
        self.dp.extend(after.iter().zip(before).map(|(p, before)| p - before));
        self.dv.fill(0.0);
        self.rows.add_momentum(&self.dp, &mut self.dv);
        M_hat.solve(&model.pattern, &mut self.dv);
        for (moved, sign) in [(&answer.moved, 1.0), (&self.moved, -1.0)] {
            if !moved.is_empty() {
                self.change.clear();
                self.change.extend_from_slice(moved.change());
                M_hat.solve_lower(&model.pattern, &mut self.change);
                self.dv.iter_mut().zip(&self.change).for_each(|(dv, own)| *dv += sign * own);
            }
        }
    }

    /// `u_free = u − W p`: what these velocities are without the impulses so far.
    pub(super) fn set_free_velocities(&mut self, v: &[f64]) {
        self.rows.velocities(v, &mut self.u);
        self.space.u_free.resize(self.u.len(), 0.0);
        let ContactSpace { W, u_free, .. } = &mut self.space;
        self.dp.clear();
        self.dp.extend(self.moved.plain(&self.p).iter().map(|p| -p));
        match W.root() {
            Some(root) => {
                self.moved.take_velocities(root, &mut self.u);
                root.affine(&self.dp, &self.u, u_free, &mut self.change);
            }
            None => W.affine(&self.dp, &self.u, u_free),
        }
    }

    /// Adds the limits that these velocities would pass; false if there are none.
    fn activate_passed(&mut self, settings: &StepSettings, v: &[f64]) -> bool {
        let before = self.active.len();
        if before == self.bounded.len() {
            return false;
        }
        for i in 0..self.bounded.len() {
            let way = -settings.h * self.bounded.rate(i, v);
            let passes = way > 0.0 && self.is_in_reach(settings, i, way);
            if passes && !self.active.contains(&i) {
                self.active.push(i);
            }
        }
        let rows = self.p.len();
        self.p.resize(3 * self.places.len() + self.active.len(), 0.0);
        self.moved.insert_rows(rows, self.p.len() - rows);
        self.active.len() > before
    }

    /// Asks the contacts that were set aside and that these velocities would make overlap, the worst first. How many these are.
    pub(super) fn join_spare(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        (data, v): (&Data, &[f64]),
    ) -> usize {
        self.look_farther(model, settings.h, (data, v));
        if self.spare.is_empty() {
            return 0;
        }
        let near = self.list_near_spare(model, settings.h, (data, v));
        let places: Vec<Place> = near.iter().map(|&i| place_of(&self.spare[i])).collect();
        self.spare_rows.update(model, &data.kin, &places);
        let (mut u, mut before) = (Vec::new(), Vec::new());
        self.spare_rows.velocities(v, &mut u);
        self.spare_rows.velocities(&state.v, &mut before);
        let rounding = settings.contact.tol * self.u.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
        let opening = |i: usize| {
            let u_t = [before[3 * i + 1], before[3 * i + 2]];
            let idle = idle_data(settings, &self.spare[near[i]], u_t);
            idle_opening(&settings.contact.law, &idle, settings.h, &u[3 * i..3 * i + 3])
        };
        let mut passed: Vec<usize> = (0..near.len()).filter(|&i| opening(i) < -rounding).collect();
        passed.sort_by(|&i, &j| opening(i).total_cmp(&opening(j)));
        passed.truncate(spare::JOINING.max(passed.len() / 4));
        if passed.is_empty() {
            return 0;
        }
        passed.sort_unstable();
        // their impulses come before those of guides and rows
        let at = 3 * self.contacts.len();
        self.p.splice(at..at, std::iter::repeat_n(0.0, 3 * passed.len()));
        self.moved.insert_rows(at, 3 * passed.len());
        for &i in passed.iter().rev() {
            self.contacts.push(self.spare.remove(near[i]));
        }
        self.place();
        passed.len()
    }
}
