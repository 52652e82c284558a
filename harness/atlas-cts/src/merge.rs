//! `atlas-cts merge`.

use atlas_cts::CommandError;
use atlas_cts::run::{Terminal, Verbosity};
use atlas_cts::runtimes::RUNTIMES;
use clap::Args;
use engine::run::{ExitStatus, MergeOptions};
use ledger::Ledger;

/// The options of `merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    #[command(flatten)]
    merge: MergeOptions,
}

/// Merges a run's shards and prints the result of the complete run.
pub(crate) fn merge(arguments: &MergeArguments) -> Result<ExitStatus, CommandError> {
    let mut terminal = Terminal::new(Verbosity::default());
    Ok(engine::run::merge(&arguments.merge, RUNTIMES, &Ledger, &mut terminal)?)
}
