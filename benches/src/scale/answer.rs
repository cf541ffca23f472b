//! Another engine's answer to a step, judged: its impulses put onto the contacts that we find in its state.
//!
//! Contacts are told apart by their bodies, and within a pair by the nearest point. The problem is stated here from
//! masses and contacts alone, `H = M^(−1/2) Jᵀ`, and judged in velocity space; no step of ours is taken.

use serde::{Deserialize, Serialize};
use stiction_lcp::judge::Judge;
use stiction_lcp::motion::MotionProblem;
use stiction_sim::collide::{Collider, Contact};
use stiction_sim::math::basis_with_z;
use stiction_sim::tree::kinematics;
use stiction_sim::{Data, Mat3, Model, Motion, Pose, Quat, State, Vec3};

use super::world::World;

/// A state before a step, and the impulses of the step.
#[derive(Debug, Deserialize)]
pub struct Answer {
    pub bodies: Vec<Moving>,
    pub impulses: Vec<Impulse>,
}

/// Where a body is and how it moves, in the world [m, m/s, rad/s]; quaternion w, x, y, z.
#[derive(Debug, Deserialize)]
pub struct Moving {
    pub p: [f64; 3],
    pub quat: [f64; 4],
    pub v: [f64; 3],
    pub w: [f64; 3],
}

/// On body b, and its opposite on body a, at a point of the world [m, N·s]. None: what stands still.
#[derive(Debug, Deserialize)]
pub struct Impulse {
    pub a: Option<usize>,
    pub b: Option<usize>,
    pub point: [f64; 3],
    pub impulse: [f64; 3],
}

/// What the judge says of it.
#[derive(Debug, Serialize)]
pub struct Judged {
    /// That we find, and on which there is an impulse.
    pub contacts: usize,
    pub loaded: usize,
    /// The share of the impulses whose pair of bodies is not among the contacts.
    pub lost: f64,
    /// Scaled residual of Coulomb's law, and the one without units.
    pub residual: f64,
    pub scale_free: f64,
    /// Largest speed at which a contact closes beyond its gap [m/s].
    pub approach: f64,
}

/// Judges an answer. The scene must be of bodies that move by themselves.
pub fn judge(world: &World, answer: &Answer) -> Result<Judged, String> {
    let same_number = answer.bodies.len() == world.bodies.len();
    if !(same_number && world.joints.is_empty() && world.bodies.iter().all(|body| !body.planar)) {
        return Err("only bodies that move by themselves are judged, all of them".to_string());
    }
    let model = world.model().map_err(|error| error.to_string())?;
    let state = state(&model, answer)?;
    let contacts = contacts(&model, &state, world.h);
    let problem = problem(world, answer, &contacts);
    let (r, lost) = impulses(answer, &contacts);
    let residual = Judge::default().motion(&problem, &r);
    Ok(Judged {
        contacts: contacts.len(),
        loaded: r.iter().filter(|r| r[0] > 0.0).count(),
        lost,
        residual: residual.scaled,
        scale_free: residual.scale_free,
        approach: residual.gap_velocity,
    })
}

fn state(model: &Model, answer: &Answer) -> Result<State, String> {
    let mut state = model.state();
    for (i, body) in answer.bodies.iter().enumerate() {
        let id = model.body(&format!("body-{i}")).ok_or("a body is missing")?;
        let X = Pose::from_parts(body.p.into(), Quat::from_wxyz(&body.quat).normalized());
        model.set_pose(&mut state, id, X).map_err(|error| error.to_string())?;
        let V = Motion::new(body.w.into(), body.v.into());
        model.set_velocity(&mut state, id, V).map_err(|error| error.to_string())?;
    }
    Ok(state)
}

/// What touches, or may touch within the step.
fn contacts(model: &Model, state: &State, h: f64) -> Vec<Contact> {
    let mut data = Data::new(model);
    kinematics::update(model, &state.q, &state.v, &mut data);
    let speed = |chunk: &[f64]| chunk.iter().map(|v| v * v).sum::<f64>().sqrt();
    let fastest = state.v.chunks(6).map(|v| speed(&v[..3])).fold(0.0, f64::max);
    let horizon = h * (2.0 * fastest + h * model.gravity().norm());
    let mut contacts = Vec::new();
    Collider::new(model).detect(model, data.positions(), horizon, &mut contacts);
    contacts
}

/// Rows n, t1, t2 of a contact.
fn rows(contact: &Contact) -> Mat3 {
    // columns (t1, t2, n) of the basis
    let basis = basis_with_z(&contact.n_W);
    Mat3::from_columns(&[contact.n_W, basis.column(0).into(), basis.column(1).into()])
}

fn problem(world: &World, answer: &Answer, contacts: &[Contact]) -> MotionProblem {
    let mut problem = MotionProblem::default();
    problem.clear(3, world.bodies.iter().map(|_| 6));
    for contact in contacts {
        let C = rows(contact);
        let mut q = [contact.gap / world.h, 0.0, 0.0];
        for (body, sign) in [(contact.a, -1.0), (contact.b, 1.0)] {
            let Some(i) = body else { continue };
            let (still, moving) = (&world.bodies[i], &answer.bodies[i]);
            let arm = contact.p_W - Vec3::from(moving.p);
            let fall = Vec3::new(0.0, 0.0, -world.gravity * world.h);
            let v = Vec3::from(moving.v) + fall + Vec3::from(moving.w).cross(&arm);
            // angular rows along the principal axes
            let R_WB = Quat::from_wxyz(&moving.quat).normalized().to_matrix();
            let mut span = [[0.0; 3]; 6];
            for k in 0..3 {
                let direction = C.column(k);
                q[k] += sign * direction.dot(&v);
                let turn = R_WB.tr_mul(&arm.cross(&direction));
                for j in 0..3 {
                    span[j][k] = sign * direction[j] / still.mass.sqrt();
                    span[3 + j][k] = sign * turn[j] / still.moments[j].sqrt();
                }
            }
            problem.push_span(i, span);
        }
        problem.end_contact([0.0; 3], q, world.mu);
    }
    problem
}

/// Impulses along n, t1, t2 of each contact, and the share that found none.
fn impulses(answer: &Answer, contacts: &[Contact]) -> (Vec<[f64; 3]>, f64) {
    let mut r = vec![[0.0; 3]; contacts.len()];
    let (mut all, mut lost) = (0.0, 0.0);
    for given in &answer.impulses {
        let size = Vec3::from(given.impulse).norm();
        all += size;
        let of_pair = contacts.iter().enumerate().filter_map(|(k, contact)| {
            let sign = if (contact.a, contact.b) == (given.a, given.b) {
                1.0
            } else if (contact.a, contact.b) == (given.b, given.a) {
                -1.0
            } else {
                return None;
            };
            Some((k, sign, (contact.p_W - Vec3::from(given.point)).norm()))
        });
        match of_pair.min_by(|x, y| x.2.total_cmp(&y.2)) {
            Some((k, sign, _)) => {
                let along = rows(&contacts[k]).tr_mul(&Vec3::from(given.impulse)) * sign;
                r[k].iter_mut().zip(along.iter()).for_each(|(r, x)| *r += x);
            }
            None => lost += size,
        }
    }
    (r, if all > 0.0 { lost / all } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::world::{Body, Form};

    /// Two spheres on each other, 1 kg each.
    fn tower() -> World {
        let sphere = |z| Body::of(1.0, Form::Sphere { radius: 0.5 }, [0.0, 0.0, z]);
        World::on_ground(0.01, 0.5, vec![sphere(0.5), sphere(1.5)])
    }

    fn at_rest(impulses: Vec<Impulse>) -> Answer {
        let quat = [1.0, 0.0, 0.0, 0.0];
        let bodies =
            [0.5, 1.5].map(|z| Moving { p: [0.0, 0.0, z], quat, v: [0.0; 3], w: [0.0; 3] }).into();
        Answer { bodies, impulses }
    }

    fn up(a: Option<usize>, b: Option<usize>, z: f64, weight: f64) -> Impulse {
        Impulse { a, b, point: [0.0, 0.0, z], impulse: [0.0, 0.0, 9.81 * 0.01 * weight] }
    }

    #[test]
    fn the_weights_are_the_answer_whichever_body_comes_first() {
        let good = [up(None, Some(0), 0.0, 2.0), up(Some(1), Some(0), 1.0, -1.0)];
        let judged = judge(&tower(), &at_rest(good.into())).unwrap();
        assert_eq!((judged.contacts, judged.loaded, judged.lost), (2, 2, 0.0));
        assert!(judged.residual < 1e-14 && judged.approach < 1e-14, "{judged:?}");
    }

    #[test]
    fn too_small_an_impulse_leaves_its_contact_closing() {
        let short = [up(None, Some(0), 0.0, 1.5), up(Some(0), Some(1), 1.0, 1.0)];
        let judged = judge(&tower(), &at_rest(short.into())).unwrap();
        // half a weight is missing below
        assert!((judged.approach - 0.5 * 9.81 * 0.01).abs() < 1e-12, "{judged:?}");
        assert!(judged.residual > 0.1, "{judged:?}");
    }

    #[test]
    fn impulses_between_bodies_that_do_not_touch_are_lost() {
        let judged = judge(&tower(), &at_rest(vec![up(None, Some(1), 1.0, 1.0)])).unwrap();
        assert_eq!((judged.loaded, judged.lost), (0, 1.0));
    }
}
