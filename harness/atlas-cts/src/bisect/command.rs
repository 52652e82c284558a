//! The command: its options, and the options that it passes to runs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use engine::run::{
    CatalogOptions, ConditionOptions, EffortOptions, ExitStatus, Filter, MachineOptions, RunError, RunOptions,
    SimulatorOptions, WorkerOptions, choose_runtime, load_rules, read_named, runs_folder,
};
use record::{Meaning, Symptom};
use time::OffsetDateTime;

use crate::conclude::CommandError;
use crate::output::say_line;
use crate::runtimes::RUNTIMES;

use super::find::find;
use super::hunt::{BisectError, Hunt};
use super::search::Conclusion;

/// The options of `bisect`.
#[derive(Debug, Args)]
pub struct BisectArguments {
    /// Id of the rule.
    #[arg(value_name = "RULE")]
    rule: String,
    /// Runs without the symptom that show a version to be free of it.
    ///
    /// The first version that shows the symptom gets the same number of runs, to measure the symptom's rate.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: u32,
    /// Search for the rule's symptom in this run.
    ///
    /// Default: the last version's symptom.
    #[arg(long, value_name = "RUN")]
    like: Option<PathBuf>,
    /// Seconds that a version's set-up may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, hide_short_help = true, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    setup_limit: u64,
    /// Seconds that one run of the rule may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, hide_short_help = true, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    run_limit: u64,
    #[command(flatten)]
    passed_on: PassedOn,
    /// Shell command that sets up a version, followed by the versions.
    ///
    /// List the oldest version first. The version is the command's last argument, or replaces each `{}`.
    #[arg(last = true, required = true, num_args = 1.., value_name = "SETUP-COMMAND VERSION")]
    set_up: Vec<String>,
}

/// The options that are passed to each run, without options for known failures and resumption.
const OF_EACH_RUN: [fn(Command) -> Command; 7] = [
    CatalogOptions::augment_args,
    MachineOptions::augment_args,
    ConditionOptions::augment_args,
    EffortOptions::augment_args,
    WorkerOptions::augment_args,
    SimulatorOptions::augment_args,
    RunOptions::augment_args,
];

/// The search's own options, and the arguments that the search passes to each run.
#[derive(Debug)]
struct PassedOn {
    catalog: CatalogOptions,
    report_dir: Option<PathBuf>,
    words: Vec<OsString>,
}

impl FromArgMatches for PassedOn {
    fn from_arg_matches(matches: &ArgMatches) -> Result<PassedOn, clap::Error> {
        let catalog = CatalogOptions::from_arg_matches(matches)?;
        let report_dir = MachineOptions::from_arg_matches(matches)?.report_dir;
        let mut words = Vec::new();
        for argument in PassedOn::augment_args(Command::new("run")).get_arguments() {
            let id = argument.get_id().as_str();
            // Each run has a separate folder. Runs read values from the environment directly.
            if id == "report_dir" || matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            let name = format!("--{}", argument.get_long().unwrap_or(id));
            if !argument.get_action().takes_values() {
                words.push(name.into());
                continue;
            }
            for value in matches.get_raw(id).into_iter().flatten() {
                let mut word = OsString::from(format!("{name}="));
                word.push(value);
                words.push(word);
            }
        }
        Ok(PassedOn { catalog, report_dir, words })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = PassedOn::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for PassedOn {
    fn augment_args(command: Command) -> Command {
        let command = OF_EACH_RUN.iter().fold(command, |command, augment| augment(command));
        // A search has only one rule, so these options are rarely useful.
        ["strict", "min_executed"]
            .iter()
            .fold(command, |command, id| command.mut_arg(id, |arg| arg.hide_short_help(true)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        PassedOn::augment_args(command)
    }
}

/// Finds the first version with the symptom. The exit status is 3 if that version cannot be determined.
///
/// # Errors
/// Fails if the command line or the catalog is wrong, if writing fails, or if a signal stops the search.
pub fn bisect(arguments: BisectArguments) -> Result<ExitStatus, CommandError> {
    let BisectArguments { rule, runs, like, setup_limit, run_limit, passed_on, set_up } = arguments;
    let PassedOn { mut catalog, report_dir, words } = passed_on;
    let runtime = choose_runtime(RUNTIMES, &mut catalog, std::slice::from_ref(&rule))?;
    let rules = load_rules(&catalog, runtime)?;
    // The id is checked by selecting rules, because the selection also finds the derived rule.
    Filter { wanted: vec![rule.clone()], exact: true, ..Filter::default() }.select(&rules)?;
    let symptom = like.map(|run| symptom_of(&rule, &run)).transpose()?;
    let mut words_after = set_up.into_iter();
    let hunt = Hunt {
        set_up: words_after.next().unwrap_or_default(),
        versions: words_after.collect(),
        executable: std::env::current_exe()
            .map_err(|source| CommandError::File { path: "/proc/self/exe".into(), source })?,
        words,
        symptom,
        runs,
        set_up_limit: Duration::from_secs(setup_limit),
        run_limit: Duration::from_secs(run_limit),
        folder: report_dir.unwrap_or_else(|| default_folder(&rule)),
        rule,
    };
    let found = find(&hunt, &mut |line| say_line(line)).map_err(|error| match error {
        BisectError::Say(error) => CommandError::Run(error),
        other => CommandError::Bisect(Box::new(other)),
    })?;
    Ok(match found.conclusion {
        Conclusion::First { between, before: Some(_), .. } if between.is_empty() => ExitStatus::Success,
        _ => ExitStatus::Unknown,
    })
}

/// A rule's symptom in a run.
fn symptom_of(rule: &str, run: &Path) -> Result<Symptom, CommandError> {
    let (_, read) = read_named(run).map_err(RunError::from)?;
    let result = read.results.iter().find(|result| result.id == rule);
    let result = result.filter(|result| matches!(result.meaning(), Meaning::Broken | Meaning::Finding));
    let missing = || CommandError::NoSymptom { rule: rule.to_owned(), run: run.to_owned() };
    result.map(Symptom::of_single_run).ok_or_else(missing)
}

fn default_folder(rule: &str) -> PathBuf {
    let now = OffsetDateTime::now_utc();
    let (day, time) = (now.date(), now.time());
    let stamp = format!("{day}-{:02}{:02}{:02}", time.hour(), time.minute(), time.second());
    runs_folder().join(format!("bisect-{rule}-{stamp}"))
}
