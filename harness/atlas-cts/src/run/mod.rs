//! `atlas-cts run`.

mod event;
mod json;
mod progress;
mod terminal;
mod verbosity;

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::CommandError;
use crate::runtimes::RUNTIMES;
use anstream::ColorChoice;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, ValueEnum};
use engine::run::headings::{RESULTS, SELECTION};
use engine::run::{ExitStatus, Options, SelectionOptions, choose_runtime};
use ledger::Ledger;
use ledger::answers::Recording;
use messages::{Language, use_language};
use record::books::Books;

pub use event::LogLine;
use json::JsonLog;
pub use terminal::Terminal;
pub use verbosity::Verbosity;

/// The options of `run`.
#[derive(Args)]
pub struct RunArguments {
    /// Rules whose id equals, contains or matches this, or a query for one case.
    ///
    /// A pattern has `*`, `?` or `[…]`, as in 'acl.copy.*'. A query is RULE:axis=value;axis=value, as printed in a
    /// failure. A resumed run keeps its rules.
    #[arg(help_heading = SELECTION)]
    filter: Vec<String>,
    /// Accept complete ids only, as in the commands that `cargo test` prints.
    #[arg(long, hide = true)]
    exact: bool,
    #[command(flatten)]
    selection: SelectionOptions,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    verbosity: Verbosity,
    /// Output during the run: text, or one JSON object per event.
    ///
    /// `catalog schema` describes the JSON objects.
    #[arg(long, value_enum, default_value = "text", value_name = "FORM", help_heading = RESULTS, hide_short_help = true)]
    log_format: LogFormat,
    /// Write what rules observed, with the device's name and the libraries' versions, to this file as JSON.
    ///
    /// The answers settle questions that no document answers. `catalog schema` describes the file.
    #[arg(long, value_name = "FILE", help_heading = RESULTS, hide_short_help = true)]
    record: Option<PathBuf>,
    /// Color the output.
    ///
    /// `auto` colors a terminal, unless NO_COLOR or CLICOLOR=0 is set, and anything if CLICOLOR_FORCE is set.
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = RESULTS, hide_short_help = true)]
    color: Color,
}

/// When output is colored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> ColorChoice {
        match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
    }
}

/// The formats of the output during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people; a terminal also shows a progress line.
    Text,
    /// For programs.
    Json,
}

impl RunArguments {
    /// Notes the long names of the options on the command line.
    pub fn note_sources(&mut self, on_command_line: BTreeSet<String>) {
        self.options.on_command_line = Some(on_command_line);
    }
}

/// The long names of the options on the command line itself, without those from the environment. A key of `--tune` or
/// `--sim` is named as `tune deadline`.
pub fn on_command_line(command: &Command, given: &ArgMatches) -> BTreeSet<String> {
    let (command, given) = match given.subcommand() {
        Some((name, own)) => (command.find_subcommand(name).unwrap_or(command), own),
        None => (command, given),
    };
    let there = |option: &&Arg| {
        let id = option.get_id().as_str();
        given.try_contains_id(id).is_ok() && given.value_source(id) == Some(ValueSource::CommandLine)
    };
    let options = command.get_arguments().filter(there).filter_map(|option| Some(option.get_long()?.to_owned()));
    let keys = ["tune", "sim"].into_iter().flat_map(|option| {
        let values = given.try_get_many::<String>(option).ok().flatten().into_iter().flatten();
        values.map(move |text| format!("{option} {}", text.split('=').next().unwrap_or_default()))
    });
    options.chain(keys).collect()
}

/// Runs rules and prints the events.
pub fn run(mut arguments: RunArguments) -> Result<ExitStatus, CommandError> {
    if arguments.log_format == LogFormat::Json {
        // Programs read the same text in every language.
        use_language(Language::English);
    }
    let query = arguments.options.take_query(&mut arguments.filter)?;
    let filter = arguments.selection.filter(arguments.filter, arguments.exact || query, Vec::new())?;
    let runtime = choose_runtime(RUNTIMES, &mut arguments.options.catalog, &filter.wanted)?;
    ColorChoice::from(arguments.color).write_global();
    let (options, verbosity) = (arguments.options, arguments.verbosity);
    if arguments.log_format == LogFormat::Json && (verbosity.quiet || verbosity.verbose) {
        return Err(CommandError::NotText { option: if verbosity.quiet { "--quiet" } else { "--verbose" } });
    }
    // The run's threads use the books until the process ends.
    let books: &'static dyn Books = match arguments.record {
        Some(file) => Box::leak(Box::new(Recording { file })),
        None => &Ledger,
    };
    let status = match arguments.log_format {
        LogFormat::Text => engine::run::run(options, runtime, &filter, books, &mut Terminal::new(verbosity)),
        LogFormat::Json => engine::run::run(options, runtime, &filter, books, &mut JsonLog),
    };
    Ok(status?)
}
