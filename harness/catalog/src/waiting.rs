//! Sentences for runtimes without an `api.yaml`. No rule rests on them, and coverage counts them as open.

use std::sync::Arc;

use super::diagnostic::{CatalogError, Diagnostic, Source};
use super::model::ClausesFile;
use super::parse::parse_source;
use super::specs::{LARGEST_FILE, Specs};

/// The number of waiting sentences in each runtime's folder. An executable contains none.
///
/// # Errors
/// Fails if a file of sentences cannot be read or has a mistake.
pub fn waiting(specs: &Specs) -> Result<Vec<(String, usize)>, CatalogError> {
    let Specs::Folder(root) = specs else { return Ok(Vec::new()) };
    let folders = std::fs::read_dir(root).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir());
    let mut found = Vec::new();
    for folder in folders.filter(|folder| !folder.path().join("api.yaml").exists()) {
        let runtime = folder.file_name().to_string_lossy().into_owned();
        let mut sentences = 0;
        let clauses = folder.path().join("clauses");
        let (paths, _) = specs.files(&runtime);
        for path in paths.iter().filter(|path| path.starts_with(&clauses)) {
            let bytes = specs.read(path, LARGEST_FILE).map_err(|error| CatalogError {
                diagnostics: vec![Diagnostic::nowhere(format!("{}: {error}; make the file readable", path.display()))],
            })?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let file: ClausesFile = parse_source(&Arc::new(Source::new(path.clone(), text)))
                .map_err(|mistake| CatalogError { diagnostics: vec![mistake] })?;
            sentences += file.entries().count();
        }
        if sentences > 0 {
            found.push((runtime, sentences));
        }
    }
    found.sort();
    Ok(found)
}
