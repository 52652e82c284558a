//! `atlas-cts report`: rewrites the reports of a run.

use std::path::Path;

use atlas_cts::{CommandError, say_line};
use engine::run::{ExitStatus, rewrite_reports};
use ledger::Ledger;
use ledger::report::{FORMATS, clean};

/// The description of the command in its help.
pub(crate) fn about() -> String {
    let names = FORMATS.map(|format| format.file).join(", ");
    format!("Rewrite the reports of a run from its journal: {names}")
}

/// Rewrites the reports of a run and prints their paths. The status is not that of the run.
pub(crate) fn report(run: &Path) -> Result<ExitStatus, CommandError> {
    let (folder, remarks) = rewrite_reports(run, &Ledger)?;
    remarks.iter().for_each(|remark| eprintln!("{}", clean(remark)));
    let written = FORMATS.map(|format| folder.join(format.file));
    written.iter().filter(|path| path.exists()).try_for_each(|path| say_line(path.display()))?;
    Ok(if remarks.is_empty() { ExitStatus::Success } else { ExitStatus::Unknown })
}
