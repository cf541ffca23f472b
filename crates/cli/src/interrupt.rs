//! Ctrl-C: asked for once, a run ends after its step and leaves everything readable; asked for twice, the process ends.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens from now on: for commands that ask. The others end at once, as programs do. Where that is not possible, Ctrl-C ends the process at once, as without it.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(1);
        }
    });
}

pub(crate) fn is_asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
