//! `atlas-cts history`.

use std::path::PathBuf;

use atlas_cts::{CommandError, say};
use clap::{Args, ValueEnum};
use engine::run::{ExitStatus, run_folder, runs_folder};
use ledger::history::{html, markdown, text};

/// Runs that are shown of each thing that was tested.
const LAST: u64 = 30;

/// How a history is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// For merge requests and step summaries.
    Markdown,
    /// One page with charts that needs nothing else.
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder below which the runs are; links in it are not followed. A name below reports/out, or `latest`, will do.
    /// [default: reports/out]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// How to show them.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// How many runs of each thing that was tested: the newest.
    #[arg(long, value_name = "N", default_value_t = LAST, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    last: u64,
}

/// Prints what the runs below a folder say.
pub(crate) fn history(arguments: &Arguments) -> Result<ExitStatus, CommandError> {
    let folder = match arguments.folder.as_deref() {
        // A folder of runs; a folder that is left out in it has the name that the user gave.
        Some(given) if given.is_dir() && !given.is_symlink() => given.to_owned(),
        Some(given) => run_folder(given),
        None => runs_folder(),
    };
    let mut history = ledger::history::history(&folder).map_err(CommandError::History)?;
    for timeline in &mut history.timelines {
        let left_out = timeline.keep_last(arguments.last as usize);
        if left_out > 0 {
            let tested = &timeline.tested;
            history.remarks.push(format!("{tested}: {left_out} older runs are left out; --last shows more"));
        }
    }
    say(&match arguments.format {
        Format::Text => text(&history),
        Format::Markdown => markdown(&history),
        Format::Html => html(&history),
    })?;
    Ok(ExitStatus::Conformant)
}
