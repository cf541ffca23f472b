//! How far a run is, on a terminal.

use std::fmt::Write;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stiction_record::Frame;

use crate::args::Loudness;
use crate::print::short;

pub(crate) struct Progress {
    bar: ProgressBar,
    worst: f64,
    verbose: bool,
}

impl Progress {
    /// A bar on stderr, if that is a terminal and nobody wants quiet.
    pub(crate) fn new(loudness: &Loudness, steps: u64) -> Self {
        let target = match loudness.quiet || loudness.json {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr_with_hz(8),
        };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        let template = "{wide_bar} {pos}/{len} steps, {eta} left · {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self { bar, worst: 0.0, verbose: loudness.verbose }
    }

    pub(crate) fn show(&mut self, frame: &Frame) {
        let residual = frame.certificate.residual;
        if !(residual <= self.worst) {
            self.worst = residual;
        }
        if self.verbose {
            self.say(frame);
        }
        self.bar.set_position(frame.step);
        if !self.bar.is_hidden() && frame.step.is_multiple_of(16) {
            let (contacts, worst) = (frame.contacts.len(), short(self.worst));
            let rate = self.bar.per_sec();
            let message = format!("{rate:.0} steps/s, {contacts} contacts, worst residual {worst}");
            self.bar.set_message(message);
        }
    }

    /// Impacts, and steps without a certificate, each on a line.
    #[allow(clippy::print_stderr, reason = "what a run says while it goes on")]
    fn say(&self, frame: &Frame) {
        let mut lines = String::new();
        for impact in &frame.impacts {
            let _ = writeln!(
                lines,
                "{:.6} s: impact at {} contacts, {} m/s, {} J lost",
                impact.time,
                impact.contacts,
                short(impact.speed),
                short(impact.lost)
            );
        }
        if !frame.certificate.certified {
            let residual = short(frame.certificate.residual);
            let _ = writeln!(
                lines,
                "{:.6} s: step {} is uncertified, residual {residual}",
                frame.time, frame.step
            );
        }
        if !lines.is_empty() {
            self.bar.suspend(|| eprint!("{lines}"));
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
