//! Rank of the lead matrices: what the phantom inertia is for, and where it fails.

use super::box_on_ground::Cube;
use super::*;
use stiction_lcp::LcpSolver;

/// Singular values below this part of the largest count as zero.
const ZERO: f64 = 1e-12;

fn lead_matrix(space: &ContactSpace, law: &Law) -> MatX {
    let assembled = assemble(space, law).unwrap();
    let LawProblem::Lcp(problem) = assembled.problem else { panic!("not an LCP") };
    MatX::from_fn(problem.n(), problem.n(), |i, j| problem.A().get(i, j))
}

/// How many ranks are missing.
fn missing(space: &ContactSpace, law: &Law) -> usize {
    let values = lead_matrix(space, law).singular_values();
    values.iter().filter(|x| **x <= ZERO * values.max()).count()
}

fn phantom(directions: usize, rho: f64) -> Law {
    Law::Phantom(Phantom { directions, rho, ..Default::default() })
}

/// The cube of the box on the ground at rest, as table 1 relaxes it or not at all.
fn cube(is_relaxed: bool) -> ContactSpace {
    let (mut space, _) = Cube::at_rest().space(0.01);
    if !is_relaxed {
        for c in &mut space.contacts {
            (c.eps_n, c.d_n, c.bristle) = (0.0, 0.0, None);
        }
    }
    space
}

#[test]
fn one_contact_without_redundancy_tells_the_laws_apart() {
    // all three rows of one contact are independent
    let W = MatX::from_row_slice(3, 3, &[2.0, 0.3, 0.1, 0.3, 1.0, 0.2, 0.1, 0.2, 1.5]);
    let contacts = vec![contact(0.5)];
    let space =
        ContactSpace { h: 0.01, W: W.into(), u_free: vec![0.0; 3], contacts, rows: Vec::new() };
    for facets in 3..9 {
        let law = Law::Pyramid(Pyramid { facets, ..Default::default() });
        // β has `facets` numbers, of which the plane and the bound see three
        assert_eq!(missing(&space, &law), facets - 3, "{facets} facets");
    }
    for directions in 2..9 {
        assert_eq!(missing(&space, &phantom(directions, 1.0)), 0, "{directions} directions");
        // without inertia: w_up and w_lo are not told apart, and only two directions are independent
        assert_eq!(missing(&space, &phantom(directions, 0.0)), 2 * directions - 2);
    }
}

#[test]
fn the_relaxed_cube_has_full_rank_with_phantom_inertia_only() {
    let space = cube(true);
    for (directions, at_zero) in [(2, 8), (4, 24)] {
        assert_eq!(missing(&space, &phantom(directions, 1.0)), 0);
        assert_eq!(missing(&space, &phantom(directions, 1e-2)), 0);
        // too little of it is none: all of ρ's part is below the zero of this test
        assert_eq!(missing(&space, &phantom(directions, 1e-14)), at_zero);
        assert_eq!(missing(&space, &phantom(directions, 0.0)), at_zero);
        assert!(missing(&space, &phantom(directions, 1e-10)) > 0);
    }
    // per contact one dependent β, and five combinations of friction that move nothing
    let diamond = Law::Pyramid(Pyramid { facets: 4, ..Default::default() });
    assert_eq!(missing(&space, &diamond), 4 + 5);
}

#[test]
fn four_rigid_corners_are_redundant_whatever_rho_is() {
    let space = cube(false);
    for rho in [1e-6, 1e-2, 0.3, 1.0, 10.0, 1e3] {
        assert_eq!(missing(&space, &phantom(2, rho)), 1, "ρ = {rho}");
    }
}

#[test]
fn isolated_phantom_inertias_are_singular() {
    // 2/ρ an eigenvalue of W_tt − W_tn W_nn⁻¹ W_nt: translation 4/m (twice), spin 4 r²/I = 12/m
    let rigid = cube(false);
    let extra = |directions, rho: f64| missing(&rigid, &phantom(directions, rho)) - 1;
    assert_eq!([extra(2, 0.5), extra(2, 1.0 / 6.0)], [2, 1]);
    assert_eq!([extra(2, 0.501), extra(2, 0.166)], [0, 0]);
    // four directions: E Eᵀ = 2, so twice the inertia
    assert_eq!([extra(4, 1.0), extra(4, 1.0 / 3.0)], [2, 1]);
    assert_eq!(extra(4, 0.5), 0);
}

#[test]
fn relaxing_moves_the_singular_phantom_inertias_by_the_compliance() {
    let space = cube(true);
    let h: f64 = 0.01;
    let (eps_t, eps_n) = (1.0 / (1e8 * h * h + 1e5 * h), space.contacts[0].eps_n);
    assert_eq!(missing(&space, &phantom(2, 2.0 / (12.0 + eps_t))), 1);
    assert_eq!(missing(&space, &phantom(2, 1.0 / 6.0)), 0);
    // translation tilts the cube as far as the normals give way
    let lambda = 10.0 + eps_t - 36.0 / (6.0 + eps_n);
    assert_eq!(missing(&space, &phantom(2, 2.0 / lambda)), 2);
}

#[test]
fn pivoting_by_blocks_carries_the_phantom_law_and_lemke_solves_the_rest() {
    let (block, lemke) = (LcpSolver::BlockPivoting, LcpSolver::Lemke);
    let mut cube = Cube::at_start();
    let (mut by_blocks, mut factorizations) = (0, 0);
    for _ in 0..700 {
        let (space, _) = cube.space(0.001);
        let answer = solve(&space, &phantom(2, 1.0), LawSolver::Lcp(block), TOL).unwrap();
        if answer.verdict == Verdict::Certified {
            by_blocks += 1;
            factorizations += answer.iterations;
        } else {
            let answer = solve(&space, &phantom(2, 1.0), LawSolver::Lcp(lemke), TOL).unwrap();
            assert_eq!(answer.verdict, Verdict::Certified);
        }
        cube.step(&phantom(2, 1.0), 0.001);
    }
    // it meets singular blocks where the cube stops, and nowhere else
    assert!(by_blocks >= 690, "{by_blocks} of 700");
    assert!(factorizations <= 5 * by_blocks, "{factorizations} factorizations");
}

#[test]
fn lemke_solves_any_number_of_directions_and_block_pivoting_refuses_the_pyramid() {
    for cube in [Cube::at_rest(), Cube::at_start()] {
        let (space, _) = cube.space(0.01);
        let (block, lemke) =
            (LawSolver::Lcp(LcpSolver::BlockPivoting), LawSolver::Lcp(LcpSolver::Lemke));
        for directions in [2, 4, 8] {
            let answer = solve(&space, &phantom(directions, 1.0), lemke, TOL).unwrap();
            assert_eq!(answer.verdict, Verdict::Certified, "{directions} directions");
        }
        for facets in [3, 4, 8] {
            let law = Law::Pyramid(Pyramid { facets, ..Default::default() });
            assert_eq!(solve(&space, &law, lemke, TOL).unwrap().verdict, Verdict::Certified);
            let refused = solve(&space, &law, block, TOL).unwrap_err();
            let is_named = matches!(
                refused,
                LawError::Refused { law: "pyramid", solver: "block-pivoting", .. }
            );
            assert!(is_named, "{refused}");
        }
    }
}
