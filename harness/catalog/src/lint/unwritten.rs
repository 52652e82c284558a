//! What a skeleton of a rule leaves to be written.

use crate::{Specs, chapter_paths, name_below};

/// Stands before what is to be written, in a text or in a comment of a chapter.
pub const TO_WRITE: &str = "TO WRITE: ";

/// The places of chapters at which something is still to be written, each with what.
pub fn unwritten(specs: &Specs, runtime: &str) -> Vec<String> {
    let folder = specs.root().join(runtime);
    let mut found = Vec::new();
    // What cannot be read is reported where the catalog is read.
    for path in chapter_paths(specs, runtime, &mut Vec::new()) {
        let bytes = specs.read(&path, u64::MAX).unwrap_or_default();
        for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let Some((before, what)) = line.split_once(TO_WRITE) else { continue };
            let (line, column) = (number + 1, before.chars().count() + 1);
            let what = what.trim_end_matches(['"', '\'']);
            found.push(format!("specs/{runtime}/{}:{line}:{column}: write {what}", name_below(&folder, &path)));
        }
    }
    found
}
