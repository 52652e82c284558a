//! The folder of a soak: its file and its reports.

use std::path::{Path, PathBuf};

use catalog::files;
use engine::run::runs_folder;
use ledger::soak::{Judged, SOAK_PAGE, junit, page};
use record::{RecordedSoak, SoakFile, SoakHeader};

use crate::CommandError;

/// The JUnit file in a soak's folder.
const JUNIT: &str = "junit.xml";

/// The folder that a user names: a path, or a name below the folder of runs.
pub(super) fn named(given: &Path) -> PathBuf {
    let below = runs_folder().join(given);
    if !given.join(SoakFile::NAME).exists() && below.join(SoakFile::NAME).exists() { below } else { given.to_owned() }
}

/// The folder for a new soak: the given one, or one below the folder of runs with a name made of time and product.
pub(super) fn new(given: Option<&Path>, header: &SoakHeader) -> PathBuf {
    let made = || {
        let time: String = header.started.chars().filter(char::is_ascii_alphanumeric).take(15).collect();
        runs_folder().join(format!("soak-{time}-{}-{}", header.product, std::process::id()))
    };
    given.map_or_else(made, Path::to_owned)
}

/// Writes the page and the JUnit file.
pub(super) fn write_reports(folder: &Path, soak: &RecordedSoak, judged: &Judged) -> Result<(), CommandError> {
    for (name, text) in [(SOAK_PAGE, page(soak, judged)), (JUNIT, junit(soak, judged))] {
        let path = folder.join(name);
        files::replace(&path, text).map_err(|source| CommandError::File { path, source })?;
    }
    Ok(())
}
