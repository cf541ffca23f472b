//! Where the path is.

use super::contact::Contact;

/// A place, or a change of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) contacts: Vec<Contact>,
    pub(super) x: Vec<f64>,
    /// t; of a change, that of log t.
    pub(super) t: f64,
}

impl Place {
    pub(super) fn clear(&mut self, contacts: usize, coordinates: usize) {
        self.contacts.clear();
        self.contacts.resize(contacts, Contact::default());
        self.x.clear();
        self.x.resize(coordinates, 0.0);
        self.t = 0.0;
    }

    pub(super) fn copy(&mut self, from: &Self) {
        self.contacts.copy_from_slice(&from.contacts);
        self.x.copy_from_slice(&from.x);
        self.t = from.t;
    }

    pub(super) fn add(&mut self, change: &Self, part: f64) {
        for (contact, change) in self.contacts.iter_mut().zip(&change.contacts) {
            contact.add(change, part);
        }
        self.x.iter_mut().zip(&change.x).for_each(|(x, dx)| *x += part * dx);
        self.t *= 1.0 + part * change.t;
    }
}
