//! Names of chapters. A chapter is named after its file, and the name begins with the area of its rules.

use std::path::Path;

/// The name of the folder with a runtime's chapters.
pub(super) const RULES: &str = "rules";

/// The name of the chapter in a file: `copy.async` for `rules/copy/async.yaml`.
pub(super) fn name(folder: &Path, path: &Path) -> String {
    words(folder, path).join(".")
}

/// The words in a chapter's name; the first word is the area.
pub(super) fn words(folder: &Path, path: &Path) -> Vec<String> {
    let below = path.strip_prefix(folder.join(RULES)).unwrap_or(path).with_extension("");
    below.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The first word in a chapter's name, which is also the second word in its rules' ids.
pub fn area(chapter: &str) -> &str {
    chapter.split('.').next().unwrap_or(chapter)
}
