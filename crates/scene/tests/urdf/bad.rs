//! Files that are refused: where, and with which words. `bad.txt` has the readable ones.

use stiction_scene::urdf::{self, Base, Options};

use super::{nothing, read};

/// What is expected of a text.
struct Case {
    name: String,
    text: String,
    line: u32,
    column: u32,
    element: String,
    message: String,
}

/// A block of `bad.txt`, without its two percent signs.
fn parse(block: &str) -> Case {
    let (head, text) = block.split_once('\n').expect("a head and a text");
    let [name, place, element, message] = head.split(" | ").collect::<Vec<_>>()[..] else {
        panic!("{head}")
    };
    let (line, column) = place.split_once(':').expect("line:column");
    Case {
        name: name.to_string(),
        text: text.strip_suffix('\n').unwrap_or(text).to_string(),
        line: line.parse().expect("a line"),
        column: column.parse().expect("a column"),
        element: element.to_string(),
        message: message.to_string(),
    }
}

fn written() -> Vec<Case> {
    include_str!("bad.txt").split("\n%% ").skip(1).map(parse).collect()
}

/// Too large, too deep, too many.
fn made() -> Vec<Case> {
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    let wide: String = (0..200).map(|i| format!("a{i}=\"\" ")).collect();
    let spaces: String = (0..100).map(|i| format!("<a xmlns:n{i}=\"u\"/>")).collect();
    let many = format!("<robot name=\"r\">{}</robot>", "<a/>".repeat(500_001));
    let case = |name: &str, text: String, column: u32, message: &str| Case {
        name: name.to_string(),
        text,
        line: 1,
        column,
        element: String::new(),
        message: message.to_string(),
    };
    vec![
        case("empty", String::new(), 1, "not XML"),
        case("depth of 1e5", deep, 193, "64 deep"),
        case("many attributes", format!("<robot {wide}/>"), 1, "128 attributes"),
        case("many namespaces", spaces, 1146, "64 declarations"),
        case("many elements", many, 2_000_009, "500000 elements"),
        case("too large", " ".repeat((32 << 20) + 1), 1, "33554432 bytes"),
    ]
}

/// What is wrong with the errors of a case, if anything.
fn complaint(case: &Case) -> Option<String> {
    let Err(errors) = read(&case.text, &Options::default()) else {
        return Some(format!("{}: was read", case.name));
    };
    if let [error] = &errors[..]
        && (error.line, error.column) == (case.line, case.column)
        && error.element == case.element
        && error.message.contains(&case.message)
    {
        return None;
    }
    let found: Vec<String> = errors.iter().map(ToString::to_string).collect();
    Some(format!("{}: expected {}, found {found:#?}", case.name, case.message))
}

#[test]
fn each_bad_file_is_refused_at_its_place_and_for_nothing_else() {
    let cases: Vec<Case> = written().into_iter().chain(made()).collect();
    assert!(cases.len() >= 75);
    let complaints: Vec<String> = cases.iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn all_errors_of_a_file_come_at_once_and_in_order() {
    let text = "<robot>\n<link name=\"a\"><inertial><mass value=\"x\"/></inertial></link>\n<link/>\n\
                <joint name=\"j\" type=\"hinge\"><parent link=\"q\"/></joint>\n\
                <joint name=\"k\" type=\"continuous\"><parent link=\"q\"/><child link=\"a\"/><axis xyz=\"0 0 0\"/></joint>\n\
                </robot>";
    let errors = read(text, &Options::default()).expect_err("bad");
    let lines: Vec<u32> = errors.iter().map(|error| error.line).collect();
    assert_eq!(lines, [1, 2, 2, 3, 4, 4, 5, 5], "{errors:#?}");
}

#[test]
fn a_free_base_needs_a_mass() {
    let text = "<robot name=\"r\">\n<link name=\"a\"/></robot>";
    let free = Options { base: Base::Free, ..Options::default() };
    let errors = read(text, &free).expect_err("no mass");
    assert_eq!((errors[0].line, errors[0].column), (2, 1));
    assert!(errors[0].message.contains("expected <inertial>"), "{errors:?}");
    assert!(read(text, &Options::default()).is_ok());
}

/// A mesh is opened once, however often it is used, and all uses together stay within the limit.
#[test]
fn a_mesh_cannot_be_multiplied() {
    let part = "<visual><geometry><mesh filename=\"t.obj\"/></geometry></visual>";
    let text = format!("<robot name=\"r\"><link name=\"a\">{}</link></robot>", part.repeat(1000));
    let mut opened = 0;
    let mut open = |_: &str| {
        opened += 1;
        Ok(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec())
    };
    let mut options = Options::default();
    options.limits.triangles = 100;
    let robot = urdf::read(&text, &options, &mut open).expect("pictures are not needed");
    assert_eq!(robot.visuals.len(), 100);
    let text = text.replace("visual>", "collision>");
    let errors = urdf::read(&text, &options, &mut open).expect_err("collisions are");
    assert!(errors[0].message.contains("100 triangles in all"), "{errors:?}");
    assert_eq!(opened, 2, "once for each file");
}

/// What costs a parser hours: quadratic searches for names, paths and places.
#[test]
fn large_files_full_of_errors_are_refused_in_time() {
    let mut text = String::from("<robot name=\"r\">");
    for i in 0..60_000 {
        text += &format!(
            "<link name=\"l{i}\"/><joint name=\"l{i}\" type=\"fixed\"><parent link=\"m{i}\"/></joint>"
        );
    }
    text += "</robot>";
    let errors = urdf::read(&text, &Options::default(), &mut nothing).expect_err("bad");
    assert_eq!(errors.len(), 1000);
}
