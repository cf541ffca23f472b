//! Runs one case and holds it against what must hold for all.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::folder;

/// Address space of the program [KiB].
const MEMORY: &str = "1048576";
const PATIENCE: Duration = Duration::from_secs(10);

/// A command that must be refused.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Makes what the command reads, in the folder that it is run in.
    pub(crate) make: fn(&Path),
    pub(crate) args: &'static [&'static str],
    /// Each stands in one of the lines.
    pub(crate) says: &'static [&'static str],
}

/// What a program did within its limits.
pub(crate) struct Done {
    /// None: it was ended by a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) in_time: bool,
}

/// Runs every case and tells all that fail.
pub(crate) fn refuse(kind: &str, cases: &[Case]) {
    let mut wrong = String::new();
    for case in cases {
        let folder = folder(&format!("bad-{kind}-{}", case.name.replace([' ', '/'], "_")));
        (case.make)(&folder);
        let before = snapshot(&folder);
        let done = limited(&folder, case.args);
        let mut faults = faults(&done, case.says);
        if snapshot(&folder) != before {
            faults.push("left something behind, or changed something".to_string());
        }
        for fault in faults {
            let said = done.stderr.chars().take(600).collect::<String>();
            wrong +=
                &format!("\n{kind}, {}: {fault}\n  {}\n  {said}", case.name, case.args.join(" "));
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is wrong with a refusal.
pub(crate) fn faults(done: &Done, says: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    if !done.in_time {
        faults.push(format!("does not end within {PATIENCE:?}"));
    }
    if done.code != Some(2) {
        faults.push(format!("exit code {:?}, not 2", done.code));
    }
    if !done.stdout.is_empty() {
        faults.push(format!("says {:?} on stdout", done.stdout));
    }
    if done.stderr.is_empty() || !done.stderr.lines().all(|line| line.starts_with("stiction: ")) {
        faults.push("a line does not begin with `stiction: `, or there is none".to_string());
    }
    if done.stderr.contains("panicked") {
        faults.push("panics".to_string());
    }
    if done.stderr.lines().any(|line| line.len() > 2000) {
        faults.push("a line of more than 2000 bytes".to_string());
    }
    for says in says.iter().filter(|says| !done.stderr.contains(**says)) {
        faults.push(format!("does not say {says:?}"));
    }
    faults
}

/// The program in a folder, with a bound on its memory and its time.
pub(crate) fn limited(folder: &Path, args: &[&str]) -> Done {
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MEMORY} && exec \"$@\""), "sh"])
        .arg(env!("CARGO_BIN_EXE_stiction"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell starts");
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let (code, in_time) = wait(&mut child);
    let text = |thread: std::thread::JoinHandle<String>| thread.join().unwrap_or_default();
    Done { code, stdout: text(stdout), stderr: text(stderr), in_time }
}

/// Reads while the program runs, so that it never waits for a reader.
fn collect(from: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.map(|mut from| from.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child) -> (Option<i32>, bool) {
    #[allow(clippy::disallowed_methods, reason = "the limit is in seconds")]
    let start = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return (status.code(), true);
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return (None, false);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Every entry of a folder; of small files what is in them, of others their length.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            let length = entry.metadata().map_or(0, |data| data.len());
            let content = match kind {
                Ok(kind) if kind.is_dir() => {
                    open.push(path.clone());
                    Vec::new()
                }
                Ok(kind) if kind.is_file() && length < 1 << 20 => {
                    std::fs::read(&path).unwrap_or_default()
                }
                _ => length.to_le_bytes().to_vec(),
            };
            all.insert(path, content);
        }
    }
    all
}

/// Writes a file of a case, with its folders.
pub(crate) fn put(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).expect("a folder can be made");
    }
    std::fs::write(path, content).expect("a file can be written");
}

/// A text, where it is wrong, and what is said there.
pub(crate) type Text = (&'static str, &'static str, &'static str, &'static str);

/// Runs every text as a scene of this name; the line must begin with the place.
pub(crate) fn refuse_texts(file: &str, texts: &[Text]) {
    let mut wrong = String::new();
    let folder = folder(&format!("bad-texts-{}", file.replace('.', "-")));
    for (name, text, place, says) in texts {
        put(&folder, file, text);
        let done = limited(&folder, &["run", file]);
        let mut faults = faults(&done, &[]);
        let place = format!("stiction: {file}:{place}: ");
        let is_said = |line: &str| line.starts_with(&place) && line.contains(says);
        if !done.stderr.lines().any(is_said) {
            faults.push(format!("does not say {place}…{says}"));
        }
        if std::fs::read_dir(&folder).map_or(0, Iterator::count) != 1 {
            faults.push("left something behind".to_string());
            let _ = std::fs::remove_dir_all(folder.join("out"));
        }
        for fault in faults {
            wrong +=
                &format!("\n{name}: {fault}\n  {}", done.stderr.trim_end().replace('\n', "\n  "));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
