//! Files of meshes: each is opened and read once.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Open;
use super::names::short;
use crate::mesh::{self, Limits, Triangles};

pub(super) struct Meshes<'o> {
    open: Open<'o>,
    limits: Limits,
    /// Triangles that may still be read, and that may still be kept.
    left: [usize; 2],
    read: BTreeMap<String, Result<Rc<Triangles>, String>>,
}

impl<'o> Meshes<'o> {
    pub(super) fn new(open: Open<'o>, limits: Limits) -> Self {
        Self { open, limits, left: [limits.triangles; 2], read: BTreeMap::new() }
    }

    /// A mesh by the name that the file gives it.
    pub(super) fn surface(&mut self, name: &str) -> Result<Rc<Triangles>, String> {
        if let Some(known) = self.read.get(name) {
            return known.clone();
        }
        let result = self.load(name).map(Rc::new);
        self.read.insert(name.to_string(), result.clone());
        result
    }

    fn load(&mut self, name: &str) -> Result<Triangles, String> {
        if let Some((scheme, _)) = name.split_once("://")
            && !matches!(scheme, "package" | "file")
        {
            let expected = "expected a path, package:// or file://";
            return Err(format!("{expected}, found `{}`", short(name)));
        }
        let bytes = (self.open)(name).map_err(|why| format!("`{}`: {why}", short(name)))?;
        let limits = Limits { triangles: self.left[0], ..self.limits };
        let surface = mesh::read(&bytes, name, &limits).map_err(|error| error.to_string())?;
        self.left[0] -= surface.triangles.len();
        Ok(surface)
    }

    /// Counts a surface that is kept, each copy too: a file cannot make much of little.
    pub(super) fn keep(&mut self, triangles: usize) -> Result<(), String> {
        let Some(rest) = self.left[1].checked_sub(triangles) else {
            let most = self.limits.triangles;
            return Err(format!("expected at most {most} triangles in all meshes together"));
        };
        self.left[1] = rest;
        Ok(())
    }
}
