//! `atlas-cts burst` and `atlas-cts run --burst`: rules within a promised time, and which of them ran so far.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use engine::run::headings::{DEVICE, RESULTS, SIMULATOR};
use engine::run::{Backend, CatalogOptions, ConditionOptions, EffortOptions, MachineOptions, SimulatorOptions};
use engine::run::{ExitStatus, Options, WorkerOptions, choose_runtime};
use engine::runtime::Runtime;
use engine::soak::{burst as run_burst, prepare};
use ledger::soak::covered;
use record::{BurstLedger, Verdict};

use crate::runtimes::RUNTIMES;
use crate::{CommandError, say, say_line};

/// The options of `burst`.
#[derive(Args)]
pub struct BurstArguments {
    /// Folder with the ledger of each card.
    #[arg(long, env = "ATLAS_CTS_LEDGER", value_name = "DIR", help_heading = RESULTS)]
    ledger: PathBuf,
    /// Name of the card, for its ledger; default: the devices that are visible.
    #[arg(long, env = "ATLAS_CTS_CARD", value_name = "NAME", help_heading = DEVICE)]
    card: Option<String>,
    /// Find out which rules run in bursts on this machine, and write it to the ledger.
    ///
    /// Needed once, and again after each update of the suite.
    #[arg(long)]
    prepare: bool,
    #[command(flatten)]
    catalog: CatalogOptions,
    #[command(flatten)]
    machine: MachineOptions,
    #[command(flatten)]
    conditions: ConditionOptions,
    #[command(flatten)]
    effort: EffortOptions,
    #[command(flatten)]
    simulator: SimulatorOptions,
    /// Source of the library: auto, device or simulator.
    #[arg(long, env = "ATLAS_CTS_BACKEND", value_enum, default_value_t, help_heading = DEVICE)]
    backend: Backend,
    /// Defect of the simulated device; may be repeated.
    #[arg(long = "defect", value_name = "NAME", help_heading = SIMULATOR)]
    defects: Vec<String>,
}

/// Prepares a card's ledger, or prints which rules ran in bursts and which did not.
///
/// # Errors
/// Fails if the ledger or the target cannot be used.
pub fn burst(arguments: BurstArguments) -> Result<ExitStatus, CommandError> {
    let mut options =
        Options::of_rules(&arguments.catalog, &arguments.conditions, &arguments.effort, &arguments.simulator);
    options.machine = arguments.machine.clone();
    options.workers = WorkerOptions { backend: arguments.backend, ..WorkerOptions::default() };
    options.run.defects.clone_from(&arguments.defects);
    let runtime = choose_runtime(RUNTIMES, &mut options.catalog, &[])?;
    let mut ledger = open(&arguments.ledger, arguments.card.as_deref(), runtime)?;
    if arguments.prepare {
        prepare(&options, runtime, &mut ledger).map_err(|error| CommandError::Burst(Box::new(error)))?;
    }
    say(&covered(&ledger.book))?;
    Ok(ExitStatus::Success)
}

fn open(folder: &Path, card: Option<&str>, runtime: &Runtime) -> Result<BurstLedger, CommandError> {
    let seen = || visible().filter(|visible| !visible.is_empty()).unwrap_or_else(|| "all".to_owned());
    let card = card.map_or_else(seen, str::to_owned);
    let card = format!("{}-{card}", runtime.name());
    BurstLedger::open(folder, &card).map_err(|error| CommandError::Burst(Box::new(error.into())))
}

/// The devices that a runtime's variable lists.
fn visible() -> Option<String> {
    std::env::vars().find(|(name, _)| name.ends_with("VISIBLE_DEVICES")).map(|(_, devices)| devices)
}

/// Runs a burst for `run --burst`, and prints a line about it.
///
/// # Errors
/// Fails if the ledger or the target cannot be used.
pub fn run(
    options: &Options,
    runtime: &'static Runtime,
    promised: Duration,
    ledger: Option<&Path>,
    card: Option<&str>,
) -> Result<ExitStatus, CommandError> {
    let folder = ledger.ok_or(CommandError::NoLedger)?;
    let mut ledger = open(folder, card, runtime)?;
    let done =
        run_burst(options, runtime, promised, &mut ledger).map_err(|error| CommandError::Burst(Box::new(error)))?;
    let broken = |verdict: &Verdict| !verdict.passes();
    for (id, verdict, reason) in done.ran.iter().filter(|(_, verdict, _)| broken(verdict)) {
        say_line(format!("{id}: {verdict}: {reason}; `atlas-cts run {id}` runs it alone"))?;
    }
    if let Some(id) = &done.stopped {
        say_line(format!("{id}: stopped at the end of the burst; not covered"))?;
    }
    let uncovered = ledger.book.uncovered().count();
    let (ran, all) = (done.ran.len(), ledger.book.rules.len());
    say_line(format!("burst {}: {ran} ran; {uncovered} of {all} rules are not covered yet", ledger.book.bursts))?;
    let fails = |verdict: &Verdict| verdict.kills() || matches!(verdict, Verdict::Crash | Verdict::Timeout);
    Ok(match done.ran.iter().any(|(_, verdict, _)| fails(verdict)) {
        true => ExitStatus::Broken,
        false => ExitStatus::Success,
    })
}

/// A time such as 200ms or 2s.
///
/// # Errors
/// Fails with the accepted forms.
pub fn time(text: &str) -> Result<Duration, String> {
    let digits = text.len() - text.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let milliseconds = match unit {
        "ms" => number.parse::<u64>().ok(),
        "s" => number.parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1000)),
        _ => None,
    };
    match milliseconds.filter(|milliseconds| (50..=3_600_000).contains(milliseconds)) {
        Some(milliseconds) => Ok(Duration::from_millis(milliseconds)),
        None => Err("write a time from 50ms to 3600s, such as 200ms or 2s".to_owned()),
    }
}
