//! `atlas-cts merge`.

use atlas_cts::CommandError;
use atlas_cts::run::Terminal;
use atlas_cts::runtimes::RUNTIMES;
use engine::run::{ExitStatus, MergeOptions};
use ledger::Ledger;

/// Merges a run's shards and prints the result of the complete run.
pub(crate) fn merge(options: &MergeOptions) -> Result<ExitStatus, CommandError> {
    Ok(engine::run::merge(options, RUNTIMES, &Ledger, &mut Terminal::default())?)
}
