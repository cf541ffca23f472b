//! URDF: robots as other programs describe them, read into the parts of a [`ModelSpec`].
//!
//! Every tag and attribute of the file is in the [`Report`], as honoured, approximated or ignored. All errors of a file
//! come at once, each with its place. Document types are refused; depth, counts and sizes are bounded before anything is
//! parsed.
//!
//! Lengths in m, angles in rad, masses in kg, as in the file. A link is a body, stated in the link's frame. A link without
//! mass that is fixed to another one is a part of that; on the world, a part of the world.
#![allow(non_snake_case)]
// units stand in brackets, which rustdoc takes for links
#![allow(rustdoc::broken_intra_doc_links)]

mod account;
mod geometry;
mod hosts;
mod joint;
mod link;
mod lower;
mod meshes;
mod names;
pub(crate) mod scan;
mod surface;
mod tree;
mod values;

use std::fmt;

use roxmltree::{Document, ParsingOptions};
use stiction_sim::model::{
    BodySpec, ConstraintSpec, FrameSpec, JointSpec, MaterialSpec, Shape, ShapeSpec,
};
use stiction_sim::{ModelSpec, Pose};

use crate::mesh;
use account::Account;
use meshes::Meshes;
use scan::Refusal;

/// Of a file.
const BYTES: usize = 32 << 20;

/// How a file becomes part of a model.
#[derive(Clone, Debug)]
pub struct Options {
    /// Put before all names.
    pub prefix: String,
    pub base: Base,
    /// Where the root link stands in the world, or starts if it is free.
    pub pose: Pose,
    /// The material of surfaces of which the file says nothing.
    pub material: String,
    /// Whether a loss is an error, unless only pictures lose.
    pub strict: bool,
    pub fixed: FixedJoints,
    pub meshes: MeshRule,
    /// A hull has at most as many vertices.
    pub hull_vertices: usize,
    /// Of each mesh; the triangles also of all meshes together.
    pub limits: mesh::Limits,
}

/// What carries the root link. A root link of the name `world` without mass is the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Fixed,
    Free,
}

/// What becomes of fixed joints between links that have mass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedJoints {
    /// Joints that do not move: every link with mass is a body.
    Kept,
    /// Links that are fixed to a body are parts of it, and do not collide with what it is joined to.
    Merged,
}

/// What a mesh collides as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshRule {
    /// Its convex hull.
    Hull,
    /// Its convex hull on bodies, itself on the world.
    SurfaceOnWorld,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            prefix: String::new(),
            base: Base::Fixed,
            pose: Pose::identity(),
            material: "default".to_string(),
            strict: false,
            fixed: FixedJoints::Kept,
            meshes: MeshRule::SurfaceOnWorld,
            hull_vertices: 128,
            limits: mesh::Limits::default(),
        }
    }
}

/// What a file describes, ready to be put into a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robot {
    pub name: String,
    pub bodies: Vec<BodySpec>,
    /// The joint of the base first, unless the root link is the world.
    pub joints: Vec<JointSpec>,
    /// Couplings of mimic joints.
    pub constraints: Vec<ConstraintSpec>,
    pub shapes: Vec<ShapeSpec>,
    /// Of surfaces with a friction of their own.
    pub materials: Vec<MaterialSpec>,
    pub visuals: Vec<Visual>,
    /// Every link, where it is on its body or on the world.
    pub links: Vec<LinkFrame>,
    /// None: the base is fixed.
    pub free_base: Option<FreeBase>,
    pub report: Report,
}

impl Robot {
    /// Puts bodies, joints, couplings, shapes and materials into a description.
    pub fn add_to(&self, spec: &mut ModelSpec) {
        spec.bodies.extend_from_slice(&self.bodies);
        spec.joints.extend_from_slice(&self.joints);
        spec.constraints.extend_from_slice(&self.constraints);
        spec.shapes.extend_from_slice(&self.shapes);
        spec.materials.extend_from_slice(&self.materials);
    }
}

/// A link with its name in the model.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFrame {
    pub name: String,
    pub frame: FrameSpec,
}

/// The free joint of the base: its position is the pose of the root link.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeBase {
    pub joint: String,
    /// Where the root link starts.
    pub pose: Pose,
}

/// What pictures show of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Visual {
    pub name: String,
    pub frame: FrameSpec,
    pub shape: Shape,
    /// Red, green, blue, opacity, 0 to 1. None: the file says nothing.
    pub rgba: Option<[f64; 4]>,
}

/// What became of a file: every tag and attribute once, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `robot/link[arm]/inertial/mass@value`
    pub path: String,
    /// From 1.
    pub line: u32,
    pub fate: Fate,
    /// Within `<visual>` or `<material>`: motion does not depend on it.
    pub pictures_only: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Honoured,
    /// And how.
    Approximated(String),
    /// And why.
    Ignored(String),
}

/// An error in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrdfError {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// The path of the element, as in a [`Row`]; empty if the text is not XML.
    pub element: String,
    pub message: String,
}

impl fmt::Display for UrdfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.element.is_empty() {
            write!(f, "{}: ", self.element)?;
        }
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for UrdfError {}

/// Bytes of the file of this name, or why there are none.
pub type Open<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// Reads a robot. Names of meshes go to `open` as the file has them, `package://` included: which paths are allowed is
/// its decision.
pub fn read(text: &str, options: &Options, open: Open<'_>) -> Result<Robot, Vec<UrdfError>> {
    let document = parse(text).map_err(|error| vec![error])?;
    let mut account = Account::new(&document);
    let mut meshes = Meshes::new(open, options.limits);
    let robot = lower::robot(document.root_element(), options, &mut account, &mut meshes);
    Ok(Robot { report: account.close(options.strict)?, ..robot })
}

fn parse(text: &str) -> Result<Document<'_>, UrdfError> {
    scan::check(text, BYTES).map_err(|Refusal { at, expected, found }| {
        let (line, column) = place(text, at);
        let message = format!("expected {expected}, found {found}");
        UrdfError { line, column, element: String::new(), message }
    })?;
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let (line, column) = match error {
            roxmltree::Error::UnclosedRootNode => place(text, text.len()),
            _ => (error.pos().row, error.pos().col),
        };
        let message = error.to_string();
        let twice = format!(" at {line}:{column}");
        let message = message.strip_suffix(&twice).unwrap_or(&message);
        UrdfError { line, column, element: String::new(), message: format!("not XML: {message}") }
    })
}

/// Line and column of a byte, from 1.
fn place(text: &str, at: usize) -> (u32, u32) {
    let before = &text[..at];
    let last = before.rsplit('\n').next().unwrap_or("");
    (before.matches('\n').count() as u32 + 1, last.chars().count() as u32 + 1)
}
