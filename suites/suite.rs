//! The suite as `cargo test` shows it: every rule of the catalog is one test.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use atlas_cts::help::{wants_all, with_help};
use atlas_cts::hints::parse;
use atlas_cts::language::{choose_language, with_language};
use atlas_cts::run::{Verbosity, on_command_line};
use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, annotate, choose_width, conclude, layout, say_line, say_painted};
use clap::{ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser};
use engine::run::headings::{RESULTS, SELECTION};
use engine::run::{
    Agenda, Campaign, ExitStatus, Filter, Observer, Options, Planned, RunError, SelectionOptions, choose_runtime,
    load_rules, run,
};
use engine::runtime::Runtime;
use ledger::Ledger;
use ledger::report::{Layout, Notices, clean, disarmed};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use record::{Recorded, RuleResult, Verdict};

/// Runs the documented rules of a runtime against a device, or against the simulated one.
#[derive(Parser)]
#[command(
    name = "cargo test --",
    help_template = "{about}\n\nUsage: cargo test -- [OPTIONS] [FILTER]…\n\n{all-args}{after-help}"
)]
struct Command {
    #[command(flatten)]
    selection: SelectionOptions,
    #[command(flatten)]
    options: Options,
    /// Print each failure in full, and what was tested and counted.
    #[arg(short, long, conflicts_with = "quiet", help_heading = RESULTS, hide_short_help = true)]
    verbose: bool,
    #[command(flatten, next_help_heading = "Test runner")]
    runner: Arguments,
}

fn main() -> ExitCode {
    engine::worker::run_if_asked(RUNTIMES);
    engine::questions::answer_if_asked(RUNTIMES);
    // The test runner takes one filter; a run takes several.
    let several = Command::command().mut_arg("filter", |filter| {
        let help =
            "Rules whose id equals, contains or matches this; or a query of one case, RULE:axis=value;axis=value";
        filter.action(ArgAction::Append).num_args(1..).help(help).help_heading(SELECTION)
    });
    let words: Vec<OsString> = std::env::args_os().collect();
    let runner = ["test", "bench", "logfile", "format", "quiet", "nocapture", "ignored", "include-ignored", "color"];
    let several = several.mut_args(|argument| {
        let rare = argument.get_long().is_some_and(|long| runner.contains(&long));
        if rare { argument.hide_short_help(true) } else { argument }
    });
    let grammar = with_language(with_help(several, wants_all(&words)), wants_all(&words));
    choose_width();
    conclude(|| {
        let given = parse(&grammar, &words);
        choose_language(&given);
        let mut command = Command::from_arg_matches(&given).unwrap_or_else(|error| error.exit());
        command.options.on_command_line = Some(on_command_line(&grammar, &given));
        suite(command, filters(&given))
    })
}

/// The filters of the command line, in their order. A rule may be named as it is listed, with its chapter before its id.
fn filters(given: &ArgMatches) -> Vec<String> {
    let texts = given.get_many::<String>("filter").unwrap_or_default();
    texts.map(|text| text.rsplit_once("] ").map_or(text.as_str(), |(_, id)| id).to_owned()).collect()
}

fn suite(command: Command, mut wanted: Vec<String>) -> Result<ExitStatus, CommandError> {
    let Command { selection, mut options, verbose, mut runner } = command;
    options.workers.jobs = runner.test_threads.or(options.workers.jobs);
    let query = options.take_query(&mut wanted)?;
    let filter = selection.filter(wanted, runner.exact || query, std::mem::take(&mut runner.skip))?;
    let runtime = choose_runtime(RUNTIMES, &mut options.catalog, &filter.wanted)?;
    // The rules are selected: the runner has nothing to filter.
    (runner.filter, runner.exact) = (None, false);
    if runner.list {
        return list(&options, runtime, &filter, &runner);
    }
    let verbosity = Verbosity { quiet: runner.quiet, verbose };
    Ok(run(options, runtime, &filter, &Ledger, &mut Runner { arguments: runner, verbosity })?)
}

/// Lists all rules that the filter lets through. Rules that are known to be skipped count as ignored: runners that
/// start a process for each test would call them passed.
fn list(
    options: &Options,
    runtime: &'static Runtime,
    filter: &Filter,
    runner: &Arguments,
) -> Result<ExitStatus, CommandError> {
    let rules = load_rules(&options.catalog, runtime)?;
    let (planned, _) = filter.part_of(filter.select(&rules).map_err(RunError::from)?);
    let trial = |planned: Planned| {
        let skipped = planned.skipped_without_a_device(&rules, options);
        Trial::test(planned.id, || Ok(())).with_kind(planned.chapter).with_ignored_flag(skipped)
    };
    let trials = planned.into_iter().map(trial).collect();
    let _ = libtest_mimic::run(runner, trials);
    Ok(ExitStatus::Success)
}

/// Shows a run as the test runner does.
struct Runner {
    arguments: Arguments,
    verbosity: Verbosity,
}

impl Observer for Runner {
    fn line(&mut self, text: &str) -> Result<(), RunError> {
        say_line(text)
    }

    fn perform(&mut self, work: &Arc<Agenda>) -> Result<(), RunError> {
        self.arguments.test_threads = Some(work.threads_in_order());
        let (notices, verbosity) = (Arc::new(Notices::default()), self.verbosity);
        let trials = work.order().into_iter().map(|planned| trial(work, planned, &notices, verbosity)).collect();
        // The conclusion is counts only; the run keeps its own results.
        let _ = libtest_mimic::run(&self.arguments, trials);
        Ok(())
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        say_painted(&self.verbosity.summary(run, layout(self.verbosity.detail())))?;
        annotate(run)
    }
}

/// One rule as a test.
fn trial(work: &Arc<Agenda>, planned: &Planned, notices: &Arc<Notices>, verbosity: Verbosity) -> Trial {
    let (work, planned, notices) = (work.clone(), planned.clone(), notices.clone());
    let (name, kind) = (planned.id.clone(), planned.chapter.clone());
    let test = move || match work.perform(&planned) {
        None => Ok(Completion::ignored_with(format!("not run: {}", work.over().unwrap_or_default()))),
        Some(Ok(result)) => completion(&notices, verbosity, &work.campaign, &result),
        Some(Err(error)) => {
            // At once; where nothing can be printed, the exit status still tells.
            let text = disarmed(&clean(&error.to_string())).into_owned();
            let _ = writeln!(std::io::stderr(), "{text}");
            Err(Failed::from(text))
        }
    };
    Trial::ignorable_test(name, test).with_kind(kind)
}

/// The result of a rule as the result of a test.
fn completion(
    notices: &Notices,
    verbosity: Verbosity,
    campaign: &Campaign,
    result: &RuleResult,
) -> Result<Completion, Failed> {
    if result.verdict == Verdict::Skipped {
        return Ok(Completion::ignored_with(disarmed(&clean(&result.reason))));
    }
    if campaign.expected(result) {
        return Ok(Completion::ignored_with(disarmed(&clean(&format!("a known failure: {}", result.reason)))));
    }
    if campaign.breaks(result) {
        let layout = Layout { color: false, ..layout(verbosity.detail()) };
        // The summary has the causes, and the block of the rule to read first.
        let text = verbosity.failure(notices, campaign, result, layout);
        return Err(text.map_or_else(Failed::without_message, |text| Failed::from(disarmed(&text))));
    }
    Ok(Completion::Completed)
}
