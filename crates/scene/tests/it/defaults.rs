//! The description says what the simulator does.

use stiction_scene::format::{Need, objects};
use stiction_scene::{LoadOptions, Stepping, Syntax, from_spec, parse, reference, schema};
use stiction_sim::model::{Combination, Groups, Surface};
use stiction_sim::{LocatedSettings, ModelSpec, StepSettings};

use crate::scene;

#[test]
fn defaults_of_the_description_are_those_of_the_simulator() {
    let empty = scene("");
    // a run tells where its energy went; a step of the library does so where it is asked to
    let step = StepSettings { ledger: true, ..Default::default() };
    assert_eq!(empty.stepping, Stepping::Fixed(step));
    assert_eq!(empty.spec, ModelSpec::new());
    let located = scene("[stepping]\nlocated = true\n");
    let mut settings = LocatedSettings::default();
    settings.step.ledger = true;
    assert_eq!(located.stepping, Stepping::Located(settings));
    assert_eq!(empty.spec.combine, Combination::default());
    assert_eq!(empty.steps, 1000);
    let ground = scene("[shapes.ground]\nkind = \"half-space\"\n[materials.x]\n");
    let mut spec = ModelSpec::new();
    spec.material("x", Surface::rigid(0.5)).material("default", Surface::rigid(0.5));
    let world = stiction_sim::model::FrameSpec::world();
    spec.shape("ground", world, stiction_sim::model::Shape::HalfSpace, "default");
    assert_eq!(ground.spec, spec);
    assert_eq!(ground.spec.shapes[0].groups, Groups::default());
}

#[test]
fn defaults_of_every_law_are_those_of_the_simulator() {
    use stiction_sim::contact::law::{BoxLaw, Cone, Convex, Hybrid, Law, Phantom, Pyramid};
    for law in [
        Law::Frictionless,
        Law::Pyramid(Pyramid::default()),
        Law::Phantom(Phantom::default()),
        Law::Box(BoxLaw::default()),
        Law::Hybrid(Hybrid::default()),
        Law::Cone(Cone::default()),
        Law::Convex(Convex::default()),
    ] {
        let found = scene(&format!("law = {:?}\n", law.name()));
        assert_eq!(found.stepping.step().contact.law, law);
    }
}

#[test]
fn the_names_of_solvers_are_those_of_the_library() {
    for solver in stiction_lcp::LcpSolver::ALL {
        let found = scene(&format!("law = \"pyramid\"\nsolver = {:?}\n", solver.name()));
        assert_eq!(found.stepping.step().contact.solver.name(), solver.name());
    }
    for solver in stiction_lcp::FrictionSolver::ALL {
        let found = scene(&format!("solver = {:?}\n", solver.name()));
        assert_eq!(found.stepping.step().contact.solver.name(), solver.name());
    }
}

#[test]
fn every_key_and_word_is_in_the_schema_and_on_the_page() {
    let schema = schema();
    let json: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let page = reference();
    let names: Vec<&str> = objects().iter().map(|object| object.plain_name()).collect();
    for (i, name) in names.iter().enumerate() {
        assert!(!names[..i].contains(name), "two tables are called {name}");
    }
    for object in objects() {
        let table = json["$defs"][object.plain_name()].to_string();
        let variants = object.tag.map_or(&[][..], |tag| tag.variants);
        for key in object.keys.iter().chain(variants.iter().flat_map(|variant| variant.keys)) {
            assert!(table.contains(&format!("{:?}:", key.name)), "{} {}", object.name, key.name);
            assert!(page.contains(&format!("`{}`", key.name)), "{} {}", object.name, key.name);
            assert!(key.doc.ends_with('.'), "{} {}", object.name, key.name);
            if let Need::Default(text) = key.need {
                assert!(page.contains(&format!("`{text}`")), "{} {}", object.name, key.name);
            }
        }
        for variant in variants {
            assert!(page.contains(&format!("`\"{}\"`", variant.word)), "{}", variant.word);
        }
    }
}

#[test]
fn a_model_written_as_a_scene_loads_to_an_equal_model() {
    let all = scene(include_str!("everything.toml"));
    let text = from_spec("Everything", &all.spec, &all.start).unwrap();
    let again = scene(&text);
    assert_eq!(again.spec, all.spec);
    assert_eq!(again.start, all.start);
    assert_eq!(again.title, "Everything");
}

#[test]
fn a_law_that_is_a_function_cannot_be_written() {
    use stiction_sim::model::Law;
    let mut spec = ModelSpec::new();
    spec.motor("m", "j", Law::Custom(|t| [t, 1.0, 0.0]), 1.0);
    let error = from_spec("", &spec, &stiction_scene::Start::default()).unwrap_err();
    assert_eq!(error.user, "m");
}

#[test]
fn a_byte_order_mark_and_a_wrong_byte_are_met() {
    let folder = crate::files::folder("bytes");
    let file = folder.join("scene.toml");
    std::fs::write(&file, b"\xef\xbb\xbftitle = \"x\"\n").unwrap();
    let found = stiction_scene::load(&file, &LoadOptions::default()).unwrap();
    assert_eq!(found.title, "x");
    std::fs::write(&file, b"title = \"x\"\na = \"\xff\"\n").unwrap();
    let errors = stiction_scene::load(&file, &LoadOptions::default()).unwrap_err();
    assert!(errors[0].message.contains("not UTF-8 in line 2"), "{errors:?}");
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = format!("{{\"title\": {nested}}}");
    let path = std::path::Path::new("s.json");
    assert!(parse(&text, path, Syntax::Json, &LoadOptions::default()).is_err());
}
