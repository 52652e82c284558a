//! `atlas-cts history`.

use std::path::PathBuf;

use atlas_cts::{CommandError, say};
use catalog::{count, files};
use clap::Args;
use engine::run::{ExitStatus, run_folder, runs_folder};
use ledger::history::{prometheus, text};
use messages::{Language, use_language};

/// The default number of runs to show for each tested library and product.
const LAST: u64 = 30;

#[derive(Debug, Args)]
pub(crate) struct HistoryArguments {
    /// Folder that contains the runs; default: reports/out.
    ///
    /// Links in the folder are not followed. A name below reports/out and `latest` are also accepted.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Number of newest runs to show for each tested library.
    #[arg(long, value_name = "N", default_value_t = LAST, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    last: u64,
    /// Also write the newest run of each tested library as metrics to this file.
    ///
    /// The text format of Prometheus, for node_exporter's textfile collector. The file is replaced at once.
    #[arg(long, value_name = "FILE")]
    prometheus: Option<PathBuf>,
}

/// Prints the history of the runs in a folder, and writes metrics if they are wanted.
pub(crate) fn history(arguments: &HistoryArguments) -> Result<ExitStatus, CommandError> {
    use_language(Language::English);
    let folder = match arguments.folder.as_deref() {
        // The path is kept as given, so that remarks about ignored folders begin with the given path.
        Some(given) if given.is_dir() && !given.is_symlink() => given.to_owned(),
        Some(given) => run_folder(given),
        None => runs_folder(),
    };
    let mut history = ledger::history::history(&folder).map_err(CommandError::History)?;
    for timeline in &mut history.timelines {
        let left_out = timeline.keep_last(arguments.last as usize);
        if left_out > 0 {
            let tested = &timeline.tested;
            let older = count(left_out, "older run");
            history.remarks.push(format!("{tested}: {older} left out; --last shows more"));
        }
    }
    if let Some(path) = &arguments.prometheus {
        let written = files::replace(path, prometheus(&history));
        written.map_err(|source| CommandError::File { path: path.clone(), source })?;
    }
    say(&text(&history))?;
    Ok(ExitStatus::Success)
}
