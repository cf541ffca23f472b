//! Robots (URDF). Meshes that they name are a tetrahedron, or are not there.

use stiction_scene::urdf::{Base, Options, read};
use stiction_sim::model::Surface;
use stiction_sim::{Coordinates, ModelSpec};

use crate::Target;

pub fn urdf() -> Target {
    let seeds = [ARM, SMALL].map(|text| text.as_bytes().to_vec()).to_vec();
    Target { name: "urdf", read: read_robot, seeds, words: WORDS, memory: 64 << 20 }
}

fn read_robot(bytes: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else { return "not UTF-8".to_string() };
    // both kinds of base and of strictness, by the length
    let options = Options {
        base: if text.len() % 2 == 0 { Base::Fixed } else { Base::Free },
        strict: text.len() % 3 == 0,
        ..Options::default()
    };
    let mut open = |name: &str| match name.ends_with(".obj") {
        true => {
            Ok(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n".to_vec())
        }
        false => Err("no such file".to_string()),
    };
    match read(text, &options, &mut open) {
        Err(errors) => {
            let Some(error) = errors.first() else { panic!("refused without a reason") };
            error.to_string()
        }
        Ok(robot) => {
            let mut spec = ModelSpec::new();
            spec.material("default", Surface::rigid(0.5));
            robot.add_to(&mut spec);
            match spec.build(Coordinates::Generalized) {
                Err(error) => format!("read: {error}"),
                Ok(_) => format!("built, {}", robot.report.rows.len()),
            }
        }
    }
}

const WORDS: &[&str] = &[
    "<link name=\"l\"/>",
    "<joint name=\"j\" type=\"fixed\"><parent link=\"base\"/><child link=\"l\"/></joint>",
    "<!DOCTYPE robot [<!ENTITY a \"b\">]>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?xml version=\"1.0\"?>",
    "&a;",
    "&lt;",
    "&#0;",
    "&#x10FFFF;",
    "xmlns:a=\"b\"",
    "a:",
    "robot",
    "link",
    "joint",
    "inertial",
    "inertia",
    "mass",
    "origin",
    "xyz=\"0 0 1\"",
    "rpy=\"0 0 1e9\"",
    "collision",
    "visual",
    "geometry",
    "<box size=\"1 1 1\"/>",
    "<sphere radius=\"1\"/>",
    "<cylinder radius=\"1\" length=\"2\"/>",
    "<mesh filename=\"a.obj\" scale=\"1 -1 1\"/>",
    "<mesh filename=\"package://p/../../b.stl\"/>",
    "parent",
    "child",
    "axis",
    "limit",
    "lower",
    "upper",
    "effort",
    "velocity",
    "dynamics",
    "friction",
    "damping",
    "mimic",
    "multiplier",
    "offset",
    "revolute",
    "continuous",
    "prismatic",
    "floating",
    "planar",
    "fixed",
    "transmission",
    "gazebo",
    "material",
    "texture",
    "world",
    "base",
];

const SMALL: &str = "<robot name=\"r\"><link name=\"world\"/></robot>\n";

const ARM: &str = r#"<?xml version="1.0"?>
<robot name="arm">
 <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
 <link name="base">
  <visual><geometry><mesh filename="a.obj" scale="0.1 0.1 0.1"/></geometry><material name="grey"/></visual>
  <collision><geometry><box size="1 1 0.1"/></geometry></collision>
  <inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
 </link>
 <link name="upper">
  <inertial><origin xyz="0 0 0.5" rpy="0 0 0.1"/><mass value="2"/>
   <inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0.01"/></inertial>
  <collision name="c"><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.1" length="1"/></geometry></collision>
 </link>
 <link name="lower">
  <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><mesh filename="b.obj"/></geometry></collision>
 </link>
 <link name="slide">
  <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision>
 </link>
 <link name="tool"/>
 <joint name="shoulder" type="revolute">
  <origin xyz="0 0 0.1" rpy="0 1.57 0"/><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="10" velocity="3"/><dynamics damping="0.1" friction="0.2"/>
 </joint>
 <joint name="elbow" type="continuous">
  <origin xyz="0 0 1"/><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
  <mimic joint="shoulder" multiplier="-2" offset="0.5"/>
 </joint>
 <joint name="rail" type="prismatic">
  <parent link="lower"/><child link="slide"/><axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/>
 </joint>
 <joint name="tip" type="fixed"><parent link="slide"/><child link="tool"/></joint>
 <transmission name="t"><type>simple</type></transmission>
 <gazebo reference="upper"><mu1>0.8</mu1><mu2>0.8</mu2></gazebo>
</robot>
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_built() {
        for seed in urdf().seeds {
            // one byte more: the other base
            for more in ["", " ", "  "] {
                let text = [&seed[..], more.as_bytes()].concat();
                let said = read_robot(&text);
                // strict where something is lost
                assert!(said.starts_with("built") || said.contains("would be"), "{said}");
            }
        }
    }
}
