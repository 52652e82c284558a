//! `atlas-cts report`: rewrites a run's reports.

use std::path::{Path, PathBuf};

use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, annotate, say_line};
use catalog::Originals;
use engine::run::{CatalogOptions, ExitStatus, choose_runtime, load_rules, read_named, rewrite_reports};
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
            // The catalog of the run; its clauses name the sentences.
            let header = read_named(run)?.1.header;
            let specs = header.settings.specs.map(PathBuf::from);
            let mut catalog = CatalogOptions { specs, runtime: Some(header.runtime), ..CatalogOptions::default() };
            let runtime = choose_runtime(RUNTIMES, &mut catalog, &[])?;
            let rules = load_rules(&catalog, runtime)?;
            rewrite_reports(run, since, &Quoting { rules: &rules, originals: &originals })?
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
