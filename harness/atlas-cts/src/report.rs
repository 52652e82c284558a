//! `atlas-cts report`: the reports of a run once more.

use std::path::Path;

use atlas_cts::{CommandError, say_line};
use engine::run::{ExitStatus, rewrite_reports};
use ledger::Ledger;
use ledger::report::{FORMATS, clean};

/// What the command does, for its help.
pub(crate) fn about() -> String {
    let names = FORMATS.map(|format| format.file).join(", ");
    format!("Write the reports of a run again, from its journal alone: {names}")
}

/// Writes the reports of a run again and prints where they are. What the run ended with is not this command's status.
pub(crate) fn report(run: &Path) -> Result<ExitStatus, CommandError> {
    let (folder, remarks) = rewrite_reports(run, &Ledger)?;
    remarks.iter().for_each(|remark| eprintln!("{}", clean(remark)));
    let written = FORMATS.map(|format| folder.join(format.file));
    written.iter().filter(|path| path.exists()).try_for_each(|path| say_line(path.display()))?;
    Ok(if remarks.is_empty() { ExitStatus::Conformant } else { ExitStatus::Unknown })
}
