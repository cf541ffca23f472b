//! Prox form and complementarity form are the same law [SNT]: what solves one solves the other.

use super::*;
use crate::testing::Random;

fn random_space(k: usize, seed: u64) -> ContactSpace {
    let mut random = Random::new(seed);
    let B = MatX::from_fn(3 * k, 3 * k + 2, |_, _| random.between(-1.0, 1.0));
    let W = &B * B.transpose() / (3 * k) as f64 + MatX::identity(3 * k, 3 * k) * 0.2;
    let u_free = (0..3 * k)
        .map(|i| if i % 3 == 0 { -0.5 } else { 0.0 } + random.between(-1.0, 1.0))
        .collect();
    let contacts = (0..k)
        .map(|_| ContactData {
            eps_n: random.between(0.0, 0.2),
            d_n: random.between(-0.2, 0.2),
            bristle: Some(Relaxation { k: 5e3, b: 20.0 }),
            lambda_n: random.between(10.0, 200.0),
            lambda_t: [random.between(-30.0, 30.0), random.between(-30.0, 30.0)],
            ..contact(random.between(0.1, 0.6))
        })
        .collect();
    ContactSpace { h: 0.005, W: W.into(), u_free, contacts, rows: Vec::new() }
}

fn velocity(space: &ContactSpace, p: &[f64]) -> Vec<f64> {
    let mut u = vec![0.0; p.len()];
    space.W.affine(p, &space.u_free, &mut u);
    u
}

fn disc([x, y]: [f64; 2], radius: f64) -> [f64; 2] {
    let size = x.hypot(y);
    if size <= radius { [x, y] } else { [x * radius / size, y * radius / size] }
}

/// `prox(p − r u)` of the cone law: half-line and disc.
fn cone_prox(space: &ContactSpace, p: &[f64], r: f64) -> Vec<f64> {
    let u = velocity(space, p);
    let of_contact = |(i, c): (usize, &ContactData)| {
        let n = 3 * i;
        let p_n = (p[n] - r * (u[n] + c.eps_n * p[n] + c.d_n)).max(0.0);
        let [x, y] = disc([p[n + 1] - r * u[n + 1], p[n + 2] - r * u[n + 2]], c.mu_s * p[n]);
        [p_n, x, y]
    };
    space.contacts.iter().enumerate().flat_map(of_contact).collect()
}

/// The same of the box law: intervals.
fn box_prox(space: &ContactSpace, p: &[f64], r: f64) -> Vec<f64> {
    let (u, h) = (velocity(space, p), space.h);
    let of_contact = |(i, c): (usize, &ContactData)| {
        let bristle = c.bristle.unwrap();
        let eps = 1.0 / (bristle.k * h * h + bristle.b * h);
        let bound = c.mu_s * h * c.lambda_n;
        let tangent = |a: usize| {
            let row = 3 * i + 1 + a;
            let d = -eps * h * (c.lambda_t[a] + bristle.b * c.u_t[a]);
            (p[row] - r * (u[row] + eps * p[row] + d)).clamp(-bound, bound)
        };
        let opening = u[3 * i] + c.eps_n * p[3 * i] + c.d_n;
        [(p[3 * i] - r * opening).max(0.0), tangent(0), tangent(1)]
    };
    space.contacts.iter().enumerate().flat_map(of_contact).collect()
}

type Prox = fn(&ContactSpace, &[f64], f64) -> Vec<f64>;

fn pairs() -> [(Law, Prox); 2] {
    [(Law::Cone(Cone::default()), cone_prox), (Law::Box(BoxLaw::default()), box_prox)]
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

#[test]
fn what_solves_the_complementarity_form_is_a_fixed_point_for_any_r() {
    for seed in 0..60 {
        let space = random_space(1 + seed as usize % 4, seed);
        for (law, prox) in pairs() {
            let p = certified(&space, &law).p;
            for r in [1e-2, 1.0, 30.0] {
                let moved = apart(&prox(&space, &p, r), &p);
                assert!(moved < 1e-9 * (1.0 + r), "seed {seed}, {}, r {r}: {moved:e}", law.name());
            }
        }
    }
}

#[test]
fn a_fixed_point_solves_the_complementarity_form() {
    for seed in 0..60 {
        let space = random_space(1 + seed as usize % 4, seed);
        for (law, prox) in pairs() {
            // below 2 over the largest eigenvalue: the trace of W bounds its own, the bristles add 1/0.225
            let n = space.u_free.len();
            let r = 1.0 / (5.0 + (0..n).map(|i| space.W.get(i, i)).sum::<f64>());
            let mut p = vec![0.0; n];
            for _ in 0..20_000 {
                p = prox(&space, &p, r);
            }
            let residual = judge(&space, &law, &p);
            assert!(residual.accepts(1e-9), "seed {seed}, {}: {residual:?}", law.name());
        }
    }
}

#[test]
fn neither_form_takes_anything_else() {
    let mut random = Random::new(3);
    for seed in 0..60 {
        let space = random_space(1 + seed as usize % 4, seed);
        for (law, prox) in pairs() {
            let mut p = certified(&space, &law).p;
            let i = random.below(p.len());
            p[i] += if random.below(2) == 0 { 0.01 } else { -0.01 };
            assert!(!judge(&space, &law, &p).accepts(1e-6), "seed {seed}, {}", law.name());
            assert!(apart(&prox(&space, &p, 1.0), &p) > 1e-6, "seed {seed}, {}", law.name());
        }
    }
}
