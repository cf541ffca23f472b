//! Contacts of two faces in one plane.
//!
//! Points midway between two faces that are not parallel lie on a slant. Let two of them, a length L apart, close gaps φ₁ and φ₂ in a
//! step: the bodies turn by (φ₁ − φ₂)/(h L) against each other, and the points, (φ₁ − φ₂)/2 apart along n, move along the plane
//! at speeds that differ by (φ₁ − φ₂)²/(2 h L). So both of them cannot stick, and a problem of which one does would be
//! asked about nothing. In one plane across n both can. Normal rows do not change when a point moves along n.
//!
//! Theory: `docs/theory/contact.md`.

use crate::collide::Contact;

/// Normals are the same if their cosine is at least this.
const SAME: f64 = 1.0 - 1e-12;
/// Gaps that differ by less than this part of the distance of their points have them in one plane.
const LEVEL: f64 = 1e-9;

/// Moves points of contacts, which are sorted by key, along their normals: those of two shapes that have one normal come into the plane
/// of the one with the smallest gap.
pub(super) fn level(contacts: &mut [Contact]) {
    let pair = |c: &Contact| (c.key.shape_a, c.key.shape_b);
    for of_pair in contacts.chunk_by_mut(|a, b| pair(a) == pair(b)) {
        // points on a plane, however many, have one normal to the last bit
        let mut last = None;
        for i in 0..of_pair.len() {
            let contact = of_pair[i];
            let lowest = match last {
                Some((n_W, lowest)) if n_W == contact.n_W => lowest,
                _ => lowest_with(of_pair, &contact),
            };
            last = Some((contact.n_W, lowest));
            let Some(lowest) = lowest.map(|at: usize| of_pair[at]) else { continue };
            let apart = lowest.p_W - contact.p_W;
            if (contact.gap - lowest.gap).abs() > LEVEL * apart.norm() {
                of_pair[i].p_W += contact.n_W * contact.n_W.dot(&apart);
            }
        }
    }
}

/// Which contact of a pair has the smallest gap of those with this one's normal.
fn lowest_with(of_pair: &[Contact], contact: &Contact) -> Option<usize> {
    let with = of_pair.iter().enumerate().filter(|(_, c)| c.n_W.dot(&contact.n_W) >= SAME);
    let lowest = with.min_by(|(_, a), (_, b)| a.gap.total_cmp(&b.gap).then(a.key.cmp(&b.key)));
    lowest.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::ContactKey;
    use crate::math::Vec3;
    use crate::model::Surface;

    fn contact(feature: u32, p: [f64; 3], n_W: Vec3, gap: f64) -> Contact {
        let key = ContactKey { shape_a: 0, shape_b: 1, feature };
        let surface = Surface::rigid(0.5);
        Contact { key, a: None, b: Some(0), p_W: p.into(), n_W, gap, surface }
    }

    /// A face that leans over the plane z = 0, its points midway, and a contact elsewhere of the same two shapes.
    fn leaning(slope: f64) -> Vec<Contact> {
        let corner = |feature: u32, x: f64, y: f64| {
            let gap = 0.01 + slope * x;
            contact(feature, [x, y, 0.5 * gap], Vec3::z(), gap)
        };
        let other = contact(4, [3.0, 0.0, 1.0], Vec3::x(), 0.3);
        vec![
            corner(0, -1.0, 0.0),
            corner(1, 1.0, 0.0),
            corner(2, 1.0, 2.0),
            corner(3, -1.0, 2.0),
            other,
        ]
    }

    #[test]
    fn contacts_of_a_face_that_leans_come_into_the_plane_of_the_nearest_and_can_all_stick() {
        let mut contacts = leaning(0.004);
        let before = contacts.clone();
        level(&mut contacts);
        for (c, old) in contacts.iter().zip(&before).take(4) {
            assert!((c.p_W.z - 0.5 * 0.006).abs() < 1e-17, "{c:?}");
            assert_eq!((c.gap, c.p_W.x, c.p_W.y), (old.gap, old.p_W.x, old.p_W.y));
        }
        assert_eq!(contacts[4], before[4]);
        // the motion that closes all gaps in a second: a turn about y, nothing along the plane
        let (v, w) = (Vec3::new(0.0, 0.0, -0.01), Vec3::new(0.0, 0.004, 0.0));
        let stays = |p: &Vec3, level: f64| v + w.cross(&(p - Vec3::new(0.0, 0.0, level)));
        for c in &contacts[..4] {
            let u = stays(&c.p_W, 0.003);
            assert!((u.z + c.gap).abs() < 1e-16 && u.x.abs() < 1e-16 && u.y == 0.0, "{u}");
        }
    }

    #[test]
    fn faces_that_are_parallel_keep_their_bits() {
        let mut contacts = leaning(1e-13);
        let before = contacts.clone();
        level(&mut contacts);
        assert_eq!(contacts, before);
    }
}
