//! Toys whose motion has no closed form (S): what must hold of it whatever it is, and that shorter steps agree ever better.

mod rattleback;
mod twin;
mod woodpecker;

/// Orders of convergence of a figure found with steps h, h/2, h/4, …, by its differences.
fn orders(figures: &[f64]) -> Vec<f64> {
    let steps: Vec<f64> = figures.windows(2).map(|pair| (pair[0] - pair[1]).abs()).collect();
    steps.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

/// The order at h → 0 by the last two of [`orders`]: measured orders differ from it by O(h).
fn limit_order(figures: &[f64]) -> f64 {
    let orders = orders(figures);
    let n = orders.len();
    2.0 * orders[n - 1] - orders[n - 2]
}
