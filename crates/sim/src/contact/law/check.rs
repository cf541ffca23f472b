//! Domains of settings and contact data. A NaN is outside of every domain.

use super::{Lateral, Law, LawError, Stabilization};
use crate::contact::space::{BoundedRow, ContactData, ContactSpace, Sides};

pub(super) fn check(space: &ContactSpace, law: &Law) -> Result<(), LawError> {
    check_sizes(space)?;
    setting(is_positive(space.h), "h", "positive and finite")?;
    let stick = |v_stick: f64| setting(v_stick >= 0.0, "v_stick", "0 or more");
    let lateral = |lateral: Lateral| match lateral {
        Lateral::Free => Ok(()),
        Lateral::Relaxed { lambda_min } => {
            setting(is_positive(lambda_min), "lambda_min", "positive and finite")
        }
    };
    match law {
        Law::Frictionless => {}
        Law::Pyramid(s) => {
            stick(s.v_stick)?;
            setting(s.facets >= 3, "facets", "3 or more")?;
            if let Stabilization::Diagonal { eps } = s.stabilization {
                setting(is_not_negative(eps), "eps", "0 or more and finite")?;
            }
        }
        Law::Phantom(s) => {
            stick(s.v_stick)?;
            setting(s.directions >= 2, "directions", "2 or more")?;
            setting(is_not_negative(s.rho), "rho", "0 or more and finite")?;
            lateral(s.lateral)?;
        }
        Law::Box(s) => stick(s.v_stick)?,
        Law::Hybrid(s) => {
            stick(s.v_stick)?;
            lateral(Lateral::Relaxed { lambda_min: s.lambda_min })?;
        }
        Law::Cone(s) => stick(s.v_stick)?,
        Law::Convex(s) => stick(s.v_stick)?,
    }
    space.contacts.iter().enumerate().try_for_each(|(i, c)| check_contact(i, c))?;
    space.rows.iter().enumerate().try_for_each(|(i, row)| check_row(i, row))
}

/// W and u_free are of the rows of the space.
pub(super) fn check_sizes(space: &ContactSpace) -> Result<(), LawError> {
    let rows = space.m();
    setting(space.W.nrows() == rows && space.W.ncols() == rows, "W", "of 3k + r rows")?;
    setting(space.u_free.len() == rows, "u_free", "of 3k + r entries")
}

fn setting(holds: bool, name: &'static str, rule: &'static str) -> Result<(), LawError> {
    if holds { Ok(()) } else { Err(LawError::Setting { name, rule }) }
}

fn check_row(row: usize, r: &BoundedRow) -> Result<(), LawError> {
    let rules = [
        (is_not_negative(r.eps), "eps", "0 or more and finite"),
        (r.d.is_finite() && r.lambda.is_finite(), "d and lambda", "finite"),
        (r.lower <= r.upper, "lower", "at most upper"),
        (r.lower.is_finite() || r.upper.is_finite(), "one bound", "finite"),
        (r.lower < f64::INFINITY && r.upper > f64::NEG_INFINITY, "bounds", "of numbers between"),
    ];
    match rules.iter().find(|(holds, ..)| !holds) {
        Some(&(_, name, rule)) => Err(LawError::Row { row, name, rule }),
        None => Ok(()),
    }
}

fn check_contact(contact: usize, c: &ContactData) -> Result<(), LawError> {
    let (k, b) = c.bristle.map_or((1.0, 0.0), |r| (r.k, r.b));
    let rule = |holds: bool, name: &'static str, rule: &'static str| match holds {
        true => Ok(()),
        false => Err(LawError::Contact { contact, name, rule }),
    };
    rule(is_not_negative(c.mu_s), "mu_s", "0 or more and finite")?;
    rule(is_not_negative(c.mu_k), "mu_k", "0 or more and finite")?;
    rule(is_not_negative(c.eps_n), "eps_n", "0 or more and finite")?;
    rule(is_force(c), "lambda_n", "0 or more and finite; of any sign for guides")?;
    rule(c.phi.is_finite() && c.d_n.is_finite(), "phi and d_n", "finite")?;
    let tangential = c.u_t.iter().chain(&c.lambda_t);
    rule(tangential.fold(true, |all, x| all & x.is_finite()), "u_t and lambda_t", "finite")?;
    let is_bristle = is_not_negative(k) && is_not_negative(b) && k + b > 0.0;
    rule(is_bristle, "bristle", "of finite k ≥ 0 and b ≥ 0, not both 0")
}

fn is_force(c: &ContactData) -> bool {
    is_not_negative(c.lambda_n) || (c.sides == Sides::Both && c.lambda_n.is_finite())
}

fn is_positive(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

fn is_not_negative(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}
