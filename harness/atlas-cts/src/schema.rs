//! `atlas-cts schema`: JSON Schemas of the catalog's files, so that editors complete and validate them.

use std::path::Path;

use crate::catalog::{ApiFile, ChapterFile, DocumentsFile, ProductsFile, SupportFile};
use crate::run::{ExitStatus, SessionError};

/// Writes the schemas, or compares them with the files.
pub fn schema(folder: &Path, check: bool) -> Result<ExitStatus, SessionError> {
    let schemas = [
        ("documents", schemars::schema_for!(DocumentsFile)),
        ("products", schemars::schema_for!(ProductsFile)),
        ("api", schemars::schema_for!(ApiFile)),
        ("support", schemars::schema_for!(SupportFile)),
        ("chapter", schemars::schema_for!(ChapterFile)),
    ];
    let failed = |path: &Path, error: std::io::Error| SessionError::Environment(format!("{}: {error}", path.display()));
    for (name, schema) in schemas {
        let path = folder.join(format!("{name}.schema.json"));
        let text = serde_json::to_string_pretty(&schema).expect("a schema is made of strings and maps") + "\n";
        if check {
            if std::fs::read_to_string(&path).map_err(|error| failed(&path, error))? != text {
                let message = format!("{} is not what the code describes; run `atlas-cts schema`", path.display());
                return Err(SessionError::Usage(message));
            }
        } else {
            std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
            std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
            super::say_line(path.display())?;
        }
    }
    Ok(ExitStatus::Conformant)
}
