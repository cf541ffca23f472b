use super::*;
use crate::Theme;

#[test]
fn with_more_than_eight_lines_the_heaviest_have_names() {
    let mut weights: Vec<f64> = (0..30).map(f64::from).collect();
    weights[29] = f64::NAN;
    let (named, others) = chosen(&weights);
    let places: Vec<usize> = named.iter().map(|(i, _)| *i).collect();
    assert_eq!(places, [21, 22, 23, 24, 25, 26, 27, 28]);
    assert_eq!((others.len(), others.last()), (22, Some(&29)));
    assert!(named.iter().zip(NAMED).all(|((_, colour), expected)| *colour == expected));
}

#[test]
fn a_crowd_is_drawn_in_part() {
    let (_, others) = chosen(&vec![0.0; 10_000]);
    assert!(others.len() <= OTHERS && others.len() > OTHERS / 2);
    let lines = behind(10_000, vec![Vec::new(); others.len()]);
    assert!(lines.last().is_some_and(|line| line.label.ends_with(" of 9992 more")));
}

#[test]
fn figures_of_a_run_without_steps_say_that_there_is_no_data() {
    let names =
        Names { bodies: vec!["a".into()], ledger: vec!["friction".into()], ..Names::default() };
    let run = Run::new(names);
    for named in standard(&run) {
        assert!(named.figure.svg(Theme::Light).contains("no data"), "{}", named.name);
    }
    for named in compare("none", &[run.clone(), run]) {
        assert!(named.figure.svg(Theme::Light).contains("no data"), "{}", named.name);
    }
    assert!(compare("none", &[]).len() < 4);
}

#[test]
fn a_metre_is_as_long_on_both_axes_of_a_path() {
    let mut run = Run::new(Names { bodies: vec!["box".into()], ..Names::default() });
    for i in 0..10 {
        let x = f64::from(i);
        run.push(&Step { time: x, positions: &[[x, 0.1 * x * x, 0.0]], ..Step::default() });
    }
    for panel in paths(&run).panels {
        let per_metre = |size: f64, (low, high): (f64, f64)| size / (high - low);
        let (x, y) =
            (per_metre(panel.size.0, panel.x.range), per_metre(panel.size.1, panel.y.range));
        assert!((x / y - 1.0).abs() < 1e-9, "{x} {y}");
    }
}

#[test]
fn the_largest_of_each_part_stand_for_a_long_line() {
    let value = |i: u32| if i == 5000 { 7.0 } else { f64::from(i % 3) };
    let points: Vec<(f64, f64)> = (0..10_001).map(|i| (f64::from(i), value(i))).collect();
    let few = largest(&points);
    assert_eq!((few.len(), few.last()), (300, Some(&(10_000.0, 2.0))));
    assert!(few.contains(&(5000.0, 7.0)) && few.iter().all(|point| point.1 >= 2.0));
    assert_eq!(largest(&points[..10]), points[..10]);
}

#[test]
fn usual_forces_are_shown_apart_from_rare_peaks() {
    let force = |i: u32| if i.is_multiple_of(50) { 700.0 } else { 10.0 };
    let points: Vec<(f64, f64)> = (0..200).map(|i| (f64::from(i), force(i))).collect();
    let lines = vec![line("", 0, points)];
    let (x, y) = (Axis::linear("", (0.0, 200.0)), fit("", Scale::Linear, &lines));
    let mut panel = Panel { title: String::new(), size: WIDE, x, y, lines };
    assert_eq!(without_peaks(&panel).map(|panel| panel.y.range), Some((-1.0, 20.0)));
    panel.y.range.1 = 60.0;
    assert!(without_peaks(&panel).is_none());
}

#[test]
fn the_named_of_a_large_crowd_are_drawn_finely() {
    let names = Names { bodies: vec!["ball".into(); 1000], ..Names::default() };
    let mut run = Run::new(names);
    for i in 0..2000 {
        let t = 0.01 * f64::from(i);
        let place = |b: u32| [libm::cos(t), libm::sin(t), 1e-3 * f64::from(b) * t];
        let positions: Vec<[f64; 3]> = (0..1000).map(place).collect();
        run.push(&Step { time: t, positions: &positions, ..Step::default() });
    }
    let svg = paths(&run).svg(Theme::Light);
    assert!(svg.len() < 300_000, "{}", svg.len());
    let widths = svg.lines().filter(|line| line.contains("stroke-width=\"1.8\""));
    assert!(widths.map(str::len).all(|bytes| bytes > 1500));
}
