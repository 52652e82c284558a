//! `atlas-cts catalog schema`: JSON Schemas for the catalog's files (for completion and validation in editors), the journal,
//! and the JSON that commands print.

use std::path::Path;

use atlas_cts::run::LogLine;
use atlas_cts::{CommandError, say_line};
use catalog::files;
use catalog::{
    ApiFile, AxiomsFile, ChapterFile, ClausesFile, DocumentsFile, ProductsFile, PythonFile, ReadingsFile, SubjectsFile,
    SupportFile,
};
use engine::doctor::Examination;
use engine::run::ExitStatus;
use ledger::answers::DeviceAnswers;
use ledger::compare::Difference;
use ledger::expectations::ExpectationsFile;
use ledger::mustpass::MustPassRun;

/// Writes the schemas.
pub(crate) fn schema(folder: &Path, reports: &Path) -> Result<ExitStatus, CommandError> {
    let schemas = [
        (folder, "clauses", schemars::schema_for!(ClausesFile)),
        (folder, "documents", schemars::schema_for!(DocumentsFile)),
        (folder, "readings", schemars::schema_for!(ReadingsFile)),
        (folder, "products", schemars::schema_for!(ProductsFile)),
        (folder, "api", schemars::schema_for!(ApiFile)),
        (folder, "subjects", schemars::schema_for!(SubjectsFile)),
        (folder, "support", schemars::schema_for!(SupportFile)),
        (folder, "chapter", schemars::schema_for!(ChapterFile)),
        (folder, "python", schemars::schema_for!(PythonFile)),
        (folder, "axioms", schemars::schema_for!(AxiomsFile)),
        (folder, "expectations", schemars::schema_for!(ExpectationsFile)),
        (reports, "doctor", schemars::schema_for!(Examination)),
        (reports, "diff", schemars::schema_for!(Difference)),
        (reports, "mustpass", schemars::schema_for!(MustPassRun)),
        (reports, "answers", schemars::schema_for!(DeviceAnswers)),
        (reports, "log", schemars::schema_for!(LogLine)),
        (reports, "results", record::journal_schema()),
    ];
    let failed = |path: &Path, source| CommandError::File { path: path.to_owned(), source };
    for (folder, name, schema) in schemas {
        let path = folder.join(format!("{name}.schema.json"));
        let text = serde_json::to_string_pretty(&schema).expect("a schema is made of strings and maps") + "\n";
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        files::replace(&path, text).map_err(|error| failed(&path, error))?;
        say_line(path.display())?;
    }
    Ok(ExitStatus::Success)
}
