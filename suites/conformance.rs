//! The conformance suite: every rule of the catalog is one test.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::Parser;
use harness::bindings::acl;
use harness::record::{Recorded, RuleResult, Verdict};
use harness::report::{failure_text, first_line, summary};
use harness::run::{
    Earlier, ExitStatus, Options, Planned, RunFolder, Session, SessionError, conclude, load_rules, plan,
};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// Runs the documented rules of a runtime against a device, or against the simulated one.
#[derive(Parser)]
#[command(
    name = "cargo test --",
    help_template = "{about}\n\nUsage: cargo test -- [OPTIONS] [FILTER]\n\n{all-args}{after-help}"
)]
struct Command {
    #[command(flatten, next_help_heading = "Run")]
    options: Options,
    #[command(flatten, next_help_heading = "Test runner")]
    runner: Arguments,
}

fn main() -> ExitCode {
    harness::worker::run_if_asked(&[&acl::BINDINGS]);
    let mut command = Command::parse();
    conclude(|| run(&mut command))
}

fn run(command: &mut Command) -> Result<ExitStatus, SessionError> {
    let earlier = if command.runner.list { None } else { Earlier::open(&mut command.options)? };
    let options = &command.options;
    if let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.run.end.is_some()) {
        earlier.report(options.keep)?;
        println!("{}: this run has reached its end; its reports are written again", earlier.folder.display());
        return Ok(closing(&earlier.run));
    }
    let rules = Arc::new(load_rules(options, &acl::BINDINGS)?);
    let planned = plan(&rules);
    if command.runner.list {
        let trials =
            planned.into_iter().map(|planned| Trial::test(planned.id, || Ok(())).with_kind(planned.chapter)).collect();
        let _ = libtest_mimic::run(&command.runner, trials);
        return Ok(ExitStatus::Conformant);
    }
    let mut selected = selected(&command.runner, &planned);
    if selected.is_empty() {
        return Err(nothing_selected(&command.runner, &planned));
    }
    let open = || Session::open(options, rules.clone(), options.specs());
    let mut session = match &earlier {
        None => open()?,
        Some(earlier) => {
            selected = earlier.selection(&rules, selected)?;
            earlier.session(open)?
        }
    };
    let resumed = earlier.is_some();
    let folder = Arc::new(RunFolder::open(&mut session, options, &selected, earlier)?);
    println!("{}", first_line(&session.header));
    if resumed {
        println!("{}", folder.resumed(selected.len()));
    }
    if !session.header.library.simulated {
        // Every thread would use the same devices.
        command.runner.test_threads = Some(1);
    }
    let session = Arc::new(session);
    let trouble = Arc::new(OnceLock::new());
    let trials = selected
        .iter()
        .map(|planned| {
            let (session, folder, trouble) = (session.clone(), folder.clone(), trouble.clone());
            let planned = planned.clone();
            let (name, kind) = (planned.id.clone(), planned.chapter.clone());
            Trial::ignorable_test(name, move || trial(&session, &folder, &trouble, &planned)).with_kind(kind)
        })
        .collect();
    // The conclusion is counts only; the run keeps its own results.
    let _ = libtest_mimic::run(&command.runner, trials);
    let end = session.finish();
    if let Some(message) = trouble.get() {
        return Err(SessionError::Environment(String::clone(message)));
    }
    let run = folder.finish(&session, &end).map_err(SessionError::Environment)?;
    let status = closing(&run);
    missing(&selected, &session.results())?;
    Ok(status)
}

/// Runs one rule. After the first result that could not be written nothing is run any more.
fn trial(
    session: &Session,
    folder: &RunFolder,
    trouble: &OnceLock<String>,
    planned: &Planned,
) -> Result<Completion, Failed> {
    if trouble.get().is_some() {
        return Ok(Completion::ignored_with("not run: results cannot be written"));
    }
    match folder.run(session, planned) {
        Ok(result) => completion(session, &result),
        Err(message) => {
            if trouble.set(message.clone()).is_ok() {
                // At once; where nothing can be printed, the exit status still tells.
                let _ = writeln!(std::io::stderr(), "error: {message}");
            }
            Err(Failed::from(message))
        }
    }
}

/// Prints how a run went; gives its exit status.
fn closing(run: &Recorded) -> ExitStatus {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    print!("{}", summary(&run.header, &run.results, run.end.as_ref(), colour));
    run.end.as_ref().map_or(ExitStatus::Unknown, |end| ExitStatus::from_code(end.exit))
}

/// How a result appears among the tests.
fn completion(session: &Session, result: &RuleResult) -> Result<Completion, Failed> {
    if result.verdict == Verdict::Skipped {
        return Ok(Completion::ignored_with(result.reason.clone()));
    }
    if session.breaks(result) {
        return Err(Failed::from(failure_text(result, &session.header)));
    }
    Ok(Completion::Completed)
}

/// What the filter lets through.
fn selected(arguments: &Arguments, planned: &[Planned]) -> Vec<Planned> {
    planned
        .iter()
        .filter(|planned| {
            let trial = Trial::test(planned.id.clone(), || Ok(())).with_kind(planned.chapter.clone());
            !arguments.is_filtered_out(&trial)
        })
        .cloned()
        .collect()
}

/// A filter that matches nothing is a mistake: nothing would be tested, and that would look like a pass.
fn nothing_selected(arguments: &Arguments, planned: &[Planned]) -> SessionError {
    let filter = arguments.filter.as_deref().unwrap_or_default();
    let hint = harness::lang::suggest::hint(filter, planned.iter().map(|planned| planned.id.as_str()));
    SessionError::Usage(format!("no rule matches `{filter}`{hint}; `cargo test -- --list` names all {}", planned.len()))
}

/// Every selected rule has exactly one result.
fn missing(selected: &[Planned], results: &[RuleResult]) -> Result<(), SessionError> {
    let reported: HashSet<&str> = results.iter().map(|result| result.id.as_str()).collect();
    let missing: Vec<&str> =
        selected.iter().map(|planned| planned.id.as_str()).filter(|id| !reported.contains(id)).collect();
    if missing.is_empty() && reported.len() == results.len() {
        return Ok(());
    }
    Err(SessionError::Environment(format!("results are missing or doubled: {}", missing.join(", "))))
}
