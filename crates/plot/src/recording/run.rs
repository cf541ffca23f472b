//! The numbers of a run, as they come, in bounded memory.

use std::collections::BTreeMap;

/// What does not change during a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// Over each figure.
    pub title: String,
    /// Among other runs: law, solver, step length.
    pub label: String,
    /// Step length [s].
    pub h: f64,
    /// Asked of each step's residual; not positive: unknown.
    pub tol: f64,
    pub bodies: Vec<String>,
    pub shapes: Vec<String>,
    /// Terms of the energy ledger.
    pub ledger: Vec<String>,
    pub q: Vec<Coordinate>,
    pub v: Vec<Coordinate>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordinate {
    pub name: String,
    pub unit: String,
}

/// What is known after a step. Lists are in the order of [`Names`]; one that is too short ends in gaps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step<'a> {
    /// [s]
    pub time: f64,
    /// Origins of the bodies [m].
    pub positions: &'a [[f64; 3]],
    /// [J]
    pub kinetic: f64,
    pub potential: f64,
    /// Of this step [J].
    pub terms: &'a [f64],
    pub contacts: &'a [Touch],
    pub residual: f64,
    pub uncertified: bool,
    pub iterations: u32,
    pub q: &'a [f64],
    pub v: &'a [f64],
}

/// A contact of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// Places in [`Names::shapes`].
    pub shapes: (u32, u32),
    /// [m]
    pub gap: f64,
    /// Unit vector.
    pub normal: [f64; 3],
    /// [N·s]
    pub impulse: [f64; 3],
}

/// Two shapes that touched; NaN where they did not.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub shapes: (u32, u32),
    /// The least of their contacts [m].
    pub gap: Vec<f64>,
    /// Sum of their contacts [N].
    pub normal: Vec<f64>,
    /// Length of the sum of their contacts [N].
    pub friction: Vec<f64>,
}

/// A run, step by step. Of a long one several steps share a place: the last state, the least gap, the largest force and
/// residual of them.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub names: Names,
    /// Steps in each place.
    pub stride: usize,
    /// Steps in the last place.
    in_last: usize,
    pub time: Vec<f64>,
    /// By body.
    pub positions: Vec<Vec<[f64; 3]>>,
    pub kinetic: Vec<f64>,
    pub potential: Vec<f64>,
    /// By term, summed up since the beginning.
    pub terms: Vec<Vec<f64>>,
    /// In the order in which they touched first.
    pub pairs: Vec<Pair>,
    /// Their places in `pairs`.
    known: BTreeMap<(u32, u32), usize>,
    pub residual: Vec<f64>,
    /// 1 where a step was not certified.
    pub uncertified: Vec<f64>,
    pub iterations: Vec<f64>,
    pub contacts: Vec<f64>,
    pub q: Vec<Vec<f64>>,
    pub v: Vec<Vec<f64>>,
}

/// Numbers that are kept, and places, below which no steps are joined.
const NUMBERS: usize = 8_000_000;
const PLACES: std::ops::RangeInclusive<usize> = 256..=16_384;
/// Pairs and coordinates beyond these are not kept.
const PAIRS: usize = 4096;
const COORDINATES: usize = 64;

impl Run {
    pub fn new(names: Names) -> Self {
        let coordinates = |list: &[Coordinate]| vec![Vec::new(); list.len().min(COORDINATES)];
        Self {
            stride: 1,
            in_last: 1,
            positions: vec![Vec::new(); names.bodies.len()],
            terms: vec![Vec::new(); names.ledger.len()],
            q: coordinates(&names.q),
            v: coordinates(&names.v),
            names,
            ..Self::default()
        }
    }

    pub fn push(&mut self, step: &Step<'_>) {
        if self.in_last == self.stride {
            while self.is_full(step.contacts.len()) {
                self.halve();
            }
            self.open();
        }
        self.in_last += 1;
        self.write(step);
        self.write_contacts(step.contacts);
    }

    /// `box – ground`
    pub fn pair_name(&self, pair: &Pair) -> String {
        let name = |i: u32| match self.names.shapes.get(i as usize) {
            Some(name) => name.clone(),
            None => format!("shape {i}"),
        };
        format!("{} – {}", name(pair.shapes.0), name(pair.shapes.1))
    }

    fn is_full(&self, contacts: usize) -> bool {
        let places = self.time.len();
        let pairs = self.pairs.len().max(contacts.min(PAIRS));
        let numbers =
            8 + 3 * (self.positions.len() + pairs) + self.terms.len() + self.q.len() + self.v.len();
        let most = (NUMBERS / numbers).clamp(*PLACES.start(), *PLACES.end());
        places >= most && places.is_multiple_of(2)
    }

    /// A place without anything yet, but for the sums of the ledger.
    fn open(&mut self) {
        self.in_last = 0;
        self.positions.iter_mut().for_each(|path| path.push([f64::NAN; 3]));
        self.terms.iter_mut().for_each(|sum| sum.push(sum.last().copied().unwrap_or(0.0)));
        for series in self.series() {
            series.0.push(f64::NAN);
        }
    }

    /// All series of single numbers but the ledger, with how two steps in one place are joined.
    fn series(&mut self) -> impl Iterator<Item = (&mut Vec<f64>, Joined)> {
        let last = [&mut self.time, &mut self.kinetic, &mut self.potential];
        let last = last.into_iter().chain(&mut self.q).chain(&mut self.v);
        let most =
            [&mut self.residual, &mut self.uncertified, &mut self.iterations, &mut self.contacts];
        let pairs = self.pairs.iter_mut().flat_map(|pair| {
            [
                (&mut pair.gap, Joined::Least),
                (&mut pair.normal, Joined::Most),
                (&mut pair.friction, Joined::Most),
            ]
        });
        let last = last.map(|series| (series, Joined::Last));
        last.chain(most.into_iter().map(|series| (series, Joined::Most))).chain(pairs)
    }

    /// Joins each two places, which are all filled, to one.
    fn halve(&mut self) {
        self.stride *= 2;
        self.in_last = self.stride;
        for path in &mut self.positions {
            *path = path.chunks(2).map(|two| two[two.len() - 1]).collect();
        }
        for sum in &mut self.terms {
            *sum = sum.chunks(2).map(|two| two[two.len() - 1]).collect();
        }
        for (series, joined) in self.series() {
            *series = series.chunks(2).map(|two| joined.of(two[0], two[two.len() - 1])).collect();
        }
    }

    fn write(&mut self, step: &Step<'_>) {
        let numbers = [step.time, step.kinetic, step.potential];
        let coordinates = |list: &[f64], n: usize| {
            (0..n).map(|i| list.get(i).copied().unwrap_or(f64::NAN)).collect::<Vec<f64>>()
        };
        let numbers = numbers
            .into_iter()
            .chain(coordinates(step.q, self.q.len()))
            .chain(coordinates(step.v, self.v.len()))
            .chain([
                step.residual,
                f64::from(u8::from(step.uncertified)),
                f64::from(step.iterations),
                step.contacts.len() as f64,
            ])
            .collect::<Vec<f64>>();
        for ((series, joined), number) in self.series().zip(numbers) {
            let place = series.len() - 1;
            series[place] = joined.of(series[place], number);
        }
        for (sum, term) in self.terms.iter_mut().zip(step.terms) {
            let place = sum.len() - 1;
            sum[place] += term;
        }
        for (path, position) in self.positions.iter_mut().zip(step.positions) {
            let place = path.len() - 1;
            path[place] = *position;
        }
    }

    /// Adds up the contacts of each pair.
    fn write_contacts(&mut self, contacts: &[Touch]) {
        let mut sorted: Vec<&Touch> = contacts.iter().collect();
        sorted.sort_by_key(|touch| touch.shapes);
        for of_pair in sorted.chunk_by(|a, b| a.shapes == b.shapes) {
            let (mut gap, mut normal, mut friction) = (f64::INFINITY, 0.0, [0.0; 3]);
            for touch in of_pair {
                let along: f64 = (0..3).map(|k| touch.impulse[k] * touch.normal[k]).sum();
                gap = gap.min(touch.gap);
                normal += along / self.names.h;
                for k in 0..3 {
                    friction[k] += (touch.impulse[k] - along * touch.normal[k]) / self.names.h;
                }
            }
            let [x, y, z] = friction;
            let numbers = [gap, normal, libm::sqrt(x * x + y * y + z * z)];
            self.write_pair(of_pair[0].shapes, numbers);
        }
    }

    fn write_pair(&mut self, shapes: (u32, u32), [gap, normal, friction]: [f64; 3]) {
        let place = self.time.len() - 1;
        if !self.known.contains_key(&shapes) && self.pairs.len() < PAIRS {
            let none = || vec![f64::NAN; place + 1];
            self.known.insert(shapes, self.pairs.len());
            self.pairs.push(Pair { shapes, gap: none(), normal: none(), friction: none() });
        }
        if let Some(&i) = self.known.get(&shapes) {
            let pair = &mut self.pairs[i];
            pair.gap[place] = Joined::Least.of(pair.gap[place], gap);
            pair.normal[place] = Joined::Most.of(pair.normal[place], normal);
            pair.friction[place] = Joined::Most.of(pair.friction[place], friction);
        }
    }
}

#[derive(Clone, Copy)]
enum Joined {
    Last,
    Least,
    Most,
}

impl Joined {
    /// NaN: nothing.
    fn of(self, earlier: f64, later: f64) -> f64 {
        match self {
            Self::Last => later,
            Self::Least => earlier.min(later),
            Self::Most => earlier.max(later),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(gap: f64, impulse: [f64; 3]) -> Touch {
        Touch { shapes: (0, 1), gap, normal: [0.0, 0.0, 1.0], impulse }
    }

    #[test]
    fn contacts_of_a_pair_are_added_up() {
        let names = Names { h: 0.5, shapes: vec!["ground".into()], ..Names::default() };
        let mut run = Run::new(names);
        run.push(&Step::default());
        let contacts = [touch(0.1, [3.0, 0.0, 1.0]), touch(-0.2, [0.0, 4.0, 2.0])];
        run.push(&Step { contacts: &contacts, ..Step::default() });
        let pair = &run.pairs[0];
        assert!(pair.gap[0].is_nan() && pair.normal[0].is_nan());
        assert_eq!((pair.gap[1], pair.normal[1], pair.friction[1]), (-0.2, 6.0, 10.0));
        assert_eq!(run.pair_name(pair), "ground – shape 1");
    }

    #[test]
    fn a_long_run_keeps_its_peaks_its_sums_and_its_end() {
        let names = Names { h: 1.0, ledger: vec!["friction".into()], ..Names::default() };
        let mut run = Run::new(names);
        let steps = 100_003_u32;
        for i in 0..steps {
            let peak = if i == 77_777 { 5.0 } else { 1.0 };
            let contacts = [touch(-peak, [0.0, 0.0, peak])];
            let (time, residual) = (f64::from(i), 1e-9 * peak);
            let terms = &[-0.5];
            run.push(&Step { time, residual, terms, contacts: &contacts, ..Step::default() });
        }
        assert!(run.time.len() <= 16_384 && run.stride == 8, "{}", run.time.len());
        assert_eq!(run.time.last(), Some(&f64::from(steps - 1)));
        assert_eq!(run.terms[0].last(), Some(&(-0.5 * f64::from(steps))));
        let most = |series: &[f64]| series.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!((most(&run.residual), most(&run.pairs[0].normal)), (5e-9, 5.0));
        assert_eq!(run.pairs[0].gap.iter().copied().fold(f64::INFINITY, f64::min), -5.0);
        let all = [&run.kinetic, &run.residual, &run.pairs[0].gap, &run.terms[0]];
        assert!(all.iter().all(|series| series.len() == run.time.len()));
    }

    #[test]
    fn lists_that_are_too_short_are_gaps() {
        let names = Names { bodies: vec!["a".into(), "b".into()], ..Names::default() };
        let mut run = Run::new(names);
        run.push(&Step { positions: &[[1.0, 2.0, 3.0]], ..Step::default() });
        assert_eq!(run.positions[0], [[1.0, 2.0, 3.0]]);
        assert!(run.positions[1][0][0].is_nan());
    }
}
