//! `stiction check`: whether a scene can be run, and what looks wrong with it.

mod lint;

use std::fmt::Write;

use serde_json::json;
use stiction_scene::Scene;
use stiction_sim::Model;

use crate::args::CheckArgs;
use crate::load;
use crate::print;
use crate::robots;
use crate::{Ending, Output};
use lint::{Built, Remark};

pub(crate) fn check(args: &CheckArgs) -> Result<Output, Output> {
    let scene = load::scene(&args.scene)?;
    let (model, state) = scene.build().map_err(load::complaints)?;
    if args.resolved {
        return Ok(Output::said(scene.resolved()));
    }
    let remarks = lint::remarks(&Built { scene: &scene, model: &model, state: &state });
    let text = match args.json {
        true => print::line(&json!({"remarks": remarks, "robots": robots::json(&scene)})),
        false => text(&scene, &model, &remarks),
    };
    let is_met = !args.strict || (remarks.is_empty() && !robots::has_loss(&scene));
    let ending = if is_met { Ending::Done } else { Ending::Unmet };
    Ok(Output { ending, ..Output::said(text) })
}

fn text(scene: &Scene, model: &Model, remarks: &[Remark]) -> String {
    let mut text = format!(
        "{}: {} bodies, {} joints, {} constraints, {} shapes; nq {}, nv {}; {} steps\n",
        scene.title,
        model.bodies().len(),
        model.joints().len(),
        model.constraints().len(),
        model.geoms().len(),
        model.nq(),
        model.nv(),
        scene.steps
    );
    text.push_str(&robots::text(scene));
    for Remark { lint, what, hint } in remarks {
        let _ = writeln!(text, "{}: {what}\n    {hint}", print::doubtful(lint));
    }
    if remarks.is_empty() {
        let _ = writeln!(text, "{}", print::good("nothing to remark"));
    }
    text
}
