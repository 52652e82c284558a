//! `atlas-cts matrix`.

use std::path::PathBuf;

use atlas_cts::{CommandError, say, say_line};
use catalog::files;
use clap::{Args, ValueEnum};
use engine::run::{ExitStatus, read_named};
use ledger::matrix::{By, html, markdown, text};

/// The output formats of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// For merge requests and step summaries.
    Markdown,
    /// One self-contained page.
    Html,
}

/// The meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Columns {
    /// Each run.
    Run,
    /// Each product; of several runs the worst result counts.
    Product,
    /// Each driver or, where it is unknown, each library.
    Driver,
}

/// The options of `matrix`.
#[derive(Debug, Args)]
pub(crate) struct MatrixArguments {
    /// The runs: folders, journals, names below reports/out, or `latest`.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The columns of the table.
    #[arg(long, value_enum, default_value = "run")]
    by: Columns,
    /// Output format.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the output to this file and print its path.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Prints runs side by side.
pub(crate) fn matrix(arguments: &MatrixArguments) -> Result<ExitStatus, CommandError> {
    let mut runs = Vec::new();
    for given in &arguments.runs {
        let (_, run) = read_named(given)?;
        runs.push((given.display().to_string(), run));
    }
    let by = match arguments.by {
        Columns::Run => By::Run,
        Columns::Product => By::Product,
        Columns::Driver => By::Driver,
    };
    let found = ledger::matrix::matrix(&runs, by);
    let page = match arguments.format {
        Format::Text => text(&found),
        Format::Markdown => markdown(&found),
        Format::Html => html(&found),
    };
    match &arguments.output {
        None => say(&page)?,
        Some(path) => {
            files::replace(path, page).map_err(|source| CommandError::File { path: path.clone(), source })?;
            say_line(path.display())?;
        }
    }
    Ok(ExitStatus::Success)
}
