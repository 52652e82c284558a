//! `atlas-cts diff`.

use std::path::PathBuf;

use atlas_cts::{CommandError, say, say_file, say_json};
use clap::{Args, ValueEnum};
use engine::run::{ExitStatus, read_named};
use ledger::compare::{CompareOptions, Condition, compare, html, markdown, text};
use messages::{Language, use_language};

/// The output formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// For merge requests and step summaries.
    Markdown,
    /// One self-contained page.
    Html,
    /// All data, as `catalog schema` describes it.
    Json,
}

/// The options of `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// The older run: a folder, a journal, a name, `latest` or `latest~1`.
    ///
    /// A name is the name of a folder in reports/out. `latest~1` is the run before the latest one.
    #[arg(value_name = "OLD", default_value = "latest~1")]
    old: PathBuf,
    /// The newer run.
    #[arg(value_name = "NEW", default_value = "latest")]
    new: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Exit with status 1 if any of these differences is found.
    ///
    /// regression, new-failure, other-symptom, flake, fix, drift, drift:code, drift:value, drift:check, drift:verdict,
    /// coverage, only-old, only-new, gone, new, other-device, field, timing.
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    fail_on: Vec<Condition>,
    /// Maximum slowdown of cases in percent; exit with status 1 if exceeded.
    ///
    /// Without this option, times are only shown.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    budget: Option<f64>,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give a percentage, such as 20".to_owned())
}

/// Compares two runs and prints the differences.
pub(crate) fn diff(arguments: &DiffArguments) -> Result<ExitStatus, CommandError> {
    use_language(Language::English);
    if arguments.budget.is_none() && arguments.fail_on.contains(&Condition::Timing) {
        return Err(CommandError::NoBudget);
    }
    let ((_, old), (_, new)) = (read_named(&arguments.old)?, read_named(&arguments.new)?);
    let paths = [&arguments.old, &arguments.new].map(|path| path.display().to_string());
    let options = CompareOptions { budget: arguments.budget };
    let found = compare([&paths[0], &paths[1]], &old, &new, &options);
    match arguments.format {
        Format::Text => say(&text(&found))?,
        Format::Markdown => say_file(&markdown(&found))?,
        Format::Html => say_file(&html(&found))?,
        Format::Json => {
            let json = serde_json::to_string_pretty(&found);
            say_json(&json.expect("a comparison is made of strings, numbers and lists"))?;
        }
    }
    let mut conditions = arguments.fail_on.clone();
    if arguments.budget.is_some() && !conditions.contains(&Condition::Timing) {
        conditions.push(Condition::Timing);
    }
    let broken = conditions.iter().filter(|condition| condition.holds(&found));
    let broken: Vec<String> = broken.map(ToString::to_string).collect();
    if broken.is_empty() {
        return Ok(ExitStatus::Success);
    }
    // The line goes to standard error, so that JSON on standard output stays valid.
    eprintln!("exit status 1, because of {}", broken.join(", "));
    Ok(ExitStatus::Broken)
}
