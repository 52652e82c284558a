//! What a run consists of, and which of it was asked for.

use steps::suggest::hint;
use thiserror::Error;

use crate::catalog::Rules;

/// Something that a run can execute: a rule of the catalog, or one that is derived from the support table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    pub id: String,
    pub chapter: String,
    /// Position in [`Rules::rules`]; `None`: the derived rule on exported functions.
    pub(crate) rule: Option<usize>,
}

/// All that a run of these rules could execute, in the order of the catalog.
pub fn plan(rules: &Rules) -> Vec<Planned> {
    let mut planned: Vec<Planned> = rules
        .rules
        .iter()
        .enumerate()
        .map(|(index, rule)| Planned {
            id: rule.id.clone(),
            chapter: rules.chapters[rule.chapter].name.clone(),
            rule: Some(index),
        })
        .collect();
    if !rules.support.is_empty() {
        planned.push(Planned {
            id: format!("{}.support.exported", rules.runtime),
            chapter: "support".to_owned(),
            rule: None,
        });
    }
    planned
}

/// Which rules are asked for. A whole id means that rule; any other text means each id that contains it.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Rules that match one of these; empty: all.
    pub wanted: Vec<String>,
    /// Texts mean whole ids only.
    pub exact: bool,
    /// Rules that match one of these are left out.
    pub left_out: Vec<String>,
}

/// A filter that matches nothing: nothing would be tested, and that would look like a pass.
#[derive(Debug, Error)]
#[error("no rule matches `{}`{hint}; `cargo test -- --list` or `atlas-cts list` names all {rules}", .wanted.join(" "))]
pub struct NothingSelected {
    wanted: Vec<String>,
    hint: String,
    rules: usize,
}

impl Filter {
    /// The rules that are asked for, in the order of the catalog.
    ///
    /// # Errors
    /// There are none.
    pub fn select(&self, rules: &Rules) -> Result<Vec<Planned>, NothingSelected> {
        let all = plan(rules);
        // Whether a text is a whole id is asked once, not for each rule.
        let whole = |text: &str| self.exact || all.iter().any(|planned| planned.id == text);
        let texts = |texts: &[String]| texts.iter().map(|text| (text.clone(), whole(text))).collect::<Vec<_>>();
        let (wanted, left_out) = (texts(&self.wanted), texts(&self.left_out));
        let named = |texts: &[(String, bool)], id: &str| {
            texts.iter().any(|(text, whole)| if *whole { id == text } else { id.contains(text.as_str()) })
        };
        let selected: Vec<Planned> = all
            .iter()
            .filter(|planned| wanted.is_empty() || named(&wanted, &planned.id))
            .filter(|planned| !named(&left_out, &planned.id))
            .cloned()
            .collect();
        if selected.is_empty() {
            let ids = || all.iter().map(|planned| planned.id.as_str());
            let hint = self.wanted.iter().map(|text| hint(text, ids())).find(|hint| !hint.is_empty());
            let hint = hint.unwrap_or_default();
            return Err(NothingSelected { wanted: self.wanted.clone(), hint, rules: all.len() });
        }
        Ok(selected)
    }
}
