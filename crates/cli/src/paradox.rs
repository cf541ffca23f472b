//! Sliding rods over angle and coefficient of friction: as a summary, as JSON, or as a picture and data in a folder.

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use stiction_reproduce::r6::map::{self, Cell, Grid, Range, Sort};

use crate::args::ParadoxArgs;
use crate::print;
use crate::{Ending, Output};

/// Most rods in one run: a minute or two.
const MOST: usize = 1_000_000;

pub(crate) fn paradox(args: &ParadoxArgs) -> Output {
    let grid = Grid { mu: args.mu_range, angle: args.angle_range, omega: args.spin, h: args.h };
    match grid.mu.n.checked_mul(grid.angle.n) {
        Some(n) if n <= MOST => {}
        _ => {
            let line = format!("--mu-range, --angle-range: expected at most {MOST} rods together");
            return Output::bad_input(line);
        }
    }
    let cells = match map::map(&grid) {
        Ok(cells) => cells,
        Err(error) => return Output::bad_input(format!("paradox: {error}")),
    };
    let text = if args.json { print::line(&Object::of(&cells)) } else { summary(&grid, &cells) };
    let known = cells.iter().all(|cell| cell.certified && cell.sort != Sort::Other);
    let ending = if known { Ending::Done } else { Ending::Unmet };
    Output { files: files(args, &grid, &cells), ending, ..Output::said(text) }
}

fn count(cells: &[Cell], sort: Sort) -> usize {
    cells.iter().filter(|cell| cell.sort == sort).count()
}

fn summary(grid: &Grid, cells: &[Cell]) -> String {
    let Grid { mu, angle, omega, h } = grid;
    let mut text = format!(
        "uniform rods, 1 kg and 1 m, sliding with 1 m/s; ω = {omega} rad/s\n\
         θ from {} to {}°, μ from {} to {}: {} rods\n\nforces at this instant\n",
        angle.first,
        angle.last,
        mu.first,
        mu.last,
        cells.len()
    );
    for sort in Sort::ALL {
        let _ = writeln!(text, "  {:<16}{}", sort.name(), count(cells, sort));
    }
    let least = cells.iter().filter(|cell| cell.a < 0.0).map(|cell| cell.mu);
    let least = least.fold(f64::INFINITY, f64::min);
    if least.is_finite() {
        let _ = writeln!(text, "  least μ with a paradox: {least:.4}");
    }
    let certified = cells.iter().filter(|cell| cell.certified).count();
    let _ = writeln!(text, "\nsteps of {h} s\n  {:<16}{certified} of {}", "certified", cells.len());
    text
}

/// Picture and data.
fn files(args: &ParadoxArgs, grid: &Grid, cells: &[Cell]) -> Vec<(PathBuf, Vec<u8>)> {
    let Some(folder) = &args.output else { return Vec::new() };
    let mut csv =
        "angle_deg,mu,a,c,forces,normal_forces_N,impulse_Ns,certified,contact_work_J\n".to_string();
    for cell in cells {
        let forces: Vec<String> = cell.forces.iter().map(ToString::to_string).collect();
        let Cell { angle, mu, a, c, sort, impulse, certified, contact_work, .. } = cell;
        // a name has a comma
        let name = sort.name().replace(',', "");
        let forces = forces.join(" ");
        let _ = writeln!(
            csv,
            "{angle},{mu},{a},{c},{name},{forces},{impulse},{certified},{contact_work}"
        );
    }
    let picture = map::picture(grid, cells);
    vec![
        (folder.join("paradox.svg"), picture.into_bytes()),
        (folder.join("paradox.csv"), csv.into_bytes()),
    ]
}

#[derive(Serialize)]
struct Object<'a> {
    rods: usize,
    presses: usize,
    lifts_off: usize,
    several: usize,
    none: usize,
    unknown: usize,
    certified: usize,
    cells: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    angle: f64,
    mu: f64,
    a: f64,
    c: f64,
    sort: &'static str,
    forces: &'a [f64],
    impulse: f64,
    certified: bool,
    contact_work: f64,
}

impl<'a> Object<'a> {
    fn of(cells: &'a [Cell]) -> Self {
        let [presses, lifts_off, several, none, unknown] = Sort::ALL.map(|sort| count(cells, sort));
        let certified = cells.iter().filter(|cell| cell.certified).count();
        let row = |cell: &'a Cell| Row {
            angle: cell.angle,
            mu: cell.mu,
            a: cell.a,
            c: cell.c,
            sort: cell.sort.name(),
            forces: &cell.forces,
            impulse: cell.impulse,
            certified: cell.certified,
            contact_work: cell.contact_work,
        };
        let (rods, cells) = (cells.len(), cells.iter().map(row).collect());
        Self { rods, presses, lifts_off, several, none, unknown, certified, cells }
    }
}

/// `first:last:n`.
pub(crate) fn range(text: &str) -> Result<Range, String> {
    let expected = || "expected first:last:n, two numbers and how many, as in 0:5:51".to_string();
    let parts: Vec<&str> = text.split(':').collect();
    let [first, last, n] = parts[..] else { return Err(expected()) };
    let number = |text: &str| text.parse::<f64>().ok().filter(|x| x.is_finite());
    match (number(first), number(last), n.parse::<usize>()) {
        (Some(first), Some(last), Ok(n)) if first <= last && n > 0 => Ok(Range { first, last, n }),
        _ => Err(expected()),
    }
}

pub(crate) fn coefficients(text: &str) -> Result<Range, String> {
    range(text).and_then(|range| match range.first >= 0.0 {
        true => Ok(range),
        false => Err("expected coefficients ≥ 0".to_string()),
    })
}

pub(crate) fn angles(text: &str) -> Result<Range, String> {
    range(text).and_then(|range| match range.first > 0.0 && range.last < 90.0 {
        true => Ok(range),
        false => Err("expected degrees above 0 and below 90".to_string()),
    })
}
