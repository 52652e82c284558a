//! The engine names no vendor.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use abi::Bindings;
use abi::generated::acl;

pub const TRIALS: &[(&str, fn())] =
    &[("no-name-of-a-header", no_name_of_a_header), ("no-prefix-of-a-vendor", no_prefix_of_a_vendor)];

/// The engine's sources with their paths, without the generated tables.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the sources are there") {
            let path = entry.expect("a folder can be read").path();
            if path.is_dir() && path != root.join("bindings") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source is text");
                files.push((path, text));
            }
        }
    }
    assert!(files.len() > 30, "the engine has more sources than {}", files.len());
    files
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn names(bindings: &'static Bindings) -> HashSet<&'static str> {
    let constants = bindings.enums.iter().flat_map(|known| known.constants).chain(bindings.constants);
    let functions = bindings.functions.iter().map(|function| function.name);
    let structs = bindings.structs.iter().map(|known| known.name);
    functions.chain(structs).chain(constants.map(|constant| constant.name)).collect()
}

/// No function, structure or constant of the vendor's header occurs in the engine, comments included.
fn no_name_of_a_header() {
    let names = names(&acl::BINDINGS);
    for (path, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            if let Some(word) = words(line).find(|word| names.contains(word)) {
                panic!("{}:{}: the engine names {word}", path.display(), number + 1);
            }
        }
    }
}

/// Nor does anything that looks like one.
fn no_prefix_of_a_vendor() {
    let known = regex_lite::Regex::new(r"\bacl[A-Z]|\bACL_|\baclrt|\baclError\b").expect("the pattern is right");
    for (path, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            assert!(!known.is_match(line), "{}:{}: {line}", path.display(), number + 1);
        }
    }
}
