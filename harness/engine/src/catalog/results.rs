//! The types of codes of api.yaml: what success is, how codes are named, which of them end a process.

use std::sync::Arc;

use serde_yaml::Spanned;
use steps::pattern;
use steps::results::{ResultType, Results};
use steps::suggest::hint;
use steps::types::{Declarations, c_name, is_integer};

use super::diagnostic::{Diagnostic, Source};
use super::model::{ApiFile, ResultSource};

/// Reads the types of codes of api.yaml.
pub(super) fn compile(
    source: &Arc<Source>,
    api: &ApiFile,
    declarations: &Declarations,
    diagnostics: &mut Vec<Diagnostic>,
) -> Results {
    let mut reader = Reader { source, declarations, diagnostics };
    let entries: &[ResultSource] = match (&api.result, api.results.as_slice()) {
        (Some(one), []) => std::slice::from_ref(one),
        (None, several @ [_, ..]) => several,
        (given, _) => {
            let both = if given.is_some() { "both are here" } else { "neither is here" };
            reader.report(&api.runtime, format!("api.yaml has a `result`, or a list of `results`; {both}"));
            return Results::default();
        }
    };
    let mut results = Results::default();
    for entry in entries {
        let Some(result) = reader.result(entry) else { continue };
        if let Some(earlier) = results.of(result.ty) {
            let message = format!(
                "`{}` and `{}` are both a {}, so that the header does not say which one a function returns; keep one of them",
                result.name,
                earlier.name,
                c_name(result.ty)
            );
            reader.report(&entry.ty, message);
        }
        results.0.push(result);
    }
    results
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    declarations: &'a Declarations,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(&mut self, place: &Spanned<String>, message: String) {
        self.diagnostics.push(Diagnostic::at(self.source, place, message));
    }

    fn result(&mut self, entry: &ResultSource) -> Option<ResultType> {
        let name = &entry.ty.value;
        let success = self.constant(&entry.success);
        let fatal = entry.fatal.iter().map(|code| self.constant(code)).collect();
        let Some(ty) = self.declarations.ty(name) else {
            let hint = hint(name, self.declarations.type_names());
            self.report(&entry.ty, format!("`{name}` is not a type in the header{hint}"));
            return None;
        };
        if !is_integer(ty) {
            let message = format!("`{name}` is a {}; a type of codes is an integer or an enumeration", c_name(ty));
            self.report(&entry.ty, message);
            return None;
        }
        let codes = self.declarations.codes(ty, entry.codes.as_ref().map(|pattern| pattern.value.as_str()));
        if let Some(pattern) = entry.codes.as_ref().filter(|_| codes.is_empty()) {
            let hint = pattern::hint(&pattern.value, self.declarations.constant_names());
            self.report(pattern, format!("`{}` matches no code of `{name}`{hint}", pattern.value));
        }
        let success_name = entry.success.value.clone();
        Some(ResultType { name: name.clone(), ty, success, success_name, codes, fatal })
    }

    fn constant(&mut self, name: &Spanned<String>) -> i128 {
        if let Ok(number) = name.value.parse() {
            return number;
        }
        match self.declarations.constant(&name.value) {
            Some((value, _)) => value,
            None => {
                let hint = hint(&name.value, self.declarations.constant_names());
                self.report(name, format!("`{}` is no constant of the header{hint}", name.value));
                0
            }
        }
    }
}
