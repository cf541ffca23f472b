//! R3: the cannonball table of [AP]: planar piles of 10 to 210 balls, friction from none to 0.8.

mod picture;
mod pile;

use crate::item::{Item, Table, number};
use crate::{Clock, Effort};
use pile::{Form, Pile, Solved, TOL};

const TEXT: &str = "\
A triangle of 4 to 20 rows of equal balls (1 kg, radius 0.5 m) lies on the ground, every gap exactly zero, and takes its first step from rest, h = 0.05 s: many contacts share loads in more ways than one, \
and most of them carry none. [AP] gives processor times of PATH for eleven such problems and a failure for the last. \
Here each of them is one step of the model, as disks that move in their plane (two facets; the polygon and the cone are then the same law) and as spheres in space, with pyramids of eight facets and with cones. \
The touching lattice has 22, 51, 92, 145, 590 contacts, the source counts 21, 52, 93, 146, 574. Coulomb's law does not fix how a pile collapses, so the speeds of the four forms are given and not compared. A row counts as solved if the judge finds a residual of at most 1e-10 in the problem and passes the law. \
Times are processor times of whole steps with collision detection, the least of several; they are those of one machine, and nothing here is held against them.";

/// A row of the source: rows of the pile, contacts, μ, time [s].
struct Known {
    rows: usize,
    contacts: usize,
    mu: f64,
    time: Option<f64>,
}

const fn known(rows: usize, contacts: usize, mu: f64, time: f64) -> Known {
    Known { rows, contacts, mu, time: Some(time) }
}

const TABLE: [Known; 11] = [
    known(4, 21, 0.2, 0.04),
    known(4, 21, 0.8, 0.03),
    known(6, 52, 0.2, 0.28),
    known(6, 52, 0.8, 0.20),
    known(8, 93, 0.2, 0.81),
    known(8, 93, 0.8, 0.82),
    known(10, 146, 0.2, 2.10),
    known(10, 146, 0.8, 2.07),
    known(20, 574, 0.0, 0.80),
    known(20, 574, 0.2, 174.29),
    Known { rows: 20, contacts: 574, mu: 0.8, time: None },
];

/// Contacts of the touching lattice: of neighbours in a row, of rows with each other, of the lowest row with the ground. The
/// balls of a row touch each other.
fn lattice(rows: usize) -> usize {
    3 * rows * (rows - 1) / 2 + rows
}

/// The piles of reduced runs.
const SMALL: usize = 6;

/// A row made anew, in the order of [`Form::ALL`].
struct Row {
    /// In the source, from 1.
    number: usize,
    known: &'static Known,
    solved: [Solved; 4],
}

pub fn item(effort: Effort, clock: Clock<'_>) -> Item {
    let mut item = Item::new("R3", "The cannonball table", TEXT);
    if let Err(error) = fill(&mut item, effort, clock) {
        item.fail(error.as_ref());
    }
    item
}

fn fill(
    item: &mut Item,
    effort: Effort,
    clock: Clock<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut rows = Vec::new();
    for (i, known) in TABLE.iter().enumerate() {
        if effort == Effort::Reduced && known.rows > SMALL {
            continue;
        }
        let of = |form| Pile { rows: known.rows, mu: known.mu, form }.solve(clock);
        let [a, b, c, d] = Form::ALL.map(of);
        rows.push(Row { number: i + 1, known, solved: [a?, b?, c?, d?] });
    }
    compare(item, &rows);
    item.tables.push(times(&rows));
    Form::ALL.iter().enumerate().for_each(|(i, form)| item.tables.push(work(&rows, i, *form)));
    let caption = "Processor time of a first step against contacts, beside the source's";
    item.picture("r3-cannonball", caption, picture::picture(&rows));
    Ok(())
}

fn compare(item: &mut Item, rows: &[Row]) {
    for row in rows {
        let name = format!("{} balls, μ = {}", balls(row.known.rows), row.known.mu);
        for (form, solved) in Form::ALL.iter().zip(&row.solved) {
            let name = format!("{name}, {}", form.name());
            item.equal(format!("{name}: contacts"), solved.contacts, lattice(row.known.rows));
            item.is(format!("{name}: certified"), solved.certified);
            item.at_most(format!("{name}: residual"), solved.residual, TOL);
        }
    }
}

fn balls(rows: usize) -> usize {
    rows * (rows + 1) / 2
}

fn times(rows: &[Row]) -> Table {
    let caption = "Time of a first step, cold [ms]; FAIL: no certificate. In brackets the same step again, which begins from the impulses that the first one found.";
    let mut head = vec!["row", "balls", "contacts", "μ", "source [ms]"];
    head.extend(Form::ALL.map(Form::name));
    let mut table = Table::new(caption, &head);
    for row in rows {
        let known = row.known;
        let mut cells = vec![
            row.number.to_string(),
            balls(known.rows).to_string(),
            format!("{} ({})", row.solved[0].contacts, known.contacts),
            known.mu.to_string(),
            known.time.map_or("FAIL".to_string(), |time| number(1e3 * time)),
        ];
        for solved in &row.solved {
            let failed = if solved.certified { "" } else { " FAIL" };
            cells.push(format!("{}{failed} ({})", ms(solved.cold), ms(solved.warm)));
        }
        table.row(cells);
    }
    table
}

/// Three digits.
fn ms(seconds: f64) -> String {
    let x = 1e3 * seconds;
    if x < 1.0 {
        format!("{x:.2}")
    } else if x < 100.0 {
        format!("{x:.1}")
    } else {
        format!("{x:.0}")
    }
}

fn work(rows: &[Row], i: usize, form: Form) -> Table {
    let caption = format!(
        "{}: unknowns, iterations of all solvers that were tried, the one that answered, residual of the problem and of the law, largest speed of opening or slip over that of a fall, h g.",
        form.name()
    );
    let head = [
        "row",
        "balls",
        "μ",
        "unknowns",
        "iterations",
        "answered by",
        "residual",
        "of the law",
        "speed",
    ];
    let mut table = Table::new(caption, &head);
    for row in rows {
        let solved = &row.solved[i];
        table.row(vec![
            row.number.to_string(),
            balls(row.known.rows).to_string(),
            row.known.mu.to_string(),
            solved.unknowns.to_string(),
            solved.iterations.to_string(),
            solved.link.to_string(),
            format!("{:.1e}", solved.residual),
            format!("{:.1e}", solved.law_residual),
            number(solved.flow()),
        ]);
    }
    table
}
