//! From points to strokes: pieces between gaps, thinned to what can be seen, cut at the axes.

/// A place in the picture [px]; None: a gap.
pub(crate) type Place = Option<(f64, f64)>;

/// The area between the axes [px].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// To a hundredth of a pixel.
    pub(crate) fn holds(&self, (x, y): (f64, f64)) -> bool {
        let slack = 0.01;
        (self.x - slack..=self.right() + slack).contains(&x)
            && (self.y - slack..=self.bottom() + slack).contains(&y)
    }
}

/// The strokes of a line: runs of places without a gap, with about `budget` places altogether, within the area.
pub(crate) fn strokes(places: &[Place], area: &Area, budget: usize) -> Vec<Vec<(f64, f64)>> {
    let mut strokes = Vec::new();
    let pieces = || places.split(Option::is_none).filter(|piece| !piece.is_empty());
    if pieces().count() > budget / 8 {
        // so many gaps that no line is left
        return scattered(places, area, budget / 3).into_iter().map(|place| vec![place]).collect();
    }
    for piece in pieces() {
        let piece: Vec<(f64, f64)> = piece.iter().flatten().copied().collect();
        let share = (budget * piece.len() / places.len()).max(16);
        cut(&thinned(piece, share), area, &mut strokes);
    }
    strokes
}

/// Fewer places that look the same: of each column of pixels the first, lowest, highest and last where the line goes to
/// the right only; else those that are apart.
fn thinned(piece: Vec<(f64, f64)>, budget: usize) -> Vec<(f64, f64)> {
    if piece.len() <= budget {
        return piece;
    }
    let (first, last) = (piece[0], piece[piece.len() - 1]);
    if piece.windows(2).all(|pair| pair[0].0 <= pair[1].0) && last.0 > first.0 {
        let columns = (budget / 4).max(4) as f64;
        return by_columns(&piece, ((last.0 - first.0) / columns).max(0.5));
    }
    let mut distance = 0.4;
    while distance < 20.0 {
        let apart = by_distance(&piece, distance);
        if apart.len() <= budget {
            return apart;
        }
        distance *= 2.0;
    }
    let stride = piece.len().div_ceil(budget);
    piece.into_iter().step_by(stride).chain([last]).collect()
}

fn by_columns(piece: &[(f64, f64)], width: f64) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    let column = |place: &(f64, f64)| libm::floor((place.0 - piece[0].0) / width);
    for run in piece.chunk_by(|a, b| column(a) == column(b)) {
        let order = |i: &usize, j: &usize| run[*i].1.total_cmp(&run[*j].1);
        let lowest = (0..run.len()).min_by(order).unwrap_or(0);
        let highest = (0..run.len()).max_by(order).unwrap_or(0);
        let mut some = [0, lowest, highest, run.len() - 1];
        some.sort_unstable();
        let mut before = usize::MAX;
        for i in some.into_iter().filter(|i| std::mem::replace(&mut before, *i) != *i) {
            kept.push(run[i]);
        }
    }
    kept
}

fn by_distance(piece: &[(f64, f64)], distance: f64) -> Vec<(f64, f64)> {
    let mut kept = vec![piece[0]];
    for &(x, y) in &piece[1..] {
        let (a, b) = kept[kept.len() - 1];
        if (x - a).abs().max((y - b).abs()) >= distance {
            kept.push((x, y));
        }
    }
    let last = piece[piece.len() - 1];
    if kept[kept.len() - 1] != last {
        kept.push(last);
    }
    kept
}

/// Adds the parts of a stroke that lie within the area.
fn cut(piece: &[(f64, f64)], area: &Area, strokes: &mut Vec<Vec<(f64, f64)>>) {
    if let [only] = piece {
        if area.holds(*only) {
            strokes.push(vec![*only]);
        }
        return;
    }
    let mut stroke: Vec<(f64, f64)> = Vec::new();
    for pair in piece.windows(2) {
        let Some((from, to)) = within(pair[0], pair[1], area) else {
            continue;
        };
        if stroke.last() != Some(&from) {
            if stroke.len() > 1 {
                strokes.push(std::mem::take(&mut stroke));
            }
            stroke = vec![from];
        }
        stroke.push(to);
    }
    if stroke.len() > 1 {
        strokes.push(stroke);
    }
}

type Segment = ((f64, f64), (f64, f64));

/// The part of a segment within the area, by its parameter along each axis (Liang and Barsky).
fn within(a: (f64, f64), b: (f64, f64), area: &Area) -> Option<Segment> {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let sides = [
        (a.0, b.0 - a.0, area.x - 0.01, area.right() + 0.01),
        (a.1, b.1 - a.1, area.y - 0.01, area.bottom() + 0.01),
    ];
    for (start, along, low, high) in sides {
        if along == 0.0 {
            if !(low..=high).contains(&start) {
                return None;
            }
            continue;
        }
        let (s, t) = ((low - start) / along, (high - start) / along);
        enter = enter.max(s.min(t));
        leave = leave.min(s.max(t));
    }
    let at = |s: f64| match s {
        0.0 => a,
        1.0 => b,
        _ => (a.0 + s * (b.0 - a.0), a.1 + s * (b.1 - a.1)),
    };
    (enter <= leave).then(|| (at(enter), at(leave)))
}

/// Places of a scatter, one of those that would cover each other, at most `budget`.
pub(crate) fn scattered(places: &[Place], area: &Area, budget: usize) -> Vec<(f64, f64)> {
    let inside = places.iter().copied().flatten().filter(|place| area.holds(*place));
    let mut all: Vec<(f64, f64)> = inside.collect();
    let mut cell = 1.0;
    while all.len() > budget && cell < 64.0 {
        let key = |p: &(f64, f64)| ((p.1 / cell) as i64, (p.0 / cell) as i64);
        all.sort_by_key(key);
        all.dedup_by_key(|p| key(p));
        cell *= 2.0;
    }
    all.truncate(budget);
    all
}

/// The `d` of an SVG path, to a tenth of a pixel, with relative moves.
pub(crate) fn path(strokes: &[Vec<(f64, f64)>]) -> String {
    let mut d = String::new();
    for stroke in strokes {
        let mut at = (0, 0);
        for (i, &(x, y)) in stroke.iter().enumerate() {
            let to = ((10.0 * x).round() as i64, (10.0 * y).round() as i64);
            if i == 0 {
                d.push('M');
                tenths(&mut d, to.0, false);
                tenths(&mut d, to.1, true);
                // a stroke of one place is a dot
                d.push_str(if stroke.len() == 1 { "h.01" } else { "l" });
            } else if to != at || i + 1 == stroke.len() {
                tenths(&mut d, to.0 - at.0, i > 1);
                tenths(&mut d, to.1 - at.1, true);
            }
            at = to;
        }
    }
    d
}

/// A number of tenths, as short as SVG reads it; `apart`: after another number.
fn tenths(d: &mut String, n: i64, apart: bool) {
    if n < 0 {
        d.push('-');
    } else if apart {
        d.push(' ');
    }
    let n = n.abs();
    if n >= 10 || n == 0 {
        d.push_str(&(n / 10).to_string());
    }
    if n % 10 != 0 {
        d.push('.');
        d.push_str(&(n % 10).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { x: 0.0, y: 0.0, width: 100.0, height: 50.0 };

    #[test]
    fn a_line_is_cut_where_it_leaves_and_where_it_comes_back() {
        let places =
            [Some((10.0, 25.0)), Some((10.0, -25.0)), Some((50.0, -25.0)), Some((50.0, 25.0))];
        let strokes = strokes(&places, &AREA, 100);
        assert_eq!(strokes.len(), 2);
        assert_eq!((strokes[0][0], strokes[1][1]), ((10.0, 25.0), (50.0, 25.0)));
        assert!((strokes[0][1].1 + 0.01).abs() < 1e-9 && (strokes[1][0].1 + 0.01).abs() < 1e-9);
    }

    #[test]
    fn a_gap_breaks_a_line_and_a_single_point_is_a_dot() {
        let places = [Some((1.0, 1.0)), Some((2.0, 2.0)), None, Some((5.0, 5.0)), None];
        let strokes = strokes(&places, &AREA, 400);
        assert_eq!(path(&strokes), "M1 1l1 1M5 5h.01");
    }

    #[test]
    fn a_thinned_line_keeps_its_peaks_and_its_ends() {
        let place = |i: u32| {
            let y = if i == 31_415 { 49.0 } else { 10.0 + f64::from(i % 7) };
            Some((f64::from(i) * 1e-3, y))
        };
        let places: Vec<Place> = (0..100_000).map(place).collect();
        let strokes = strokes(&places, &AREA, 400);
        assert_eq!(strokes.len(), 1);
        assert!(strokes[0].len() <= 404, "{}", strokes[0].len());
        assert!(strokes[0].contains(&(31.415, 49.0)));
        assert_eq!((Some(strokes[0][0]), strokes[0].last().copied()), (places[0], places[99_999]));
    }

    #[test]
    fn a_path_that_fills_the_area_is_bounded_too() {
        let place =
            |i: u32| Some((f64::from(i * 7919 % 1000) * 0.1, f64::from(i * 104_729 % 500) * 0.1));
        let places: Vec<Place> = (0..40_000).map(place).collect();
        assert!(strokes(&places, &AREA, 500)[0].len() <= 501);
        assert!(scattered(&places, &AREA, 500).len() <= 500);
    }

    #[test]
    fn a_line_of_gaps_is_bounded_too() {
        let place =
            |i: u32| (!i.is_multiple_of(3)).then_some((f64::from(i) * 1e-4, f64::from(i % 50)));
        let places: Vec<Place> = (0..1_000_000).map(place).collect();
        let strokes = strokes(&places, &AREA, 6000);
        assert!((1000..=2000).contains(&strokes.len()), "{}", strokes.len());
    }

    #[test]
    fn numbers_of_a_path_are_short() {
        let places = vec![(12.34, 0.04), (12.04, 0.55), (112.0, 0.5)];
        assert_eq!(path(&[places]), "M12.3 0l-.3 .6 100-.1");
    }
}
