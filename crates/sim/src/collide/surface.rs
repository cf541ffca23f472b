//! What is made of flat faces, as triangles: for pictures and other programs.

use super::parry::hull_triangles;
use crate::math::Vec3;
use crate::model::Shape;

/// Vertices [m] and triangles, counterclockwise from outside, of a hull, a mesh or a height field; None for what is round,
/// without end, or of several parts.
pub fn surface(shape: &Shape) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
    match shape {
        Shape::Hull(points) => hull_triangles(points),
        Shape::Mesh { vertices, triangles } => Some((vertices.clone(), triangles.clone())),
        Shape::HeightField { nx, ny, spacing, heights } => {
            Some(height_field(*nx, *ny, *spacing, heights))
        }
        _ => None,
    }
}

/// Two triangles for each cell of the grid.
fn height_field(
    nx: usize,
    ny: usize,
    spacing: [f64; 2],
    heights: &[f64],
) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let middle = |n: usize| 0.5 * (n as f64 - 1.0);
    let mut vertices = Vec::with_capacity(heights.len());
    let mut triangles = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            let x = (i as f64 - middle(nx)) * spacing[0];
            let y = (j as f64 - middle(ny)) * spacing[1];
            vertices.push(Vec3::new(x, y, heights[i + nx * j]));
            if i + 1 < nx && j + 1 < ny {
                let a = (i + nx * j) as u32;
                let (b, c) = (a + 1, a + nx as u32);
                triangles.extend([[a, b, c + 1], [a, c + 1, c]]);
            }
        }
    }
    (vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six times the volume behind the triangles.
    fn volume((vertices, triangles): &(Vec<Vec3>, Vec<[u32; 3]>)) -> f64 {
        let corner = |i: u32| vertices[i as usize];
        triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c)))).sum()
    }

    #[test]
    fn the_surface_of_a_hull_encloses_it() {
        let bit = |k: usize, b: usize| if k >> b & 1 == 1 { 0.5 } else { -0.5 };
        let corners = (0..8).map(|k| Vec3::new(bit(k, 0), 2.0 * bit(k, 1), 3.0 * bit(k, 2)));
        let surface = surface(&Shape::Hull(corners.collect())).unwrap();
        assert_eq!(surface.1.len(), 12);
        assert!((volume(&surface) / 6.0 - 6.0).abs() < 1e-12);
    }

    #[test]
    fn the_cells_of_a_height_field_face_upwards() {
        let heights = (0..12).map(|k| 0.1 * f64::from(k % 5)).collect();
        let field = Shape::HeightField { nx: 4, ny: 3, spacing: [0.5, 0.25], heights };
        let (vertices, triangles) = surface(&field).unwrap();
        assert_eq!((vertices.len(), triangles.len()), (12, 12));
        assert_eq!((vertices[0].x, vertices[0].y), (-0.75, -0.25));
        for [a, b, c] in triangles {
            let [a, b, c] = [a, b, c].map(|i| vertices[i as usize]);
            assert!((b - a).cross(&(c - a)).z > 0.0);
        }
    }
}
