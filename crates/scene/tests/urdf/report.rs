//! Every tag and attribute is in the report, once.

use roxmltree::{Document, Node};
use stiction_scene::urdf::{Fate, Options, Report};

use super::{file, read};

/// A robot with everything that is known, much that is approximated or ignored, and some things that nobody knows.
pub(crate) const EVERYTHING: &str = r#"<robot name="r" version="1.0" xmlns:drake="http://drake.mit.edu">
  <material name="blue"><color rgba="0 0 1 1"/><texture filename="a.png"/></material>
  <link name="base" kind="odd">
    <inertial><origin xyz="0 0 1" rpy="0 0 0"/><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual name="v"><origin xyz="1 0 0"/><geometry><mesh filename="none.stl" scale="1 1 1"/></geometry>
      <material name="blue"/></visual>
    <visual><geometry><box size="1 1 1"/></geometry><material name="own"><color rgba="2 0 0 1"/></material></visual>
    <collision name="c"><geometry><capsule radius="1" length="2"/></geometry>
      <drake:proximity_properties><drake:mu_static value="0.8"/><drake:mu_dynamic value="0.6"/>
        <drake:mesh_resolution_hint value="1"/></drake:proximity_properties></collision>
    <contact><lateral_friction value="0.7"/><rolling_friction value="1"/><stiffness value="3"/></contact>
    <verbose value="1"/>
  </link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  </link>
  <joint name="j" type="revolute">
    <parent link="base"/><child link="arm"/><origin quat_xyzw="0 0 0 1"/><axis xyz="0 0 2"/>
    <limit lower="-1" upper="1" effort="3" velocity="4"/><dynamics damping="1" friction="2"/>
    <safety_controller soft_lower_limit="0" k_position="1"/><calibration rising="0"/>
  </joint>
  <transmission name="t"><type>x</type><joint name="j"/></transmission>
  <gazebo reference="arm"><mu1>0.5</mu1><mu2>0.7</mu2><kp>1e6</kp><material>Gazebo/Red</material></gazebo>
  <gazebo><plugin name="p" filename="x.so"/></gazebo>
  <drake:joint name="k"/>
</robot>"#;

/// Paths of all tags and attributes, found without the reader: by the walk of a tree and the text of each name.
fn walked(text: &str) -> Vec<String> {
    let document = Document::parse(text).expect("XML");
    let qualified = |node: Node| match node.tag_name().namespace() {
        Some(uri) => {
            let prefix = node.lookup_prefix(uri).unwrap_or("");
            format!("{prefix}:{}", node.tag_name().name())
        }
        None => node.tag_name().name().to_string(),
    };
    let mut all = Vec::new();
    for node in document.descendants().filter(Node::is_element) {
        let mut path = String::new();
        let mut above: Vec<Node> = node.ancestors().filter(Node::is_element).collect();
        above.reverse();
        for node in above {
            let slash = if path.is_empty() { "" } else { "/" };
            path += &format!("{slash}{}", qualified(node));
            if let Some(name) = node.attribute("name").or(node.attribute("reference")) {
                path += &format!("[{name}]");
            }
        }
        all.extend(node.attributes().map(|attribute| format!("{path}@{}", attribute.name())));
        if node.parent_element().is_none() {
            let names = node.namespaces().filter_map(|n| n.name());
            all.extend(names.map(|name| format!("{path}@xmlns:{name}")));
        }
        all.push(path);
    }
    all.sort();
    all
}

fn reported(report: &Report) -> Vec<String> {
    let mut paths: Vec<String> = report.rows.iter().map(|row| row.path.clone()).collect();
    paths.sort();
    paths
}

#[test]
fn every_tag_and_attribute_is_in_the_report_once() {
    let shipped = ["data/urdf/arm.urdf", "data/urdf/joints.urdf", "data/urdf/gripper.urdf"];
    let mut texts: Vec<String> = shipped.iter().map(|path| file(path)).collect();
    texts.push(file("scenes/quadruped.urdf"));
    texts.push(EVERYTHING.to_string());
    for text in &texts {
        let robot = read(text, &Options::default()).expect("a robot");
        assert_eq!(reported(&robot.report), walked(text));
    }
}

fn fate_of(report: &Report, path: &str) -> (Fate, u32, bool) {
    let mut rows = report.rows.iter().filter(|row| row.path == path);
    let row = rows.next().unwrap_or_else(|| panic!("no row {path}"));
    (row.fate.clone(), row.line, row.pictures_only)
}

#[test]
fn fates_are_what_happens() {
    let report = read(EVERYTHING, &Options::default()).expect("a robot").report;
    let honoured = [
        ("robot[r]@xmlns:drake", 1),
        ("robot[r]/link[base]/inertial/mass@value", 4),
        ("robot[r]/link[base]/collision[c]/geometry/capsule@radius", 9),
        ("robot[r]/link[base]/collision[c]/drake:proximity_properties/drake:mu_static@value", 10),
        ("robot[r]/joint[j]/origin@quat_xyzw", 19),
        ("robot[r]/joint[j]/dynamics@friction", 20),
    ];
    for (path, line) in honoured {
        assert_eq!(fate_of(&report, path), (Fate::Honoured, line, false), "{path}");
    }
    let lost = [
        ("robot[r]/link[base]@kind", "unknown attribute", false),
        ("robot[r]/link[base]/verbose", "not a part of URDF", false),
        ("robot[r]/link[base]/verbose@value", "not a part of URDF", false),
        ("robot[r]/link[base]/visual[v]/geometry/mesh@scale", "there is no file", true),
        ("robot[r]/material[blue]/texture@filename", "textures", true),
        ("robot[r]/link[base]/contact/stiffness", "rigid", false),
        ("robot[r]/joint[j]/limit@effort", "drive", false),
        ("robot[r]/joint[j]/safety_controller@k_position", "controllers", false),
        ("robot[r]/transmission[t]/joint[j]@name", "drives", false),
        ("robot[r]/gazebo[arm]/kp", "rigid", false),
        ("robot[r]/gazebo/plugin[p]@filename", "Gazebo", false),
        ("robot[r]/gazebo[arm]/material", "not a part", true),
        ("robot[r]/drake:joint[k]", "not a part", false),
    ];
    for (path, why, pictures) in lost {
        let (fate, _, pictures_only) = fate_of(&report, path);
        let Fate::Ignored(reason) = &fate else { panic!("{path}: {fate:?}") };
        assert!(reason.contains(why), "{path}: {reason}");
        assert_eq!(pictures_only, pictures, "{path}");
    }
    for path in ["robot[r]/gazebo[arm]/mu1", "robot[r]/gazebo[arm]/mu2"] {
        let (fate, ..) = fate_of(&report, path);
        assert!(matches!(&fate, Fate::Approximated(why) if why.contains("0.6")), "{fate:?}");
    }
    let (fate, _, pictures) =
        fate_of(&report, "robot[r]/link[base]/visual/material[own]/color@rgba");
    assert!(matches!(fate, Fate::Approximated(_)) && pictures);
}

#[test]
fn a_strict_reader_refuses_exactly_what_the_motion_loses() {
    let report = read(EVERYTHING, &Options::default()).expect("a robot").report;
    let lost = report.rows.iter().filter(|row| row.fate != Fate::Honoured && !row.pictures_only);
    let lost: Vec<&str> = lost.map(|row| row.path.as_str()).collect();
    assert!(lost.len() > 20);
    let strict = Options { strict: true, ..Options::default() };
    let errors = read(EVERYTHING, &strict).expect_err("losses");
    let refused: Vec<&str> = errors.iter().map(|error| error.element.as_str()).collect();
    assert_eq!(refused, lost);
    let places: Vec<_> = errors.iter().map(|error| (error.line, error.column)).collect();
    assert!(places.is_sorted());
    // nothing is lost of a file that says nothing more than motion
    let plain = EVERYTHING.replace("<texture filename=\"a.png\"/>", "");
    assert!(read(&plain, &strict).is_err());
    let bare = r#"<robot name="r"><link name="a"/></robot>"#;
    assert!(read(bare, &strict).is_ok());
}

/// Every prefix of a file, and every file with one byte changed, is read or refused with a place in the text.
#[test]
fn files_that_are_cut_or_changed_do_not_panic() {
    let lines = EVERYTHING.lines().count() as u32;
    let check = |text: &str| {
        if let Err(errors) = read(text, &Options::default()) {
            assert!(!errors.is_empty());
            assert!(errors.iter().all(|error| (1..=lines + 1).contains(&error.line)), "{errors:?}");
        }
    };
    for end in 0..EVERYTHING.len() {
        check(&EVERYTHING[..end]);
        for letter in [" ", "<", "\"", "é", "\n", "9", "&", "/"] {
            check(&format!("{}{letter}{}", &EVERYTHING[..end], &EVERYTHING[end + 1..]));
        }
    }
}
