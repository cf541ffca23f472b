//! The command line of `bench`.

use clap::Args;
use stiction_bench::scale::{SCENES, Scene};

use stiction_sim::contact::law::{Cone, Law};

use crate::compare;
use crate::names;

#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// A scene of the set; may be given several times [default: all]
    #[arg(long = "scene", value_name = "NAME", value_parser = scene)]
    pub(crate) scenes: Vec<&'static str>,

    /// Steps after the first [default: as many as the scene is made for]
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<usize>,

    /// How often the steps are taken; of each step the least time counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) rounds: usize,

    /// The friction law, with its default settings: cone, pyramid, phantom, box, hybrid, convex or frictionless
    #[arg(long, value_name = "NAME", default_value = "cone", value_parser = law)]
    pub(crate) law: Law,

    /// Print JSON: an array with an object for each scene
    #[arg(long)]
    pub(crate) json: bool,

    /// Take no step: print the scenes as JSON, for other programs to build
    #[arg(long, conflicts_with_all = ["steps", "rounds", "law", "json"])]
    pub(crate) describe: bool,
}

pub(super) fn after_bench() -> String {
    let width = SCENES.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    let lines: Vec<String> =
        SCENES.iter().map(|scene| format!("  {:width$}  {}", scene.name, scene.about)).collect();
    format!(
        "Scenes:\n{}\n\nExit codes: 0 every step of every scene certified, 1 one is not, 2 bad usage",
        lines.join("\n")
    )
}

fn scene(text: &str) -> Result<&'static str, String> {
    let known = || SCENES.map(|scene| scene.name);
    Scene::named(text).map(|scene| scene.name).ok_or_else(|| {
        let hint = names::suggestion(text, &known());
        format!("expected one of {}{hint}", known().join(", "))
    })
}

fn law(text: &str) -> Result<Law, String> {
    compare::law(text, Law::Cone(Cone::default()))
}
