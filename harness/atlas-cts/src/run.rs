//! `atlas-cts run`.

use std::io::IsTerminal;
use std::sync::Arc;

use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, say_line, say_painted};
use clap::Args;
use engine::record::{Recorded, Verdict};
use engine::report::{failure_text, summary};
use engine::run::{ExitStatus, Observer, Options, RunError, SelectionOptions, Work, choose_runtime};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Only rules whose id contains one of these; a whole id means that rule. A resumed run has its own.
    filter: Vec<String>,
    #[command(flatten)]
    selection: SelectionOptions,
    #[command(flatten)]
    options: Options,
}

/// Runs rules and prints a line or a block for each.
pub(crate) fn run(arguments: Arguments) -> Result<ExitStatus, CommandError> {
    let filter = arguments.selection.filter(arguments.filter, false, Vec::new())?;
    let runtime = choose_runtime(RUNTIMES, &arguments.options, &filter.wanted)?;
    Ok(engine::run::run(arguments.options, runtime, &filter, &mut Terminal)?)
}

/// Prints what happens, line by line.
pub(crate) struct Terminal;

impl Observer for Terminal {
    fn line(&mut self, text: &str) -> Result<(), RunError> {
        say_line(text)
    }

    fn perform(&mut self, work: &Arc<Work>) -> Result<(), RunError> {
        let campaign = &work.campaign;
        work.perform_all(|result| {
            say_line(match result.verdict {
                Verdict::Pass => format!("pass      {}", result.id),
                verdict if verdict != Verdict::Skipped && campaign.expected(result) => {
                    format!("known     {}  ({verdict}: {})", result.id, result.reason)
                }
                _ if campaign.breaks(result) => failure_text(result, &campaign.header),
                verdict if result.reason.is_empty() => format!("{:<9} {}", verdict.name(), result.id),
                verdict => format!("{:<9} {}  ({})", verdict.name(), result.id, result.reason),
            })
        })
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        say_painted(&summary(&run.header, &run.results, run.end.as_ref(), colour))
    }
}
