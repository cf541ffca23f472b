//! Energy over time, and where it went.

use super::{Run, WIDE, chosen, fit, line, over_time, peak, time_axis, title};
use crate::text::about;
use crate::{Arrangement, Figure, GREY, Line, Panel, Scale, Stroke};

/// Kinetic, potential and total energy; below, the terms of the ledger summed up since the beginning.
pub fn energy(run: &Run) -> Figure {
    let mut panels = vec![energies(run)];
    if !run.terms.is_empty() {
        panels.push(ledger(run));
    }
    Figure { title: title(run, "energy"), arrangement: Arrangement::Column, panels }
}

/// Kinetic and potential energy together.
pub(super) fn total(run: &Run) -> Vec<f64> {
    run.kinetic.iter().zip(&run.potential).map(|(kinetic, potential)| kinetic + potential).collect()
}

fn energies(run: &Run) -> Panel {
    let wide = |line: Line| Line { stroke: Stroke::Wide, ..line };
    let lines = vec![
        wide(line("total", GREY, over_time(run, &total(run)))),
        line("kinetic", 0, over_time(run, &run.kinetic)),
        line("potential", 1, over_time(run, &run.potential)),
    ];
    let y = fit("energy [J]", Scale::Linear, &lines);
    let x = time_axis(std::slice::from_ref(run));
    Panel { title: String::new(), size: WIDE, x, y, lines }
}

fn ledger(run: &Run) -> Panel {
    let peaks: Vec<f64> = run.terms.iter().map(|sum| peak(sum)).collect();
    let largest = peaks.iter().copied().fold(0.0, f64::max);
    // terms that are nothing, or rounding beside the others, have no line
    let shown = |p: f64| if p > 1e-9 * largest { p } else { f64::NAN };
    let weights: Vec<f64> = peaks.iter().copied().map(shown).collect();
    let (named, _) = chosen(&weights);
    let shown = named.into_iter().filter(|(i, _)| !weights[*i].is_nan());
    let lines: Vec<Line> = shown
        .map(|(i, colour)| line(&run.names.ledger[i], colour, over_time(run, &run.terms[i])))
        .collect();
    let y = fit("given to the motion since the beginning [J]", Scale::Linear, &lines);
    let x = time_axis(std::slice::from_ref(run));
    let unexplained = peak(&defect(run));
    let title = format!(
        "where it came from and where it went; {} J at most are unexplained",
        about(unexplained)
    );
    Panel { title, size: WIDE, x, y, lines }
}

/// Change of the kinetic energy since the beginning that the terms do not explain [J].
fn defect(run: &Run) -> Vec<f64> {
    let explained = |place: usize| run.terms.iter().map(|sum| sum[place] - sum[0]).sum::<f64>();
    let change = run.kinetic.iter().map(|kinetic| kinetic - run.kinetic[0]);
    change.enumerate().map(|(place, change)| change - explained(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Names, Step};

    #[test]
    fn what_the_ledger_does_not_explain_is_found() {
        let ledger = vec!["gravity".into(), "friction".into()];
        let mut run = Run::new(Names { ledger, ..Names::default() });
        for (kinetic, terms) in [(2.0, [0.0, 0.0]), (5.0, [4.0, -1.0]), (5.25, [1.0, -1.0])] {
            run.push(&Step { kinetic, terms: &terms, ..Step::default() });
        }
        assert_eq!(defect(&run), [0.0, 0.0, 0.25]);
        assert!(
            energy(&run).panels[1].title.contains("2·10⁻¹ J"),
            "{}",
            energy(&run).panels[1].title
        );
    }
}
