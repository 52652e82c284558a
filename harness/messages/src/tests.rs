use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use super::*;

/// The Rust sources of all other crates of the harness.
fn sources() -> Vec<PathBuf> {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates = fs::read_dir(harness).unwrap().map(|entry| entry.unwrap());
    let others = crates.filter(|entry| entry.file_name() != "messages");
    let mut folders: Vec<PathBuf> = others.map(|entry| entry.path().join("src")).filter(|path| path.is_dir()).collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The matches of the first group of a pattern in a text.
fn matches(pattern: &str, text: &str) -> BTreeSet<String> {
    Regex::new(pattern).unwrap().captures_iter(text).map(|found| found[1].to_owned()).collect()
}

fn keys(messages: &str) -> BTreeSet<String> {
    matches(r"(?m)^([a-z][a-z0-9-]*) =", messages)
}

#[test]
fn each_key_in_the_sources_has_a_message_and_each_message_is_used() {
    let texts: Vec<String> = sources().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let literals = texts.iter().flat_map(|text| matches(r#"message!\(\s*"([^"]*)""#, text));
    let used: BTreeSet<String> = literals.collect();
    let without_variables = texts.iter().flat_map(|text| matches(r#"message!\(\s*"([^"]*)"\s*\)"#, text));
    let (_, english) = LANGUAGES[0];
    let (keys, referred) = (keys(english), matches(r"\{ ([a-z][a-z0-9-]*) \}", english));
    assert!(used.len() > 100, "the sources use {} messages", used.len());
    assert_eq!(used.difference(&keys).collect::<Vec<_>>(), Vec::<&String>::new(), "no message has these keys");
    let unused: Vec<&String> = keys.iter().filter(|key| !used.contains(*key) && !referred.contains(*key)).collect();
    assert_eq!(unused, Vec::<&String>::new(), "nothing uses these messages");
    for key in without_variables {
        assert!(matches!(format(&key, None), Some(Cow::Borrowed(_))), "{key} is not one line of text");
    }
}

#[test]
fn every_language_has_the_messages_of_the_first() {
    let all = keys(LANGUAGES[0].1);
    for (language, messages) in LANGUAGES {
        assert_eq!(keys(messages), all, "{language}");
        bundle(language, messages).unwrap();
    }
}

#[test]
fn numbers_choose_the_form_of_a_word_and_unknown_keys_are_printed() {
    let counted = [0, 1, 2].map(|count| message!("count-rules", count = count));
    assert_eq!(counted, ["0 rules", "1 rule", "2 rules"]);
    assert_eq!(message!("a-missing-key"), "a-missing-key");
    assert_eq!(message!("a-missing-key", count = 1), "a-missing-key");
}
