//! A catalog's book: the rules in it are those of the YAML, and it is made again where it is not usable.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use atlas_cts::runtimes::RUNTIMES;
use catalog::{CatalogPlace, Rule, Rules, book, load};
use engine::case::{Budget, Plan, Scope};
use engine::runtime::Runtime;
use rstest::rstest;
use steps::print::steps_text;
use steps::syntax_of;

use crate::support::{Answer, Bench, answer, project, take_environment};

/// The largest book in bytes.
const LARGEST: usize = 4 << 20;

fn read(runtime: &'static Runtime) -> (Rules, Rules) {
    let place = CatalogPlace { specs: project().join("specs").into(), bindings: runtime.bindings };
    let written = load(&place).unwrap_or_else(|error| panic!("{error}"));
    let bytes = book::encode(&written).unwrap();
    assert!(bytes.len() <= LARGEST, "the book of {} has {} bytes", runtime.name(), bytes.len());
    let stored = book::decode(&bytes, runtime.bindings).unwrap();
    (written, stored)
}

/// The first cases that a rule draws on a product.
fn cases(rule: &Rule, rules: &Rules) -> String {
    let product = rules.products.iter().find(|product| catalog::offered(rule, &product.id, rules).is_ok());
    let facts = product.map(|product| product.facts.clone()).unwrap_or_default();
    let scope = Scope::new(facts, rule.devices());
    let budget =
        Budget { cases: 8, repeats: 1, calls: u64::MAX, sequences: 8, sequence_calls: u64::MAX, ..Budget::default() };
    match Plan::new(&rule.program, &scope, 1, &budget) {
        Ok(mut plan) => format!("{:?}", std::iter::from_fn(|| plan.next_case()).take(8).collect::<Vec<_>>()),
        Err(error) => error.to_string(),
    }
}

#[rstest]
fn a_rule_from_a_book_prints_the_same_steps_and_draws_the_same_cases(#[values(0, 1)] runtime: usize) {
    let (written, stored) = read(RUNTIMES[runtime]);
    assert_eq!(written.rules.len(), stored.rules.len());
    for (wanted, found) in written.rules.iter().zip(&stored.rules) {
        assert_eq!(wanted.id, found.id);
        assert_eq!(format!("{:?}", *wanted.program), format!("{:?}", *found.program), "{}", wanted.id);
        let steps = |rule: &Rule, rules: &Rules| steps_text(&syntax_of(&rule.program, &rules.environment).unwrap());
        assert_eq!(steps(wanted, &written), steps(found, &stored), "{}", wanted.id);
        assert_eq!(cases(wanted, &written), cases(found, &stored), "{}", wanted.id);
        let clauses = |rule: &Rule, rules: &Rules| -> Vec<String> {
            let grounds = rule.grounds.iter().flat_map(|ground| &ground.clauses);
            let told = grounds.map(|at| &rules.book.clauses[*at]);
            told.map(|clause| format!("{} {} {}", clause.id, clause.digest, clause.source)).collect()
        };
        assert_eq!(clauses(wanted, &written), clauses(found, &stored), "{}", wanted.id);
        assert_eq!(
            (wanted.place(0), &wanted.sources, &wanted.documents),
            (found.place(0), &found.sources, &found.documents)
        );
    }
    for product in &written.products {
        let said = |rules: &Rules| -> Vec<String> {
            rules.rules.iter().map(|rule| format!("{:?}", catalog::offered(rule, &product.id, rules))).collect()
        };
        assert_eq!(said(&written), said(&stored), "{}", product.id);
    }
}

/// The books in a user's cache folder.
fn books(cache: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(cache.join("atlas-cts")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Runs a copy of the command outside the target folder, with an empty cache folder.
fn run_copy(bench: &Bench, words: &[&str]) -> Answer {
    let mut command = Command::new(bench.copy_of_the_command());
    let usual = bench.command(words);
    take_environment(command.args(words), &usual);
    answer(command.current_dir(bench.path("")).stdin(Stdio::null()))
}

#[test]
fn the_first_process_makes_the_book_and_a_damaged_or_foreign_one_is_made_again() {
    let bench = Bench::new();
    let list = |bench: &Bench| run_copy(bench, &["list", "--runtime", "cuda"]);
    let first = list(&bench).says(0, &["cuda.access.own-device-rw"]).text.clone();
    let [path] = books(&bench.path("cache")).try_into().unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let whole = fs::read(&path).unwrap();
    assert_eq!(list(&bench).text, first, "the second process says the same");
    let middle = whole.len() / 2;
    let mut flipped = whole.clone();
    flipped[middle] ^= 1;
    for (bytes, why) in [
        (flipped, "the bytes differ from those that were written"),
        (whole[..middle].to_vec(), "the bytes differ from those that were written"),
        (b"atlas-cts book 0\n".to_vec(), "this is not a book of this version of the suite"),
        (Vec::new(), "this is not a book of this version of the suite"),
    ] {
        fs::write(&path, bytes).unwrap();
        list(&bench).says(0, &[why, "it is made again", "cuda.access.own-device-rw"]);
        assert!(fs::read(&path).unwrap() == whole, "{why}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    list(&bench).says(0, &["this book was not made by this user", "cuda.access.own-device-rw"]);
}

#[test]
fn without_a_folder_for_books_the_command_works() {
    let bench = Bench::new();
    bench.write("cache", "a file, not a folder");
    let answer = run_copy(&bench, &["list", "--runtime", "cuda"]);
    answer.says(0, &["cuda.access.own-device-rw"]);
    assert!(!answer.text.contains("note"), "{}", answer.text);
}
