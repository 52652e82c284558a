use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use super::*;

/// The files below a folder with this extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_wanted = |path: &Path| path.extension().is_some_and(|found| found == extension);
    paths
        .flat_map(|path| if path.is_dir() { files(&path, extension) } else { vec![path] })
        .filter(|path| is_wanted(path))
        .collect()
}

fn text(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// A crate of the harness.
struct Crate {
    name: String,
    folder: PathBuf,
}

impl Crate {
    /// The text of its sources.
    fn sources(&self) -> String {
        text(&files(&self.folder.join("src"), "rs"))
    }

    /// Its messages in a language; empty if it has no such file.
    fn messages(&self, language: &str) -> String {
        let first = self.folder.join(format!("{language}.ftl"));
        let mut paths: Vec<PathBuf> = first.is_file().then_some(first).into_iter().collect();
        paths.extend(files(&self.folder.join(language), "ftl"));
        text(&paths)
    }
}

/// The crate of common messages, and all others.
fn crates() -> (Crate, Vec<Crate>) {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(harness).unwrap().map(|entry| entry.unwrap());
    let all =
        entries.map(|entry| Crate { name: entry.file_name().to_string_lossy().into_owned(), folder: entry.path() });
    let (mut common, others): (Vec<Crate>, Vec<Crate>) = all.partition(|known| known.name == "messages");
    (common.remove(0), others)
}

/// The matches of the first group of a pattern in a text.
fn matches(pattern: &str, text: &str) -> BTreeSet<String> {
    Regex::new(pattern).unwrap().captures_iter(text).map(|found| found[1].to_owned()).collect()
}

fn keys(messages: &str) -> BTreeSet<String> {
    matches(r"(?m)^([a-z][a-z0-9-]*) =", messages)
}

/// The keys that other messages refer to.
fn referred(messages: &str) -> BTreeSet<String> {
    matches(r"\{ ([a-z][a-z0-9-]*) \}", messages)
}

fn used(sources: &str) -> BTreeSet<String> {
    matches(r#"message!\(\s*"([^"]*)""#, sources)
}

const NONE: [&String; 0] = [];

#[test]
fn each_key_in_the_sources_has_a_message_and_each_message_is_used() {
    let (common, others) = crates();
    let common = common.messages("en");
    let mut used_anywhere = referred(&common);
    let mut own_messages = 0;
    for one in others {
        let (sources, own) = (one.sources(), one.messages("en"));
        let (used, known) = (used(&sources), &keys(&common) | &keys(&own));
        let missing = used.difference(&known);
        assert_eq!(missing.collect::<Vec<_>>(), NONE, "no message has these keys of {}", one.name);
        let unused = &(&keys(&own) - &used) - &referred(&own);
        assert_eq!(unused.iter().collect::<Vec<_>>(), NONE, "{} does not use these messages", one.name);
        let messages = Messages::read("en", [common.as_str(), own.as_str()]).unwrap();
        for key in matches(r#"message!\(\s*"([^"]*)"\s*\)"#, &sources) {
            assert!(matches!(messages.format(&key, None), Some(Cow::Borrowed(_))), "{key} is not one line of text");
        }
        own_messages += keys(&own).len();
        used_anywhere.extend(used);
        used_anywhere.extend(referred(&own));
    }
    let unused = &keys(&common) - &used_anywhere;
    assert_eq!(unused.iter().collect::<Vec<_>>(), NONE, "no crate uses these messages");
    assert!(own_messages > 100, "the crates have {own_messages} messages in addition to the common ones");
}

#[test]
fn every_language_has_the_messages_of_the_first() {
    let (common, others) = crates();
    for (language, compiled) in LANGUAGES.into_iter().zip(COMMON) {
        let words = common.messages(language);
        assert_eq!(compiled.len(), words.len(), "{language}: a file is not compiled in");
        assert_eq!(keys(&words), keys(&common.messages(LANGUAGES[0])), "{language}");
        for one in &others {
            let own = one.messages(language);
            assert_eq!(keys(&own), keys(&one.messages(LANGUAGES[0])), "{}, {language}", one.name);
            Messages::read(language, [words.as_str(), own.as_str()]).unwrap();
        }
    }
}

#[test]
fn numbers_choose_the_form_of_a_word_and_unknown_keys_are_printed() {
    let counted = [0, 1, 2].map(|count| message!("count-rules", count = count));
    assert_eq!(counted, ["0 rules", "1 rule", "2 rules"]);
    assert_eq!(message!("a-missing-key"), "a-missing-key");
    assert_eq!(message!("a-missing-key", count = 1), "a-missing-key");
}

#[test]
fn a_crate_has_its_messages_in_addition_to_the_common_ones() {
    static OWN: LazyLock<Messages> = LazyLock::new(|| Messages::with(["toy = a toy with { count-rules }\n"]));
    assert_eq!(message!(in OWN, "toy", count = 2), "a toy with 2 rules");
    assert_eq!(message!(in OWN, "all"), "all");
}
