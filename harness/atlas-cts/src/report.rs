//! `atlas-cts report`: rewrites a run's reports.

use std::path::Path;

use atlas_cts::{CommandError, annotate, say_line};
use catalog::Originals;
use engine::run::{ExitStatus, read_named, rewrite_reports};
use ledger::answers;
use ledger::report::{FORMATS, clean, disarmed};
use ledger::{Ledger, Quoting};

/// The command's description in its help.
pub(crate) fn about() -> String {
    let names = FORMATS.map(|format| format.file).join(", ");
    format!("Rewrite a run's reports from its journal: {names}")
}

/// Rewrites a run's reports, and prints their paths and the run's annotations. The exit status does not depend on the
/// run's results.
pub(crate) fn report(
    run: &Path,
    since: Option<&Path>,
    documents: Option<&Path>,
    record: Option<&Path>,
) -> Result<ExitStatus, CommandError> {
    let (folder, remarks) = match documents {
        None => rewrite_reports(run, since, &Ledger)?,
        Some(documents) => {
            let originals = Originals::read(documents).map_err(CommandError::Originals)?;
            rewrite_reports(run, since, &Quoting(&originals))?
        }
    };
    remarks.iter().for_each(|remark| eprintln!("{}", disarmed(&clean(remark))));
    let written = FORMATS.map(|format| folder.join(format.file));
    written.iter().filter(|path| path.exists()).try_for_each(|path| say_line(path.display()))?;
    let recorded = read_named(&folder)?.1;
    if let Some(file) = record {
        answers::write(file, &folder, &recorded).map_err(CommandError::Answers)?;
        say_line(file.display())?;
    }
    annotate(&recorded)?;
    Ok(if remarks.is_empty() { ExitStatus::Success } else { ExitStatus::Unknown })
}
