use std::collections::{BTreeMap, BTreeSet};
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
    let (common_crate, others) = crates();
    let common = common_crate.messages("en");
    let mut used_anywhere = referred(&common);
    let mut own_messages = 0;
    for one in others {
        let (sources, own) = (one.sources(), one.messages("en"));
        let (used, known) = (used(&sources), &keys(&common) | &keys(&own));
        let missing = used.difference(&known);
        assert_eq!(missing.collect::<Vec<_>>(), NONE, "no message has these keys of {}", one.name);
        let unused = &(&keys(&own) - &used) - &referred(&own);
        assert_eq!(unused.iter().collect::<Vec<_>>(), NONE, "{} does not use these messages", one.name);
        for language in Language::ALL {
            let parts = [&common_crate, &one];
            let texts = parts.map(|one| Language::ALL.map(|language| &*one.messages(language.name()).leak()));
            let messages = Messages::of(texts.into());
            for key in matches(r#"message!\(\s*"([^"]*)"\s*\)"#, &sources) {
                let one_line = in_language(language, || matches!(messages.format(&key, None), Some(Cow::Borrowed(_))));
                assert!(one_line, "{key} is not one line of text in `{}`", language.name());
            }
        }
        own_messages += keys(&own).len();
        used_anywhere.extend(used);
        used_anywhere.extend(referred(&own));
    }
    let unused = &keys(&common) - &used_anywhere;
    assert_eq!(unused.iter().collect::<Vec<_>>(), NONE, "no crate uses these messages");
    assert!(own_messages > 100, "the crates have {own_messages} messages in addition to the common ones");
}

/// The messages of a crate in a language: the text of each key.
fn texts(messages: &str) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut key = None;
    for line in messages.lines() {
        if let Some((start, text)) = line.split_once(" =").filter(|(start, _)| keys(line).contains(*start)) {
            key = Some(start.to_owned());
            texts.insert(start.to_owned(), text.to_owned());
        } else if let Some(text) =
            key.as_ref().filter(|_| line.starts_with([' ', '}'])).and_then(|key| texts.get_mut(key))
        {
            text.push_str(line);
        }
    }
    texts
}

/// The variables that a message prints, and those that only select a form, also in the messages that it refers to.
fn variables(key: &str, texts: &BTreeMap<String, String>) -> (BTreeSet<String>, BTreeSet<String>) {
    let text = &texts[key];
    let (mut printed, mut selecting) = (matches(r"\{ \$([a-z0-9]+) \}", text), matches(r"\{ \$([a-z0-9]+) ->", text));
    for other in referred(text) {
        let (more, selects) = variables(&other, texts);
        printed.extend(more);
        selecting.extend(selects);
    }
    (printed, selecting)
}

#[test]
fn each_message_of_a_language_has_the_variables_of_the_first() {
    let (common, others) = crates();
    let first = Language::ALL[0].name();
    for (language, compiled) in Language::ALL.into_iter().zip(COMMON) {
        let name = language.name();
        assert_eq!(compiled.len(), common.messages(name).len(), "{name}: a file is not compiled in");
        for one in others.iter().chain([&common]) {
            let own = if one.name == common.name { String::new() } else { one.messages(name) };
            let texts_of = |language: &str| texts(&(common.messages(language) + &one.messages(language)));
            let (english, other) = (texts_of(first), texts_of(name));
            let surplus: Vec<&String> = other.keys().filter(|key| !english.contains_key(*key)).collect();
            assert_eq!(surplus, NONE, "{first}.ftl of {} has no message with these keys", one.name);
            read(language, [common.messages(name).as_str(), own.as_str()]).unwrap();
            for key in other.keys() {
                let ((printed, selecting), (own, choosing)) = (variables(key, &english), variables(key, &other));
                // A variable that only selects a plural may be absent: Chinese has none.
                let lacks: Vec<&String> =
                    printed.iter().filter(|name| !own.contains(*name) && !choosing.contains(*name)).collect();
                assert_eq!(lacks, NONE, "{key} in {name}.ftl of {} lacks these variables", one.name);
                let known = &printed | &selecting;
                let unknown: Vec<&String> = own.union(&choosing).filter(|name| !known.contains(*name)).collect();
                assert_eq!(unknown, NONE, "{key} in {name}.ftl of {} has unknown variables", one.name);
            }
        }
    }
}

#[test]
fn chinese_is_set_as_in_the_documents_of_the_vendor() {
    let (common, others) = crates();
    let (wide, narrow) = (r"[\u{4e00}-\u{9fff}，。：；、（）]", r"[A-Za-z0-9,:;(){}$]");
    let wrong = [
        (format!("{wide} +{narrow}|{narrow} +{wide}"), "a space between Chinese and Latin text"),
        (format!("{wide} +{wide}"), "a space between Chinese characters"),
        (r"[\u{4e00}-\u{9fff}][,;:!?]".to_owned(), "a half-width mark after a Chinese character"),
    ];
    for one in others.iter().chain([&common]) {
        for (key, text) in texts(&one.messages("zh")) {
            // Selectors and examples in code are not set as text.
            let text =
                Regex::new(r"\{ \$[a-z]+ ->|\*?\[[a-z0-9]+\]|`[^`]*`").unwrap().replace_all(&text, "|").into_owned();
            let text = Regex::new(r"\{ (\$?[a-z0-9-]+) \}").unwrap().replace_all(&text, "{$1}").into_owned();
            for (pattern, what) in &wrong {
                let found = Regex::new(pattern).unwrap().find(text.trim()).map(|found| found.as_str().to_owned());
                assert_eq!(found, None, "{key} in zh.ftl of {} has {what}", one.name);
            }
        }
    }
}

#[test]
fn a_thread_has_another_language_for_a_while_even_if_it_panics() {
    let chinese = || in_language(Language::Chinese, || message!("count-rules", count = 1));
    assert_eq!([chinese(), message!("count-rules", count = 1)], ["1条规则", "1 rule"]);
    let failed = std::panic::catch_unwind(|| in_language(Language::Chinese, || panic!("a test")));
    assert!(failed.is_err());
    assert_eq!(language(), Language::English);
    assert_eq!(in_language(Language::Chinese, || in_language(Language::English, language)), Language::English);
}

#[test]
fn the_locale_selects_a_language_by_the_first_variable_that_is_set() {
    let of = |set: &[(&str, &str)]| {
        Language::of_locale(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    };
    for set in [&[("LANG", "zh_CN.UTF-8")], &[("LC_MESSAGES", "zh_TW")], &[("LC_ALL", "zh")], &[("LANG", "ZH-cn")]] {
        assert_eq!(of(set), Language::Chinese, "{set:?}");
    }
    let chinese = ("LANG", "zh_CN.UTF-8");
    assert_eq!(of(&[("LC_ALL", ""), ("LC_MESSAGES", ""), chinese]), Language::Chinese);
    for first in [("LC_ALL", "C"), ("LC_MESSAGES", "de_DE.UTF-8"), ("LC_ALL", "POSIX")] {
        assert_eq!(of(&[first, chinese]), Language::English, "{first:?}");
    }
    assert_eq!(of(&[]), Language::English);
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
    static OWN: LazyLock<Messages> =
        LazyLock::new(|| Messages::with(["toy = a toy with { count-rules }\n", "toy = 带有{ count-rules }的玩具\n"]));
    assert_eq!(message!(in OWN, "toy", count = 2), "a toy with 2 rules");
    assert_eq!(message!(in OWN, "all"), "all");
}
