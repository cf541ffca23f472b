//! R2: rank of the lead matrices of the box on the ground, and what it means for solvers, [PKF17].

mod rank;
mod solvers;

use stiction_sim::contact::law::{Law, Phantom, Pyramid};
use stiction_sim::contact::space::ContactSpace;
use stiction_sim::{Data, Input, State, step};

use crate::Effort;
use crate::item::Item;
use crate::scene::{Scene, Softness, laws};

const TEXT: &str = "\
The lead matrices are those of the laws at the cube of R1 at rest, h = 10 ms, with the impulses as unknowns and v eliminated; relaxed as in table 1, or not at \
all. Singular values below 1e−12 of the largest count as zero. The paper: the pyramid's matrix is rank-deficient, the phantom law's is not, unless ρ is tiny; \
Lemke's method solves all, pivoting by blocks (Júdice and Pires) solves phantom with two directions and may meet singular blocks. The derivation in \
[law-phantom.md](theory/law-phantom.md) adds that isolated ρ are singular too: those where k/ρ is an eigenvalue of W_tt + ε_t − W_tn (W_nn + ε_n)⁻¹ W_nt.";

/// Step length of the matrices [s].
const H: f64 = 1e-2;

pub fn item(effort: Effort) -> Item {
    let mut item = Item::new("R2", "Rank of the lead matrices, and who solves them", TEXT);
    if let Err(error) = fill(&mut item, effort) {
        item.fail(error.as_ref());
    }
    item
}

fn fill(item: &mut Item, effort: Effort) -> Result<(), Box<dyn std::error::Error>> {
    let scenes = [Scene::new(Softness::TABLE_1)?, Scene::new(Softness::RIGID)?];
    let [relaxed, rigid] = [&scenes[0], &scenes[1]].map(|scene| space(scene, &scene.rest));
    rank::fill(item, &relaxed?, &rigid?, effort);
    solvers::fill(item, &scenes, effort)
}

/// The contacts of a step from `state`, as every law sees them.
fn space(scene: &Scene, state: &State) -> Result<ContactSpace, Box<dyn std::error::Error>> {
    let (mut state, mut data) = (state.clone(), Data::new(&scene.model));
    let [.., cone] = laws();
    let settings = scene.settings(cone.law, H);
    step(&scene.model, &settings, &Input::default(), &mut state, &mut data)?;
    Ok(data.contact_space().ok_or("a model without shapes")?.clone())
}

fn pyramid() -> Law {
    Law::Pyramid(Pyramid { facets: 4, ..Default::default() })
}

fn phantom(directions: usize, rho: f64) -> Law {
    let [.., like, _] = laws();
    match like.law {
        Law::Phantom(like) => Law::Phantom(Phantom { directions, rho, ..like }),
        law => law,
    }
}
