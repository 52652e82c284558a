//! Lines of the catalog that are too wide to be read side by side.

use crate::catalog::{Specs, chapter_paths, name_below};

/// The columns that a line may have.
const WIDEST: usize = 120;

/// Where the YAML files of a runtime have lines of more columns, each with what to do.
pub fn wide_lines(specs: &Specs, runtime: &str) -> Vec<String> {
    let folder = specs.root().join(runtime);
    let own = ["api.yaml", "documents.yaml", "products.yaml", "support.yaml"].map(|name| folder.join(name));
    // What cannot be read is reported where the catalog is read.
    let chapters = chapter_paths(specs, runtime, &mut Vec::new());
    let mut found = Vec::new();
    for path in own.into_iter().chain(chapters) {
        let bytes = specs.read(&path, u64::MAX).unwrap_or_default();
        for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let columns = line.chars().count();
            if columns > WIDEST {
                let place = format!("specs/{runtime}/{}:{}", name_below(&folder, &path), number + 1);
                found.push(format!("{place}: {columns} columns; break the line so that it has at most {WIDEST}"));
            }
        }
    }
    found
}
