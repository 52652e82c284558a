//! Hints for mistakes on the command line: what other test tools call an option or a command.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Command, Error};
use steps::suggest::closest;

/// Options of other tools, each with the option here, or with what takes its place. An option that begins with `--` is
/// hinted at only where a command has it.
const OPTIONS: [(&[&str], &str); 10] = [
    (&["--fail-fast", "--failfast", "--exitfirst", "--maxfail", "-x"], "--max-fail 1"),
    (&["--timeout", "--test-timeout"], "--tune deadline=SECONDS"),
    (&["--count", "--runs", "--iterations", "-n"], "--repeat N"),
    (&["-j", "--parallel", "--workers", "--test-threads"], "--jobs N"),
    (&["--rerun-failed", "--last-failed", "--lf"], "--failed"),
    (&["--output", "--out", "-o"], "--report-dir DIR"),
    (
        &["--junit", "--junitxml", "--junit-xml"],
        "every run writes junit.xml to its folder; --report-dir DIR selects one",
    ),
    (
        &["-k", "-t", "-R", "--filter", "--test", "--tests-regex"],
        "write the text without an option: atlas-cts run TEXT",
    ),
    (&["--retries", "--reruns"], "a failing case is confirmed in fresh processes without an option"),
    (&["--list", "--collect-only"], "atlas-cts list prints the rules"),
];

/// Commands of other tools, each with what takes its place.
const COMMANDS: [(&[&str], &str); 9] = [
    (
        &["lint", "prove", "new", "clauses", "coverage", "mustpass", "abi", "schema", "man"],
        "it is a command of the group catalog: atlas-cts catalog --help",
    ),
    (&["compare"], "atlas-cts diff compares two runs"),
    (
        &["replay", "repro", "reproduce"],
        "copy the command in the row `replay` of a failure; atlas-cts reproducer writes a C program",
    ),
    (&["shrink", "minimize"], "a run shrinks each failing case; the row `replay` of a failure runs it again"),
    (&["rerun", "retry"], "atlas-cts run --failed"),
    (&["version"], "atlas-cts --version"),
    (&["test", "start"], "atlas-cts run"),
    (&["check", "validate"], "atlas-cts doctor checks the machine, atlas-cts catalog lint the catalog"),
    (&["show", "results", "summary"], "atlas-cts explain explains a rule, atlas-cts report rewrites a run's reports"),
];

/// Parses a command line. A mistake ends the process.
pub fn parse(command: &Command, words: &[OsString]) -> ArgMatches {
    command.clone().try_get_matches_from(words).unwrap_or_else(|error| exit(error, command, words))
}

/// Ends the process because of a command line, with a hint by meaning, or by spelling if a name is close.
fn exit(mut error: Error, command: &Command, words: &[OsString]) -> ! {
    let text = |error: &Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let hint = if let Some(option) = text(&error, ContextKind::InvalidArg) {
        let name = option.split(['=', ' ']).next().unwrap_or_default();
        let chosen = words.get(1).and_then(|word| command.find_subcommand(word)).unwrap_or(command);
        keep_close(&mut error, ContextKind::SuggestedArg, name);
        of_option(name, chosen)
    } else if let Some(name) = text(&error, ContextKind::InvalidSubcommand) {
        keep_close(&mut error, ContextKind::SuggestedSubcommand, &name);
        find(&COMMANDS, &name).map(str::to_owned)
    } else {
        error.exit()
    };
    // The tip to pass an option as a value is never meant.
    error.remove(ContextKind::Suggested);
    if let Some(hint) = hint {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error.exit()
}

/// The hint for an option of another tool; `None` if the command has nothing like it.
fn of_option(name: &str, command: &Command) -> Option<String> {
    let hint = find(&OPTIONS, name)?;
    let Some(option) = hint.strip_prefix("--") else { return Some(hint.to_owned()) };
    let option = option.split(' ').next().unwrap_or_default();
    let has = command.get_arguments().any(|argument| argument.get_long() == Some(option));
    has.then(|| format!("it is called {hint} here"))
}

fn find(table: &[(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, hint)| *hint)
}

/// Drops the suggestions that differ from the given name in more than a third.
fn keep_close(error: &mut Error, kind: ContextKind, name: &str) {
    let suggested = match error.remove(kind) {
        Some(ContextValue::String(text)) => vec![text],
        Some(ContextValue::Strings(texts)) => texts,
        _ => return,
    };
    let close: Vec<String> = suggested.into_iter().filter(|text| closest(name, [text.as_str()]).is_some()).collect();
    match (kind, close.first()) {
        (_, None) => None,
        (ContextKind::SuggestedArg, Some(first)) => error.insert(kind, ContextValue::String(first.clone())),
        _ => error.insert(kind, ContextValue::Strings(close)),
    };
}
