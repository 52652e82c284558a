//! Checks that each axiom is defined once, and that the axioms named in rules and chapters exist.

use std::collections::HashSet;
use std::sync::Arc;

use serde_yaml::Spanned;
use steps::suggest::hint;

use crate::diagnostic::{Mistakes, Source};
use crate::ids::is_id;
use crate::model::{Axiom, AxiomsFile};
use crate::parse::ParsedFile;
use crate::rules::Rules;

/// A runtime's axioms, without duplicates.
pub(super) fn check(file: Option<&ParsedFile<AxiomsFile>>, mistakes: &mut Mistakes) -> Vec<Axiom> {
    let Some(file) = file else { return Vec::new() };
    let mut ids = HashSet::new();
    for axiom in &file.value.axioms {
        let id = &axiom.value.id;
        if id.contains('.') || !is_id(id) {
            mistakes.at(
                &file.source,
                axiom,
                format!("`{id}` cannot be the id of an axiom; write lower-case words joined by `-`"),
            );
        } else if !ids.insert(id.as_str()) {
            mistakes.at(&file.source, axiom, format!("the axiom `{id}` is defined twice; remove one"));
        }
    }
    file.value.axioms.iter().map(|axiom| axiom.value.clone()).collect()
}

/// The axioms that a rule or a chapter names. Unknown axioms are reported.
pub(super) fn assumed(
    source: &Arc<Source>,
    named: &[Spanned<String>],
    rules: &Rules,
    mistakes: &mut Mistakes,
) -> Vec<String> {
    for id in named {
        if rules.axioms.iter().all(|axiom| axiom.id != id.value) {
            let hint = hint(&id.value, rules.axioms.iter().map(|axiom| axiom.id.as_str()));
            mistakes.at(source, id, format!("there is no axiom `{}` in axioms.yaml{hint}", id.value));
        }
    }
    named.iter().map(|id| id.value.clone()).collect()
}
