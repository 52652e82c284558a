//! Classes of JUnit's test cases that keep an older name than that of their chapter.

use std::cmp::Ordering;
use std::collections::HashMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

use steps::suggest::hint;

use crate::version::Release;

use super::check::Checker;
use super::read::ParsedFile;
use super::rules::Rules;

/// The version of the suite.
const SUITE: &str = env!("CARGO_PKG_VERSION");

/// `specs/<runtime>/junit.yaml`: classes of JUnit's test cases that keep an older name than that of their chapter.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JunitFile {
    /// The version of the suite with which these classes go: from it on, a class is called as its chapter.
    #[schemars(with = "String")]
    pub until: Spanned<String>,
    /// Class → chapters, and ids of rules whose class is not that of their chapter.
    #[schemars(with = "IndexMap<String, Vec<String>>")]
    pub classes: IndexMap<String, Vec<Spanned<String>>>,
}

impl Checker<'_> {
    /// Rule → class, of those rules whose class is not called as their chapter.
    pub(super) fn junit(&mut self, file: &ParsedFile<JunitFile>, rules: &Rules) -> HashMap<String, String> {
        self.until(file);
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
                    let message = format!("there is no rule and no chapter `{name}`{}", hint(name, known));
                    self.at(&file.source, entry, message);
                } else if let Some(other) = named.insert(name, class) {
                    self.at(&file.source, entry, format!("`{name}` has the class `{other}` already; leave one"));
                }
            }
        }
        let class_of =
            |id: &str, chapter: &str| named.get(id).or_else(|| named.get(chapter)).map(|class| (*class).to_owned());
        let rules = rules.rules.iter().map(|rule| (rule, &rules.chapters[rule.chapter].name));
        rules.filter_map(|(rule, chapter)| Some((rule.id.clone(), class_of(&rule.id, chapter)?))).collect()
    }

    /// The file goes with the version that it names.
    fn until(&mut self, file: &ParsedFile<JunitFile>) {
        let until = &file.value.until;
        let message = match (Release::read_whole(&until.value), Release::read_whole(SUITE)) {
            (None, _) => format!("`{}` is no version of the suite; write for example 0.5.0", until.value),
            (Some(last), Some(now)) if now.compare(&last) != Ordering::Less => {
                format!("this is version {SUITE}, in which the old classes end: remove this file")
            }
            _ => return,
        };
        self.at(&file.source, until, message);
    }
}
