//! The result types in api.yaml: the success code, the names of codes, and the codes after which a process is unusable.

use std::sync::Arc;

use serde_yaml::Spanned;
use steps::pattern;
use steps::results::{ResultType, Results};
use steps::suggest::hint;
use steps::types::{Declarations, c_name, is_integer};

use crate::diagnostic::{Mistakes, Source};
use crate::model::{ApiFile, ResultSource};
use crate::parse::ParsedFile;

/// Reads the result types in api.yaml.
pub(super) fn check(file: &ParsedFile<ApiFile>, declarations: &Declarations, mistakes: &mut Mistakes) -> Results {
    let ParsedFile { source, value: api } = file;
    let mut results = Results::default();
    let entries: &[ResultSource] = match (&api.result, api.results.as_slice()) {
        (Some(one), []) => std::slice::from_ref(one),
        (None, several @ [_, ..]) => several,
        (given, _) => {
            let both = if given.is_some() { "both are given" } else { "neither is given" };
            mistakes.at(
                source,
                &api.runtime,
                format!("api.yaml must have either `result` or a list of `results`; {both}"),
            );
            return results;
        }
    };
    for entry in entries {
        let Some(result) = result(source, entry, declarations, mistakes) else { continue };
        if let Some(earlier) = results.of(result.ty) {
            let (name, other, ty) = (&result.name, &earlier.name, c_name(result.ty));
            let message = format!(
                "`{name}` and `{other}` are both a {ty}, so the header does not show which one a function \
                 returns; keep one of them"
            );
            mistakes.at(source, &entry.ty, message);
        }
        results.0.push(result);
    }
    results
}

fn result(
    source: &Arc<Source>,
    entry: &ResultSource,
    declarations: &Declarations,
    mistakes: &mut Mistakes,
) -> Option<ResultType> {
    let name = &entry.ty.value;
    let success = constant(source, &entry.success, declarations, mistakes);
    let fatal = entry.fatal.iter().map(|code| constant(source, code, declarations, mistakes)).collect();
    let Some(ty) = declarations.ty(name) else {
        let hint = hint(name, declarations.type_names());
        mistakes.at(source, &entry.ty, format!("`{name}` is not a type in the header{hint}"));
        return None;
    };
    if !is_integer(ty) {
        let message = format!("`{name}` is a {}; a type of codes is an integer or an enumeration", c_name(ty));
        mistakes.at(source, &entry.ty, message);
        return None;
    }
    let codes = declarations.codes(ty, entry.codes.as_ref().map(|pattern| pattern.value.as_str()));
    if let Some(pattern) = entry.codes.as_ref().filter(|_| codes.is_empty()) {
        let hint = pattern::hint(&pattern.value, declarations.constant_names());
        mistakes.at(source, pattern, format!("`{}` matches no code of `{name}`{hint}", pattern.value));
    }
    let success_name = entry.success.value.clone();
    Some(ResultType { name: name.clone(), ty, success, success_name, codes, fatal })
}

fn constant(
    source: &Arc<Source>,
    name: &Spanned<String>,
    declarations: &Declarations,
    mistakes: &mut Mistakes,
) -> i128 {
    if let Ok(number) = name.value.parse() {
        return number;
    }
    match declarations.constant(&name.value) {
        Some((value, _)) => value,
        None => {
            let hint = hint(&name.value, declarations.constant_names());
            mistakes.at(source, name, format!("`{}` is not a constant in the header{hint}", name.value));
            0
        }
    }
}
