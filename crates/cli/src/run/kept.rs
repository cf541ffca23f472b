//! What of a run goes into its recording, and how often.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::{Duration, Instant};

use stiction_record::{Frame, Header, RecordError, Recorder, RecorderSettings};
use stiction_scene::{Scene, Simulation};

use super::tally::{Ended, Tally};

/// Steps from one whole state to the next: so many are taken again at most to look at one of them.
const STATES: u64 = 100;
/// What was recorded is in the file after this time at the latest.
const FLUSH: Duration = Duration::from_secs(1);
/// Pictures for other viewers in one second of simulated time.
const PICTURES: f64 = 60.0;

pub(crate) struct Kept {
    recorder: Recorder<BufWriter<File>>,
    /// Steps from one frame to the next.
    every: u64,
    has_contacts: bool,
    pictures: u64,
    /// Of the last frame and the last state.
    frame: u64,
    state: Option<u64>,
    last: Frame,
    flushed: Instant,
}

#[allow(
    clippy::disallowed_methods,
    reason = "whoever kills a run loses a second of it, not a chunk"
)]
impl Kept {
    pub(crate) fn create(path: &Path, header: &Header, scene: &Scene) -> Result<Self, RecordError> {
        Ok(Self {
            recorder: Recorder::create(path, header, &RecorderSettings::default())?,
            every: scene.recording.every.max(1),
            has_contacts: scene.recording.contacts,
            pictures: 0,
            frame: 0,
            state: None,
            last: Frame::default(),
            flushed: Instant::now(),
        })
    }

    pub(crate) fn take(
        &mut self,
        simulation: &Simulation,
        frame: &Frame,
    ) -> Result<(), RecordError> {
        if frame.step.is_multiple_of(STATES) {
            self.keep_state(simulation, frame.step)?;
        }
        // what is not certified is kept in any case
        if !frame.step.is_multiple_of(self.every) && frame.certificate.certified {
            self.last.clone_from(frame);
            return Ok(());
        }
        self.keep(frame)?;
        if frame.time * PICTURES >= self.pictures as f64 {
            self.recorder.pictures(frame)?;
            self.pictures = (frame.time * PICTURES) as u64 + 1;
        }
        if self.flushed.elapsed() > FLUSH {
            self.recorder.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    fn keep(&mut self, frame: &Frame) -> Result<(), RecordError> {
        self.frame = frame.step;
        if self.has_contacts || frame.contacts.is_empty() {
            return self.recorder.frame(frame);
        }
        self.last.clone_from(frame);
        self.last.contacts.clear();
        self.recorder.frame(&self.last)
    }

    fn keep_state(&mut self, simulation: &Simulation, step: u64) -> Result<(), RecordError> {
        self.state = Some(step);
        self.recorder.state(step, simulation.state.time, &simulation.state.to_bytes())
    }

    /// The last state of all, from which a step that failed can be taken again, and the summary.
    pub(crate) fn finish(
        mut self,
        simulation: &Simulation,
        tally: &Tally,
    ) -> Result<(), RecordError> {
        if self.last.step > self.frame {
            let last = std::mem::take(&mut self.last);
            self.keep(&last)?;
        }
        if self.state != Some(tally.steps) {
            self.keep_state(simulation, tally.steps)?;
        }
        self.recorder.finish(&summary(tally)).map(drop)
    }
}

fn summary(tally: &Tally) -> BTreeMap<String, String> {
    let ended = match &tally.ended {
        Ended::Done => "done".to_string(),
        Ended::Interrupted => "interrupted".to_string(),
        Ended::Stopped { step, error } => format!("step {step} has no next state: {error}"),
    };
    let entries = [
        ("ended", ended),
        ("steps", tally.steps.to_string()),
        ("certified", tally.certified.to_string()),
        ("worst_residual", tally.residual.value.to_string()),
        ("simulated_s", tally.simulated.to_string()),
    ];
    entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}
