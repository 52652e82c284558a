//! `atlas-cts catalog mustpass`: the rules that a conformant device holds, a run against them, and a list that a later catalog
//! must not fall below.

use std::path::PathBuf;

use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, say, say_file, say_json, say_line};
use catalog::files::write_new;
use catalog::must_pass::{MustPass, MustPassError};
use catalog::{Level, count, product};
use clap::{Args, ValueEnum};
use engine::run::{CatalogOptions, ExitStatus, choose_runtime, load_rules, read_named};
use ledger::mustpass::{Statement, must_pass_run};

/// The options of `mustpass`.
#[derive(Debug, Args)]
pub(crate) struct MustPassOptions {
    /// Compare this run with the list: its folder, its name below reports/out, or `latest`.
    ///
    /// The exit status is 0 for a conformant device, 1 if a promise is broken, and 3 if something is not shown.
    #[arg(value_name = "RUN", conflicts_with_all = ["hold", "write"])]
    run: Option<PathBuf>,
    /// Output format for a run.
    #[arg(long, value_enum, default_value = "text", requires = "run")]
    format: Format,
    /// Compare the catalog with a list; exit with status 1 if a rule is gone or only reported.
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    hold: Option<PathBuf>,
    /// Write the catalog's rules and levels to a new file.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// The output formats for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// All data, as `catalog schema` describes it.
    Json,
}

/// Shows the list, compares a run or the catalog with it, or writes it.
pub(crate) fn must_pass(mut catalog: CatalogOptions, wanted: &MustPassOptions) -> Result<ExitStatus, CommandError> {
    if let Some(run) = &wanted.run {
        let (_, run) = read_named(run)?;
        catalog.runtime = Some(run.header.runtime.clone());
        let runtime = choose_runtime(RUNTIMES, &mut catalog, &[])?;
        let found = must_pass_run(&run, &load_rules(&catalog, runtime)?)
            .map_err(|error| CommandError::MustPassRun(Box::new(error)))?;
        match wanted.format {
            Format::Text => say(&found.text())?,
            Format::Json => say_json(&serde_json::to_string_pretty(&found).expect("it has only text keys"))?,
        }
        return Ok(match found.statement {
            Statement::Conformant => ExitStatus::Success,
            Statement::NotConformant => ExitStatus::Broken,
            Statement::NotShown => ExitStatus::Unknown,
        });
    }
    let runtime = choose_runtime(RUNTIMES, &mut catalog, &[])?;
    let rules = load_rules(&catalog, runtime)?;
    if let Some(path) = &wanted.hold {
        let failed = |error: MustPassError| CommandError::MustPass(Box::new(error));
        let weaker = MustPass::read(path).map_err(failed)?.weaker(path, &rules);
        weaker.iter().try_for_each(say_line)?;
        if weaker.is_empty() {
            say_line(format_args!("no rule of {} is gone or only reported", path.display()))?;
            return Ok(ExitStatus::Success);
        }
        return Ok(ExitStatus::Broken);
    }
    if let Some(path) = &wanted.write {
        let list = MustPass::of(&rules, None);
        write_new(path, list.to_string().as_bytes())
            .map_err(|source| CommandError::File { path: path.clone(), source })?;
        let must = list.rules.values().filter(|level| **level == Level::Must).count();
        say_line(format_args!("{}: {}, {must} of level must", path.display(), count(list.rules.len(), "rule")))?;
        return Ok(ExitStatus::Success);
    }
    let on = catalog.named_product().map(|id| product(&rules, id)).transpose()?;
    say_file(&MustPass::of(&rules, on.map(|product| product.id.as_str())).to_string())?;
    Ok(ExitStatus::Success)
}
