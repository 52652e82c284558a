//! What a runtime adds to the step language, checked against its header: named sets of codes.

use std::sync::Arc;

use serde_yaml::Spanned;

use steps::Vocabulary;
use steps::builtins::builtin;
use steps::suggest::hint;
use steps::types::Declarations;
use steps::vocabulary::is_name;

use super::check::Checker;
use super::diagnostic::Source;
use super::model::ApiFile;
use super::read::ParsedFile;

impl Checker<'_> {
    /// Reads the sets of api.yaml.
    pub(super) fn vocabulary(&mut self, file: &ParsedFile<ApiFile>, declarations: &Declarations) -> Vocabulary {
        let mut vocabulary = Vocabulary::new();
        for (name, codes) in &file.value.codes {
            if let Some(message) = no_new_name(name, declarations) {
                self.at(&file.source, codes, message);
            }
            if codes.value.is_empty() {
                self.at(&file.source, codes, format!("`{name}` holds no code; name at least one constant"));
            }
            for code in &codes.value {
                self.code(&file.source, code, declarations);
            }
            let codes = codes.value.iter().map(|code| code.value.clone()).collect();
            vocabulary.sets.insert(name.clone(), codes);
        }
        vocabulary
    }

    fn code(&mut self, source: &Arc<Source>, code: &Spanned<String>, declarations: &Declarations) {
        if declarations.constant(&code.value).is_none() {
            let hint = hint(&code.value, declarations.constant_names());
            self.at(source, code, format!("`{}` is not a constant of the header{hint}", code.value));
        }
    }
}

/// Why a name cannot be given a meaning.
fn no_new_name(name: &str, declarations: &Declarations) -> Option<String> {
    if !is_name(name) {
        return Some(format!("`{name}` cannot be a name in the steps; use letters, digits and `_`"));
    }
    let taken = declarations.constant(name).is_some()
        || declarations.function(name).is_some()
        || declarations.ty(name).is_some()
        || builtin(name).is_some()
        || matches!(name, "usually" | "product" | "devices" | "NULL");
    taken.then(|| format!("`{name}` already names something else; choose another name"))
}
