//! The command: its options, and the runs that they ask for.

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
pub struct Arguments {
    /// The rule's id.
    rule: String,
    /// How often the rule runs with a version before it counts as free of the symptom; with the first one that shows it,
    /// as often in any case, to see how often it does.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: u32,
    /// The symptom is that of the rule in this run; without it, that with the last version.
    #[arg(long, value_name = "RUN")]
    like: Option<PathBuf>,
    /// Seconds that setting up a version may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    setup_limit: u64,
    /// Seconds that one run of the rule may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    run_limit: u64,
    #[command(flatten)]
    passed_on: PassedOn,
    /// A command of the shell that sets a version up, then the versions, the oldest first. The command gets a version as its
    /// last argument, or in place of each `{}`.
    #[arg(last = true, required = true, num_args = 1.., value_name = "SETUP-COMMAND VERSION")]
    set_up: Vec<String>,
}

/// The options that each run takes: a search begins them all, and knows no failure.
const OF_EACH_RUN: [fn(Command) -> Command; 7] = [
    CatalogOptions::augment_args,
    MachineOptions::augment_args,
    ConditionOptions::augment_args,
    EffortOptions::augment_args,
    WorkerOptions::augment_args,
    SimulatorOptions::augment_args,
    RunOptions::augment_args,
];

/// Those of them that the search reads itself, and the words of the command line that say all.
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
            // Each run has a folder. What the environment says, the runs hear too.
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
        OF_EACH_RUN.iter().fold(command, |command, augment| augment(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        PassedOn::augment_args(command)
    }
}

/// Finds the first version with the symptom; 3 where none can be named.
///
/// # Errors
/// The command line or the catalog is wrong, nothing can be written, or somebody asked for the end.
pub fn bisect(arguments: Arguments) -> Result<ExitStatus, CommandError> {
    let Arguments { rule, runs, like, setup_limit, run_limit, passed_on, set_up } = arguments;
    let PassedOn { catalog, report_dir, words } = passed_on;
    let runtime = choose_runtime(RUNTIMES, &catalog, std::slice::from_ref(&rule))?;
    let rules = load_rules(&catalog, runtime)?;
    // The rule that is derived has an id too.
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
        Conclusion::First { between, before: Some(_), .. } if between.is_empty() => ExitStatus::Conformant,
        _ => ExitStatus::Unknown,
    })
}

/// How a rule failed in a run.
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
