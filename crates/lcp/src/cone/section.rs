//! The section of a friction cone at unit normal impulse: a disc, or a convex polygon around 0.
//!
//! Theory: `docs/theory/alart-curnier.md`.

use super::{Triple, length};

/// `r_t ∈ r_n · section`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Section {
    Disc {
        mu: f64,
    },
    /// Corners in counter-clockwise order, 0 inside or on the border.
    Polygon {
        corners: Vec<[f64; 2]>,
    },
}

/// What a contact does in one linear piece of the map.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) enum Piece {
    #[default]
    Open,
    Stick,
    /// `r_t = r_n along + side σ`, where σ feels the compliance divided by θ; θ = 0: no σ.
    Slip {
        along: [f64; 2],
        side: [f64; 2],
        theta: f64,
    },
}

impl Section {
    /// The map of Alart and Curnier: `max(0, z_n)`, and z_t projected onto `z_n · section`.
    pub(crate) fn map(&self, z: &Triple) -> Triple {
        match self.piece(z) {
            Piece::Open => [0.0; 3],
            Piece::Stick => *z,
            Piece::Slip { along, side, theta } => {
                let sigma = theta * (side[0] * z[1] + side[1] * z[2]);
                [z[0], z[0] * along[0] + sigma * side[0], z[0] * along[1] + sigma * side[1]]
            }
        }
    }

    /// The piece of the map at z.
    pub(crate) fn piece(&self, z: &Triple) -> Piece {
        if !(z[0] > 0.0) {
            return Piece::Open;
        }
        match self {
            Self::Disc { mu } => {
                let tangent = length(z[1], z[2]);
                if tangent <= mu * z[0] {
                    return Piece::Stick;
                }
                let t = [z[1] / tangent, z[2] / tangent];
                let along = [mu * t[0], mu * t[1]];
                Piece::Slip { along, side: [-t[1], t[0]], theta: mu * z[0] / tangent }
            }
            Self::Polygon { corners } => polygon_piece(corners, [z[1] / z[0], z[2] / z[0]]),
        }
    }
}

/// The piece of the projection of x onto a polygon: inside, an edge, or a corner.
fn polygon_piece(corners: &[[f64; 2]], x: [f64; 2]) -> Piece {
    let mut nearest = (f64::INFINITY, Piece::Stick);
    let mut inside = true;
    for (i, a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        let (edge, from_a) = ([b[0] - a[0], b[1] - a[1]], [x[0] - a[0], x[1] - a[1]]);
        let size = length(edge[0], edge[1]);
        let e = [edge[0] / size, edge[1] / size];
        // outside of a counter-clockwise polygon is to the right of an edge
        let outward = e[1] * from_a[0] - e[0] * from_a[1];
        if !(outward > 0.0) {
            continue;
        }
        inside = false;
        let place = e[0] * from_a[0] + e[1] * from_a[1];
        let (distance, piece) = if place <= 0.0 {
            (length(from_a[0], from_a[1]), Piece::Slip { along: *a, side: e, theta: 0.0 })
        } else if place >= size {
            let from_b = length(x[0] - b[0], x[1] - b[1]);
            (from_b, Piece::Slip { along: b, side: e, theta: 0.0 })
        } else {
            // r_t = r_n (foot of the edge's line from 0) + e (e · z_t)
            let height = e[1] * a[0] - e[0] * a[1];
            let along = [height * e[1], -height * e[0]];
            (outward, Piece::Slip { along, side: e, theta: 1.0 })
        };
        if distance < nearest.0 {
            nearest = (distance, piece);
        }
    }
    if inside { Piece::Stick } else { nearest.1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polygon_projects_to_its_nearest_point() {
        let corners = vec![[0.5, 0.0], [0.0, 0.5], [-0.5, 0.0], [0.0, -0.5]];
        let section = Section::Polygon { corners };
        assert_eq!(section.map(&[-1.0, 3.0, 0.0]), [0.0; 3]);
        assert_eq!(section.map(&[2.0, 0.3, -0.2]), [2.0, 0.3, -0.2]);
        // a corner, and the middle of an edge, at normal impulse 2
        assert_eq!(section.map(&[2.0, 3.0, 0.1]), [2.0, 1.0, 0.0]);
        let edge = section.map(&[2.0, 1.5, 1.5]);
        assert!((edge[1] - 0.5).abs() < 1e-15 && (edge[2] - 0.5).abs() < 1e-15, "{edge:?}");
    }

    #[test]
    fn a_polygon_of_many_corners_is_nearly_a_disc() {
        let corners = (0..720).map(|i| {
            let a = f64::from(i) * std::f64::consts::PI / 360.0;
            [0.7 * a.cos(), 0.7 * a.sin()]
        });
        let polygon = Section::Polygon { corners: corners.collect() };
        for z in [[1.0, 2.0, -0.4], [3.0, 0.1, 0.2], [0.5, -1.0, -1.0]] {
            let (p, d) = (polygon.map(&z), Section::Disc { mu: 0.7 }.map(&z));
            // a far point projects to a corner, at most half an edge from where the disc puts it
            let half_edge = z[0] * 0.7 * std::f64::consts::PI / 720.0;
            assert!((0..3).all(|a| (p[a] - d[a]).abs() < 1.01 * half_edge), "{p:?} {d:?}");
        }
    }
}
