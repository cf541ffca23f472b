//! Time on the processor, not on the wall: other work on the machine does not count.

use std::time::Duration;

use cpu_time::ThreadTime;

/// Runs shorter than this are repeated.
const LONG: Duration = Duration::from_secs(1);
const RUNS: usize = 7;

/// The answer of the first run and the least time of several; a long run is not repeated.
///
/// `run` is given the question whether `limit` is used up.
pub fn least_time<T>(limit: Duration, mut run: impl FnMut(&dyn Fn() -> bool) -> T) -> (T, f64) {
    let mut timed = || {
        let start = ThreadTime::now();
        let answer = run(&|| start.elapsed() > limit);
        (answer, start.elapsed())
    };
    let (answer, mut least) = timed();
    let mut spent = least;
    for _ in 1..RUNS {
        if spent > LONG {
            break;
        }
        let (_, time) = timed();
        spent += time;
        least = least.min(time);
    }
    (answer, least.as_secs_f64())
}

/// Processor time that this thread has taken so far [s].
pub fn thread_seconds() -> f64 {
    ThreadTime::now().as_duration().as_secs_f64()
}

/// Slope of log y over log x by least squares; NaN for fewer than two points.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let log = || points.iter().map(|&(x, y)| (x.ln(), y.ln()));
    let (mean_x, mean_y) =
        log().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x / count, sy + y / count));
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in log() {
        above += (x - mean_x) * (y - mean_y);
        below += (x - mean_x) * (x - mean_x);
    }
    above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let points = [1.0, 10.0, 50.0].map(|x: f64| (x, 3.0 * x.powf(2.5)));
        assert!((exponent(&points) - 2.5).abs() < 1e-12);
        assert!(exponent(&points[..1]).is_nan());
    }

    #[test]
    fn a_run_that_asks_is_told_when_the_limit_is_used_up() {
        let (rounds, time) = least_time(Duration::from_millis(5), |stop| {
            let mut rounds = 0_u64;
            while !stop() {
                rounds += 1;
            }
            rounds
        });
        assert!(rounds > 0 && time >= 0.005);
    }
}
