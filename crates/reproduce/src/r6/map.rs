//! Uniform rods over angle and coefficient of friction: how many forces each has, and its step in time.

use std::error::Error;

use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::paradox::rod::Rod;
use stiction_sim::paradox::{ParadoxSettings, Solutions, explore, stepped};
use stiction_sim::{Coordinates, Input, StepSettings};

/// Evenly spaced values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub first: f64,
    pub last: f64,
    pub n: usize,
}

impl Range {
    /// The middles of n cells between two numbers.
    pub fn cells(from: f64, to: f64, n: usize) -> Self {
        let half = 0.5 * (to - from) / n as f64;
        Self { first: from + half, last: to - half, n }
    }

    pub fn value(&self, i: usize) -> f64 {
        let share = if self.n > 1 { i as f64 / (self.n - 1) as f64 } else { 0.0 };
        self.first + (self.last - self.first) * share
    }

    /// Half the distance of two values; of a single one, half a unit.
    fn half(&self) -> f64 {
        if self.n > 1 { 0.5 * (self.last - self.first) / (self.n - 1) as f64 } else { 0.5 }
    }

    /// With half a cell on both sides.
    fn around(&self) -> (f64, f64) {
        (self.first - self.half(), self.last + self.half())
    }
}

/// Which rods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    pub mu: Range,
    /// θ [°]
    pub angle: Range,
    /// Spin [rad/s].
    pub omega: f64,
    /// Of the step [s].
    pub h: f64,
}

/// How many forces a rod has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// One, not zero.
    Presses,
    /// One, zero.
    LiftsOff,
    Several,
    /// None, proved.
    None,
    /// Not known, or a family.
    Other,
}

impl Sort {
    pub const ALL: [Self; 5] =
        [Self::Presses, Self::LiftsOff, Self::Several, Self::None, Self::Other];

    pub fn name(self) -> &'static str {
        match self {
            Self::Presses => "one, presses",
            Self::LiftsOff => "one, lifts off",
            Self::Several => "several",
            Self::None => "none",
            Self::Other => "unknown",
        }
    }
}

/// One rod.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// θ [°]
    pub angle: f64,
    pub mu: f64,
    /// Closed form: a N + c [1/kg, m/s²].
    pub a: f64,
    pub c: f64,
    pub sort: Sort,
    /// Normal forces [N].
    pub forces: Vec<f64>,
    /// The step: normal impulse [N·s], certificate, work of the contact [J].
    pub impulse: f64,
    pub certified: bool,
    pub contact_work: f64,
}

impl Cell {
    /// What the signs of a and c say.
    pub fn expected(&self) -> Sort {
        match (self.a > 0.0, self.c > 0.0) {
            (true, false) => Sort::Presses,
            (true, true) => Sort::LiftsOff,
            (false, true) => Sort::Several,
            (false, false) => Sort::None,
        }
    }
}

/// All rods of a grid, by angle, then by coefficient.
pub fn map(grid: &Grid) -> Result<Vec<Cell>, Box<dyn Error>> {
    let mut cells = Vec::new();
    for i in 0..grid.angle.n {
        for j in 0..grid.mu.n {
            cells.push(cell(grid, grid.angle.value(i), grid.mu.value(j))?);
        }
    }
    Ok(cells)
}

fn cell(grid: &Grid, angle: f64, mu: f64) -> Result<Cell, Box<dyn Error>> {
    let rod = Rod { omega: grid.omega, ..Rod::uniform(angle.to_radians(), mu) };
    let model = rod.model(Coordinates::Generalized)?;
    let (state, input) = (rod.state(&model), Input::default());
    let explored = explore(&model, &ParadoxSettings::default(), &input, &state)?;
    let forces: Vec<f64> = explored.solutions.list().iter().map(|one| one.lambda[0]).collect();
    let sort = match &explored.solutions {
        Solutions::None { .. } => Sort::None,
        Solutions::Several(_) => Sort::Several,
        Solutions::Unique(_) if forces[0] > 0.0 => Sort::Presses,
        Solutions::Unique(_) => Sort::LiftsOff,
        _ => Sort::Other,
    };
    let settings = StepSettings { h: grid.h, ..Default::default() };
    // a step without a certificate is an error of the step; it counts as such
    let (impulse, certified, contact_work) = match stepped(&model, &settings, &input, &state) {
        Ok(step) => {
            (step.p.first().copied().unwrap_or(0.0), step.is_certified(), step.contact_work)
        }
        Err(_) => (f64::NAN, false, f64::NAN),
    };
    let (a, c) = (rod.a(), rod.c());
    Ok(Cell { angle, mu, a, c, sort, forces, impulse, certified, contact_work })
}

/// The map with the limit a = 0 and, where it is within, c = 0.
pub fn panel(grid: &Grid, cells: &[Cell]) -> Panel {
    let (width, height) = (420.0, 320.0);
    let (x, y) = (grid.angle.around(), grid.mu.around());
    let stroke = Stroke::Cells {
        // a little larger: no light between them
        width: libm::ceil(width / grid.angle.n as f64) as u32,
        height: libm::ceil(height / grid.mu.n as f64) as u32,
    };
    let mut lines = Vec::new();
    for (sort, colour) in Sort::ALL.into_iter().zip([0, 2, 3, 1, 5]) {
        let of = cells.iter().filter(|cell| cell.sort == sort);
        let points: Vec<(f64, f64)> = of.map(|cell| (cell.angle, cell.mu)).collect();
        if !points.is_empty() {
            lines.push(Line { label: sort.name().into(), colour, stroke, points });
        }
    }
    let fine = |i: u32| x.0 + (x.1 - x.0) * f64::from(i) / 400.0;
    let limit = (1..400)
        .map(fine)
        .map(|angle| (angle, Rod::uniform(angle.to_radians(), 1.0).critical_mu()));
    let none = String::new;
    lines.push(Line { label: none(), colour: 5, stroke: Stroke::Dashed, points: limit.collect() });
    // (l/2) ω² sin θ = g
    let sine = 9.81 / (0.5 * grid.omega * grid.omega);
    if sine < 1.0 {
        let angle = libm::asin(sine).to_degrees();
        let points = vec![(angle, y.0), (angle, y.1)];
        lines.push(Line { label: none(), colour: 5, stroke: Stroke::Dotted, points });
    }
    let title = format!("ω = {} rad/s", grid.omega);
    let (x, y) = (Axis::linear("θ [°]", x), Axis::linear("μ", y));
    Panel { title, size: (width, height), x, y, lines }
}

/// The map as a picture of its own.
pub fn picture(grid: &Grid, cells: &[Cell]) -> String {
    svg("Forces of a sliding uniform rod", &[panel(grid, cells)])
}
