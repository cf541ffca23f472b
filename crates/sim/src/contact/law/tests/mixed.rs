//! The mixed form with explicit velocities and joints, written from the mechanics: a twin of the forms from which
//! they are eliminated.

use super::*;
use crate::testing::Random;
use stiction_lcp::judge::Judge;
use stiction_lcp::{BoxLcp, LcpSolver, never, solve_lcp};

const H: f64 = 0.005;

/// `M v − J_bᵀ p_b − Jᵀ p = momentum`, `J_b v + ε_b p_b + d_b = 0`.
struct System {
    M: MatX,
    J_b: MatX,
    eps_b: f64,
    d_b: f64,
    /// Rows n, t1, t2 of each contact.
    J: MatX,
    momentum: MatX,
    contacts: Vec<ContactData>,
}

impl System {
    fn random(k: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let (nv, nb) = (3 * k + 4, 2);
        let mut matrix = |r, c| MatX::from_fn(r, c, |_, _| random.between(-1.0, 1.0));
        let (root, J_b, J) = (matrix(nv, nv), matrix(nb, nv), matrix(3 * k, nv));
        let M = &root * root.transpose() + MatX::identity(nv, nv);
        let momentum = matrix(nv, 1) - J.transpose() * MatX::from_fn(3 * k, 1, |i, _| pressed(i));
        let contacts = (0..k).map(|_| Self::contact(&mut random)).collect();
        Self { M, J_b, eps_b: 0.01, d_b: 0.1, J, momentum, contacts }
    }

    /// Half of them slide; soft, with memory.
    fn contact(random: &mut Random) -> ContactData {
        let size = if random.below(2) == 0 { 1.0 } else { 1e-4 };
        ContactData {
            sides: Sides::One,
            tangents: Tangents::Plane,
            phi: random.between(-1e-3, 1e-3),
            eps_n: random.between(0.0, 0.1),
            d_n: random.between(-0.1, 0.1),
            mu_s: 0.4,
            mu_k: 0.3,
            bristle: Some(Relaxation { k: 5e3, b: 20.0 }),
            u_t: [random.between(0.1, 1.0) * size, random.between(-1.0, 1.0) * size],
            lambda_n: random.between(10.0, 300.0),
            lambda_t: [random.between(-30.0, 30.0), random.between(-30.0, 30.0)],
        }
    }

    fn nv(&self) -> usize {
        self.M.nrows()
    }

    /// Velocities and joints eliminated.
    fn space(&self) -> ContactSpace {
        let (K, right) = self.bilateral();
        let inverse = K.try_inverse().unwrap();
        let n = self.nv() + self.J_b.nrows();
        let mut rows = MatX::zeros(self.J.nrows(), n);
        rows.view_mut((0, 0), self.J.shape()).copy_from(&self.J);
        let mut columns = MatX::zeros(n, self.J.nrows());
        columns.view_mut((0, 0), (self.nv(), self.J.nrows())).copy_from(&self.J.transpose());
        let W = &rows * &inverse * columns;
        let u_free = (rows * inverse * right).as_slice().to_vec();
        ContactSpace {
            h: H,
            W: W.into(),
            u_free,
            contacts: self.contacts.clone(),
            rows: Vec::new(),
        }
    }

    /// The rows of v and p_b without contacts.
    fn bilateral(&self) -> (MatX, MatX) {
        let (nv, nb) = (self.nv(), self.J_b.nrows());
        let mut K = MatX::zeros(nv + nb, nv + nb);
        K.view_mut((0, 0), (nv, nv)).copy_from(&self.M);
        K.view_mut((0, nv), (nv, nb)).copy_from(&-self.J_b.transpose());
        K.view_mut((nv, 0), (nb, nv)).copy_from(&self.J_b);
        let mut right = MatX::from_element(nv + nb, 1, -self.d_b);
        right.view_mut((0, 0), (nv, 1)).copy_from(&self.momentum);
        (0..nb).for_each(|i| K[(nv + i, nv + i)] = self.eps_b);
        (K, right)
    }

    /// A mixed problem of `size` rows that begins with v and p_b.
    fn mixed(&self, size: usize) -> (MatX, Vec<f64>) {
        let (K, right) = self.bilateral();
        let mut A = MatX::zeros(size, size);
        A.view_mut((0, 0), K.shape()).copy_from(&K);
        let mut b: Vec<f64> = right.iter().map(|x| -x).collect();
        b.resize(size, 0.0);
        (A, b)
    }

    /// Unknown `column` is an impulse along the combination `t` of contact rows; its velocity is row `row`.
    fn couple(&self, A: &mut MatX, (row, column): (usize, usize), c: usize, t: [f64; 3]) {
        for i in 0..self.nv() {
            let j_i: f64 = (0..3).map(|a| t[a] * self.J[(3 * c + a, i)]).sum();
            A[(row, i)] += j_i;
            A[(i, column)] -= j_i;
        }
    }

    /// Unknowns (v, p_b, p_n, β, s), as [AP] writes them.
    fn pyramid(&self, d: usize) -> BoxLcp {
        let (k, first) = (self.contacts.len(), self.nv() + self.J_b.nrows());
        let (mut A, mut b) = self.mixed(first + k + k * d + k);
        for (i, c) in self.contacts.iter().enumerate() {
            let (n, s) = (first + i, first + k + k * d + i);
            self.couple(&mut A, (n, n), i, [1.0, 0.0, 0.0]);
            (A[(n, n)], b[n]) = (c.eps_n, c.d_n);
            A[(s, n)] = if c.u_t[0].hypot(c.u_t[1]) < V_STICK { c.mu_s } else { c.mu_k };
            for j in 0..d {
                let beta = first + k + i * d + j;
                let (sin, cos) = (std::f64::consts::TAU * j as f64 / d as f64).sin_cos();
                self.couple(&mut A, (beta, beta), i, [0.0, cos, sin]);
                (A[(beta, s)], A[(s, beta)]) = (1.0, -1.0);
            }
        }
        BoxLcp::mixed(A, b, &(0..first).collect::<Vec<_>>()).unwrap()
    }

    /// Unknowns (v, p_b, p_t, p_n, w_up, w_lo), as [PKF17 eq. 35] writes them, along t1 and t2 always.
    fn phantom(&self, directions: usize, rho: f64) -> BoxLcp {
        let (k, first) = (self.contacts.len(), self.nv() + self.J_b.nrows());
        let planes: Vec<_> = self.contacts.iter().map(|c| plane(c, directions)).collect();
        let count: usize = planes.iter().map(|p| p.bounds.len()).sum();
        let (mut A, mut b) = self.mixed(first + 3 * k + 2 * count);
        let (mut up, mut lo) = (first + 3 * k, first + 3 * k + count);
        for (i, c) in self.contacts.iter().enumerate() {
            let (t, n) = (first + 2 * i, first + 2 * k + i);
            self.couple(&mut A, (n, n), i, [1.0, 0.0, 0.0]);
            (A[(n, n)], b[n]) = (c.eps_n, c.d_n);
            self.couple(&mut A, (t, t), i, [0.0, 1.0, 0.0]);
            self.couple(&mut A, (t + 1, t + 1), i, [0.0, 0.0, 1.0]);
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                A[(t + x, t + y)] += planes[i].eps[x][y];
            }
            (b[t], b[t + 1]) = (planes[i].d[0], planes[i].d[1]);
            for (e, mu) in &planes[i].bounds {
                for a in 0..2 {
                    (A[(t + a, up)], A[(t + a, lo)]) = (-e[a], e[a]);
                    (A[(up, t + a)], A[(lo, t + a)]) = (e[a], -e[a]);
                }
                (A[(up, n)], A[(lo, n)]) = (*mu, *mu);
                (A[(up, lo)], A[(lo, up)]) = (rho, rho);
                (up, lo) = (up + 1, lo + 1);
            }
        }
        BoxLcp::mixed(A, b, &(0..first + 2 * k).collect::<Vec<_>>()).unwrap()
    }

    /// v and p_b that belong to contact impulses.
    fn moved(&self, p: &[f64]) -> Vec<f64> {
        let (K, mut right) = self.bilateral();
        let impulse = self.J.transpose() * MatX::from_column_slice(p.len(), 1, p);
        for i in 0..self.nv() {
            right[i] += impulse[i];
        }
        K.lu().solve(&right).unwrap().as_slice().to_vec()
    }
}

fn pressed(i: usize) -> f64 {
    if i.is_multiple_of(3) { 3.0 } else { 0.0 }
}

/// Compliance, offset and bounds of a phantom contact in the axes t1, t2.
struct TangentPlane {
    eps: [[f64; 2]; 2],
    d: [f64; 2],
    bounds: Vec<([f64; 2], f64)>,
}

fn plane(c: &ContactData, directions: usize) -> TangentPlane {
    let r = c.bristle.unwrap();
    let eps = 1.0 / (r.k * H * H + r.b * H);
    let d = [0, 1].map(|a| -eps * H * (c.lambda_t[a] + r.b * c.u_t[a]));
    let speed = c.u_t[0].hypot(c.u_t[1]);
    if speed < V_STICK {
        let angle = |j: usize| std::f64::consts::PI * j as f64 / directions as f64;
        let bound = |j: usize| ([angle(j).cos(), angle(j).sin()], c.mu_s);
        let bounds = (0..directions).map(bound).collect();
        return TangentPlane { eps: [[eps, 0.0], [0.0, eps]], d, bounds };
    }
    let (e_t, e_l) = (c.u_t.map(|u| u / speed), [-c.u_t[1] / speed, c.u_t[0] / speed]);
    let eps_l = speed / (c.mu_k * c.lambda_n * H);
    let eps = [0, 1].map(|x| [0, 1].map(|y| eps * e_t[x] * e_t[y] + eps_l * e_l[x] * e_l[y]));
    let d_t = e_t[0] * d[0] + e_t[1] * d[1];
    TangentPlane { eps, d: e_t.map(|e| d_t * e), bounds: vec![(e_t, c.mu_k), (e_l, c.mu_k)] }
}

/// Each form's answer solves the other one; `embed` writes the answer of the short form as one of the long.
fn assert_twins(
    system: &System,
    law: &Law,
    long: &BoxLcp,
    embed: impl Fn(&[f64], &[f64]) -> Vec<f64>,
    read: impl Fn(&[f64]) -> Vec<f64>,
) {
    let space = system.space();
    let assembled = assemble(&space, law).unwrap();
    let LawProblem::Lcp(short) = &assembled.problem else { panic!("not an LCP") };
    let z = solve_lcp(short, LcpSolver::Auto, TOL, &never).z;
    let p = assembled.impulses(&z);
    assert!(p.iter().any(|p_i| p_i.abs() > 0.1), "nothing touches");
    let long_z = embed(&system.moved(&p), &z);
    let residual = Judge::new(long.n()).lcp(long, &long_z);
    assert!(residual.accepts(1e-10), "{}: {residual:?}", law.name());
    let answer = solve_lcp(long, LcpSolver::Auto, 1e-11, &never);
    assert_eq!(answer.verdict, Verdict::Certified, "{}", law.name());
    let residual = judge(&space, law, &read(&answer.z));
    assert!(residual.accepts(1e-9), "{}: {residual:?}", law.name());
}

#[test]
fn the_pyramid_with_explicit_velocities_is_the_pyramid() {
    for seed in 0..20 {
        let (k, d) = (1 + seed as usize % 3, [3, 4, 8][seed as usize % 3]);
        let system = System::random(k, seed);
        let law = Law::Pyramid(Pyramid { facets: d, ..Default::default() });
        let first = system.nv() + 2;
        let embed = |moved: &[f64], z: &[f64]| [moved, z].concat();
        let read = |z: &[f64]| {
            let along = |c: usize, j: usize| z[first + k + c * d + j];
            let angle = |j: usize| std::f64::consts::TAU * j as f64 / d as f64;
            let sum = |c: usize, f: fn(f64) -> f64| (0..d).map(|j| f(angle(j)) * along(c, j)).sum();
            (0..k).flat_map(|c| [z[first + c], sum(c, f64::cos), sum(c, f64::sin)]).collect()
        };
        assert_twins(&system, &law, &system.pyramid(d), embed, read);
    }
}

#[test]
fn the_phantom_law_with_explicit_velocities_is_the_phantom_law() {
    for seed in 0..20 {
        let (k, directions) = (1 + seed as usize % 3, 2 + seed as usize % 2);
        let system = System::random(k, seed);
        let law = Law::Phantom(Phantom { directions, rho: 0.7, ..Default::default() });
        let first = system.nv() + 2;
        let turn = |c: &ContactData, [x, y]: [f64; 2]| {
            let speed = c.u_t[0].hypot(c.u_t[1]);
            let e = if speed < V_STICK { [1.0, 0.0] } else { c.u_t.map(|u| u / speed) };
            [e[0] * x - e[1] * y, e[1] * x + e[0] * y]
        };
        let embed = |moved: &[f64], z: &[f64]| {
            let mut z = z.to_vec();
            for (c, p_t) in system.contacts.iter().zip(z[..2 * k].chunks_exact_mut(2)) {
                let turned = turn(c, [p_t[0], p_t[1]]);
                p_t.copy_from_slice(&turned);
            }
            [moved, &z].concat()
        };
        let read = |z: &[f64]| {
            let z = &z[first..];
            (0..k).flat_map(|c| [z[2 * k + c], z[2 * c], z[2 * c + 1]]).collect()
        };
        assert_twins(&system, &law, &system.phantom(directions, 0.7), embed, read);
    }
}

#[test]
fn frictionless_contact_with_explicit_velocities_is_the_same() {
    for seed in 0..10 {
        let k = 1 + seed as usize % 4;
        let system = System::random(k, seed);
        let first = system.nv() + 2;
        let (mut A, mut b) = system.mixed(first + k);
        for (i, c) in system.contacts.iter().enumerate() {
            system.couple(&mut A, (first + i, first + i), i, [1.0, 0.0, 0.0]);
            (A[(first + i, first + i)], b[first + i]) = (c.eps_n, c.d_n);
        }
        let long = BoxLcp::mixed(A, b, &(0..first).collect::<Vec<_>>()).unwrap();
        let read = |z: &[f64]| (0..k).flat_map(|c| [z[first + c], 0.0, 0.0]).collect();
        let embed = |moved: &[f64], z: &[f64]| [moved, z].concat();
        assert_twins(&system, &Law::Frictionless, &long, embed, read);
    }
}

#[test]
fn the_box_law_with_explicit_velocities_is_the_box_law() {
    for seed in 0..20 {
        let k = 1 + seed as usize % 3;
        let system = System::random(k, seed);
        let first = system.nv() + 2;
        let (mut A, mut b) = system.mixed(first + 3 * k);
        let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; first], vec![f64::INFINITY; first]);
        for (i, c) in system.contacts.iter().enumerate() {
            let r = c.bristle.unwrap();
            let eps = 1.0 / (r.k * H * H + r.b * H);
            let sticks = c.u_t[0].hypot(c.u_t[1]) < V_STICK;
            let bound = if sticks { c.mu_s } else { c.mu_k } * H * c.lambda_n;
            for (a, t) in [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]].into_iter().enumerate() {
                let row = first + 3 * i + a;
                system.couple(&mut A, (row, row), i, t);
                (A[(row, row)], b[row]) = match a {
                    0 => (c.eps_n, c.d_n),
                    a => (eps, -eps * H * (c.lambda_t[a - 1] + r.b * c.u_t[a - 1])),
                };
                lower.push(if a == 0 { 0.0 } else { -bound });
                upper.push(if a == 0 { f64::INFINITY } else { bound });
            }
        }
        let long = BoxLcp::new(A, b, lower, upper).unwrap();
        let embed = |moved: &[f64], z: &[f64]| [moved, z].concat();
        let read = |z: &[f64]| z[first..].to_vec();
        assert_twins(&system, &Law::Box(BoxLaw::default()), &long, embed, read);
    }
}
