//! The target `catalog`: reads the files in a runtime's folder, and returns rules, or mistakes with their places.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use catalog::{CatalogError, Rules, load};
use engine::case::Scope;

use crate::{program, toy};

/// The prefix of the line before a file: `# file: NAME`, a YAML comment. The text before the first such line is a
/// chapter.
const FILE: &str = "# file: ";
/// The names of files that may be replaced. Any other name refers to the chapter.
const NAMES: &[&str] = &["api.yaml", "products.yaml", "documents.yaml", "support.yaml"];
/// The name of the chapter's file, in its area's folder.
const CHAPTER: &str = "chapter.yaml";
/// A chapter in addition to the one in the input.
const INTACT: &str = "rules/block.yaml";

/// Texts that have a meaning in a catalog but are missing from the corpus.
pub const WORDS: &[&str] = &[
    "every: 0..3",
    "int: 0..9",
    "bytes: 1..64KiB",
    "permutation: 1..4",
    "multiple_of: 8",
    "one_of: [1, 2]",
    "where: size > 1",
    "&anchor ",
    "*anchor",
    "<<: ",
    "!!binary ",
    "|",
    ">-",
    "? ",
    "---\n",
    "...\n",
    "# file: api.yaml\n",
    "# file: products.yaml\n",
    "# file: support.yaml\n",
    "for (i < 9) { for (j < 9) { n > 0; } }",
    "toy.a.b",
    "~",
    "KiB",
    "TiB",
    "product.largest",
    "devices",
    "patience",
];

thread_local! {
    static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// Checks that mistakes have places inside their files, and that accepted rules have valid ids and can be run.
pub fn law(bytes: &[u8]) {
    let files = files(bytes);
    let folder = FOLDER.with_borrow_mut(Option::take).unwrap_or_else(folder);
    let runtime = folder.path().join("toy");
    for (name, text) in &files {
        write(&runtime, name, text);
    }
    let loaded = load(&toy::place(folder.path().to_owned()));
    match &loaded {
        Ok(rules) => {
            rule_ids_follow_the_grammar(rules);
            rules_can_be_run(rules);
        }
        Err(error) => mistakes_have_places(error),
    }
    // After a panic, the folder's content is unknown, so the folder is created again.
    files.keys().for_each(|name| restore(&runtime, name));
    FOLDER.set(Some(folder));
}

/// The files that an input replaces.
fn files(bytes: &[u8]) -> BTreeMap<Cow<'static, str>, Vec<u8>> {
    let mut files: BTreeMap<Cow<'static, str>, Vec<u8>> = BTreeMap::new();
    let mut name = CHAPTER;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(given) = line.strip_prefix(FILE.as_bytes()) {
            let given = String::from_utf8_lossy(given.trim_ascii()).into_owned();
            name = NAMES.iter().copied().find(|known| *known == given).unwrap_or(CHAPTER);
        }
        files.entry(name.into()).or_default().extend_from_slice(line);
    }
    if let Some(chapter) = files.remove(CHAPTER) {
        files.insert(format!("rules/{}/{CHAPTER}", area(&chapter)).into(), chapter);
    }
    files
}

/// The area of a chapter, taken from its first rule.
fn area(chapter: &[u8]) -> String {
    let text = String::from_utf8_lossy(chapter);
    let id = text.lines().find_map(|line| line.trim_start().strip_prefix("- id: toy."));
    let area = id.and_then(|id| id.split('.').next()).unwrap_or_default();
    if is_rule_id(&format!("toy.{area}.rule")) { area.to_owned() } else { "odd".to_owned() }
}

/// A folder with the intact files.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("the folder for temporary files can be written");
    let runtime = folder.path().join("toy");
    std::fs::create_dir_all(runtime.join("rules")).expect("this process owns the folder");
    NAMES.iter().chain(&[INTACT]).for_each(|name| restore(&runtime, name));
    folder
}

fn restore(folder: &Path, name: &str) {
    if name.ends_with(CHAPTER) {
        // The next chapter may belong to another area.
        let _ = std::fs::remove_dir_all(folder.join(name).parent().unwrap_or(folder));
        return;
    }
    let intact = std::fs::read(toy::specs().join("toy").join(name)).expect("the toy has this file");
    write(folder, name, &intact);
}

fn write(folder: &Path, name: &str, text: &[u8]) {
    let below = folder.join(name);
    let below = below.parent().unwrap_or(folder);
    std::fs::create_dir_all(below).expect("this process owns the folder");
    std::fs::write(folder.join(name), text).expect("this process owns the folder");
}

fn mistakes_have_places(error: &CatalogError) {
    assert!(!error.diagnostics.is_empty(), "a catalog is rejected without a mistake: {error}");
    for mistake in &error.diagnostics {
        assert!(!mistake.message.is_empty(), "a mistake has no message: {mistake}");
        let Some(source) = &mistake.source else { panic!("a mistake does not name a file: {mistake}") };
        // A mistake in the whole file has no line.
        let line = if mistake.line == 0 { Some("") } else { source.line(mistake.line) };
        let Some(line) = line else { panic!("a mistake is past the end of its file: {mistake}") };
        // An item missing at the end of a line is reported in the column after the line.
        let columns = line.chars().count();
        assert!(mistake.column <= columns + 1, "a mistake is past the end of its line: {columns} columns, {mistake}");
    }
    assert!(!error.to_string().is_empty());
}

/// Matches `[a-z0-9-]+(\.[a-z0-9-]+){2,}` with at most 200 bytes: safe as a file name and safe to print on a terminal.
pub(crate) fn is_rule_id(id: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    id.len() <= 200 && id.split('.').count() >= 3 && id.split('.').all(part)
}

fn rule_ids_follow_the_grammar(rules: &Rules) {
    for rule in &rules.rules {
        assert!(is_rule_id(&rule.id), "an accepted id is not valid: {:?}", rule.id);
    }
}

fn rules_can_be_run(rules: &Rules) {
    for rule in rules.rules.iter().filter(|rule| rules.chapters[rule.chapter].file != INTACT) {
        for product in &rules.products {
            program::holds(&rule.program, &Scope::new(product.facts.clone(), 3));
        }
    }
}
