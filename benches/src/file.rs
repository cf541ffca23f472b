//! Problem files as in `docs/format.md`, as far as the benches need them: LCPs, compressed columns.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use stiction_lcp::{BoxLcp, Csc};

#[derive(Debug, Serialize, Deserialize)]
pub struct Problem {
    pub format: String,
    pub kind: String,
    pub name: String,
    pub note: String,
    /// The family of scenes and the size; not read by others.
    pub scene: String,
    pub contacts: usize,
    M: Sparse,
    q: Vec<f64>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Sparse {
    shape: [usize; 2],
    csc: Columns,
}

#[derive(Debug, Serialize, Deserialize)]
struct Columns {
    p: Vec<usize>,
    i: Vec<usize>,
    x: Vec<f64>,
}

impl Problem {
    pub fn new(lcp: &BoxLcp, (scene, contacts): (&str, usize), note: &str) -> Self {
        let mut csc = Columns { p: vec![0], i: Vec::new(), x: Vec::new() };
        for j in 0..lcp.n() {
            lcp.A().for_column(j, |i, a_ij| {
                csc.i.push(i);
                csc.x.push(a_ij);
            });
            csc.p.push(csc.i.len());
        }
        Self {
            format: "stiction-1".to_string(),
            kind: "lcp".to_string(),
            name: format!("{scene}-{contacts}"),
            note: note.to_string(),
            scene: scene.to_string(),
            contacts,
            M: Sparse { shape: [lcp.n(), lcp.n()], csc },
            q: lcp.b().to_vec(),
        }
    }

    pub fn lcp(self) -> io::Result<BoxLcp> {
        let [rows, columns] = self.M.shape;
        let Columns { p, i, x } = self.M.csc;
        let A = Csc::new((rows, columns), &p, &i, &x)
            .map_err(|error| io::Error::other(format!("{}: {error}", self.name)))?;
        BoxLcp::lcp(A, self.q).map_err(|error| io::Error::other(format!("{}: {error}", self.name)))
    }

    pub fn read(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_reader(BufReader::new(File::open(path)?))?)
    }

    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        serde_json::to_writer(&mut out, self)?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::{FACETS, FAMILIES};

    #[test]
    fn a_problem_comes_back_to_the_last_bit() {
        let lcp = FAMILIES[3].scene(10).pyramid(FACETS);
        let text = serde_json::to_string(&Problem::new(&lcp, ("pile", 10), "")).unwrap();
        let problem: Problem = serde_json::from_str(&text).unwrap();
        assert_eq!(problem.lcp().unwrap(), lcp);
    }
}
