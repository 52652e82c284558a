//! The subjects that the suite was built for, with their rules.

use steps::pattern;

use crate::diagnostic::Mistakes;
use crate::model::SubjectsFile;
use crate::parse::ParsedFile;
use crate::rules::Rules;

/// The subjects that the suite was built for, with their rules.
pub(super) fn check(
    file: &ParsedFile<SubjectsFile>,
    rules: &Rules,
    mistakes: &mut Mistakes,
) -> Vec<(String, Vec<String>)> {
    let derived = rules.support_rule();
    let ids: Vec<&str> = rules.rules.iter().map(|rule| rule.id.as_str()).chain(derived.as_deref()).collect();
    let mut subjects = Vec::new();
    for entry in &file.value.subjects {
        let mut found = Vec::new();
        for wanted in &entry.rules {
            let before = found.len();
            let matching = ids.iter().filter(|id| pattern::matches(&wanted.value, id));
            found.extend(matching.map(|id| (*id).to_owned()));
            if found.len() == before {
                let hint = pattern::hint(&wanted.value, ids.iter().copied());
                mistakes.at(&file.source, wanted, format!("there is no rule `{}`{hint}", wanted.value));
            }
        }
        subjects.push((entry.subject.clone(), found));
    }
    subjects
}
