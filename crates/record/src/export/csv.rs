//! Tables as text.

use std::fmt::Write as _;
use std::io::Write;

use super::table::{Cell, Table, columns, rows};
use super::writing;
use crate::error::RecordError;
use crate::frame::Frame;
use crate::recording::Recording;

/// Writes a table with a line of titles, line by line: give it a buffer. Numbers are the shortest that are read back to the
/// same bit.
pub fn csv(recording: &Recording, table: Table, out: &mut dyn Write) -> Result<(), RecordError> {
    let header = &recording.header;
    let mut line = String::new();
    for (i, column) in columns(table, header).iter().enumerate() {
        if i > 0 {
            line.push(',');
        }
        put_text(&mut line, &column.title);
    }
    line.push('\n');
    out.write_all(line.as_bytes()).map_err(writing)?;
    let mut frames = recording.frames();
    let mut frame = Frame::default();
    while let Some(read) = frames.read(&mut frame) {
        read?;
        rows(table, header, &frame, &mut |cells| {
            line.clear();
            put_row(&mut line, cells);
            out.write_all(line.as_bytes()).map_err(writing)
        })?;
    }
    out.flush().map_err(writing)
}

fn put_row(line: &mut String, cells: &[Cell<'_>]) {
    for (i, cell) in cells.iter().enumerate() {
        if i > 0 {
            line.push(',');
        }
        match cell {
            Cell::Count(n) => line.push_str(&n.to_string()),
            Cell::Real(x) => put_real(line, *x),
            Cell::Truth(true) => line.push_str("true"),
            Cell::Truth(false) => line.push_str("false"),
            Cell::Text(text) => put_text(line, text),
        }
    }
    line.push('\n');
}

/// With an exponent where the digits alone would be many.
fn put_real(line: &mut String, x: f64) {
    let size = x.abs();
    let is_plain = size == 0.0 || (1e-5..1e16).contains(&size) || !size.is_finite();
    // writing to a string does not fail
    let _ = if is_plain { write!(line, "{x}") } else { write!(line, "{x:e}") };
}

/// In quotes where it must be.
fn put_text(line: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_to_the_bit() {
        for x in [0.0, -0.0, 0.1, 1e-5, 9.9e-6, 1e300, -2.5e-308, 5e-324, 1e15, 123_456.789] {
            let mut line = String::new();
            put_real(&mut line, x);
            assert_eq!(line.parse::<f64>().unwrap().to_bits(), x.to_bits(), "{line}");
            assert!(line.len() < 25, "{line}");
        }
        let mut line = String::new();
        put_row(&mut line, &[Cell::Real(f64::NAN), Cell::Real(f64::NEG_INFINITY)]);
        assert_eq!(line, "NaN,-inf\n");
    }

    #[test]
    fn text_with_commas_and_quotes_is_quoted() {
        let mut line = String::new();
        put_row(&mut line, &[Cell::Text("a,\"b\""), Cell::Text("plain"), Cell::Truth(true)]);
        assert_eq!(line, "\"a,\"\"b\"\"\",plain,true\n");
    }
}
