//! The tables of a recording: their columns, and their rows for each frame.

use crate::error::RecordError;
use crate::frame::{Contact, Frame, Mode};
use crate::header::Header;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A row for each frame: time, q, v, energies, certificate.
    Steps,
    /// A row for each contact of each frame.
    Contacts,
}

/// A title with its unit in brackets, `box.x[m]`, and what stands below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub title: String,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Count,
    Real,
    Truth,
    Text,
}

/// What stands in a row, of the column's kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    Count(u64),
    Real(f64),
    Truth(bool),
    Text(&'a str),
}

/// The columns of a table; no two have the same title.
pub fn columns(table: Table, header: &Header) -> Vec<Column> {
    let mut columns = vec![column("step", "", Kind::Count), column("time", "s", Kind::Real)];
    match table {
        Table::Steps => {
            for coordinate in header.q.iter().chain(&header.v) {
                columns.push(column(&coordinate.name, &coordinate.unit, Kind::Real));
            }
            columns.push(column("kinetic", "J", Kind::Real));
            columns.push(column("potential", "J", Kind::Real));
            for term in &header.ledger {
                columns.push(column(&format!("ledger.{term}"), "J", Kind::Real));
            }
            columns.push(column("certified", "", Kind::Truth));
            for (name, unit) in [
                ("residual", ""),
                ("law", ""),
                ("coulomb", ""),
                ("gap", "m"),
                ("misalignment", "rad"),
                ("overlap", "m"),
            ] {
                columns.push(column(name, unit, Kind::Real));
            }
            columns.push(column("iterations", "", Kind::Count));
            columns.push(column("solver", "", Kind::Text));
            columns.push(column("contacts", "", Kind::Count));
            columns.push(column("impacts", "", Kind::Count));
        }
        Table::Contacts => {
            columns.push(column("shape_a", "", Kind::Text));
            columns.push(column("shape_b", "", Kind::Text));
            columns.push(column("feature", "", Kind::Count));
            for (name, unit) in
                [("point", "m"), ("normal", ""), ("impulse", "N·s"), ("velocity", "m/s")]
            {
                for axis in ["x", "y", "z"] {
                    columns.push(column(&format!("{name}.{axis}"), unit, Kind::Real));
                }
            }
            columns.push(column("gap", "m", Kind::Real));
            columns.push(column("mu", "", Kind::Real));
            columns.push(column("mode", "", Kind::Text));
        }
    }
    number_repeated_titles(&mut columns);
    columns
}

fn column(name: &str, unit: &str, kind: Kind) -> Column {
    let title = if unit.is_empty() { name.to_string() } else { format!("{name}[{unit}]") };
    Column { title, kind }
}

/// A title that was there before gets a number: `x`, `x#2`.
fn number_repeated_titles(columns: &mut [Column]) {
    let mut seen = std::collections::BTreeSet::new();
    for column in columns {
        let title = column.title.clone();
        let mut number = 1;
        while !seen.insert(column.title.clone()) {
            number += 1;
            column.title = format!("{title}#{number}");
        }
    }
}

/// Gives the rows of a frame to `put`, in the order of the columns.
pub fn rows(
    table: Table,
    header: &Header,
    frame: &Frame,
    put: &mut dyn FnMut(&[Cell<'_>]) -> Result<(), RecordError>,
) -> Result<(), RecordError> {
    let mut cells = Vec::new();
    match table {
        Table::Steps => {
            step_row(header, frame, &mut cells);
            put(&cells)
        }
        Table::Contacts => {
            for contact in &frame.contacts {
                cells.clear();
                cells.extend([Cell::Count(frame.step), Cell::Real(frame.time)]);
                contact_row(header, contact, &mut cells);
                put(&cells)?;
            }
            Ok(())
        }
    }
}

fn step_row<'a>(header: &Header, frame: &'a Frame, cells: &mut Vec<Cell<'a>>) {
    let certificate = &frame.certificate;
    cells.extend([Cell::Count(frame.step), Cell::Real(frame.time)]);
    cells.extend(frame.q.iter().chain(&frame.v).map(|x| Cell::Real(*x)));
    cells.extend([Cell::Real(frame.energy.kinetic), Cell::Real(frame.energy.potential)]);
    // a frame without a ledger
    let missing = header.ledger.len() - frame.energy.terms.len();
    cells.extend(frame.energy.terms.iter().map(|x| Cell::Real(*x)));
    cells.extend(std::iter::repeat_n(Cell::Real(f64::NAN), missing));
    cells.push(Cell::Truth(certificate.certified));
    cells.extend(
        [
            certificate.residual,
            certificate.law,
            certificate.coulomb,
            certificate.gap,
            certificate.misalignment,
            certificate.overlap,
        ]
        .map(Cell::Real),
    );
    cells.push(Cell::Count(u64::from(certificate.iterations)));
    cells.push(Cell::Text(&certificate.solver));
    cells.push(Cell::Count(frame.contacts.len() as u64));
    cells.push(Cell::Count(frame.impacts.len() as u64));
}

fn contact_row<'a>(header: &'a Header, contact: &Contact, cells: &mut Vec<Cell<'a>>) {
    let name = |shape: u32| Cell::Text(&header.shapes[shape as usize].name);
    cells.extend([name(contact.shape_a), name(contact.shape_b)]);
    cells.push(Cell::Count(u64::from(contact.feature)));
    for vector in [contact.point, contact.normal, contact.impulse, contact.velocity] {
        cells.extend(vector.map(Cell::Real));
    }
    cells.extend([Cell::Real(contact.gap), Cell::Real(contact.mu)]);
    cells.push(Cell::Text(match contact.mode {
        Mode::Open => "open",
        Mode::Stick => "stick",
        Mode::Slip => "slip",
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_differ() {
        let mut columns: Vec<_> =
            ["x", "y", "x", "x#2", "x"].map(|name| column(name, "", Kind::Real)).into();
        number_repeated_titles(&mut columns);
        let titles: Vec<_> = columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(titles, ["x", "y", "x#2", "x#2#2", "x#3"]);
    }
}
