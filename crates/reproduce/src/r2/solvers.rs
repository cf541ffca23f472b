//! Which solver solves which law, and pivoting by blocks over the whole run of R1.

use stiction_lcp::{LcpSolver, Verdict};
use stiction_sim::contact::law::{Law, LawSolver, solve};
use stiction_sim::contact::space::ContactSpace;
use stiction_sim::{Data, Input, StepError, step};

use super::{phantom, pyramid, space};
use crate::Effort;
use crate::item::{Item, Table};
use crate::scene::{Scene, is_at_rest, laws};

/// Asked of each solve: the default of steps.
const TOL: f64 = 1e-10;
/// States of the slide that are looked at, this many steps of 10 ms apart.
const EVERY: usize = 10;

/// How solves of one kind ended.
#[derive(Clone, Debug, Default)]
struct Tally {
    solves: usize,
    certified: usize,
    refused: usize,
    singular_blocks: usize,
}

impl Tally {
    fn of(spaces: &[ContactSpace], law: &Law, solver: LcpSolver) -> Self {
        let mut tally = Self::default();
        for space in spaces {
            tally.solves += 1;
            match solve(space, law, LawSolver::Lcp(solver), TOL) {
                Ok(answer) => {
                    tally.certified += usize::from(answer.verdict == Verdict::Certified);
                    tally.singular_blocks += answer.singular_blocks;
                }
                Err(_) => tally.refused += 1,
            }
        }
        tally
    }

    fn words(&self) -> String {
        if self.refused == self.solves {
            return "refused".into();
        }
        match (self.certified, self.solves) {
            (1, 1) => "certified".into(),
            (0, _) => "uncertified".into(),
            (certified, solves) => format!("{certified} of {solves}"),
        }
    }
}

pub(super) fn fill(
    item: &mut Item,
    scenes: &[Scene; 2],
    effort: Effort,
) -> Result<(), Box<dyn std::error::Error>> {
    for (scene, name) in scenes.iter().zip(["relaxed", "rigid"]) {
        table(item, scene, name)?;
    }
    let steps: &[f64] = if effort == Effort::Whole { &[1e-2, 1e-3] } else { &[1e-2] };
    by_blocks(item, &scenes[0], steps)
}

/// The contacts at moments of the slide under the cone law.
fn slide(scene: &Scene) -> Result<Vec<ContactSpace>, Box<dyn std::error::Error>> {
    let [.., cone] = laws();
    let settings = scene.settings(cone.law, super::H);
    let (mut state, mut data) = (scene.start(), Data::new(&scene.model));
    let mut spaces = Vec::new();
    for i in 0..6 * EVERY {
        if i % EVERY == 0 {
            spaces.push(space(scene, &state)?);
        }
        step(&scene.model, &settings, &Input::default(), &mut state, &mut data)?;
    }
    Ok(spaces)
}

fn table(item: &mut Item, scene: &Scene, name: &str) -> Result<(), Box<dyn std::error::Error>> {
    let (rest, slide) = ([space(scene, &scene.rest)?], slide(scene)?);
    let columns: [(&str, &[ContactSpace], Law); 6] = [
        ("pyramid(4), at rest", &rest, pyramid()),
        ("phantom 2, at rest", &rest, phantom(2, 1.0)),
        ("phantom 4, at rest", &rest, phantom(4, 0.7)),
        ("phantom 8, at rest", &rest, phantom(8, 0.7)),
        ("pyramid(4), sliding", &slide, pyramid()),
        ("phantom, sliding", &slide, phantom(2, 1.0)),
    ];
    let caption = format!(
        "Who solves what, {name} contacts, h = 10 ms: one step at rest, or {} moments of the slide; *refused*: the solver says by name that the \
         problem is not of its class.",
        slide.len()
    );
    let mut head = vec!["solver"];
    head.extend(columns.iter().map(|column| column.0));
    let mut table = Table::new(caption, &head);
    for solver in LcpSolver::ALL {
        let mut row = vec![solver.name().to_string()];
        for (what, spaces, law) in &columns {
            let tally = Tally::of(spaces, law, solver);
            row.push(tally.words());
            let is_asked = match solver {
                LcpSolver::Auto | LcpSolver::Lemke => true,
                LcpSolver::BlockPivoting => name == "relaxed" && what.starts_with("phantom 2"),
                _ => false,
            };
            if is_asked {
                let what = format!("{} on {what}, {name}: certified", solver.name());
                item.equal(what, tally.certified, tally.solves);
            }
        }
        table.row(row);
    }
    item.tables.push(table);
    Ok(())
}

/// Pivoting by blocks from the last step's active set; where it does not get a certificate, the chain takes the step.
fn by_blocks(
    item: &mut Item,
    scene: &Scene,
    step_lengths: &[f64],
) -> Result<(), Box<dyn std::error::Error>> {
    let caption = "Pivoting by blocks (Júdice and Pires) on the phantom law over the whole run of R1, each step from the active set of the \
                   last; a contact has more than two directions only where it sticks.";
    let head = [
        "directions",
        "h [ms]",
        "steps",
        "solved by blocks",
        "by the chain instead",
        "singular blocks met",
        "factorizations a step",
    ];
    let mut table = Table::new(caption, &head);
    for (k, h) in [2, 4, 8].into_iter().flat_map(|k| step_lengths.iter().map(move |h| (k, *h))) {
        let run = run_by_blocks(scene, k, h)?;
        judge_run(item, &run, k, 1e3 * h);
        let Tally { solves, certified, singular_blocks, .. } = run.blocks;
        let each = run.factorizations as f64 / certified as f64;
        let counts = [solves, certified, solves - certified, singular_blocks];
        let mut row = vec![k.to_string(), (1e3 * h).to_string()];
        row.extend(counts.map(|count| count.to_string()));
        row.push(format!("{each:.1}"));
        table.row(row);
    }
    item.tables.push(table);
    Ok(())
}

fn judge_run(item: &mut Item, run: &BlocksRun, k: usize, ms: f64) {
    let (steps, solved) = (run.blocks.solves as f64, run.blocks.certified as f64);
    let singular = run.blocks.singular_blocks;
    item.figure(format!("blocks_{k}_{ms}ms_steps"), steps);
    item.figure(format!("blocks_{k}_{ms}ms_solved"), solved);
    item.figure(format!("blocks_{k}_{ms}ms_singular"), singular as f64);
    item.is(format!("phantom {k}, {ms} ms: the run ends at rest"), run.rests);
    if k == 2 {
        // the paper solved its run with it; at the stop, where modes change at once, a step or two are left to the chain
        let what = format!("phantom 2, {ms} ms: share of steps solved by blocks");
        item.between(what, solved / steps, (0.98, 1.0));
        item.equal(format!("phantom 2, {ms} ms: singular blocks met"), singular, 0);
    } else {
        item.is(format!("phantom {k}, {ms} ms: singular blocks are met"), singular > 0);
    }
}

#[derive(Default)]
struct BlocksRun {
    blocks: Tally,
    /// Of the steps that blocks solved.
    factorizations: usize,
    rests: bool,
}

fn run_by_blocks(scene: &Scene, k: usize, h: f64) -> Result<BlocksRun, Box<dyn std::error::Error>> {
    let (law, solver) =
        (phantom(k, if k == 2 { 1.0 } else { 0.7 }), LawSolver::Lcp(LcpSolver::BlockPivoting));
    let [by_blocks, by_chain] =
        [solver, LawSolver::Auto].map(|solver| scene.solved_by(law, h, solver));
    let (mut state, mut data) = (scene.start(), Data::new(&scene.model));
    let mut run = BlocksRun::default();
    while !is_at_rest(&state) && run.blocks.solves < (2.0 / h) as usize {
        run.blocks.solves += 1;
        match step(&scene.model, &by_blocks, &Input::default(), &mut state, &mut data) {
            Ok(_) => run.blocks.certified += 1,
            Err(StepError::Uncertified(_)) => {
                run.blocks.singular_blocks += singular_blocks(&data, &law, solver)?.0;
                step(&scene.model, &by_chain, &Input::default(), &mut state, &mut data)?;
                continue;
            }
            Err(error) => return Err(error.into()),
        }
        let (singular, factorizations) = singular_blocks(&data, &law, solver)?;
        run.blocks.singular_blocks += singular;
        run.factorizations += factorizations;
    }
    run.rests = is_at_rest(&state);
    Ok(run)
}

/// Of the last step's contacts, solved once more: singular blocks and factorizations.
fn singular_blocks(
    data: &Data,
    law: &Law,
    solver: LawSolver,
) -> Result<(usize, usize), Box<dyn std::error::Error>> {
    let space = data.contact_space().ok_or("a model without shapes")?;
    let answer = solve(space, law, solver, TOL)?;
    Ok((answer.singular_blocks, answer.iterations))
}
