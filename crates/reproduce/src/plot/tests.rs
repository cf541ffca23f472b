use super::*;

#[test]
fn ticks_are_round_and_within_the_range() {
    let words = |axis: &Axis, n| axis.ticks(n).into_iter().map(|t| t.1).collect::<Vec<_>>();
    assert_eq!(words(&Axis::linear("", (-0.05, 0.97)), 5.0), ["0.0", "0.5"]);
    assert_eq!(
        words(&Axis::linear("", (0.0, 1.0)), 5.0),
        ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    );
    assert_eq!(words(&Axis::log("", (1e-3, 20.0)), 8.0), ["10⁻³", "10⁻²", "10⁻¹", "1", "10"]);
    assert_eq!(words(&Axis::log("", (1e-12, 1e2)), 7.0).len(), 8);
}

#[test]
fn names_that_would_touch_are_moved_apart() {
    let label = |y| Label { text: "cone", colour: 0, end: (0.0, y), y };
    let mut labels = [label(50.0), label(50.0), label(51.0), label(300.0)];
    spread(&mut labels, (0.0, 400.0));
    assert!(labels.windows(2).all(|pair| pair[1].y - pair[0].y > TEXT - 0.5));
    assert_eq!(labels[3].y, 300.0);
}

#[test]
fn what_lies_outside_of_the_axes_is_not_drawn() {
    let points = vec![(1.0, 1.0), (2.0, -1.0), (3.0, 1.0), (4.0, 1.0), (9.0, f64::NAN)];
    let line = Line { label: "a<b".into(), colour: 0, stroke: Stroke::Solid, points };
    let (x, y) = (Axis::linear("x", (0.0, 5.0)), Axis::log("y", (0.1, 10.0)));
    let panel = Panel { title: String::new(), size: (100.0, 100.0), x, y, lines: vec![line] };
    let text = svg("one line", &[panel]);
    assert_eq!(text.matches("<polyline").count(), 1);
    assert!(text.contains("a&lt;b") && !text.contains("NaN"));
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
    cells::draw(&mut text, "red", (10.0, 10.0), &places);
    assert_eq!(text.matches('M').count(), 30 + 81);
}
