//! The complementarity problem of an instant.

use stiction_lcp::linalg::product;
use stiction_lcp::{BoxLcp, MatX};

use super::contacts::names;
use super::{ParadoxError, TouchMode, Touching, moving};
use crate::contact::delassus::Delassus;
use crate::contact::rows::ContactRows;
use crate::contact::space::Tangents;
use crate::data::Data;
use crate::math::VecX;
use crate::model::Model;
use crate::step::StepError;

/// Contact forces and accelerations of an instant: `u̇ = W λ + u̇_free`, three rows for each contact.
pub(super) struct Instant {
    pub(super) rows: ContactRows,
    pub(super) W: MatX,
    pub(super) u_dot_free: VecX,
    /// `λ = C z`.
    pub(super) C: MatX,
    /// None without a contact that slides or sticks.
    pub(super) problem: Option<BoxLcp>,
}

/// Where the unknowns of a contact stand in z.
struct Layout {
    contact: usize,
    lambda_n: usize,
    /// First of λ_t; then follow κ_up and κ_lo, each as many. None: it slides.
    stick: Option<usize>,
    /// Tangents along which friction can act.
    directions: usize,
}

/// Rows of parting contacts are there, with forces that no unknown moves.
pub(super) fn assemble(
    model: &Model,
    data: &Data,
    (contacts, mut rows): (&[Touching], ContactRows),
    a_free: &[f64],
) -> Result<Instant, ParadoxError> {
    let work = &data.work;
    let mut W = Delassus::default();
    rows.factor(model, (&work.M_hat, &work.solver), &work.impulses.eps, &mut W);
    let m = rows.len();
    if !W.make() {
        let too_many = StepError::TooManyContacts { contacts: contacts.len(), rows: m };
        return Err(ParadoxError::Step(too_many));
    }
    let W = MatX::from_fn(m, m, |i, j| W.get(i, j));
    let mut u_dot_free = Vec::new();
    rows.velocities(a_free, &mut u_dot_free);
    for (i, touching) in contacts.iter().enumerate() {
        let bias = match (moving::bias(model, data, touching), touching.mode) {
            (Some(bias), _) => bias,
            // no row needs it
            (None, TouchMode::Separating) => [0.0; 3],
            _ => return Err(ParadoxError::Moving { shapes: names(model, &touching.contact) }),
        };
        (0..3).for_each(|axis| u_dot_free[3 * i + axis] += bias[axis]);
    }
    let u_dot_free = VecX::from_vec(u_dot_free);
    let (layouts, n) = layouts(contacts);
    let C = forces(contacts, &layouts, n);
    let problem = if n == 0 { None } else { Some(lcp(contacts, &layouts, (&W, &u_dot_free, &C))?) };
    Ok(Instant { rows, W, u_dot_free, C, problem })
}

fn layouts(contacts: &[Touching]) -> (Vec<Layout>, usize) {
    let is_active = |mode| matches!(mode, TouchMode::Sliding { .. } | TouchMode::Sticking);
    let active: Vec<usize> = (0..contacts.len()).filter(|&i| is_active(contacts[i].mode)).collect();
    let mut n = active.len();
    let mut list = Vec::new();
    for (lambda_n, contact) in active.into_iter().enumerate() {
        let touching = &contacts[contact];
        let directions = if touching.tangents == Tangents::Line { 1 } else { 2 };
        let stick = (touching.mode == TouchMode::Sticking).then_some(n);
        n += stick.map_or(0, |_| 3 * directions);
        list.push(Layout { contact, lambda_n, stick, directions });
    }
    (list, n)
}

/// C of `λ = C z`: sliding friction follows λ_n [PKF17 eq. 21], sticking friction is an unknown.
fn forces(contacts: &[Touching], layouts: &[Layout], n: usize) -> MatX {
    let mut C = MatX::zeros(3 * contacts.len(), n);
    for layout in layouts {
        let (row, touching) = (3 * layout.contact, &contacts[layout.contact]);
        C[(row, layout.lambda_n)] = 1.0;
        if let TouchMode::Sliding { e_t } = touching.mode {
            let mu = touching.contact.surface.mu_k;
            (0..2).for_each(|j| C[(row + 1 + j, layout.lambda_n)] = -mu * e_t[j]);
        }
        if let Some(first) = layout.stick {
            (0..layout.directions).for_each(|j| C[(row + 1 + j, first + j)] = 1.0);
        }
    }
    C
}

/// `w = A z + b` with w = (u̇_n; per sticking contact u̇_t − κ_up + κ_lo = 0, σ_lo, σ_up).
fn lcp(
    contacts: &[Touching],
    layouts: &[Layout],
    (W, u_dot_free, C): (&MatX, &VecX, &MatX),
) -> Result<BoxLcp, ParadoxError> {
    let n = C.ncols();
    let WC = product(W, C);
    let (mut A, mut b, mut free) = (MatX::zeros(n, n), vec![0.0; n], Vec::new());
    for layout in layouts {
        let (from, to) = (3 * layout.contact, layout.lambda_n);
        A.row_mut(to).copy_from(&WC.row(from));
        b[to] = u_dot_free[from];
        let Some(first) = layout.stick else { continue };
        let mu = contacts[layout.contact].contact.surface.mu_s;
        for j in 0..layout.directions {
            let [lambda_t, up, lo] = [0, 1, 2].map(|part| first + part * layout.directions + j);
            let W_tt = W[(from + 1 + j, from + 1 + j)];
            // the mass that friction feels: any ρ > 0 gives the same forces, and keeps κ_up and κ_lo from growing together
            let rho = if W_tt > 0.0 { 1.0 / W_tt } else { 1.0 };
            free.push(lambda_t);
            A.row_mut(lambda_t).copy_from(&WC.row(from + 1 + j));
            b[lambda_t] = u_dot_free[from + 1 + j];
            (A[(lambda_t, up)], A[(lambda_t, lo)]) = (-1.0, 1.0);
            // κ_up is complementary to σ_lo, κ_lo to σ_up
            (A[(up, to)], A[(up, lambda_t)], A[(up, lo)]) = (mu, 1.0, rho);
            (A[(lo, to)], A[(lo, lambda_t)], A[(lo, up)]) = (mu, -1.0, rho);
        }
    }
    BoxLcp::mixed(A, b, &free).map_err(ParadoxError::Problem)
}
