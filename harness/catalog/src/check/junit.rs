//! JUnit classes that keep an earlier name instead of their chapter's name.

use std::cmp::Ordering;
use std::collections::HashMap;

use steps::suggest::hint;

use crate::diagnostic::Mistakes;
use crate::model::JunitFile;
use crate::parse::ParsedFile;
use crate::rules::Rules;
use crate::version::VersionNumber;

/// The version of the suite.
const SUITE: &str = env!("CARGO_PKG_VERSION");

/// Maps each rule whose class is not named after its chapter to that class.
pub(super) fn check(file: &ParsedFile<JunitFile>, rules: &Rules, mistakes: &mut Mistakes) -> HashMap<String, String> {
    until(file, mistakes);
    let prefix = format!("{}.", rules.runtime);
    let mut named: HashMap<&str, &str> = HashMap::new();
    for (class, entries) in &file.value.classes {
        for entry in entries {
            let name = entry.value.as_str();
            let known: Vec<&str> = match name.starts_with(&prefix) {
                true => rules.rules.iter().map(|rule| rule.id.as_str()).collect(),
                false => rules.chapters.iter().map(|chapter| chapter.name.as_str()).collect(),
            };
            if !known.contains(&name) {
                let message = format!("there is no rule or chapter `{name}`{}", hint(name, known));
                mistakes.at(&file.source, entry, message);
            } else if let Some(other) = named.insert(name, class) {
                mistakes.at(&file.source, entry, format!("`{name}` already has the class `{other}`; keep one"));
            }
        }
    }
    let class_of =
        |id: &str, chapter: &str| named.get(id).or_else(|| named.get(chapter)).map(|class| (*class).to_owned());
    let rules = rules.rules.iter().map(|rule| (rule, &rules.chapters[rule.chapter].name));
    rules.filter_map(|(rule, chapter)| Some((rule.id.clone(), class_of(&rule.id, chapter)?))).collect()
}

/// Checks that the suite has not reached the version in which the file expires.
fn until(file: &ParsedFile<JunitFile>, mistakes: &mut Mistakes) {
    let until = &file.value.until;
    let message = match (VersionNumber::read_whole(&until.value), VersionNumber::read_whole(SUITE)) {
        (None, _) => format!("`{}` is not a version of the suite; write, for example, 0.5.0", until.value),
        (Some(last), Some(now)) if now.compare(&last) != Ordering::Less => {
            format!("the old classes end with version {SUITE}, the current version: remove this file")
        }
        _ => return,
    };
    mistakes.at(&file.source, until, message);
}
