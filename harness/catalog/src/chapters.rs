//! Chapters: a chapter has the name of its file, and its rules are of the area that this name begins with.

use std::path::Path;
use std::sync::Arc;

use serde_yaml::Spanned;

use super::check::Checker;
use super::diagnostic::{Diagnostic, Source};
use super::products::ID;
use super::rules::{is_id, is_rule_id};

/// The folder of chapters in that of a runtime.
pub(super) const RULES: &str = "rules";

/// The name of the chapter in a file: `copy.async` for `rules/copy/async.yaml`.
pub(super) fn name(folder: &Path, path: &Path) -> String {
    words(folder, path).join(".")
}

/// The words of a chapter's name, its area first.
fn words(folder: &Path, path: &Path) -> Vec<String> {
    let below = path.strip_prefix(folder.join(RULES)).unwrap_or(path).with_extension("");
    below.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The first word of a chapter's name: the second word of its rules' ids.
pub fn area(chapter: &str) -> &str {
    chapter.split('.').next().unwrap_or(chapter)
}

impl Checker<'_> {
    /// Each word of a chapter's name becomes part of tables and of commands.
    pub(super) fn chapter_name(&mut self, source: &Arc<Source>, folder: &Path) {
        for word in words(folder, &source.path).iter().filter(|word| !is_id(word)) {
            let message = format!("`{word}` cannot be part of the name of a chapter, which is that of its file; {ID}");
            self.diagnostics.push(Diagnostic { source: Some(source.clone()), line: 0, column: 0, message });
        }
    }

    /// A rule lies in a chapter of its area. An id that is none is reported elsewhere.
    pub(super) fn in_its_area(&mut self, source: &Arc<Source>, id: &Spanned<String>, chapter: &str) {
        let (own, here) = (id.value.split('.').nth(1).unwrap_or_default(), area(chapter));
        if is_rule_id(&id.value) && own != here {
            let message = format!(
                "the area of `{}` is `{own}`, and that of this chapter is `{here}`: move the rule to {RULES}/{own}.yaml, or to \
                 a file of {RULES}/{own}",
                id.value
            );
            self.at(source, id, message);
        }
    }
}
