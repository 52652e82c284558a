//! The support table: functions and values by product.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use steps::Environment;
use steps::suggest::hint;

use crate::diagnostic::Mistakes;
use crate::model::{ApiFile, SupportEntry, SupportFile};
use crate::parse::ParsedFile;
use crate::products::{Product, unknown_product};
use crate::rules::Rules;

/// The entries of a support table, by name.
type Support = BTreeMap<String, SupportEntry>;

/// Checks the support table. Returns its functions, its values, and the document and section that it comes from.
pub(super) fn check(
    file: Option<&ParsedFile<SupportFile>>,
    products: &[Product],
    environment: &Environment,
    mistakes: &mut Mistakes,
) -> (Support, Support, Option<String>) {
    let Some(file) = file else { return Default::default() };
    let table = &file.value;
    let entries = table.functions.values().chain(table.values.values());
    let named = entries.flat_map(|entry| entry.supported.iter().chain(&entry.unsupported));
    let unknown_value = |name: &&String| environment.declarations.constant(name).is_none();
    let unknown = table.values.keys().filter(unknown_value).map(|name| {
        let hint = hint(name, environment.declarations.constant_names());
        format!("`{name}` is not a value in the header{hint}")
    });
    for message in named.filter_map(|product| unknown_product(product, products)).chain(unknown) {
        mistakes.of_file(&file.source, message);
    }
    let map = |entries: &IndexMap<String, SupportEntry>| {
        entries.iter().map(|(name, entry)| (name.clone(), entry.clone())).collect()
    };
    let source = format!("{}, {}", table.source.document, table.source.section);
    (map(&table.functions), map(&table.values), Some(source))
}

/// Checks that the support table and api.yaml name the same trials.
pub(super) fn trials(api: &ParsedFile<ApiFile>, support: Option<&ParsedFile<SupportFile>>, mistakes: &mut Mistakes) {
    let Some(file) = support else { return };
    let known = &api.value.trials;
    let entries = &file.value.functions;
    for (function, entry) in entries {
        let Some(named) = &entry.trial else { continue };
        let hint = hint(named, known.iter().map(|trial| trial.id.value.as_str()));
        let message = match known.iter().any(|trial| trial.id.value == *named) {
            true if entry.not_virtual => continue,
            true => format!("{function}: `trial` needs `not_virtual`; add that, or remove it"),
            false => format!("{function}: `{named}` is not a trial of api.yaml{hint}"),
        };
        mistakes.of_file(&file.source, message);
    }
    for trial in known {
        if !entries.values().any(|entry| entry.trial.as_ref() == Some(&trial.id.value)) {
            let message = format!("no function of support.yaml depends on `{}`; remove the trial", trial.id.value);
            mistakes.at(&api.source, &trial.id, message);
        }
    }
}

/// Checks that functions out of scope name a listed reason, that each reason is named, and that no rule calls such a
/// function.
pub(super) fn outside(file: Option<&ParsedFile<SupportFile>>, rules: &Rules, mistakes: &mut Mistakes) {
    let Some(file) = file else { return };
    let reasons = &file.value.outside;
    let mut unused: BTreeSet<&str> = reasons.keys().map(String::as_str).collect();
    for (function, entry) in &file.value.functions {
        let Some(reason) = &entry.outside else { continue };
        unused.remove(reason.as_str());
        if !reasons.contains_key(reason) {
            let hint = hint(reason, reasons.keys().map(String::as_str));
            mistakes.of_file(&file.source, format!("{function}: `{reason}` is not a reason in `outside`{hint}"));
        }
        if let Some(rule) = rules.callers(function).next() {
            let message = format!("{function} is out of scope ({reason}), but {} calls it; remove `outside`", rule.id);
            mistakes.of_file(&file.source, message);
        }
    }
    for reason in unused {
        let message = format!("no function is out of scope for the reason `{reason}`; remove it from `outside`");
        mistakes.of_file(&file.source, message);
    }
}
