//! The scenes of `stiction bench` in Rapier: `piles-in-rapier WORLD STEPS ROUNDS FRICTION [ANSWER]` prints one JSON object.
//!
//! WORLD is a file with one `world` of `stiction bench --describe`. FRICTION is `default` or `coulomb`; all else is Rapier's
//! default. Trees of joints are multibodies, loops impulse joints. Of each step the least processor time of several rounds
//! counts. The last step goes to the file ANSWER, for `judge_answer`.

mod answer;
mod world;

use std::error::Error;

use cpu_time::ThreadTime;
use rapier3d_f64::prelude::*;
use world::World;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, steps, rounds, friction, file @ ..] = &args[..] else {
        return Err("expected WORLD STEPS ROUNDS FRICTION".into());
    };
    let world: World = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let (steps, rounds): (usize, usize) = (steps.parse()?, rounds.parse()?);
    let mut times = vec![f64::INFINITY; steps + 1];
    let mut last = None;
    for _ in 0..rounds {
        let (mut physics, handles) = world.build(friction == "coulomb");
        let (mut seen, mut before) = (Seen::default(), Vec::new());
        for (k, time) in times.iter_mut().enumerate() {
            if k == steps {
                before = answer::moving(&physics, &handles);
            }
            let clock = ThreadTime::now();
            physics.step();
            *time = time.min(clock.elapsed().as_secs_f64());
            seen.look(&physics);
        }
        let moved = handles.iter().zip(&world.bodies).map(|(&handle, body)| {
            (physics.bodies[handle].translation() - Vector::from_array(body.p)).length()
        });
        if let [file, ..] = file {
            let impulses = answer::impulses(&physics, &handles);
            let answer = serde_json::json!({"bodies": before, "impulses": impulses});
            std::fs::write(file, answer.to_string())?;
        }
        last = Some((seen, moved.fold(0.0, f64::max)));
    }
    let Some((seen, moved)) = last else { return Err("expected a round".into()) };
    let Seen { contacts, overlap, approach } = seen;
    let said = serde_json::json!({
        "times": times, "contacts": contacts, "overlap": overlap, "approach": approach, "moved": moved,
    });
    println!("{said}");
    Ok(())
}

/// What the contacts look like after the steps.
#[derive(Default)]
struct Seen {
    /// Most in a step, and how deep [m] and how fast [m/s] they go into each other.
    contacts: usize,
    overlap: f64,
    approach: f64,
}

impl Seen {
    fn look(&mut self, physics: &PhysicsWorld) {
        let mut contacts = 0;
        for pair in physics.contact_pairs() {
            for manifold in pair.manifolds() {
                contacts += manifold.points.len();
                let velocity = |body: Option<RigidBodyHandle>, point: Vector| {
                    body.map_or(Vector::ZERO, |body| physics.bodies[body].velocity_at_point(point))
                };
                let Some(first) = physics.colliders.get(pair.collider1) else { continue };
                for point in &manifold.points {
                    self.overlap = self.overlap.max(-point.dist);
                    if point.data.impulse <= 0.0 {
                        continue;
                    }
                    let at = *first.position() * point.local_p1;
                    let data = &manifold.data;
                    let apart = velocity(data.rigid_body2, at) - velocity(data.rigid_body1, at);
                    self.approach = self.approach.max(-apart.dot(data.normal));
                }
            }
        }
        self.contacts = self.contacts.max(contacts);
    }
}
