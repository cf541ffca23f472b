//! Numbers of text formats.

use super::{Fault, Place};

/// A finite number.
pub(super) fn finite(token: &str, place: Place) -> Result<f64, Fault> {
    match token.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(Fault::new(place, "a finite number", quoted(token))),
    }
}

/// Text of a file as a message shows it: no longer than a line bears, without control characters.
pub(super) fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}
