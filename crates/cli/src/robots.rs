//! What became of the robots of a scene: every tag and attribute of their files.

use std::fmt::Write;

use serde_json::{Value, json};
use stiction_scene::Scene;
use stiction_scene::urdf::{Fate, Row};

/// Whether something that moves is not as its file says.
pub(crate) fn has_loss(scene: &Scene) -> bool {
    rows(scene).any(|(_, row)| row.fate != Fate::Honoured && !row.pictures_only)
}

fn rows(scene: &Scene) -> impl Iterator<Item = (&str, &Row)> {
    let robots = scene.robots.iter();
    robots.flat_map(|placed| placed.robot.report.rows.iter().map(|row| (placed.file.as_str(), row)))
}

/// A line for each robot, and one for each loss.
pub(crate) fn text(scene: &Scene) -> String {
    let mut text = String::new();
    for placed in &scene.robots {
        let rows = &placed.robot.report.rows;
        let count = |is: fn(&Fate) -> bool| rows.iter().filter(|row| is(&row.fate)).count();
        let _ = writeln!(
            text,
            "{}: {} tags and attributes, {} honoured, {} approximated, {} ignored",
            placed.file,
            rows.len(),
            count(|fate| matches!(fate, Fate::Honoured)),
            count(|fate| matches!(fate, Fate::Approximated(_))),
            count(|fate| matches!(fate, Fate::Ignored(_))),
        );
        for row in rows.iter().filter(|row| !row.pictures_only) {
            let (word, why) = match &row.fate {
                Fate::Honoured => continue,
                Fate::Approximated(how) => ("approximated", how),
                Fate::Ignored(why) => ("ignored", why),
            };
            let _ = writeln!(text, "    {}:{}: {}: {word}: {why}", placed.file, row.line, row.path);
        }
    }
    text
}

/// All rows.
pub(crate) fn json(scene: &Scene) -> Vec<Value> {
    let object = |(file, row): (&str, &Row)| {
        let (fate, why) = match &row.fate {
            Fate::Honoured => ("honoured", None),
            Fate::Approximated(how) => ("approximated", Some(how)),
            Fate::Ignored(why) => ("ignored", Some(why)),
        };
        json!({
            "file": file, "line": row.line, "path": row.path, "fate": fate, "why": why,
            "pictures_only": row.pictures_only,
        })
    };
    rows(scene).map(object).collect()
}
