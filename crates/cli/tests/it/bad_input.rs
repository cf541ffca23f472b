//! Broken inputs: exit code 2, one line on stderr that names the place, nothing on stdout.

use crate::program::{EASY, OPEN, ROLLING, Said, file, folder, shipped, stiction};

/// (what is broken, the file, what the line must contain)
const BROKEN: &[(&str, &str, &str)] = &[
    ("empty", "", ":1:0: expected JSON"),
    ("blank", " \n\n", ": expected JSON: EOF"),
    ("cut off", "{\"kind\": \"lcp\",\n \"M\": {\"shape\": [2", ":2:18: expected JSON"),
    ("two objects", "{} {}", ":1:4: expected JSON: trailing characters"),
    ("not an object", "[1, 2]", "the file: expected a JSON object, found a list of length 2"),
    ("a number", "3", "the file: expected a JSON object, found 3"),
    ("NaN", r#"{"kind": "lcp", "q": [NaN]}"#, ":1:23: expected JSON"),
    ("too large a number", r#"{"kind": "lcp", "q": [1e999]}"#, "number out of range"),
    (
        "a key twice",
        "{\"kind\": \"lcp\",\n\"kind\": \"lcp\"}",
        ":2:6: expected JSON: the key \"kind\"",
    ),
    ("a key twice inside", r#"{"kind": "lcp", "M": {"shape": [0, 0], "shape": [0, 0]}}"#, "twice"),
    ("no kind", r#"{"q": [1]}"#, "kind: expected a text, found nothing"),
    ("kind not text", r#"{"kind": 7}"#, "kind: expected a text, found 7"),
    ("unknown kind", r#"{"kind": "fc4d"}"#, "kind: expected one of lcp, mlcp, box, fc2d"),
    ("misspelt kind", r#"{"kind": "mcp"}"#, "did you mean `lcp`?"),
    (
        "other format",
        r#"{"format": "stiction-9", "kind": "lcp"}"#,
        "format: expected \"stiction-1\"",
    ),
    ("name not text", r#"{"kind": "lcp", "name": []}"#, "name: expected a text, found a list"),
    ("no q", r#"{"kind": "lcp"}"#, "q: expected a list of numbers, found nothing"),
    (
        "q not a list",
        r#"{"kind": "lcp", "q": {}}"#,
        "q: expected a list of numbers, found an object",
    ),
    (
        "q holds text",
        r#"{"kind": "lcp", "q": [1, "2"]}"#,
        "q[1]: expected a number, found the text",
    ),
    ("q holds null", r#"{"kind": "lcp", "q": [null]}"#, "q[0]: expected a number, found null"),
    ("no M", r#"{"kind": "lcp", "q": [1]}"#, "M: expected an object, found nothing"),
    ("M a list", r#"{"kind": "lcp", "q": [1], "M": [1]}"#, "M: expected an object, found a list"),
    ("no shape", r#"{"kind": "lcp", "q": [1], "M": {"dense": [1]}}"#, "M.shape: expected"),
    (
        "shape of three",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1, 1, 1], "dense": [1]}}"#,
        "M.shape: expected a list of length 2, found one of length 3",
    ),
    (
        "negative shape",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [-1, 1], "dense": [1]}}"#,
        "M.shape[0]: expected a whole number ≥ 0, found -1",
    ),
    (
        "half a row",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1, 1.5], "dense": [1]}}"#,
        "M.shape[1]: expected a whole number",
    ),
    (
        "huge dense shape",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1e9, 1e9], "dense": [1, 2]}}"#,
        "M.shape: expected [1, 1], found [1000000000, 1000000000]",
    ),
    (
        "huge sparse shape",
        r#"{"kind": "lcp", "q": [], "M": {"shape": [0, 1e15], "csc": {"p": [0], "i": [], "x": []}}}"#,
        "M.shape: expected [0, 0]",
    ),
    (
        "huge rows of a mixed problem",
        r#"{"kind": "mlcp", "q": [1], "eq": [0], "M": {"shape": [1e18, 1], "dense": []}}"#,
        "M.shape[0]: expected a whole number",
    ),
    (
        "not square",
        r#"{"kind": "lcp", "q": [1, 2], "M": {"shape": [2, 1], "dense": [1, 2]}}"#,
        "M.shape: expected [2, 2], found [2, 1]",
    ),
    (
        "neither dense nor csc",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1, 1]}}"#,
        "M: expected a key `dense` or `csc`, found neither",
    ),
    (
        "dense too short",
        r#"{"kind": "lcp", "q": [1, 2], "M": {"shape": [2, 2], "dense": [1, 2]}}"#,
        "M.dense: expected a list of length 4 (2 × 2, row by row), found one of length 2",
    ),
    (
        "dense in rows",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1, 1], "dense": [[1]]}}"#,
        "M.dense[0]: expected a number, found a list of length 1",
    ),
    (
        "row out of range",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1, 1], "csc": {"p": [0, 1], "i": [1], "x": [1]}}}"#,
        "M.csc.i[0]: expected the number of a row, 0 to 0, found 1",
    ),
    (
        "negative row",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1, 1], "csc": {"p": [0, 1], "i": [-1], "x": [1]}}}"#,
        "M.csc.i[0]: expected the number of a row, 0 to 0, found -1",
    ),
    (
        "values missing",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1, 1], "csc": {"p": [0, 1], "i": [0], "x": []}}}"#,
        "M.csc.x: expected a list of length 1",
    ),
    (
        "column starts too short",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1, 1], "csc": {"p": [0], "i": [0], "x": [1]}}}"#,
        "M.csc.p: expected a list of length 2",
    ),
    (
        "column starts fall",
        r#"{"kind": "lcp", "q": [1, 1], "M": {"shape": [2, 2], "csc": {"p": [0, 2, 1], "i": [0], "x": [1]}}}"#,
        "M.csc.p[2]: expected at least p[1] = 2, found 1",
    ),
    (
        "column starts end elsewhere",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1, 1], "csc": {"p": [0, 9], "i": [0], "x": [1]}}}"#,
        "M.csc.p[1]: expected 1, the number of entries of i, found 9",
    ),
    (
        "no eq",
        r#"{"kind": "mlcp", "q": [1], "M": {"shape": [1, 1], "dense": [1]}}"#,
        "eq: expected a list of row numbers, found nothing",
    ),
    (
        "eq out of range",
        r#"{"kind": "mlcp", "q": [1], "eq": [1], "M": {"shape": [1, 1], "dense": [1]}}"#,
        "eq[0]: expected the number of a row",
    ),
    (
        "eq twice",
        r#"{"kind": "mlcp", "q": [1], "eq": [0, 0], "M": {"shape": [1, 1], "dense": [1]}}"#,
        "eq[1]: expected each row once, found 0 again",
    ),
    (
        "tall without comp_cols",
        r#"{"kind": "mlcp", "q": [1, 1], "eq_rows": [0], "M": {"shape": [2, 1], "dense": [1, 1]}}"#,
        "comp_cols: expected a list of column numbers, found nothing",
    ),
    (
        "comp_cols too short",
        r#"{"kind": "mlcp", "q": [1, 1], "eq_rows": [0], "comp_cols": [], "M": {"shape": [2, 1], "dense": [1, 1]}}"#,
        "comp_cols: expected a list of length 1",
    ),
    (
        "wide",
        r#"{"kind": "mlcp", "q": [1], "eq": [0], "M": {"shape": [1, 2], "dense": [1, 1]}}"#,
        "M.shape: expected [1, c] with c at most 1",
    ),
    (
        "box without upper",
        r#"{"kind": "box", "q": [1], "lower": [0], "M": {"shape": [1, 1], "dense": [1]}}"#,
        "upper: expected a list of numbers or null, found nothing",
    ),
    (
        "bounds cross",
        r#"{"kind": "box", "q": [1], "lower": [2], "upper": [1], "M": {"shape": [1, 1], "dense": [1]}}"#,
        "lower[0]: expected at most upper[0] = 1, found 2",
    ),
    (
        "bound is text",
        r#"{"kind": "box", "q": [1], "lower": ["-inf"], "upper": [1], "M": {"shape": [1, 1], "dense": [1]}}"#,
        "lower[0]: expected a number, or null for none",
    ),
    ("no mu", r#"{"kind": "fc3d", "q": [1]}"#, "mu: expected a list of numbers, found nothing"),
    (
        "q not three rows a contact",
        r#"{"kind": "fc3d", "mu": [1], "q": [1]}"#,
        "q: expected a list of length 3",
    ),
    (
        "negative friction",
        r#"{"kind": "fc2d", "mu": [-1], "q": [0, 0], "M": {"shape": [2, 2], "dense": [1, 0, 0, 1]}}"#,
        "mu[0]: expected a number ≥ 0, found -1",
    ),
    (
        "nc differs",
        r#"{"kind": "fc2d", "nc": 2, "mu": [1], "q": [0, 0], "M": {"shape": [2, 2], "dense": [1, 0, 0, 1]}}"#,
        "nc: expected 1, found 2",
    ),
    (
        "dimension differs",
        r#"{"kind": "fc2d", "dimension": 3, "mu": [1], "q": [0, 0]}"#,
        "dimension: expected 2, found 3",
    ),
    (
        "no H",
        r#"{"kind": "gfc2d", "mu": [1], "q": [1], "b": [0, 0], "Mass": {"shape": [1, 1], "dense": [1]}}"#,
        "H: expected an object, found nothing",
    ),
    (
        "singular mass",
        r#"{"kind": "gfc2d", "mu": [1], "q": [1], "b": [0, 0], "Mass": {"shape": [1, 1], "dense": [0]},
            "H": {"shape": [1, 2], "dense": [1, 0]}}"#,
        "Mass: expected an invertible matrix",
    ),
    (
        "mass singular but for rounding",
        r#"{"kind": "gfc2d", "mu": [1], "q": [1, 1], "b": [0, 0], "H": {"shape": [2, 2], "dense": [1, 0, 0, 1]},
            "Mass": {"shape": [2, 2], "dense": [1, 1, 1, 1.0000000000000004]}}"#,
        "Mass: expected an invertible matrix, found one that is singular but for rounding",
    ),
    (
        "mass too small",
        r#"{"kind": "gfc3d", "mu": [0.5], "q": [-1], "b": [0, 0, 0], "Mass": {"shape": [1, 1], "dense": [1e-320]},
            "H": {"shape": [1, 3], "dense": [1, 0, 0]}}"#,
        "Mass: expected a matrix with finite Hᵀ Mass⁻¹ H",
    ),
    (
        "mass sums to infinity",
        r#"{"kind": "gfc2d", "mu": [1], "q": [1], "b": [0, 0], "H": {"shape": [1, 2], "dense": [1, 0]},
            "Mass": {"shape": [1, 1], "csc": {"p": [0, 2], "i": [0, 0], "x": [1.7e308, 1.7e308]}}}"#,
        "Mass: expected finite entries",
    ),
    (
        "sums to infinity",
        r#"{"kind": "lcp", "q": [1], "M": {"shape": [1, 1], "csc": {"p": [0, 2], "i": [0, 0], "x": [1.7e308, 1.7e308]}}}"#,
        "M: expected finite entries",
    ),
];

fn assert_one_line(said: &Said, what: &str, fragment: &str) {
    assert_eq!(said.code, 2, "{what}: {}", said.stderr);
    assert_eq!(said.stdout, "", "{what}");
    assert_eq!(said.stderr.lines().count(), 1, "{what}: {}", said.stderr);
    assert!(said.stderr.contains(fragment), "{what}: {} lacks {fragment}", said.stderr);
    assert!(!said.stderr.contains("panicked"), "{what}: {}", said.stderr);
}

#[test]
fn every_broken_file_is_named_with_its_place() {
    let folder = folder("broken");
    for (k, (what, content, fragment)) in BROKEN.iter().enumerate() {
        let path = file(&folder, &format!("{k}.json"), content);
        let said = stiction(&["solve", &path]);
        assert_one_line(&said, what, fragment);
        assert!(said.stderr.contains(&path), "{what}: {}", said.stderr);
        assert_eq!(stiction(&["solve", &path, "--json"]).stderr, said.stderr, "{what}");
    }
}

#[test]
fn bytes_that_are_no_text_and_depth_without_end_are_refused() {
    let folder = folder("bytes");
    let latin = file(&folder, "latin.json", b"{\n\"kind\": \"lc\xfc\"}");
    assert_one_line(&stiction(&["solve", &latin]), "latin", "latin.json:2:12: expected UTF-8");
    let binary = file(&folder, "binary.json", [0_u8, 159, 146, 150]);
    assert_one_line(&stiction(&["solve", &binary]), "binary", ": expected UTF-8");
    let deep = file(&folder, "deep.json", "[".repeat(200_000));
    assert_one_line(&stiction(&["solve", &deep]), "deep", "recursion limit");
}

/// Waits ten seconds: what reads a pipe without a writer waits for ever.
#[cfg(unix)]
fn ends_in_time(args: &[&str]) -> bool {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(args)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    for _ in 0..1000 {
        if child.try_wait().expect("the program can be asked").is_some() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().expect("the program can be ended");
    child.wait().expect("the program ends");
    false
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_waited_for() {
    let folder = folder("pipes");
    let pipe = folder.join("pipe.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    let (folder, pipe) = (folder.to_str().unwrap(), pipe.to_str().unwrap());
    for path in [pipe, folder, "/dev/zero"] {
        assert!(ends_in_time(&["solve", path]), "{path}");
    }
    for path in [pipe, "/dev/zero"] {
        assert_one_line(&stiction(&["solve", path]), path, ": expected a regular file");
    }
    let said = stiction(&["solve", folder]);
    assert_eq!((said.code, said.stderr.lines().count()), (2, 1), "{}", said.stderr);
}

#[test]
fn a_file_beyond_all_memory_is_not_read() {
    let path = folder("huge").join("huge.json");
    std::fs::File::create(&path).unwrap().set_len(5 << 30).unwrap(); // a hole, not data
    let said = stiction(&["solve", path.to_str().unwrap()]);
    std::fs::remove_file(&path).unwrap();
    assert_one_line(&said, "huge", "huge.json: expected a file of at most 4 GiB");
}

#[test]
fn every_prefix_of_a_problem_is_refused() {
    let folder = folder("prefix");
    for problem in [EASY, OPEN] {
        for length in (0..problem.len()).step_by(7) {
            let path = file(&folder, "prefix.json", &problem[..length]);
            assert_one_line(&stiction(&["solve", &path]), &problem[..length], "expected JSON");
        }
    }
}

#[test]
fn rolling_friction_is_refused_by_name() {
    let path = file(&folder("rolling"), "rolling.json", ROLLING);
    for args in [&["solve", &path][..], &["solve", &path, "--solver", "all"]] {
        assert_one_line(&stiction(args), "rolling", "rolling friction (`rfc3d`)");
    }
}

#[test]
fn what_is_not_there_is_said() {
    let folder = folder("nothing");
    let missing = folder.join("missing.json");
    let said = stiction(&["solve", missing.to_str().unwrap()]);
    assert_one_line(&said, "missing file", "missing.json: cannot be read");
    let said = stiction(&["solve", folder.to_str().unwrap()]);
    assert_one_line(&said, "empty folder", "expected a folder with problem files (*.json)");
}

#[test]
fn a_wrong_solver_is_answered_with_those_that_fit() {
    let folder = folder("solver");
    let (easy, open) = (file(&folder, "easy.json", EASY), file(&folder, "open.json", OPEN));
    let said = stiction(&["solve", &easy, "--solver", "lemkee"]);
    assert_one_line(&said, "misspelt", "did you mean `lemke`?");
    let said = stiction(&["solve", &easy, "--solver", "nsgs"]);
    assert_one_line(&said, "friction solver", "expected one of auto, lemke, murty");
    let said = stiction(&["solve", &open, "--solver", "lemke"]);
    assert_one_line(&said, "linear solver", "(kind `fc3d`); expected one of auto, nsgs");
}

#[test]
fn a_wrong_command_line_is_one_line_too() {
    let easy = file(&folder("command"), "easy.json", EASY);
    for (args, fragment) in [
        (vec!["solve", &easy, "--tol", "small"], "--tol"),
        (vec!["solve", &easy, "--tol", "-1"], "expected a number ≥ 0"),
        (vec!["solve", &easy, "--tol", "NaN"], "expected a number ≥ 0"),
        (vec!["solve", &easy, "--time-limit", "inf"], "expected seconds"),
        (vec!["solve", &easy, "--frobnicate"], "--frobnicate"),
        (vec!["solve"], "<PATH>"),
        (vec!["slove", &easy], "slove"),
        (vec![], "expected a command"),
    ] {
        assert_one_line(&stiction(&args), &args.join(" "), fragment);
    }
}

/// Marsaglia's xorshift: equal on every machine.
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as usize
}

#[test]
fn damaged_files_end_in_an_answer_or_one_line() {
    let folder = folder("damaged");
    let pieces: [&[u8]; 12] = [
        b"0",
        b"-1",
        b"1e308",
        b"1e-320",
        b"null",
        b"\"\"",
        b"[",
        b"]",
        b"{}",
        b",",
        b"\xff",
        b"9007199254740993",
    ];
    for (k, name) in ["four_bar_mixed", "motor_limits", "sliding_block_global"].iter().enumerate() {
        let whole = std::fs::read(shipped(name)).expect("shipped problems can be read");
        for seed in 0..120 {
            let mut state = 88_172_645_463_325_252 ^ (1000 * k as u64 + seed);
            (0..20).for_each(|_| _ = next(&mut state)); // neighbouring seeds part
            let (start, piece) = (next(&mut state) % whole.len(), pieces[next(&mut state) % 12]);
            let end = (start + next(&mut state) % 4).min(whole.len());
            let damaged = [&whole[..start], piece, &whole[end..]].concat();
            let path = file(&folder, "damaged.json", &damaged);
            let said = stiction(&["solve", &path, "--json", "--time-limit", "1"]);
            match said.code {
                2 => assert_one_line(&said, &format!("{name}, seed {seed}"), "expected"),
                0 | 1 => assert_eq!((said.stdout.lines().count(), said.stderr.as_str()), (1, "")),
                code => panic!("{name}, seed {seed}: exit code {code}: {}", said.stderr),
            }
        }
    }
}
