//! Pictures of the replays of shipped scenes, for `docs/gallery.md`: run, replay page, headless browser.

use std::fs;
use std::path::Path;

use crate::markdown;
use crate::stage::{Failed, Stage, run_all};

const PAGE: &str = "docs/gallery.md";
const PICTURES: &str = "pictures/gallery/";
/// Names the browser's driver, which is installed there.
const BROWSER_TESTS: &str = "crates/replay/tests/browser";
/// A larger picture is refused; in bytes.
const LARGEST: u64 = 150_000;

/// Where in its run a scene is shown, 0 to 1, and what the page is given, keys and notches of
/// the wheel; half way and none where it is not said.
const MOMENTS: [(&str, f64, &str); 11] = [
    ("block_on_incline", 0.5, "g"),
    ("bouncing_ball", 0.3, ""),
    ("cannonball_planar", 1.0, "cg"),
    ("dominoes", 0.5, "3"),
    ("gripper", 0.8, ""),
    ("newtons_cradle", 0.22, "2"),
    ("rattleback", 0.5, "2"),
    ("shapes", 0.25, "2"),
    ("slider_crank", 0.5, "4"),
    ("wall", 1.0, "c"),
    ("woodpecker", 0.5, "4"),
];

/// Makes every picture that the page shows. Runs are kept below `target` and not made again.
pub(crate) fn make(root: &Path, target: &Path) -> Result<(), Failed> {
    let names = names(root)?;
    fs::create_dir_all(root.join("docs").join(PICTURES)).map_err(failed)?;
    let mut stages = vec![Stage::cargo("program", &["build", "--quiet", "--package", "stiction"])];
    let program = text(&target.join("debug/stiction"));
    let tests = root.join(BROWSER_TESTS);
    if !tests.join("node_modules/playwright-core").is_dir() {
        let args =
            ["--prefix", BROWSER_TESTS, "install", "--no-audit", "--no-fund", "--no-package-lock"];
        stages.push(Stage::program("driver of the browser", "npm", &args));
    }
    let script = root.join("xtask/gallery.mjs");
    let mut words = vec![text(&script), text(&tests)];
    for name in &names {
        let folder = target.join("gallery").join(name);
        let (page, into) = (folder.join("replay.html"), text(&folder));
        let scene = format!("scenes/{name}.toml");
        let (share, keys) = moment(name);
        if !page.is_file() {
            let args = ["run", &scene, "-q", "--force", "-o", &into];
            stages.push(Stage::program(&scene, &program, &args));
        }
        let picture = root.join("docs").join(PICTURES).join(format!("{name}.png"));
        words.extend([text(&page), text(&picture), share.to_string(), keys.to_string()]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    stages.push(Stage::program("pictures", "node", &words));
    run_all(&stages, root)?;
    check(root, &names)
}

/// The scenes whose pictures are on the page.
fn names(root: &Path) -> Result<Vec<String>, Failed> {
    let page = fs::read_to_string(root.join(PAGE)).map_err(failed)?;
    let page = markdown::parse(PAGE.into(), &page)?;
    let mut names = Vec::new();
    for link in &page.links {
        let name = link.target.strip_prefix(PICTURES).and_then(|name| name.strip_suffix(".png"));
        names.extend(name.map(str::to_string));
    }
    Ok(names)
}

fn check(root: &Path, names: &[String]) -> Result<(), Failed> {
    for name in names {
        let path = root.join("docs").join(PICTURES).join(format!("{name}.png"));
        let size = fs::metadata(&path).map_err(failed)?.len();
        println!("{name}.png: {} kB", size / 1000);
        if size > LARGEST {
            return Err(Failed(format!("{name}.png has {size} bytes, more than {LARGEST}")));
        }
    }
    Ok(())
}

fn moment(name: &str) -> (f64, &'static str) {
    let said = MOMENTS.iter().find(|(scene, ..)| *scene == name);
    said.map_or((0.5, ""), |(_, share, keys)| (*share, *keys))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn failed(error: std::io::Error) -> Failed {
    Failed(format!("gallery: {error}"))
}
