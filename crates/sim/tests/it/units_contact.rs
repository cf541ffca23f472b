//! Units that are powers of two change no bit of a step with contact, law U.

use crate::laws_units::{Units, numbers, scaled};
use crate::touching::{Scene, scenes};
use stiction_sim::contact::law::{Lateral, Law};
use stiction_sim::model::{Relaxation, Shape};

fn scale_shape(shape: &mut Shape, m: f64) {
    match shape {
        Shape::HalfSpace => {}
        Shape::Sphere { radius } => *radius *= m,
        Shape::Box { half } | Shape::Ellipsoid { half } => *half *= m,
        Shape::Capsule { radius, half_length }
        | Shape::Cylinder { radius, half_length }
        | Shape::Cone { radius, half_length } => {
            *radius *= m;
            *half_length *= m;
        }
        Shape::Hull(points) | Shape::Points(points) => points.iter_mut().for_each(|p| *p *= m),
        other => unreachable!("no scene has {other:?}"),
    }
}

fn scale_relaxation(relaxation: &mut Option<Relaxation>, u: Units) {
    if let Some(Relaxation { k, b }) = relaxation {
        *k *= u.kg / (u.s * u.s);
        *b *= u.kg / u.s;
    }
}

fn scale_law(law: &mut Law, u: Units) {
    let (velocity, force) = (u.m / u.s, u.kg * u.m / (u.s * u.s));
    match law {
        Law::Frictionless => {}
        Law::Pyramid(s) => s.v_stick *= velocity,
        Law::Box(s) => s.v_stick *= velocity,
        Law::Cone(s) => s.v_stick *= velocity,
        Law::Convex(s) => s.v_stick *= velocity,
        Law::Hybrid(s) => {
            s.v_stick *= velocity;
            s.lambda_min *= force;
        }
        Law::Phantom(s) => {
            s.v_stick *= velocity;
            s.rho *= u.kg;
            if let Lateral::Relaxed { lambda_min } = &mut s.lateral {
                *lambda_min *= force;
            }
        }
    }
}

/// The same scene in other units.
pub(crate) fn in_units(scene: &Scene, u: Units) -> Scene {
    let mut scene = Scene { m: scaled(&scene.m, u), ..scene.clone() };
    for shape in &mut scene.m.spec.shapes {
        shape.frame.p *= u.m;
        shape.margin *= u.m;
        scale_shape(&mut shape.shape, u.m);
    }
    for material in &mut scene.m.spec.materials {
        scale_relaxation(&mut material.surface.compliance, u);
    }
    scene.settings.h *= u.s;
    scale_law(&mut scene.settings.contact.law, u);
    scale_relaxation(&mut scene.settings.contact.bristle, u);
    scene
}

fn compare(systems: &[[i32; 3]], n: usize) {
    let mut wrong = Vec::new();
    for scene in scenes().iter().filter(|scene| scene.is_analytic) {
        let plain = numbers(&scene.after(n), Units::new([0; 3]));
        let differs = |exponents: &&[i32; 3]| {
            let u = Units::new(**exponents);
            numbers(&in_units(scene, u).after(n), u) != plain
        };
        let bad: Vec<_> = systems.iter().filter(differs).collect();
        if !bad.is_empty() {
            wrong.push(format!(
                "{}: {} of {}, {:?}",
                scene.name(),
                bad.len(),
                systems.len(),
                bad[0]
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn one_step_has_the_same_bits_in_64_systems_of_units() {
    let exponents = [-20, -10, 10, 20];
    let mut systems = Vec::new();
    for m in exponents {
        for s in exponents {
            systems.extend(exponents.map(|kg| [m, s, kg]));
        }
    }
    assert_eq!(systems.len(), 64);
    compare(&systems, 1);
}

#[test]
fn a_hundred_steps_have_the_same_bits_in_other_units() {
    compare(&[[20, 0, 0], [0, -20, 0], [0, 0, 20], [10, -10, -20], [-10, 20, 10]], 100);
}
