use super::*;

fn panel(lines: Vec<Line>, x: Axis, y: Axis) -> Panel {
    Panel { title: String::new(), size: (100.0, 100.0), x, y, lines }
}

fn line(label: &str, stroke: Stroke, points: Vec<(f64, f64)>) -> Line {
    Line { label: label.into(), colour: 0, stroke, points }
}

#[test]
fn what_lies_outside_of_the_axes_is_not_drawn() {
    let points = vec![(1.0, 1.0), (2.0, -1.0), (3.0, 1.0), (4.0, 1.0), (9.0, f64::NAN)];
    let (x, y) = (Axis::linear("x", (0.0, 5.0)), Axis::log("y", (0.1, 10.0)));
    let text = svg("one line", &[panel(vec![line("a<b", Stroke::Solid, points)], x, y)]);
    assert!(text.contains("a&lt;b") && !text.contains("NaN") && !text.contains("inf"));
    // a dot before the gap, a stroke behind it
    let strokes: Vec<&str> = text.lines().filter(|line| line.contains("class=\"s0\"")).collect();
    assert_eq!(strokes.len(), 2, "{strokes:?}");
    assert!(strokes[1].contains("h.01"));
}

#[test]
fn the_name_of_cells_stands_where_they_leave_most_room() {
    // a row of thirty, and a block of nine by nine with its middle at (240, 50)
    let row = (0..30).map(|i| Some((10.0 * f64::from(i), 0.0)));
    let block =
        (0..81).map(|i| Some((200.0 + 10.0 * f64::from(i % 9), 10.0 + 10.0 * f64::from(i / 9))));
    let places: Vec<Option<(f64, f64)>> = row.chain(block).chain([None]).collect();
    assert_eq!(cells::roomiest(&places, (10.0, 10.0)), Some((240.0, 50.0)));
    assert_eq!(cells::roomiest(&[None], (10.0, 10.0)), None);
    let mut text = String::new();
    cells::draw(&mut text, 0, (10.0, 10.0), &places);
    assert_eq!(text.matches('M').count(), 30 + 81);
}

#[test]
fn a_picture_without_data_says_so() {
    let (x, y) = (Axis::linear("x", (f64::NAN, 5.0)), Axis::log("y", (0.0, 0.0)));
    let nothing = line("none", Stroke::Solid, vec![(f64::NAN, 1.0)]);
    assert!(svg("nothing", &[panel(vec![nothing], x, y)]).contains("no data"));
}

#[test]
fn a_million_points_make_a_small_file() {
    let wave = |i: u32| libm::sin(f64::from(i) * 0.37) * f64::from(i % 977);
    let lines = |k: u32| {
        let points = (0..1_000_000).map(|i| (f64::from(i), wave(i + k))).collect();
        line("wave", Stroke::Solid, points)
    };
    let x = Axis::linear("x", (0.0, 1e6));
    let y = Axis::linear("y", (-1000.0, 1000.0));
    let picture = svg("many", &[panel((0..3).map(lines).collect(), x, y)]);
    assert!(picture.len() < 300_000, "{}", picture.len());
}
