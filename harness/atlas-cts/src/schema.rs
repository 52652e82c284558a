//! `atlas-cts schema`: JSON Schemas of the catalog's files, so that editors complete and validate them.

use std::path::Path;

use atlas_cts::{CommandError, say_line};
use engine::catalog::{
    ApiFile, ChapterFile, ClausesFile, DocumentsFile, ProductsFile, ReadingsFile, SubjectsFile, SupportFile,
};
use engine::files;
use engine::run::ExitStatus;

/// Bytes of the largest schema.
const LARGEST: u64 = 8 << 20;

/// Writes the schemas, or compares them with the files.
pub(crate) fn schema(folder: &Path, check: bool) -> Result<ExitStatus, CommandError> {
    let schemas = [
        ("clauses", schemars::schema_for!(ClausesFile)),
        ("documents", schemars::schema_for!(DocumentsFile)),
        ("readings", schemars::schema_for!(ReadingsFile)),
        ("products", schemars::schema_for!(ProductsFile)),
        ("api", schemars::schema_for!(ApiFile)),
        ("subjects", schemars::schema_for!(SubjectsFile)),
        ("support", schemars::schema_for!(SupportFile)),
        ("chapter", schemars::schema_for!(ChapterFile)),
    ];
    let failed = |path: &Path, source| CommandError::File { path: path.to_owned(), source };
    for (name, schema) in schemas {
        let path = folder.join(format!("{name}.schema.json"));
        let text = serde_json::to_string_pretty(&schema).expect("a schema is made of strings and maps") + "\n";
        if check {
            if files::read_to_string(&path, LARGEST).map_err(|error| failed(&path, error))? != text {
                return Err(CommandError::SchemaDiffers { path });
            }
        } else {
            std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
            std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
            say_line(path.display())?;
        }
    }
    Ok(ExitStatus::Conformant)
}
