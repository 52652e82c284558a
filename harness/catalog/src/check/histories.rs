//! Checks the histories in api.yaml against the header and the models.

use history::Role;
use steps::types::Declarations;
use steps::vocabulary::is_name;

use crate::diagnostic::Mistakes;
use crate::histories::{History, HistoryCall, Part};
use crate::model::{ApiFile, HistoryCallSource};
use crate::parse::ParsedFile;

/// Reads the histories in api.yaml.
pub(super) fn check(api: &ParsedFile<ApiFile>, declarations: &Declarations, mistakes: &mut Mistakes) -> Vec<History> {
    let mut found: Vec<History> = Vec::new();
    for source in &api.value.histories {
        let name = &source.history.value;
        if !is_name(name) {
            let message = format!("`{name}` cannot be a name in the steps; use letters, digits and `_`");
            mistakes.at(&api.source, &source.history, message);
        }
        if found.iter().any(|known| known.name == *name) {
            mistakes.at(&api.source, &source.history, format!("`{name}` is defined twice; choose another name"));
        }
        if source.operations.is_empty() {
            mistakes.at(&api.source, &source.history, format!("`{name}` has no operations; add some"));
        }
        let mut calls = Vec::new();
        for operation in &source.operations {
            match HistoryCall::of(operation, (source.model, source.bytes), declarations) {
                Ok(call) => calls.push(call),
                Err((part, message)) => mistakes.at(&api.source, place(operation, part), message),
            }
        }
        found.push(History { name: name.clone(), kind: source.model, calls });
    }
    found
}

/// The place of a mistake in an entry.
fn place(source: &HistoryCallSource, part: Part) -> &serde_yaml::Spanned<String> {
    let given = match part {
        Part::Operation => None,
        Part::Call => Some(&source.call),
        Part::Role(Role::Key) => source.key.as_ref(),
        Part::Role(Role::Value) => source.value.as_ref(),
        Part::Role(Role::From) => source.from.as_ref(),
        Part::Role(Role::To) => source.to.as_ref(),
        Part::Role(Role::Amount) => source.amount.as_ref(),
        Part::Role(Role::Size) => source.size.as_ref(),
        Part::Role(Role::Block) => source.block.as_ref(),
    };
    given.unwrap_or(&source.operation)
}
