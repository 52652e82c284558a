//! Files that serve every runtime name no runtime, neither in code nor in comments nor in tests.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use atlas_cts::runtimes::RUNTIMES;
use rstest::rstest;

use crate::support::project;

/// Names of vendors and of existing runtimes.
const WORDS: &[&str] = &["acl", "cann", "ascend", "soc", "cuda"];

/// The text files below a folder of the project.
fn texts(folder: &str) -> Vec<(PathBuf, String)> {
    let (mut folders, mut found) = (vec![project().join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // The generator's tests compare its output with a vendor's header, which is checked in.
                folders.extend((!path.ends_with("harness/abi/generator/tests")).then_some(path));
            } else if let Ok(text) = fs::read_to_string(&path) {
                found.push((path, text));
            }
        }
    }
    found
}

/// The parts of identifiers and words in a line, split at other characters than letters and at changes of case.
fn parts(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let letters: Vec<char> = line.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(at + 1);
        let rises = letter.is_uppercase() && before.is_some_and(char::is_lowercase);
        // `ABCError`: the last capital begins the next part.
        let last_capital = letter.is_uppercase()
            && before.is_some_and(char::is_uppercase)
            && after.is_some_and(|after| after.is_lowercase());
        if !letter.is_alphabetic() || rises || last_capital {
            parts.push(String::new());
        }
        if letter.is_alphabetic() {
            parts.last_mut().expect("there is one").extend(letter.to_lowercase());
        }
    }
    parts
}

#[rstest]
#[case::the_tables("harness/abi", 8)]
#[case::the_language("harness/steps", 20)]
#[case::the_cases("harness/cases", 7)]
#[case::the_catalog("harness/catalog", 40)]
#[case::the_record("harness/record", 12)]
#[case::the_messages("harness/messages", 3)]
#[case::the_ledger("harness/ledger", 60)]
#[case::the_engine("harness/engine", 80)]
#[case::the_contract("fixtures/simulator/contract", 5)]
#[case::the_simulated_device("fixtures/simulator/device", 20)]
#[case::the_dispatch("fixtures/simulator/facade", 3)]
fn no_word_of_a_vendor_occurs(#[case] folder: &str, #[case] least: usize) {
    let texts = texts(folder);
    assert!(texts.len() >= least, "{folder} has more files than {}", texts.len());
    let mut found = Vec::new();
    for (path, text) in &texts {
        for (number, line) in text.lines().enumerate() {
            if parts(line).iter().any(|part| WORDS.contains(&part.as_str())) {
                found.push(format!("{}:{}: {line}", path.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "{} lines name a vendor:\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_name_of_a_header_occurs_in_files_for_every_runtime() {
    let mut names = HashSet::new();
    for bindings in RUNTIMES.iter().map(|runtime| runtime.bindings) {
        let constants = bindings.enums.iter().flat_map(|known| known.constants).chain(bindings.constants);
        names.extend(bindings.functions.iter().map(|function| function.name));
        names.extend(bindings.structs.iter().map(|known| known.name));
        names.extend(constants.map(|constant| constant.name));
    }
    assert!(names.len() > 300, "the headers declare more than {} names", names.len());
    let crates =
        ["steps", "cases", "catalog", "record", "messages", "ledger", "engine"].map(|name| format!("harness/{name}"));
    for (path, text) in crates.iter().flat_map(|folder| texts(folder)) {
        for (number, line) in text.lines().enumerate() {
            let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            if let Some(word) = words.find(|word| names.contains(word)) {
                panic!("{}:{}: the harness names {word}", path.display(), number + 1);
            }
        }
    }
}

#[rstest]
#[case::snake("set_acl_code", true)]
#[case::camel("AclError", true)]
#[case::capitals("ACLError ACL_ERROR", true)]
#[case::a_path("specs/acl/copy", true)]
#[case::inside_a_word("tentacles, socket, associated, oracle, cannot, ascending", false)]
fn a_word_is_found_only_as_a_whole_part(#[case] line: &str, #[case] found: bool) {
    assert_eq!(parts(line).iter().any(|part| WORDS.contains(&part.as_str())), found, "{:?}", parts(line));
}
