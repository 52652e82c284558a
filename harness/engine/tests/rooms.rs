//! Dependencies run one way: between crates in their manifests, and between the modules of the engine in its sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the engine; each uses only those before it.
const MODULES: &[&str] = &[
    "leftovers",
    "doctor",
    "stack",
    "case",
    "print_c",
    "logs",
    "runtime",
    "interface",
    "wire",
    "worker",
    "questions",
    "pool",
    "confirm",
    "soak",
    "run",
    "prove",
];

/// The crates of the harness with their allowed dependencies in this repository.
const CRATES: &[(&str, &[&str])] = &[
    ("abi", &[]),
    ("steps", &["abi"]),
    ("cases", &["steps"]),
    ("catalog", &["abi", "cases", "history", "simulator-contract", "steps"]),
    ("history", &[]),
    ("record", &["catalog", "history"]),
    ("messages", &[]),
    ("ledger", &["cases", "catalog", "history", "messages", "record", "steps"]),
    ("engine", &["abi", "cases", "catalog", "history", "messages", "record", "simulator-contract", "steps"]),
    (
        "atlas-cts",
        &["abi", "catalog", "engine", "ledger", "messages", "record", "simulator-contract", "specs", "steps"],
    ),
    ("fuzz", &["abi", "catalog", "engine", "ledger", "record", "steps"]),
];

/// The allowed dependencies of a vendor's crate.
const OF_A_VENDOR: &[&str] = &["abi", "catalog", "engine", "messages", "record", "simulator-contract", "specs"];

/// The only crate that may depend on vendors' crates.
const REGISTRY: &str = "atlas-cts";

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder can be read").path());
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    paths.flat_map(below).filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The module of a file: the first folder below `src`, or the file itself; `None` for the crate root.
fn module(path: &Path) -> Option<String> {
    let below = path.strip_prefix(source()).expect("the file is below src");
    let first = below.components().next().expect("a file has a name").as_os_str().to_string_lossy().into_owned();
    let name = first.trim_end_matches(".rs").to_owned();
    (name != "lib").then_some(name)
}

/// The modules that a text names: `crate::module`, and each name of `crate::{module::…, other}`.
fn named(text: &str) -> BTreeSet<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let whole_word = !text[..at].ends_with(|c: char| c == '$' || c == '_' || c.is_ascii_alphanumeric());
        let rest = &text[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            _ if !whole_word => {}
            None => drop(found.insert(name(rest))),
            Some(list) => {
                let mut depth = 1;
                let mut item = String::new();
                for c in list.chars() {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    if depth == 0 || (c == ',' && depth == 1) {
                        found.insert(name(&item));
                        item.clear();
                    } else {
                        item.push(c);
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
    }
    found.remove("");
    found
}

/// For each module, the other modules that it names.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files(&source()) {
        let Some(module) = module(&path) else { continue };
        let text = fs::read_to_string(&path).expect("a source is text");
        arrows.entry(module.clone()).or_default().extend(named(&text).into_iter().filter(|other| *other != module));
    }
    arrows
}

#[test]
fn every_module_of_the_engine_has_its_place_in_the_order() {
    let modules: BTreeSet<String> = files(&source()).iter().filter_map(|path| module(path)).collect();
    let known: BTreeSet<String> = MODULES.iter().map(|module| (*module).to_owned()).collect();
    assert_eq!(modules, known);
    assert!(arrows().values().map(BTreeSet::len).sum::<usize>() > 20, "the sources name each other");
}

#[test]
fn a_module_uses_only_those_before_it() {
    let place = |module: &str| MODULES.iter().position(|known| *known == module);
    let mut backwards = Vec::new();
    for (module, others) in arrows() {
        backwards.extend(
            others
                .into_iter()
                .filter(|other| place(other) >= place(&module))
                .map(|other| format!("{module} → {other}")),
        );
    }
    assert_eq!(
        backwards,
        Vec::<String>::new(),
        "these dependencies run backwards; the order is {}",
        MODULES.join(" < ")
    );
}

#[test]
fn a_list_of_names_is_read_as_well_as_a_single_one() {
    let text = "use crate::case::Value;\nuse crate::{run::{Options, Target}, wire};\nlet x = crate::doctor::page(&y);";
    let expected = ["case", "doctor", "run", "wire"].map(str::to_owned);
    assert_eq!(named(text), BTreeSet::from(expected));
    assert_eq!(named("$crate::case, a_crate::run"), BTreeSet::new());
}

#[test]
fn a_crate_depends_only_on_those_that_it_may_know() {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(&harness).expect("the harness can be read").map(|entry| entry.expect("it has a name"));
    let crates = entries.filter(|entry| entry.path().join("Cargo.toml").is_file());
    let names: BTreeSet<String> = crates.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let named: BTreeSet<String> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert!(named.is_subset(&names), "{named:?} lists a crate that is not among {names:?}");
    for name in &names {
        let allowed = CRATES.iter().find(|(known, _)| known == name).map_or(OF_A_VENDOR, |(_, allowed)| allowed);
        let path = harness.join(name).join("Cargo.toml");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let section = text.split("[dependencies]").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        let own = section.lines().filter(|line| line.contains("path = "));
        let mut own: Vec<&str> = own.filter_map(|line| line.split_whitespace().next()).collect();
        if name == REGISTRY {
            own.retain(|dependency| !names.contains(*dependency) || named.contains(*dependency));
        }
        assert!(own.iter().all(|dependency| allowed.contains(dependency)), "{name} depends on {}", own.join(", "));
        assert_eq!(own.len(), allowed.len(), "{name} depends on {}", own.join(", "));
    }
}

/// A test in a crate with `test = false` in its manifest would never run, nor an example with `doctest = false`.
#[test]
fn a_crate_that_links_no_tests_has_none() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let further = ["../specs", "../fixtures/simulator/contract"];
    for name in CRATES.iter().map(|(name, _)| *name).chain(further) {
        let manifest = fs::read_to_string(crates.join(name).join("Cargo.toml")).expect("a crate has a manifest");
        let library = manifest.split("\n[lib]\n").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
        let is_off = |what: &str| library.lines().any(|line| line == format!("{what} = false"));
        for path in files(&crates.join(name).join("src")) {
            let text = fs::read_to_string(&path).expect("a source is text");
            let comments = text.lines().filter_map(|line| line.trim().strip_prefix("//"));
            let fences = comments.filter_map(|line| line.trim_start_matches(['/', '!']).trim().strip_prefix("```"));
            let has_example = fences.step_by(2).any(|language| language != "text");
            let has_test = ["#[test]", "#[rstest]", "proptest! {"].iter().any(|mark| text.contains(mark));
            assert!(!(has_test && is_off("test")), "{}: this test does not run", path.display());
            assert!(!(has_example && is_off("doctest")), "{}: this example does not run", path.display());
        }
    }
}
