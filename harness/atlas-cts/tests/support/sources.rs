//! The sources of the project, as tests read them.

use std::fs;
use std::path::{Path, PathBuf};

use super::project;

/// Folders that hold nothing of the project, and files that a command writes.
const OUTSIDE: [&str; 7] = [
    "target",
    "harness/fuzz/target",
    ".git",
    "reports/out",
    "specs/schema",
    "docs/run/options.md",
    "harness/engine/proptest-regressions",
];

/// The path of a file below the repository.
pub fn relative(path: &Path) -> String {
    path.strip_prefix(project()).expect("the file is in the repository").display().to_string()
}

/// The files of the project whose names end with one of these, without a dot, in the order of their paths.
pub fn tracked(endings: &[&str]) -> Vec<PathBuf> {
    let (root, mut found) = (project(), Vec::new());
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the repository can be read") {
            let path = entry.expect("an entry can be read").path();
            let below = path.strip_prefix(&root).expect("it is below the root");
            if OUTSIDE.iter().any(|outside| below == Path::new(outside)) || path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
