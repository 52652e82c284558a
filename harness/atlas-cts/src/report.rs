//! `atlas-cts report`: rewrites a run's reports.

use std::path::Path;

use atlas_cts::{AnnotationOptions, CommandError, say_line};
use engine::run::{ExitStatus, read_named, rewrite_reports};
use ledger::Ledger;
use ledger::report::{FORMATS, clean, disarmed};

/// The command's description in its help.
pub(crate) fn about() -> String {
    let names = FORMATS.map(|format| format.file).join(", ");
    format!("Rewrite a run's reports from its journal: {names}")
}

/// Rewrites a run's reports, and prints their paths and the run's annotations. The exit status does not depend on the run's
/// results.
pub(crate) fn report(
    run: &Path,
    since: Option<&Path>,
    annotations: AnnotationOptions,
) -> Result<ExitStatus, CommandError> {
    let (folder, remarks) = rewrite_reports(run, since, &Ledger)?;
    remarks.iter().for_each(|remark| eprintln!("{}", disarmed(&clean(remark))));
    let written = FORMATS.map(|format| folder.join(format.file));
    written.iter().filter(|path| path.exists()).try_for_each(|path| say_line(path.display()))?;
    annotations.say(&read_named(&folder)?.1)?;
    Ok(if remarks.is_empty() { ExitStatus::Success } else { ExitStatus::Unknown })
}
