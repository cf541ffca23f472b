//! Robots and meshes of files beside a scene.

use std::fs;

use stiction_scene::{LoadOptions, Scene, from_spec, load};
use stiction_sim::model::Shape;

use crate::files::folder;

const ARM: &str = r#"<robot name="arm">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="package://arm/cube.obj"/></geometry></collision></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"#;

/// A cube of edge 2 about its origin.
const CUBE: &str = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
                    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

fn found(name: &str, scene: &str, urdf: &str) -> Result<Scene, Vec<String>> {
    let folder = folder(name);
    fs::create_dir_all(folder.join("arm")).unwrap();
    fs::write(folder.join("scene.toml"), scene).unwrap();
    fs::write(folder.join("arm.urdf"), urdf).unwrap();
    fs::write(folder.join("arm/cube.obj"), CUBE).unwrap();
    let lines = |errors: Vec<stiction_scene::SceneError>| {
        errors.iter().map(|e| e.to_string().replace(folder.to_str().unwrap(), "")).collect()
    };
    load(&folder.join("scene.toml"), &LoadOptions::default()).map_err(lines)
}

#[test]
fn a_robot_is_part_of_the_scene_by_its_names() {
    let text = "[urdf.robot]\nfile = \"arm.urdf\"\nbase = \"free\"\nposition = [0, 0, 3]\njoints = { hinge = \"30 deg\" }\n\
                [shapes.hat]\nkind = \"sphere\"\nradius = 0.1\nbody = \"robot.hand\"\n\
                [forces.push]\nbody = \"robot.base\"\nforce = [1, 0, 0]\n";
    let scene = found("robot", text, ARM).unwrap();
    let (model, state) = scene.build().unwrap();
    let hinge = model.q_range(model.joint("robot.hinge").unwrap()).unwrap();
    assert!((state.q[hinge.start] - 30f64.to_radians()).abs() < 1e-15);
    assert_eq!(state.q[2], 3.0);
    assert!(!scene.robots[0].robot.report.rows.is_empty());
    // and as a scene of its own
    let written = from_spec("arm", &scene.spec, &scene.start).unwrap();
    let again = crate::scene(&written);
    assert_eq!((&again.spec, &again.start), (&scene.spec, &scene.start));
}

#[test]
fn errors_of_a_robot_are_in_its_file_or_in_the_scene() {
    let broken = ARM.replace("value=\"1\"", "value=\"x\"");
    let errors = found("robot_broken", "[urdf.r]\nfile = \"arm.urdf\"\n", &broken).unwrap_err();
    assert!(errors[0].starts_with("/arm.urdf:2:"), "{errors:?}");
    for (text, expected) in [
        ("[urdf.r]\nfile = \"../arm.urdf\"\n", "/scene.toml:2:8: found a file outside"),
        (
            "[urdf.r]\nfile = \"arm.urdf\"\njoints = { hing = 1 }\n",
            "/scene.toml:3:12: found `hing`",
        ),
        (
            "[urdf.r]\nfile = \"arm.urdf\"\n[forces.f]\nbody = \"r.hnd\"\n",
            "/scene.toml:4:8: found `r.hnd`",
        ),
    ] {
        let errors = found("robot_errors", text, ARM).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].starts_with(expected), "{errors:?}");
    }
}

#[test]
fn meshes_are_read_scaled_and_weighed() {
    let text = "[shapes.rock]\nkind = \"mesh\"\nfile = \"arm/cube.obj\"\nscale = [1, 1, 0.5]\n\
                [bodies.a]\nmass = 1\nposition = [9, 0, 0]\nshapes = { kind = \"hull\", file = \"arm/cube.obj\" }\n";
    let scene = found("meshes", text, ARM).unwrap();
    let Shape::Mesh { vertices, triangles } = &scene.spec.shapes[0].shape else { panic!("a mesh") };
    assert_eq!((vertices.len(), triangles.len()), (8, 12));
    assert!(vertices.iter().all(|p| p.z.abs() == 0.5));
    let inertia = scene.spec.bodies[0].inertia;
    assert!((inertia.I_com.m11 - 2.0 / 3.0).abs() < 1e-12, "{inertia:?}");
    let errors = found("no_mesh", &text.replace("arm/cube.obj", "arm.urdf"), ARM).unwrap_err();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].starts_with("/scene.toml:3:8: "), "{errors:?}");
}

#[test]
fn files_of_an_included_scene_are_beside_it_and_stay_so_when_resolved() {
    let folder = folder("included_mesh");
    fs::create_dir_all(folder.join("parts/meshes")).unwrap();
    fs::write(folder.join("parts/meshes/cube.obj"), CUBE).unwrap();
    let part = "[shapes.rock]\nkind = \"mesh\"\nfile = \"meshes/cube.obj\"\n";
    fs::write(folder.join("parts/rock.toml"), part).unwrap();
    let file = folder.join("scene.toml");
    fs::write(&file, "include = \"parts/rock.toml\"\n").unwrap();
    let scene = load(&file, &LoadOptions::default()).unwrap();
    fs::write(&file, scene.resolved()).unwrap();
    assert_eq!(load(&file, &LoadOptions::default()).unwrap(), scene);
}
