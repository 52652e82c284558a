//! `atlas-cts run`.

mod event;
mod json;
mod progress;
mod terminal;

use crate::CommandError;
use crate::runtimes::RUNTIMES;
use clap::{Args, ValueEnum};
use engine::run::{ExitStatus, Options, SelectionOptions, choose_runtime};
use ledger::Ledger;

pub use event::LogLine;
use json::JsonLog;
pub use terminal::Terminal;

#[derive(Args)]
pub struct Arguments {
    /// Only rules whose id contains one of these; a whole id means that rule. A resumed run has its own.
    filter: Vec<String>,
    #[command(flatten)]
    selection: SelectionOptions,
    #[command(flatten)]
    options: Options,
    /// What to print while the run goes on: lines for a person, or one JSON object for each event, as
    /// reports/schema/log.schema.json describes.
    #[arg(long, env = "ATLAS_CTS_LOG_FORMAT", value_enum, default_value = "text")]
    log_format: LogFormat,
}

/// What is printed while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For a person; on a terminal also how far the run is.
    Text,
    /// For a program.
    Json,
}

/// Runs rules and prints what happens.
pub fn run(arguments: Arguments) -> Result<ExitStatus, CommandError> {
    let filter = arguments.selection.filter(arguments.filter, false, Vec::new())?;
    let runtime = choose_runtime(RUNTIMES, &arguments.options.catalog, &filter.wanted)?;
    let status = match arguments.log_format {
        LogFormat::Text => engine::run::run(arguments.options, runtime, &filter, &Ledger, &mut Terminal::default()),
        LogFormat::Json => engine::run::run(arguments.options, runtime, &filter, &Ledger, &mut JsonLog),
    };
    Ok(status?)
}
