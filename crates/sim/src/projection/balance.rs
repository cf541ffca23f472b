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
/// A share is found to 2⁻⁴⁰ of the way at the latest.
const TRIALS: usize = 60;
const NARROW: f64 = 1.0 / (1u64 << 40) as f64;

/// How far an island goes, and what it pays.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// The share of the way.
    share: f64,
    search: Option<Search>,
    /// s, and ΔE less what was taken from the motion, and that [J].
    scale: f64,
    work: f64,
    paid: f64,
}

/// The largest share that can be paid lies between two, of which the lower one can: by false position, ΔE being nearly linear.
#[derive(Clone, Copy, Debug)]
struct Search {
    low: f64,
    high: f64,
    /// ΔE − K_w at either [J], that of an end which stays for long halved; whether the last share was payable.
    at_low: f64,
    at_high: f64,
    was_payable: bool,
    is_over: bool,
}

impl Search {
    /// Takes in what was found at a share.
    fn learn(&mut self, share: f64, energies: &Energies) {
        let owed = energies.gained - energies.free;
        let is_payable = energies.is_payable();
        let again = if is_payable == self.was_payable { 0.5 } else { 1.0 };
        if is_payable {
            (self.low, self.at_low) = (share, owed);
            self.at_high *= again;
            // all is spent but rounding
            self.is_over |= -owed <= ROUNDING * energies.size;
        } else {
            (self.high, self.at_high) = (share, owed);
            self.at_low *= again;
        }
        self.was_payable = is_payable;
        self.is_over |= self.high - self.low <= NARROW;
    }

    fn next(&self) -> f64 {
        if self.is_over {
            return self.low;
        }
        let share = self.low - self.at_low * (self.high - self.low) / (self.at_high - self.at_low);
        // a NaN, or an end again
        if share > self.low && share < self.high { share } else { 0.5 * (self.low + self.high) }
    }
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
        (islands, near): (&Islands, &mut Near),
        data: &mut Data,
    ) -> Result<f64, StepError> {
        model.difference(q, at.q, &mut self.way);
        let whole = Account { share: 1.0, scale: 1.0, ..Default::default() };
        self.accounts.fill(whole);
        self.books.is_searching = false;
        self.q.copy_from_slice(at.q);
        self.books.weigh(model, at, v, (islands, &mut *near), data)?;
        if islands.all().any(|i| !self.books.islands[i].is_payable_but_for_rounding()) {
            self.search(model, at, (q, v), (islands, near), data)?;
        }
        self.pay(islands);
        Ok(islands.all().map(|i| self.accounts[i].share).fold(1.0, f64::min))
    }

    /// Finds the share of each island that cannot pay the whole way, from none of it on.
    fn search(
        &mut self,
        model: &Model,
        at: At<'_>,
        (q, v): (&[f64], &[f64]),
        (islands, near): (&Islands, &mut Near),
        data: &mut Data,
    ) -> Result<(), StepError> {
        self.books.is_searching = true;
        for i in islands.all() {
            let energies = &self.books.islands[i];
            if !energies.is_payable_but_for_rounding() {
                self.accounts[i].share = 0.0;
                self.accounts[i].search = Some(Search {
                    low: 0.0,
                    high: 1.0,
                    at_low: 0.0,
                    at_high: energies.gained - energies.free,
                    was_payable: false,
                    is_over: false,
                });
            }
        }
        for trial in 0..TRIALS {
            for (i, dv) in self.dv.iter_mut().enumerate() {
                *dv = self.accounts[islands.of_velocity(i)].share * self.way[i];
            }
            self.q.copy_from_slice(q);
            model.integrate(&mut self.q, &self.dv, 1.0);
            let there = At { q: &self.q, ..at };
            prepare(model, there, data)?;
            self.books.weigh(model, there, v, (islands, &mut *near), data)?;
            if !self.go_on(trial) {
                break;
            }
        }
        Ok(())
    }

    /// Whether a share is to be tried that was not yet; the last ones are known to be payable.
    fn go_on(&mut self, trial: usize) -> bool {
        let mut is_new = false;
        for (account, energies) in self.accounts.iter_mut().zip(&self.books.islands) {
            let Some(search) = &mut account.search else { continue };
            search.learn(account.share, energies);
            search.is_over |= trial + 2 >= TRIALS;
            let next = search.next();
            is_new |= next != account.share;
            account.share = next;
        }
        is_new
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
