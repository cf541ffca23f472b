//! The world and what surfaces are made of.

use stiction_sim::model::{Combination, Combine, Relaxation, Surface};

use super::{Lowering, Thing};
use crate::tree::Table;

impl Lowering<'_> {
    pub(super) fn world(&mut self, world: &Table) {
        self.spec.gravity = world.vector("gravity");
        self.spec.neighbours_collide = world.flag("neighbours_collide");
        let combine = world.at("combine");
        self.spec.combine = Combination {
            friction: rule(combine.word("friction")),
            restitution: rule(combine.word("restitution")),
        };
    }

    pub(super) fn materials(&mut self, root: &Table) {
        for entry in &root.at("materials").entries {
            let Some(table) = entry.node.table() else { continue };
            self.places.add(Thing::Material, &entry.name, entry.at);
            let surface = self.surface(table);
            self.spec.material(&entry.name, surface);
        }
        for node in root.items("pairs") {
            let Some(table) = node.table() else { continue };
            let names: Vec<&str> =
                table.items("materials").iter().filter_map(|node| node.text()).collect();
            let [a, b] = names[..] else { continue };
            self.places.add(Thing::Material, &format!("{a}–{b}"), node.at);
            let surface = self.surface(table);
            self.spec.pair(a, b, surface);
        }
    }

    fn surface(&mut self, table: &Table) -> Surface {
        let mu = table.number("friction");
        let mu_s = table.optional_number("static_friction").unwrap_or(mu);
        // without a kinetic coefficient: the plain one, which may not exceed the static one
        let mu_k = table.optional_number("kinetic_friction");
        let mu_k = mu_k.unwrap_or(if table.has("static_friction") { mu.min(mu_s) } else { mu });
        if !(mu_k <= mu_s)
            && let Some(entry) = table.entry("kinetic_friction")
        {
            let expected = format!("at most the static friction {mu_s}");
            self.errors.expected(entry.node.at, format!("kinetic friction {mu_k}"), expected);
        }
        Surface { mu_s, mu_k, e: table.number("restitution"), compliance: relaxation(table) }
    }
}

/// `stiffness` and `damping` of something that gives way; None: rigid.
pub(super) fn relaxation(table: &Table) -> Option<Relaxation> {
    let k = table.optional_number("stiffness")?;
    Some(Relaxation { k, b: table.optional_number("damping").unwrap_or(0.0) })
}

fn rule(word: &str) -> Combine {
    match word {
        "minimum" => Combine::Minimum,
        "maximum" => Combine::Maximum,
        "average" => Combine::Average,
        _ => Combine::GeometricMean,
    }
}
