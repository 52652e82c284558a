//! `atlas-cts diagnose`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, say, say_json};
use catalog::{Rules, count};
use clap::Args;
use dictionary::Current;
use engine::run::{
    Agenda, CatalogOptions, ExitStatus, Filter, Observer, Options, RunError, choose_runtime, dictionary_of, load_rules,
    read_named,
};
use engine::runtime::Runtime;
use ledger::Ledger;
use ledger::diagnosis::{Diagnosis, Evidence, diagnose as compare, excluded, exclusion_text, text};
use record::{Recorded, RunHeader};

/// The options of `diagnose`.
#[derive(Debug, Args)]
pub(crate) struct DiagnoseArguments {
    /// The run: a folder, a journal, a name below reports/out, `latest` or `latest~1`.
    #[arg(value_name = "RUN", default_value = "latest")]
    run: PathBuf,
    /// Instead, show how surely the rules that passed exclude each seeded defect.
    ///
    /// Rules on callers at the same time notice a defect in some of their cases only.
    #[arg(long, conflicts_with = "again")]
    excludes: bool,
    /// Also run the proposed rules on the same target, and diagnose again.
    ///
    /// Their results are written next to the run's folder.
    #[arg(long = "run")]
    again: bool,
    /// Path of the library for --run, if the run tested a real device.
    #[arg(long, value_name = "PATH", requires = "again")]
    library: Option<PathBuf>,
    /// Print JSON, as described by `reports/schema/diagnosis.schema.json`.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    catalog: CatalogOptions,
}

/// Names the seeded defects that explain a run.
pub(crate) fn diagnose(arguments: &DiagnoseArguments) -> Result<ExitStatus, CommandError> {
    let (folder, run) = read_named(&arguments.run)?;
    let mut catalog = CatalogOptions { product: run.header.product.clone(), ..arguments.catalog.clone() };
    let runtime = choose_runtime(RUNTIMES, &mut catalog, &[])?;
    let rules = load_rules(&catalog, runtime)?;
    let current = dictionary_of(catalog.specs.as_deref(), runtime, &rules, &run.header.product);
    let current = current.map_err(RunError::from)?;
    if arguments.excludes {
        let all = excluded(&current, &run.results);
        if arguments.json {
            let json = serde_json::to_string_pretty(&all);
            say_json(&json.expect("exclusions are made of strings and numbers"))?;
        } else {
            say(&exclusion_text(&all, &current.stale))?;
        }
        return Ok(ExitStatus::Success);
    }
    let mut evidence = Evidence::of(&current, &run.results);
    let mut found = named(&current, &evidence, &run.header, &rules);
    if arguments.again && !found.next.is_empty() {
        show(&found, arguments.json)?;
        let (written, more) = run_again(arguments, &folder, &run.header, &found, runtime)?;
        if !arguments.json {
            let rules = count(more.results.len(), "rule");
            say(&format!("\nran {rules}, written to {}\n\n", written.display()))?;
        }
        evidence.add(Evidence::of(&current, &more.results));
        found = named(&current, &evidence, &run.header, &rules);
    }
    show(&found, arguments.json)?;
    Ok(ExitStatus::Success)
}

/// The diagnosis, with a remark if the run had another catalog.
fn named(current: &Current, evidence: &Evidence, header: &RunHeader, rules: &Rules) -> Diagnosis {
    let mut found = compare(current, evidence);
    if header.catalog_digest != rules.digest {
        found.stale.push("the run used another catalog, whose rules may have had other texts".to_owned());
    }
    found
}

fn show(found: &Diagnosis, json: bool) -> Result<(), CommandError> {
    if json {
        let json = serde_json::to_string_pretty(found);
        return Ok(say_json(&json.expect("a diagnosis is made of strings, numbers and lists"))?);
    }
    Ok(say(&text(found))?)
}

/// Runs the proposed rules on the target of the run, and returns the new run with its folder.
fn run_again(
    arguments: &DiagnoseArguments,
    folder: &Path,
    header: &RunHeader,
    found: &Diagnosis,
    runtime: &'static Runtime,
) -> Result<(PathBuf, Recorded), CommandError> {
    let mut options = Options::on_the_same_target(header, &arguments.catalog);
    options.machine.library.clone_from(&arguments.library);
    // Cases that the run has tried tell nothing new.
    let all_new = found.next.iter().all(|next| next.new);
    if !all_new {
        options.more_cases(header.seed.wrapping_add(1));
    }
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let numbered = (1..).map(|number| folder.with_file_name(format!("{name}-diagnosis-{number}")));
    let written = numbered.into_iter().find(|path| !path.exists()).unwrap_or_else(|| folder.join("diagnosis"));
    options.machine.report_dir = Some(written.clone());
    let wanted = found.next.iter().map(|next| next.rule.clone()).collect();
    let filter = Filter { wanted, exact: true, ..Filter::default() };
    engine::run::run(options, runtime, &filter, &Ledger, &mut Quiet)?;
    let (written, run) = read_named(&written)?;
    if run.header.library.sha256 != header.library.sha256 {
        return Err(CommandError::OtherLibrary { path: run.header.library.path });
    }
    Ok((written, run))
}

/// Runs rules and prints nothing.
struct Quiet;

impl Observer for Quiet {
    fn line(&mut self, _: &str) -> Result<(), RunError> {
        Ok(())
    }

    fn perform(&mut self, agenda: &Arc<Agenda>) -> Result<(), RunError> {
        agenda.perform_all(|_| Ok(()))
    }

    fn summary(&mut self, _: &Recorded) -> Result<(), RunError> {
        Ok(())
    }
}
