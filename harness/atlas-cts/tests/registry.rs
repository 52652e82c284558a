//! The registry of runtimes: names and products are given once, and what is a vendor's stays out of the engine.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use atlas_cts::runtimes::RUNTIMES;
use engine::catalog::product_ids;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn a_name_and_a_product_belong_to_one_runtime() {
    let mut names = HashSet::new();
    let mut products = HashSet::new();
    for runtime in RUNTIMES {
        assert!(names.insert(runtime.name()), "two runtimes are called {}", runtime.name());
        let own = product_ids(&project().join("specs"), runtime.name());
        assert!(!own.is_empty(), "{} has no product", runtime.name());
        for product in own {
            assert!(products.insert(product.clone()), "two runtimes have a product {product}");
        }
    }
}

#[test]
fn the_libraries_of_a_simulated_device_have_the_names_of_the_catalog() {
    for runtime in RUNTIMES {
        let place =
            engine::catalog::CatalogPlace { root: project().join("specs"), bindings: runtime.bindings, defects: None };
        let rules = engine::catalog::load(&place, Some("none")).unwrap_or_else(|error| panic!("{error}"));
        let known: Vec<&str> = rules.libraries.all().iter().map(|library| library.id.as_str()).collect();
        for library in runtime.simulated.iter().flat_map(|device| device.libraries) {
            assert!(known.contains(&library.id), "{} has no library {}", runtime.name(), library.id);
        }
    }
}

/// Words that name a vendor's runtime or its parts.
const VENDORS: [&str; 5] = ["acl", "cann", "ascend", "soc", "cuda"];

/// Sources that know no vendor: every file below these, tests and comments included. The tables that the generator
/// writes are not among them.
const NEUTRAL: [&str; 7] = [
    "harness/abi/generator",
    "harness/abi/src/lib.rs",
    "harness/steps",
    "harness/engine",
    "fixtures/simulator/contract",
    "fixtures/simulator/device",
    "fixtures/simulator/facade",
];

fn files(path: &Path, found: &mut Vec<(PathBuf, String)>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("the sources are there") {
            files(&entry.expect("a folder can be read").path(), found);
        }
        return;
    }
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    found.push((path.to_owned(), text));
}

fn neutral_files() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    NEUTRAL.iter().for_each(|path| files(&project().join(path), &mut found));
    assert!(found.len() > 100, "there are more sources than {}", found.len());
    found
}

/// The parts of the words of a line, in lower case: split at everything but letters, and where case changes. Of several
/// capitals the last one begins a word, as in `HTTPServer`.
fn parts(line: &str) -> Vec<String> {
    let letters: Vec<char> = line.chars().collect();
    let mut parts = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let next_is_small = letters.get(at + 1).is_some_and(|next| next.is_ascii_lowercase());
        let begins = letter.is_ascii_uppercase()
            && before
                .is_some_and(|before| before.is_ascii_lowercase() || (before.is_ascii_uppercase() && next_is_small));
        if !letter.is_ascii_alphabetic() || begins {
            parts.push(String::new());
        }
        if letter.is_ascii_alphabetic() {
            parts.last_mut().expect("there is one").push(letter.to_ascii_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[test]
fn words_are_split_at_case_and_at_everything_but_letters() {
    assert_eq!(parts("aclError ACL_SUCCESS getSocName2"), ["acl", "error", "acl", "success", "get", "soc", "name"]);
    assert_eq!(parts("ACLError /opt/Ascend910 socket cannot"), ["acl", "error", "opt", "ascend", "socket", "cannot"]);
}

#[test]
fn what_every_runtime_shares_names_no_vendor() {
    let mut found = Vec::new();
    for (path, text) in neutral_files() {
        for (number, line) in text.lines().enumerate() {
            if let Some(word) = parts(line).iter().find(|part| VENDORS.contains(&part.as_str())) {
                found.push(format!("{}:{}: {word}: {line}", path.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "name these in specs, or in atlas-cts:\n{}", found.join("\n"));
}

/// No function, structure or constant of a header that this build tests occurs there either.
#[test]
fn what_every_runtime_shares_names_nothing_of_a_header() {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for bindings in RUNTIMES.iter().map(|runtime| runtime.bindings) {
        let constants = bindings.enums.iter().flat_map(|known| known.constants).chain(bindings.constants);
        names.extend(constants.map(|constant| constant.name));
        names.extend(bindings.functions.iter().map(|function| function.name));
        names.extend(bindings.structs.iter().map(|known| known.name));
    }
    for (path, text) in neutral_files() {
        for (number, line) in text.lines().enumerate() {
            let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            if let Some(word) = words.find(|word| names.contains(word)) {
                panic!("{}:{}: this names {word}", path.display(), number + 1);
            }
        }
    }
}
