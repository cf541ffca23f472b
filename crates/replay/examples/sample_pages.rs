//! Writes the pages that the browser tests open to the folder named by the argument; without one it only makes them.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;

use stiction_record::{Frame, Geometry, Header};
use stiction_replay::{Track, TrackSettings};

#[path = "../tests/it/samples.rs"]
mod samples;

fn main() -> io::Result<()> {
    let mut empty = Track::new(&Header::default(), &TrackSettings::default());
    empty.push(&Frame::default());
    let none = Track::new(&Header::default(), &TrackSettings::default());
    let pages = [
        ("shapes", samples::every_shape()),
        ("boxes", samples::thousand(Geometry::Box { half: [0.24, 0.24, 0.24] })),
        ("spheres", samples::thousand(Geometry::Sphere { radius: 0.25 })),
        ("missing", samples::missing_pose()),
        ("empty", empty),
        ("none", none),
    ];
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    for (name, track) in pages {
        match &folder {
            Some(folder) => {
                let file = File::create(folder.join(name).with_extension("html"))?;
                track.write_page(&mut BufWriter::new(file))?;
            }
            None => assert!(track.page().len() <= TrackSettings::default().bytes),
        }
    }
    Ok(())
}
