//! `atlas-cts matrix`: runs side by side, or functions by product.

mod exported;

use std::path::PathBuf;

use atlas_cts::{CommandError, say, say_line};
use catalog::files;
use clap::{Args, ValueEnum};
use engine::run::{CatalogOptions, ExitStatus, load_rules, read_named};
use engine::runtime::Runtime;
use ledger::matrix::{By, SupportMatrix, html, markdown, text};

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
    #[arg(value_name = "RUN", required_unless_present = "support", conflicts_with = "support")]
    runs: Vec<PathBuf>,
    /// Show the functions of the documents by product: documented, exported, judged.
    #[arg(long, conflicts_with = "by")]
    support: bool,
    /// Library whose exported functions --support shows; it is read and not loaded.
    #[arg(long, value_name = "LIBRARY", requires = "support")]
    library: Option<PathBuf>,
    /// The columns of the table.
    #[arg(long, value_enum, default_value = "run")]
    by: Columns,
    /// Output format.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the output to this file and print its path.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) catalog: CatalogOptions,
}

/// Prints runs side by side, or the functions of a runtime by product.
pub(crate) fn matrix(arguments: &MatrixArguments, runtime: &'static Runtime) -> Result<ExitStatus, CommandError> {
    let page = if arguments.support { of_functions(arguments, runtime)? } else { of_runs(arguments)? };
    match &arguments.output {
        None => say(&page)?,
        Some(path) => {
            files::replace(path, page).map_err(|source| CommandError::File { path: path.clone(), source })?;
            say_line(path.display())?;
        }
    }
    Ok(ExitStatus::Success)
}

fn of_functions(arguments: &MatrixArguments, runtime: &'static Runtime) -> Result<String, CommandError> {
    let rules = load_rules(&arguments.catalog, runtime)?;
    let exported = arguments.library.as_deref().map(exported::exported).transpose();
    let matrix = SupportMatrix::of(&rules, exported.map_err(CommandError::Interface)?);
    Ok(match arguments.format {
        Format::Text => matrix.text(),
        Format::Markdown => matrix.markdown(),
        Format::Html => matrix.html(),
    })
}

fn of_runs(arguments: &MatrixArguments) -> Result<String, CommandError> {
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
    Ok(match arguments.format {
        Format::Text => text(&found),
        Format::Markdown => markdown(&found),
        Format::Html => html(&found),
    })
}
