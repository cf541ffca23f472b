//! The end of a run, in words and as JSON.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use stiction_record::Header;

use super::tally::{Ended, Tally, Worst};
use crate::print::{self, short};

/// Left column.
const LABEL: usize = 13;

pub(crate) fn text(header: &Header, tally: &Tally, pages: &[(&str, String)]) -> String {
    let mut text = format!("{}\n\n", first_line(header));
    let mut row = |label: &str, value: &str| {
        let _ = writeln!(text, "  {label:<LABEL$}{value}");
    };
    row("steps", &steps(tally));
    row("certificate", &certificate(header, tally));
    if tally.gap.value > 0.0 || tally.misalignment.value > 0.0 {
        let (gap, turn) = (short(tally.gap.value), short(tally.misalignment.value));
        row("joints", &format!("open by {gap} m and {turn} rad at most"));
    }
    if tally.contacts.value > 0.0 {
        row("contacts", &contacts(tally));
    }
    if tally.impacts > 0 {
        row("impacts", &format!("{} located", tally.impacts));
    }
    row("energy", &energy(tally));
    for (k, line) in ledger(header, tally).iter().enumerate() {
        row(if k == 0 { "ledger" } else { "" }, line);
    }
    row("time", &time(tally));
    if !pages.is_empty() {
        text.push('\n');
    }
    for (label, path) in pages {
        let _ = writeln!(text, "  {label:<LABEL$}{path}");
    }
    text
}

fn first_line(header: &Header) -> String {
    let count = |n: usize, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    format!(
        "{} · {}, {} · law {}, solver {}, h {}",
        header.title,
        count(header.bodies.len(), "body", "bodies"),
        count(header.v.len(), "velocity", "velocities"),
        header.law,
        header.solver,
        seconds(header.h),
    )
}

fn steps(tally: &Tally) -> String {
    let all = if tally.certified == tally.steps && tally.steps > 0 {
        "all".to_string()
    } else {
        tally.certified.to_string()
    };
    let mut text = format!("{} of {}, {all} certified", tally.steps, tally.wanted);
    if let Some(step) = tally.first_uncertified {
        let _ = write!(text, " (the first that is not: {step})");
    }
    match &tally.ended {
        Ended::Done => {}
        Ended::Interrupted => text.push_str("; interrupted"),
        Ended::Stopped { step, error } => {
            let _ = write!(text, "; step {step} has no next state: {error}");
        }
    }
    if tally.is_met() { print::good(&text) } else { print::doubtful(&text) }
}

fn certificate(header: &Header, tally: &Tally) -> String {
    let Worst { value, step } = tally.residual;
    if value == 0.0 {
        return "nothing had to be solved, or every answer was exact".to_string();
    }
    let tol = short(header.tol);
    format!("worst residual {} in step {step}; asked for {tol}", short(value))
}

fn contacts(tally: &Tally) -> String {
    let [open, stick, slip] = tally.modes;
    let sum = (open + stick + slip).max(1) as f64;
    let share = |n: u64| format!("{:.0} %", 100.0 * n as f64 / sum);
    let most = tally.contacts.value;
    let mut text =
        format!("up to {most}: {} stick, {} slip, {} open", share(stick), share(slip), share(open));
    if tally.overlap.value > 0.0 {
        let _ = write!(text, "; overlap at most {} m", short(tally.overlap.value));
    }
    text
}

fn energy(tally: &Tally) -> String {
    let [[k0, p0], [k1, p1]] = tally.energy;
    let joules = print::joules;
    format!(
        "kinetic {} → {} J, potential {} → {} J, sum {} → {} J",
        joules(k0),
        joules(k1),
        joules(p0),
        joules(p1),
        joules(k0 + p0),
        joules(k1 + p1),
    )
}

/// The terms that are not zero, and what they leave unexplained.
fn ledger(header: &Header, tally: &Tally) -> Vec<String> {
    let terms = header.ledger.iter().zip(&tally.ledger).filter(|(_, amount)| **amount != 0.0);
    let words: Vec<String> =
        terms.map(|(name, amount)| format!("{name} {} J", print::joules(*amount))).collect();
    let mut lines: Vec<String> = words.chunks(4).map(|line| line.join(", ")).collect();
    if !tally.ledger.is_empty() {
        lines.push(format!("closes to {} J", short(defect(tally).abs())));
    }
    lines
}

/// What the ledger does not explain of the change of the kinetic energy [J].
fn defect(tally: &Tally) -> f64 {
    let explained: f64 = tally.ledger.iter().sum();
    tally.energy[1][0] - tally.energy[0][0] - explained
}

fn time(tally: &Tally) -> String {
    let wall = tally.wall.as_secs_f64();
    let rate = tally.steps as f64 / wall;
    format!(
        "{} simulated in {}: {:.3} × real time, {:.0} steps/s",
        seconds(tally.simulated),
        print::duration(tally.wall),
        tally.simulated / wall,
        rate
    )
}

/// With a unit that keeps it short.
fn seconds(s: f64) -> String {
    if s > 0.0 && s < 1e-3 {
        format!("{} µs", print::digits(1e6 * s))
    } else if s > 0.0 && s < 1.0 {
        format!("{} ms", print::digits(1e3 * s))
    } else {
        format!("{} s", print::digits(s))
    }
}

#[derive(Serialize)]
pub(crate) struct Object<'a> {
    title: &'a str,
    version: &'a str,
    scene_hash: &'a str,
    law: &'a str,
    solver: &'a str,
    h: f64,
    tol: f64,
    wanted: u64,
    steps: u64,
    certified: u64,
    first_uncertified: Option<u64>,
    ended: &'static str,
    error: Option<&'a str>,
    worst: Numbers,
    modes: Modes,
    impacts: u64,
    iterations: u64,
    energy: Energies,
    ledger: std::collections::BTreeMap<&'a str, f64>,
    simulated_s: f64,
    wall_s: f64,
    files: std::collections::BTreeMap<&'a str, &'a str>,
}

#[derive(Serialize)]
struct Numbers {
    residual: Place,
    gap_m: Place,
    misalignment_rad: Place,
    overlap_m: Place,
    contacts: Place,
}

#[derive(Serialize)]
struct Place {
    value: f64,
    step: u64,
}

#[derive(Serialize)]
struct Modes {
    open: u64,
    stick: u64,
    slip: u64,
}

#[derive(Serialize)]
struct Energies {
    kinetic_j: [f64; 2],
    potential_j: [f64; 2],
    defect_j: f64,
}

impl<'a> Object<'a> {
    pub(crate) fn of(header: &'a Header, tally: &'a Tally, pages: &'a [(&str, String)]) -> Self {
        let place = |worst: Worst| Place { value: worst.value, step: worst.step };
        let (ended, error) = match &tally.ended {
            Ended::Done => ("done", None),
            Ended::Interrupted => ("interrupted", None),
            Ended::Stopped { error, .. } => ("stopped", Some(error.as_str())),
        };
        let [[k0, p0], [k1, p1]] = tally.energy;
        Self {
            title: &header.title,
            version: &header.version,
            scene_hash: &header.scene_hash,
            law: &header.law,
            solver: &header.solver,
            h: header.h,
            tol: header.tol,
            wanted: tally.wanted,
            steps: tally.steps,
            certified: tally.certified,
            first_uncertified: tally.first_uncertified,
            ended,
            error,
            worst: Numbers {
                residual: place(tally.residual),
                gap_m: place(tally.gap),
                misalignment_rad: place(tally.misalignment),
                overlap_m: place(tally.overlap),
                contacts: place(tally.contacts),
            },
            modes: Modes { open: tally.modes[0], stick: tally.modes[1], slip: tally.modes[2] },
            impacts: tally.impacts,
            iterations: tally.iterations,
            energy: Energies {
                kinetic_j: [k0, k1],
                potential_j: [p0, p1],
                defect_j: defect(tally),
            },
            ledger: header
                .ledger
                .iter()
                .map(String::as_str)
                .zip(tally.ledger.iter().copied())
                .collect(),
            simulated_s: tally.simulated,
            wall_s: tally.wall.as_secs_f64(),
            files: pages.iter().map(|(label, path)| (*label, path.as_str())).collect(),
        }
    }
}

/// Where a file is, as it can be typed.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}
