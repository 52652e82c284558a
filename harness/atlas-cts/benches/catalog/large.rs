//! A catalog of many rules: those of the checked-in one again and again.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use abi::Bindings;
use atlas_cts::runtimes::RUNTIMES;
use catalog::{CatalogPlace, Rules, load};

/// The tables of the first runtime.
fn real() -> &'static Bindings {
    RUNTIMES[0].bindings
}

/// All YAML files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let all = paths.into_iter().flat_map(below);
    all.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect()
}

/// A catalog of this many rules in twelve chapters: the rules of the checked-in catalog again and again.
pub fn write(specs: &Path, rules: usize) {
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs").join(real().runtime);
    let runtime = specs.join(real().runtime);
    // Files from an earlier version would be read as well.
    let _ = std::fs::remove_dir_all(specs);
    std::fs::create_dir_all(&runtime).expect("the folder can be made");
    let mut blocks = Vec::new();
    // Subjects and readings name rules by their own ids, and so do lines of clauses.
    let names_rules = |path: &PathBuf| path.ends_with("subjects.yaml") || path.starts_with(original.join("readings"));
    for path in files(&original).into_iter().filter(|path| !names_rules(path)) {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        match text.split_once("rules:\n") {
            Some((_, list)) => blocks.extend(list.split("  - id: ").skip(1).map(str::to_owned)),
            None => {
                let copy = runtime.join(path.strip_prefix(&original).expect("the file is below the folder"));
                std::fs::create_dir_all(copy.parent().unwrap_or(&runtime)).expect("the folder can be made");
                std::fs::write(copy, without_rules(text)).expect("it can be written");
            }
        }
    }
    let mut chapters = vec![String::new(); 12];
    for number in 0..rules {
        let (_, rest) = blocks[number % blocks.len()].split_once('\n').expect("a rule has lines");
        // Every function has one owner.
        let lines = without_owns(rest);
        let id = format!("{}.large.rule-{number}", real().runtime);
        let _ = write!(chapters[number * 12 / rules], "  - id: {id}\n{}\n\n", lines.join("\n"));
    }
    let large = runtime.join("rules/large");
    std::fs::create_dir_all(&large).expect("the folder can be made");
    for (number, text) in chapters.iter().enumerate() {
        let text = format!("title: Many rules\nrules:\n{text}");
        std::fs::write(large.join(format!("{number}.yaml")), text).expect("the chapter can be written");
    }
}

/// A file of clauses without the rules that notice where they are broken.
fn without_rules(mut text: String) -> String {
    while let Some(start) = text.find("        noticed_by: [") {
        let end = text[start..].find("]\n").map_or(text.len(), |end| start + end + 2);
        text.replace_range(start..end, "");
    }
    text
}

/// The lines of a rule without `owns`, which may span several lines.
fn without_owns(rule: &str) -> Vec<&str> {
    let mut inside = false;
    let kept = |line: &&str| {
        if line.starts_with("    ") && !line.starts_with("     ") {
            inside = line.trim_start().starts_with("owns:");
        }
        !inside
    };
    rule.lines().filter(kept).collect()
}

/// Reads and checks the large catalog.
pub fn read(specs: &Path) -> Rules {
    let place = CatalogPlace { specs: specs.to_owned().into(), bindings: real() };
    load(&place).unwrap_or_else(|error| panic!("{error}"))
}
