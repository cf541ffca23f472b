//! Time against contacts, log–log.

use stiction_plot::{Axis, Line, Panel, Stroke, svg};

use super::Row;
use super::pile::Form;

pub(super) fn picture(rows: &[Row]) -> String {
    let panels: Vec<Panel> = [0.2, 0.8].map(|mu| panel(rows, mu)).into();
    svg("Cannonballs: a first step from rest, h = 0.05 s", &panels)
}

fn panel(rows: &[Row], mu: f64) -> Panel {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.known.mu == mu).collect();
    let source = rows.iter().filter_map(|row| Some((row.known.contacts as f64, row.known.time?)));
    let mut lines = vec![Line {
        label: "source (PATH)".into(),
        colour: 5,
        stroke: Stroke::Marked,
        points: source.collect(),
    }];
    let failed = rows.iter().filter(|row| row.known.time.is_none());
    lines.push(Line {
        label: "source: FAIL".into(),
        colour: 5,
        stroke: Stroke::Crosses,
        points: failed.map(|row| (row.known.contacts as f64, MOST)).collect(),
    });
    for (i, form) in Form::ALL.iter().enumerate() {
        let certified = rows.iter().filter(|row| row.solved[i].certified);
        lines.push(Line {
            label: form.name().into(),
            colour: i,
            stroke: Stroke::Marked,
            points: certified
                .map(|row| (row.solved[i].contacts as f64, row.solved[i].cold))
                .collect(),
        });
    }
    Panel {
        title: format!("μ = {mu}"),
        size: (440.0, 400.0),
        // names stand to the right of the largest pile
        x: Axis::log("contacts", (10.0, 10_000.0)),
        y: Axis::log("processor time [s]", (1e-5, 2.0 * MOST)),
        lines,
    }
}

/// Where what failed is marked [s].
const MOST: f64 = 500.0;
