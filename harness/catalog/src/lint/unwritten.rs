//! The parts of a rule's skeleton that are still to be written.

use crate::{Specs, chapter_paths, name_below};

/// The prefix of a part that is still to be written, in a chapter's text or comments.
pub const TO_WRITE: &str = "TO WRITE: ";

/// The parts of chapters that are still to be written, with their places.
pub fn unwritten(specs: &Specs, runtime: &str) -> Vec<String> {
    let mut found = Vec::new();
    // Unreadable files are reported when the catalog is read.
    for path in chapter_paths(specs, runtime, &mut Vec::new()) {
        let bytes = specs.read(&path, u64::MAX).unwrap_or_default();
        for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let Some((before, what)) = line.split_once(TO_WRITE) else { continue };
            let (line, column) = (number + 1, before.chars().count() + 1);
            let what = what.trim_end_matches(['"', '\'']);
            found.push(format!("specs/{}:{line}:{column}: write {what}", name_below(specs.root(), &path)));
        }
    }
    found
}
