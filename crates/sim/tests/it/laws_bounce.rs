//! Bouncing balls: laws D (a ball that is dropped), H (the oblique bounce) and I (the cradle), in steps that locate their
//! impacts and in steps of fixed length.

use stiction_sim::contact::{ContactSettings, NormalRow};
use stiction_sim::impact::{ImpactLaw, ImpactSettings, Treatment};
use stiction_sim::located::EventKind;
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::{
    Data, Geometry, Inertia, Input, LocatedSettings, Model, ModelSpec, Quat, State, StepSettings,
    Vec3, step,
};

use crate::located::{Happened, at, run_located};
use crate::scenes::{G, build, largest_difference, place};

const H: f64 = 1.0;
const RADIUS: f64 = 0.25;

/// A ball whose lowest point is H above the ground.
fn dropped(e: f64) -> (Model, State) {
    let (model, mut state) = ball(e, 0.0, G);
    state.q[2] = RADIUS + H;
    (model, state)
}

/// A solid ball of 1 kg that touches the ground.
fn ball(e: f64, mu: f64, g: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::new(0.0, 0.0, -g);
    spec.material("rubber", Surface { e, ..Surface::rigid(mu) });
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "rubber");
    spec.body("ball", Inertia::principal(1.0, [0.4 * RADIUS * RADIUS; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: RADIUS }, "rubber");
    let (model, mut state) = build(&spec);
    state.q[2] = RADIUS;
    (model, state)
}

/// What the book says of the ball.
struct Book {
    e: f64,
    /// Of the first hit [s], its speed [m/s].
    t_0: f64,
    v_0: f64,
}

impl Book {
    fn new(e: f64) -> Self {
        Self { e, t_0: (2.0 * H / G).sqrt(), v_0: (2.0 * G * H).sqrt() }
    }

    /// e + e² + … + eⁿ.
    fn sum(&self, n: usize) -> f64 {
        (1..=n).map(|k| self.e.powi(k as i32)).sum()
    }

    /// When it hits for the n-th time, from 0 [s].
    fn time(&self, n: usize) -> f64 {
        self.t_0 * (1.0 + 2.0 * self.sum(n))
    }

    fn speed(&self, n: usize) -> f64 {
        self.v_0 * self.e.powi(n as i32)
    }

    fn peak(&self, n: usize) -> f64 {
        H * self.e.powi(2 * n as i32)
    }

    fn rest(&self) -> f64 {
        self.t_0 * (1.0 + self.e) / (1.0 - self.e)
    }

    fn path(&self) -> f64 {
        H * (1.0 + self.e * self.e) / (1.0 - self.e * self.e)
    }

    /// To which the n-th peak of a fixed step is right, as a share of it.
    fn error_of_peak(&self, n: usize, h: f64) -> f64 {
        2.0 * G * h / self.speed(n) * (0..n).map(|k| self.e.powi(k as i32)).sum::<f64>()
    }
}

/// Nothing is left of the velocities but rounding: 1e-12 of what stopped them, 4 m/s, and of places, which a step makes good.
fn is_still(state: &State, h: f64) -> bool {
    state.v.iter().all(|v| v.abs() <= 4e-12 + f64::EPSILON * (H + RADIUS) / h)
}

/// How far a thrown ball goes between two velocities.
fn way(from: f64, to: f64) -> f64 {
    let (up, down) = (from * from / (2.0 * G), to * to / (2.0 * G));
    if from * to < 0.0 { up + down } else { (up - down).abs() }
}

/// A dropped ball in located steps, until `end`.
fn located_drop(e: f64, h: f64, end: f64) {
    let book = Book::new(e);
    let (T, V) = (if e < 1.0 { book.rest() } else { end }, book.v_0);
    let (model, mut state) = dropped(e);
    let mut data = Data::new(&model);
    let settings = at(h, Geometry::Middle);
    let (mut hits, mut path, mut rest) = (0, 0.0, None);
    while state.time < end {
        let mut v = state.v[2];
        let happened = run_located(&model, &settings, &mut state, &mut data, 1);
        for Happened { time, kind } in happened.events {
            match kind {
                EventKind::Impact { strikes, .. } => {
                    let off = (time - book.time(hits)).abs();
                    assert!(off <= 1e-10 * T, "e {e} h {h}: bounce {hits} is {off:e} off");
                    let u_n = [-book.speed(hits), book.speed(hits + 1)];
                    let off = largest_difference(&strikes[0].u_n, &u_n);
                    assert!(off <= 1e-10 * V, "e {e} h {h}: speeds {hits} are {off:e} off");
                    path += way(v, strikes[0].u_n[0]);
                    v = strikes[0].u_n[1];
                    hits += 1;
                }
                EventKind::Rest { .. } => {
                    assert!(rest.is_none(), "e {e} h {h}: it rests twice");
                    rest = Some(time);
                }
            }
        }
        path += way(v, state.v[2]);
        let rises = if hits == 0 { H } else { book.peak(hits) };
        let rises = if rest.is_some() { 0.0 } else { rises };
        let off = (state.q[2] - RADIUS + state.v[2] * state.v[2] / (2.0 * G) - rises).abs();
        assert!(off <= 1e-10 * H, "e {e} h {h}: after {hits} bounces the peak is {off:e} off");
        if rest.is_some() {
            assert!(is_still(&state, h), "e {e} h {h}: {:?}", state.v);
        }
    }
    assert!(hits > 0, "e {e} h {h}");
    if e == 1.0 {
        return;
    }
    assert!(is_still(&state, h), "e {e} h {h}: {:?}", state.v);
    assert!((path - book.path()).abs() <= 1e-10 * book.path(), "e {e} h {h}: path {path}");
    if e > 0.0 {
        let off = (rest.expect("rest") - T).abs();
        assert!(off <= 1e-10 * T, "e {e} h {h}: it rests {off:e} off");
    }
}

#[test]
fn a_dropped_ball_bounces_by_the_book_where_impacts_are_located() {
    for h in [1e-2, 1e-3] {
        for e in [0.0, 0.3, 0.5, 0.8, 0.95] {
            located_drop(e, h, 1.02 * Book::new(e).rest() + 3.0 * h);
        }
        located_drop(1.0, h, 10.0);
    }
    for e in [0.0, 0.3, 0.5] {
        located_drop(e, 1e-4, 1.02 * Book::new(e).rest());
    }
}

#[test]
#[ignore = "a minute of processor time"]
fn a_dropped_ball_bounces_by_the_book_in_located_steps_of_any_length() {
    for h in [1.0, 0.1, 1e-4, 1e-5] {
        for e in [0.0, 0.3, 0.5, 0.8, 0.95] {
            located_drop(e, h, 1.02 * Book::new(e).rest() + 3.0 * h);
        }
        located_drop(1.0, h, 10.0);
    }
}

/// Moreau's scheme: contacts count where they are closed in the middle of the step, and say something of velocities alone.
/// What a solve leaves of its tolerance stays in the speed of the ball, so none is left.
fn moreau(h: f64) -> StepSettings {
    let contact = ContactSettings { normal: NormalRow::Velocity, tol: 1e-13, ..Default::default() };
    StepSettings { h, geometry: Geometry::Middle, contact, ..Default::default() }
}

/// The default rows, which see gaps before they close.
fn rows_of_gaps(h: f64) -> StepSettings {
    let contact = ContactSettings { tol: 1e-13, ..Default::default() };
    StepSettings { h, contact, ..Default::default() }
}

/// What a dropped ball did in steps of fixed length.
struct Drop {
    /// Middle of the step of the first hit [s].
    first: f64,
    /// How high above the ground it would rise, the highest of each flight; before the first hit H [m].
    peaks: Vec<f64>,
    /// How far it would rise from where each flight begins [m].
    rises: Vec<f64>,
    /// From when on it did not move [s].
    rest: f64,
    /// Its lowest point, the lowest and the last one [m].
    lowest: f64,
    last: f64,
}

fn fixed_drop(e: f64, settings: &StepSettings, end: f64) -> Drop {
    let (model, mut state) = dropped(e);
    let mut data = Data::new(&model);
    let nothing = f64::NAN;
    let mut drop = Drop {
        first: nothing,
        peaks: vec![H],
        rises: vec![H],
        rest: nothing,
        lowest: H,
        last: nothing,
    };
    let (mut fell, mut moved) = (false, 0.0);
    // where the kick comes first, places are half a step ahead of velocities; the kick is half a step before the end elsewhere
    let ahead = if settings.geometry == Geometry::Begin { 0.5 * settings.h } else { 0.0 };
    for i in 0..(end / settings.h).ceil() as usize {
        let report = step(&model, settings, &Input::default(), &mut state, &mut data)
            .unwrap_or_else(|error| panic!("step {i}: {error}"));
        assert!(report.contact.is_none_or(|contact| contact.certified));
        let (z, v) = (state.q[2] - RADIUS, state.v[2]);
        if fell && v >= -1e-12 {
            if drop.first.is_nan() {
                drop.first = state.time - 0.5 * settings.h;
            }
            drop.peaks.push(f64::NEG_INFINITY);
            drop.rises.push(v * v / (2.0 * G));
        }
        fell = v < -1e-12;
        if !is_still(&state, settings.h) {
            moved = state.time;
        }
        let top = drop.peaks.last_mut().expect("a flight");
        *top = top.max(z + v * v / (2.0 * G) - ahead * v);
        drop.lowest = drop.lowest.min(z);
        drop.last = z;
    }
    drop.rest = moved + settings.h;
    drop
}

/// Hit Δt ≤ h late, at the depth v Δt and faster by g Δt, a ball rises to a peak that is lower by v Δt (1 − e²): beside the error
/// that law D allows, e h v, times this.
fn from_ground(e: f64) -> f64 {
    ((1.0 - e * e) / e).max(1.0)
}

/// Law D for steps of fixed length in the middle of which contacts count.
fn moreau_drop(e: f64, h: f64) {
    let book = Book::new(e);
    let end = if e < 1.0 { 1.05 * book.rest() + 50.0 * h } else { 20.0 };
    let drop = fixed_drop(e, &moreau(h), end + 10.0 * h);
    let late = drop.first - book.t_0;
    // the middle of the step is reached at the velocity of its beginning, that is too high by g h²/8
    let early = G * h * h / 8.0 / book.v_0;
    assert!(
        late >= -1e-12 && late <= h + early + 1e-12,
        "e {e} h {h}: the first hit is {late} late"
    );
    for (n, (peak, rise)) in drop.peaks.iter().zip(&drop.rises).enumerate().skip(1) {
        let bound = book.error_of_peak(n, h);
        let above = bound * from_ground(e);
        if !(above < 1.0) {
            break;
        }
        let [off, above_off] = [rise, peak].map(|top| (top / book.peak(n) - 1.0).abs());
        assert!(off <= bound, "e {e} h {h}: rise {n} is off by {off}, more than {bound}");
        assert!(above_off <= above, "e {e} h {h}: peak {n} is off by {above_off} of {above}");
        // but for what solves leave, and rounding of each step
        let slack = 2e-13 * n as f64 + f64::EPSILON * book.time(n) / h;
        assert!(e < 1.0 || *peak <= H * (1.0 + slack), "h {h}: peak {n} is {peak}");
    }
    if e < 1.0 {
        assert!(drop.rest <= end, "e {e} h {h}: at rest at {} instead of {end}", drop.rest);
        // stopped at v within h v of where it was open, it rises by (e v)²/2g or, still inside, rests: deepest where
        // v = g h/e², and by half a step's fall on the way
        let gap = if e > 0.0 { 0.5 * G * h * h * (1.0 + 1.0 / (e * e)) } else { h * book.v_0 };
        assert!(drop.last.abs() <= gap, "e {e} h {h}: rests at {}", drop.last);
    }
}

#[test]
fn a_dropped_ball_bounces_by_the_book_to_first_order_in_fixed_steps() {
    for h in [1e-2, 1e-3] {
        for e in [0.0, 0.3, 0.5, 0.8, 0.95, 1.0] {
            moreau_drop(e, h);
        }
    }
    for e in [0.0, 0.3, 0.5] {
        moreau_drop(e, 1e-4);
    }
}

#[test]
#[ignore = "a minute of processor time"]
fn a_dropped_ball_bounces_by_the_book_to_first_order_in_short_fixed_steps() {
    for h in [1e-4, 1e-5] {
        for e in [0.0, 0.3, 0.5, 0.8, 0.95, 1.0] {
            moreau_drop(e, h);
        }
    }
}

#[test]
fn a_ball_that_keeps_its_speed_never_rises_higher_in_fixed_steps() {
    for h in [0.05, 1e-2, 3.7e-3, 1e-3] {
        for settings in [moreau(h), rows_of_gaps(h)] {
            let drop = fixed_drop(1.0, &settings, 100.0);
            let count = drop.peaks.len();
            assert!(count > 50, "h {h}: {count} flights in 100 s");
            let highest = drop.peaks.iter().fold(0.0, |m: f64, &p| m.max(p));
            // all that each solve may leave
            let slack = 2.0 * settings.contact.tol * count as f64;
            assert!(highest <= H + slack, "h {h} {:?}: {highest}", settings.geometry);
        }
    }
}

#[test]
fn rows_of_gaps_turn_a_ball_back_before_it_touches() {
    for h in [1e-2, 1e-3] {
        for e in [0.0, 0.3, 0.5, 0.8, 0.95] {
            let book = Book::new(e);
            let end = 1.05 * book.rest() + 50.0 * h;
            let drop = fixed_drop(e, &rows_of_gaps(h), end + 10.0 * h);
            assert!(drop.lowest >= -1e-12, "e {e} h {h}: overlaps by {}", -drop.lowest);
            assert!(drop.last <= 1e-12, "e {e} h {h}: ends at {}", drop.last);
            let late = drop.first - book.t_0;
            // it flies half a step ahead; a gap closes in one step, and the next one turns it back
            assert!(
                late >= -1.5 * h && late <= 2.0 * h,
                "e {e} h {h}: the first hit is {late} late"
            );
            assert!(drop.rest <= end, "e {e} h {h}: at rest at {} of {end}", drop.rest);
            for (n, peak) in drop.peaks.iter().enumerate().skip(1) {
                // this rule costs up to three times what activation at the middle does
                let bound = 3.0 * book.error_of_peak(n, h) * from_ground(e);
                if !(bound < 1.0) {
                    break;
                }
                let off = (peak / book.peak(n) - 1.0).abs();
                assert!(off <= bound, "e {e} h {h}: peak {n} is off by {off}, not {bound}");
            }
        }
    }
}

/// Equal balls in a row along x, this far apart; the first comes with 3 m/s.
fn cradle(n: usize, gap: f64, e: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.material("steel", Surface { e, ..Surface::rigid(0.0) });
    for i in 0..n {
        let name = format!("ball {i}");
        spec.body(&name, Inertia::principal(1.0, [0.1; 3]));
        spec.shape(&name, FrameSpec::of(&name), Shape::Sphere { radius: 0.5 }, "steel");
    }
    let (model, mut state) = build(&spec);
    for i in 0..n {
        place(&mut state, i, Vec3::new((1.0 + gap) * i as f64, 0.0, 0.0), Quat::IDENTITY);
    }
    state.v[0] = 3.0;
    (model, state)
}

fn speeds(state: &State) -> Vec<f64> {
    state.v.chunks_exact(6).map(|v| v[0]).collect()
}

/// All at rest but the last.
fn passed_on(n: usize) -> Vec<f64> {
    let mut v = vec![0.0; n];
    v[n - 1] = 3.0;
    v
}

#[test]
fn balls_that_are_apart_pass_the_blow_on() {
    for n in 2..=6 {
        for h in [1e-2, 1e-3] {
            let gap = 3.0 * h * 1.7;
            let steps = (1.5 * gap * n as f64 / 3.0 / h).ceil() as usize;
            let (model, start) = cradle(n, gap, 1.0);
            for geometry in [Geometry::Begin, Geometry::Middle, Geometry::End] {
                for treatment in [Treatment::Simultaneous, Treatment::Sequential] {
                    let mut state = start.clone();
                    let mut settings = at(h, geometry);
                    settings.impact.treatment = treatment;
                    let mut data = Data::new(&model);
                    let happened = run_located(&model, &settings, &mut state, &mut data, steps);
                    assert_eq!(happened.impacts(), n - 1, "{geometry:?}");
                    for (i, Happened { time, .. }) in happened.events.iter().enumerate() {
                        let off = (time - gap * (i + 1) as f64 / 3.0).abs();
                        assert!(off < 1e-12, "{geometry:?}: hit {i} is {off:e} off");
                    }
                    let off = largest_difference(&speeds(&state), &passed_on(n));
                    assert!(off <= 3e-12, "{geometry:?} n {n}: {:?}", speeds(&state));
                }
            }
            for settings in [moreau(h), rows_of_gaps(h)] {
                let mut state = start.clone();
                crate::scenes::run(&model, &settings, &mut state, 2 * steps);
                let off = largest_difference(&speeds(&state), &passed_on(n));
                assert!(off <= 3e-12, "fixed, n {n} h {h}: {:?}", speeds(&state));
            }
        }
    }
}

#[test]
fn touching_balls_move_off_together_or_pass_the_blow_on() {
    for n in 2..=6 {
        let (model, start) = cradle(n, 0.0, 1.0);
        for law in [ImpactLaw::Poisson, ImpactLaw::Newton, ImpactLaw::Dissipative] {
            for treatment in [Treatment::Simultaneous, Treatment::Sequential] {
                for back in [0.0, 0.02] {
                    let mut state = start.clone();
                    state.q[0] -= back;
                    let impact = ImpactSettings { law, treatment, ..Default::default() };
                    let settings = LocatedSettings { impact, ..at(1e-2, Geometry::Middle) };
                    let mut data = Data::new(&model);
                    let happened = run_located(&model, &settings, &mut state, &mut data, 5);
                    assert_eq!(happened.impacts(), 1, "{law:?} {treatment:?} n {n}");
                    let expected = match treatment {
                        Treatment::Sequential => passed_on(n),
                        Treatment::Simultaneous => {
                            let mut v = vec![6.0 / n as f64; n];
                            v[0] -= 3.0;
                            v
                        }
                    };
                    let off = largest_difference(&speeds(&state), &expected);
                    assert!(off <= 3e-12, "{law:?} {treatment:?} n {n}: {:?}", speeds(&state));
                    let K: f64 = speeds(&state).iter().map(|v| v * v).sum();
                    assert!((K / 9.0 - 1.0).abs() <= 1e-12, "{law:?} {treatment:?}: {K}");
                }
            }
        }
    }
}

#[test]
fn an_oblique_bounce_is_that_of_the_book_for_any_step() {
    for (e, mu) in [(0.0, 0.2), (0.5, 0.05), (0.5, 1.0), (0.8, 0.2), (1.0, 0.1), (1.0, 3.0)] {
        let (model, mut start) = ball(e, mu, 0.0);
        start.q[2] += 1.0;
        for (v_x, v_z) in [(3.0, 2.0), (0.4, 5.0), (7.0, 0.7)] {
            (start.v[0], start.v[2]) = (v_x, -v_z);
            for h in [2.0, 1e-1, 1e-2] {
                let steps = (2.0_f64 / h).ceil() as usize;
                for (law, felt) in [(ImpactLaw::Poisson, 1.0), (ImpactLaw::Newton, 1.0 + e)] {
                    let push = mu * felt * v_z;
                    let sticks = push > 2.0 * v_x / 7.0;
                    let [x, spin] = match sticks {
                        true => [5.0 * v_x / 7.0; 2],
                        false => [v_x - push, 2.5 * push],
                    };
                    let mut state = start.clone();
                    let impact = ImpactSettings { law, ..Default::default() };
                    let settings = LocatedSettings { impact, ..at(h, Geometry::Middle) };
                    let mut data = Data::new(&model);
                    let happened = run_located(&model, &settings, &mut state, &mut data, steps);
                    assert_eq!(happened.impacts(), 1, "{law:?} e {e} μ {mu} h {h}");
                    let found = [state.v[0], state.v[2], RADIUS * state.v[4]];
                    let off = largest_difference(&found, &[x, e * v_z, spin]);
                    assert!(off <= 1e-12 * v_x.hypot(v_z), "{law:?} e {e} μ {mu} h {h}: {off:e}");
                    let off = (happened.events[0].time - 1.0 / v_z).abs();
                    assert!(off <= 1e-12 * steps as f64, "{law:?} h {h}: {off:e}");
                }
            }
        }
    }
}
