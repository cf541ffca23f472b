//! Results of the sources, made anew: as a page, as JSON, or into a folder.

use std::fmt::Write;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use stiction_bench::clock::thread_seconds;
use stiction_reproduce::page::{self, PICTURES};
use stiction_reproduce::{Effort, IDS, Item};

use crate::args::ReproduceArgs;
use crate::print;
use crate::{Ending, Output};

pub(crate) fn reproduce(args: &ReproduceArgs) -> Output {
    let ids = if args.items.is_empty() { &IDS[..] } else { &args.items[..] };
    let run = |id: &&str| stiction_reproduce::reproduce(id, Effort::Whole, &thread_seconds);
    let items: Vec<Item> = ids.iter().filter_map(run).collect();
    let text = match (args.json, &args.output) {
        (true, _) => print::line(&items.iter().map(Object::of).collect::<Vec<_>>()),
        (false, Some(_)) => summary(&items),
        (false, None) => items.iter().map(page::section).collect::<Vec<_>>().join("\n"),
    };
    let met = items.iter().all(Item::pass);
    let ending = if met { Ending::Done } else { Ending::Unmet };
    Output { files: files(args, &items), ending, ..Output::said(text) }
}

/// A line for each item.
fn summary(items: &[Item]) -> String {
    let mut text = String::new();
    for item in items {
        let held = item.checks.iter().filter(|check| check.holds).count();
        let (verdict, all) = (page::verdict(item), item.checks.len());
        let _ = writeln!(text, "{:<4} {verdict:<5} {held} of {all} comparisons hold", item.id);
        for check in item.checks.iter().filter(|check| !check.holds) {
            let _ = writeln!(text, "     {}: {}, not {}", check.what, check.found, check.asked);
        }
    }
    text
}

/// The page and its pictures.
fn files(args: &ReproduceArgs, items: &[Item]) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let Some(folder) = &args.output else { return Vec::new() };
    let mut command = "stiction reproduce".to_string();
    args.items.iter().for_each(|id| command.extend([" ", id]));
    command.push_str(" -o docs");
    let mut files = vec![(folder.join("reproduced.md"), page::page(items, &command).into_bytes())];
    for picture in items.iter().flat_map(|item| &item.pictures) {
        let name = format!("{}.svg", picture.name);
        files.push((folder.join(PICTURES).join(name), picture.svg.clone().into_bytes()));
    }
    files
}

#[derive(Serialize)]
struct Object<'a> {
    id: &'static str,
    pass: bool,
    figures: Figures<'a>,
}

impl<'a> Object<'a> {
    fn of(item: &'a Item) -> Self {
        Self { id: item.id, pass: item.pass(), figures: Figures(&item.figures) }
    }
}

/// In the order in which they were found.
struct Figures<'a>(&'a [(String, f64)]);

impl Serialize for Figures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
