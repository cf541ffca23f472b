//! What a move changes of the energy, island by island, and who pays for it.
//!
//! ```text
//!  ΔE = ΔV + ΔE_springs + K(q⁺, v⁺) − K(q, v) − p·ġ          v⁺ nearest to v with J_b v⁺ = ġ, by the impulses p
//!  v₀                                                        driven motion, and the momentum of an island that nothing holds
//!  ΔE ≤ 0:      nothing is asked
//!  ΔE ≤ K_w:    v⁺ ← v₀ + s w,  s² = 1 − ΔE/K_w              w = v⁺ − v₀ is orthogonal to v₀ in the metric of M
//!  otherwise:   the largest share of the way for which ΔE ≤ K_w
//! ```

use super::books::{Books, Energies};
use super::islands::Islands;
use super::near::Near;
use crate::constraint::project::prepare;
use crate::constraint::rows::At;
use crate::data::Data;
use crate::model::Model;
use crate::step::StepError;

/// Rounding of ΔE as a share of the energies that it is a difference of: places of bodies and sums over them.
const ROUNDING: f64 = 1e-14;
/// The share is found to 2⁻⁴⁰ of the way.
const HALVINGS: usize = 40;

/// How far an island goes, and what it pays.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// The share of the way, and what is known of the largest one that can be paid.
    share: f64,
    low: f64,
    high: f64,
    /// s, and ΔE less what was taken from the motion, and that [J].
    scale: f64,
    work: f64,
    paid: f64,
}

impl Energies {
    /// A NaN is not payable.
    fn is_payable(&self) -> bool {
        self.gained <= self.free
    }

    /// The same of the whole way, which rounding must not cut short.
    fn is_payable_but_for_rounding(&self) -> bool {
        self.gained <= self.free + ROUNDING * self.size
    }
}

#[derive(Clone, Debug)]
pub(super) struct Balance {
    pub(super) books: Books,
    /// One for each body; that of the body which stands for an island counts.
    accounts: Vec<Account>,
    /// Where the constraints hold is `q ⊕ way`.
    way: Vec<f64>,
    dv: Vec<f64>,
    /// Where the move ends.
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Balance {
    pub(super) fn new(model: &Model) -> Self {
        let v = || vec![0.0; model.nv];
        Self {
            books: Books::new(model),
            accounts: vec![Account::default(); model.bodies.len()],
            way: v(),
            dv: v(),
            q: model.q_neutral.clone(),
            v: v(),
        }
    }

    /// Where the move ended.
    pub(super) fn q(&self) -> &[f64] {
        &self.q
    }

    pub(super) fn v(&self) -> &[f64] {
        &self.v
    }

    pub(super) fn v_held(&self) -> &[f64] {
        &self.books.held
    }

    /// What was taken from the motion [J].
    pub(super) fn paid(&self) -> f64 {
        self.accounts.iter().map(|account| account.paid).sum()
    }

    /// The work of the whole projection [J].
    pub(super) fn work(&self) -> f64 {
        self.accounts.iter().map(|account| account.work).sum()
    }

    /// Goes from (q, v) towards `at`, where `data` is prepared, as far as can be paid, and pays. Returns the smallest share.
    pub(super) fn settle(
        &mut self,
        model: &Model,
        at: At<'_>,
        (q, v): (&[f64], &[f64]),
        islands: &Islands,
        data: &mut Data,
        near: &mut Near,
    ) -> Result<f64, StepError> {
        model.difference(q, at.q, &mut self.way);
        let whole = Account { share: 1.0, low: 0.0, high: 1.0, scale: 1.0, ..Default::default() };
        self.accounts.fill(whole);
        self.q.copy_from_slice(at.q);
        self.books.weigh(model, at, v, islands, data, near)?;
        if islands.all().any(|i| !self.books.islands[i].is_payable_but_for_rounding()) {
            self.bisect(model, at, (q, v), islands, data, near)?;
        }
        self.pay(islands);
        Ok(islands.all().map(|i| self.accounts[i].share).fold(1.0, f64::min))
    }

    /// Finds the share of each island that cannot pay the whole way.
    fn bisect(
        &mut self,
        model: &Model,
        at: At<'_>,
        (q, v): (&[f64], &[f64]),
        islands: &Islands,
        data: &mut Data,
        near: &mut Near,
    ) -> Result<(), StepError> {
        let poor = |account: &Account| account.share < 1.0;
        for i in islands.all() {
            if !self.books.islands[i].is_payable_but_for_rounding() {
                self.accounts[i].share = 0.5;
            }
        }
        for round in 0..=HALVINGS {
            if round == HALVINGS {
                // what is known to be payable
                self.accounts.iter_mut().filter(|a| poor(a)).for_each(|a| a.share = a.low);
            }
            for (i, dv) in self.dv.iter_mut().enumerate() {
                *dv = self.accounts[islands.of_velocity(i)].share * self.way[i];
            }
            self.q.copy_from_slice(q);
            model.integrate(&mut self.q, &self.dv, 1.0);
            let there = At { q: &self.q, ..at };
            prepare(model, there, data)?;
            self.books.weigh(model, there, v, islands, data, near)?;
            if round == HALVINGS {
                break;
            }
            let both = self.accounts.iter_mut().zip(&self.books.islands);
            for (account, energies) in both.filter(|(account, _)| poor(account)) {
                let end = if energies.is_payable() { &mut account.low } else { &mut account.high };
                *end = account.share;
                account.share = 0.5 * (account.low + account.high);
            }
        }
        Ok(())
    }

    /// Takes from the motion what the move has gained.
    fn pay(&mut self, islands: &Islands) {
        for i in islands.all() {
            let (account, &Energies { gained, free, .. }) =
                (&mut self.accounts[i], &self.books.islands[i]);
            if gained > 0.0 {
                account.paid = gained.min(free);
                account.scale = if free > gained { (1.0 - gained / free).sqrt() } else { 0.0 };
            }
            account.work = gained - account.paid;
        }
        let Books { held, v_0, w, .. } = &self.books;
        for (i, v) in self.v.iter_mut().enumerate() {
            let scale = self.accounts[islands.of_velocity(i)].scale;
            *v = if scale == 1.0 { held[i] } else { v_0[i] + scale * w[i] };
        }
    }
}
