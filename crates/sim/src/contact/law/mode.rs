//! What a contact does, read off impulses and velocities.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactMode {
    /// No impulse.
    Open,
    Stick,
    /// Slides along this unit vector (t1, t2).
    Slip {
        direction: [f64; 2],
    },
}

/// The mode of each contact: open where `p_n ≤ p_open` [N·s], sliding where `‖u_t‖ > v_slip` [m/s].
///
/// # Panics
///
/// If p and u are not of the same contacts.
pub fn contact_modes(p: &[f64], u: &[f64], p_open: f64, v_slip: f64) -> Vec<ContactMode> {
    assert_eq!(p.len(), u.len(), "impulses and velocities differ in length");
    let mode = |(p_c, u_c): (&[f64], &[f64])| {
        let speed = libm::hypot(u_c[1], u_c[2]);
        if !(p_c[0] > p_open) {
            ContactMode::Open
        } else if speed > v_slip {
            ContactMode::Slip { direction: [u_c[1] / speed, u_c[2] / speed] }
        } else {
            ContactMode::Stick
        }
    };
    p.chunks_exact(3).zip(u.chunks_exact(3)).map(mode).collect()
}
