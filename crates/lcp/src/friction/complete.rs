//! Blocks of a body that are not known from its neighbours: what the others, and the rank of a body, say of them. See `recover.rs`.

use super::recover::{RANK, Recovery};
use crate::linalg::{gram, product};
use crate::matrix::MatX;

/// Of a body: the rank of what is known, and the columns of H of unknown bundles as far as those of the known ones reach.
pub(super) struct Guess {
    rank: usize,
    /// The least pivot over the largest.
    pub(super) sharpness: f64,
    pub(super) reach: Vec<MatX>,
}

impl Recovery<'_> {
    /// What the known bundles say of the others.
    pub(super) fn guess(&self, known: &[(usize, MatX)], unknown: &[usize]) -> Guess {
        let H = self.root_of(known, RANK);
        // pivots come in descending order
        let pivot = |i: usize| H.row(i).amax();
        let sharpness =
            if H.nrows() == 0 { 1.0 } else { (pivot(H.nrows() - 1) / pivot(0)).powi(2) };
        let factor = gram(&H).cholesky();
        let reach = |&c: &usize| {
            let mut right = MatX::zeros(H.ncols(), self.rows[c].len());
            let mut at = 0;
            for (d, _) in known {
                let block = self.block(*d, c);
                right.view_mut((at, 0), block.shape()).copy_from(&block);
                at += block.nrows();
            }
            // least squares of Hᵀ h = W_Kc
            match &factor {
                Some(factor) if H.nrows() > 0 => factor.solve(&product(&H, &right)),
                _ => MatX::zeros(H.nrows(), self.rows[c].len()),
            }
        };
        Guess { rank: H.nrows(), sharpness, reach: unknown.iter().map(reach).collect() }
    }

    /// What pairs of unknown bundles have in W beyond what the known ones explain.
    fn remainder(&self, guess: &Guess, unknown: &[usize], (i, j): (usize, usize)) -> MatX {
        self.block(unknown[i], unknown[j]) - product(&guess.reach[i].transpose(), &guess.reach[j])
    }

    /// The known ones explain all pairs of unknown ones; where there is none, they have the freedom of a rigid body.
    pub(super) fn is_spanned(&self, guess: &Guess, unknown: &[usize]) -> bool {
        if unknown.len() == 1 {
            return guess.rank >= if self.problem.dim == 2 { 3 } else { 6 };
        }
        (0..unknown.len()).all(|i| {
            (0..i).all(|j| {
                let size = self.block(unknown[i], unknown[j]).amax();
                self.remainder(guess, unknown, (i, j)).amax() <= RANK * size
            })
        })
    }

    /// The block of an unknown bundle by two sets of others.
    pub(super) fn completed(
        &self,
        guess: &Guess,
        unknown: &[usize],
        (c, sharpness): (usize, f64),
    ) -> Option<MatX> {
        let others: Vec<usize> = (0..unknown.len()).filter(|d| *d != c).collect();
        if others.len() < 2 {
            return None;
        }
        let every_other = |first: usize| others.iter().copied().skip(first).step_by(2).collect();
        let (D, E): (Vec<usize>, Vec<usize>) = (every_other(0), every_other(1));
        let size = |set: &[usize]| set.iter().map(|&d| self.rows[unknown[d]].len()).sum::<usize>();
        let gather = |rows: &[usize], columns: &[usize]| {
            let mut R = MatX::zeros(size(rows), size(columns));
            let mut at_i = 0;
            for &i in rows {
                let mut at_j = 0;
                for &j in columns {
                    let block = self.remainder(guess, unknown, (i, j));
                    R.view_mut((at_i, at_j), block.shape()).copy_from(&block);
                    at_j += block.ncols();
                }
                at_i += self.rows[unknown[i]].len();
            }
            R
        };
        let (R_DE, R_cE, R_Dc) = (gather(&D, &E), gather(&[c], &E), gather(&D, &[c]));
        let svd = R_DE.clone().svd(true, true);
        let largest = svd.singular_values.amax();
        let is_blurred = |s: &f64| *s > RANK * largest && *s < sharpness * largest;
        if guess.sharpness < sharpness || svd.singular_values.iter().any(is_blurred) {
            return None;
        }
        let parts = (&svd.u?, svd.singular_values.as_slice(), &svd.v_t?);
        let middle = product(&R_cE, &pseudo_inverse(parts, RANK * largest));
        // the rows of c are in the span of those of D
        let is_within = (product(&middle, &R_DE) - &R_cE).amax() <= RANK * R_cE.amax();
        let A = product(&middle, &R_Dc) + gram(&guess.reach[c].transpose());
        is_within.then(|| (&A + A.transpose()) * 0.5)
    }

    /// Two bodies that lack one coordinate each, with two unknown bundles: the one they share has the columns `α h`, `β h'` along the two
    /// coordinates, and `W_cc` says α and β. True if that settled a bundle.
    pub(super) fn weigh_pairs(&mut self, left: &[usize]) -> bool {
        let mut is_settled = false;
        for c in 0..self.rows.len() {
            let sides = &self.bodies.of_bundle[c];
            let is_open = self.part[c].iter().all(Option::is_none);
            if sides.len() < 2 || !is_open || !sides.iter().all(|b| left.contains(b)) {
                continue;
            }
            let (body, other) = (sides[0], sides[1]);
            if let (Some(one), Some(two)) = (self.missing(c, body), self.missing(c, other))
                && let Some(A) = weighed(&self.block(c, c), one, two)
            {
                self.set_part(c, body, A);
                is_settled = true;
            }
        }
        is_settled
    }

    /// What is known of a bundle's block at a body that lacks one coordinate, and the direction of what is missing.
    fn missing(&self, c: usize, body: usize) -> Option<(MatX, MatX)> {
        let of_body = &self.bodies.body[body];
        let known: Vec<(usize, MatX)> =
            of_body.iter().filter_map(|&d| Some((d, self.part_at(d, body)?.clone()))).collect();
        let mut unknown = vec![c];
        unknown.extend(of_body.iter().filter(|&&d| d != c && self.part_at(d, body).is_none()));
        if unknown.len() != 2 {
            return None;
        }
        let guess = self.guess(&known, &unknown);
        let svd = self.remainder(&guess, &unknown, (0, 1)).svd(true, false);
        let sigma = &svd.singular_values;
        let is_one = sigma[0] > RANK && sigma.iter().skip(1).all(|s| *s <= RANK * sigma[0]);
        let h = gram(&guess.reach[0].transpose());
        is_one.then(|| Some((h, svd.u?.columns(0, 1).into_owned())))?
    }
}

/// `V Σ⁺ Uᵀ`; singular values up to a limit count as zero.
fn pseudo_inverse((U, sigma, V_t): (&MatX, &[f64], &MatX), limit: f64) -> MatX {
    let inverse = |s: f64| if s > limit { 1.0 / s } else { 0.0 };
    let V = MatX::from_fn(V_t.ncols(), V_t.nrows(), |i, j| V_t[(j, i)] * inverse(sigma[j]));
    product(&V, &U.transpose())
}

/// `A + α² h hᵀ` with `W = A + α² h hᵀ + A' + β² h' h'ᵀ`, by least squares.
fn weighed(W: &MatX, (A, h): (MatX, MatX), (A_other, h_other): (MatX, MatX)) -> Option<MatX> {
    let rest = W - &A - A_other;
    let (one, two) = (gram(&h), gram(&h_other));
    let (a, b, c) = (one.dot(&one), one.dot(&two), two.dot(&two));
    let (x, y) = (one.dot(&rest), two.dot(&rest));
    let determinant = a * c - b * b;
    if !(determinant > 1e-6 * a * c) {
        return None;
    }
    let (alpha, beta) = ((c * x - b * y) / determinant, (a * y - b * x) / determinant);
    let is_met = (&one * alpha + two * beta - &rest).amax() <= RANK * W.amax();
    (alpha >= 0.0 && beta >= 0.0 && is_met).then(|| A + one * alpha)
}
