//! `atlas-cts report`: rewrites a run's reports.

use std::path::Path;

use atlas_cts::{CommandError, say_line};
use engine::run::{ExitStatus, rewrite_reports};
use ledger::Ledger;
use ledger::report::{FORMATS, clean};

/// The command's description in its help.
pub(crate) fn about() -> String {
    let names = FORMATS.map(|format| format.file).join(", ");
    format!("Rewrite a run's reports from its journal: {names}")
}

/// Rewrites a run's reports and prints their paths. The exit status does not depend on the run's results.
pub(crate) fn report(run: &Path) -> Result<ExitStatus, CommandError> {
    let (folder, remarks) = rewrite_reports(run, &Ledger)?;
    remarks.iter().for_each(|remark| eprintln!("{}", clean(remark)));
    let written = FORMATS.map(|format| folder.join(format.file));
    written.iter().filter(|path| path.exists()).try_for_each(|path| say_line(path.display()))?;
    Ok(if remarks.is_empty() { ExitStatus::Success } else { ExitStatus::Unknown })
}
