//! `atlas-cts expect`: drafts known failures from a run's failures.

use std::io::ErrorKind;
use std::path::PathBuf;

use atlas_cts::{CommandError, say_file, say_line};
use catalog::files::write_new;
use clap::Args;
use engine::run::{ExitStatus, RunError, read_named};
use ledger::expectations::{Details, ExpectationsError, day, draft, today};

/// The default lifetime of a known failure, in days.
const DAYS: i64 = 30;

#[derive(Args)]
pub(crate) struct ExpectArguments {
    /// Folder of the run, its name below reports/out, or `latest`.
    #[arg(long, value_name = "RUN")]
    from: PathBuf,
    /// Owner of the known failures; default: left blank.
    #[arg(long, default_value = "", value_name = "NAME")]
    owner: String,
    /// Link to the issue that tracks the failures; default: left blank.
    #[arg(long, default_value = "", value_name = "LINK")]
    tracker: String,
    /// Last day on which the known failures apply; default: in 30 days.
    #[arg(long, value_name = "YYYY-MM-DD")]
    expires: Option<String>,
    /// New file to write; default: standard output.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
}

/// Writes known failures for a run's unexpected failures.
pub(crate) fn expect(arguments: &ExpectArguments) -> Result<ExitStatus, CommandError> {
    let expires = match &arguments.expires {
        None => today() + time::Duration::days(DAYS),
        Some(text) => day(text).ok_or_else(|| no_day(text))?,
    };
    let (_, run) = read_named(&arguments.from).map_err(RunError::from)?;
    let details = Details { owner: arguments.owner.clone(), tracker: arguments.tracker.clone(), expires };
    let Some(text) = draft(&run, &details) else {
        eprintln!("this run has no unexpected failure: nothing to write");
        return Ok(ExitStatus::Success);
    };
    let Some(path) = &arguments.to else {
        say_file(&text)?;
        return Ok(ExitStatus::Success);
    };
    write_new(path, text.as_bytes()).map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => CommandError::Exists { path: path.clone() },
        _ => CommandError::File { path: path.clone(), source },
    })?;
    let blank =
        [("tracker", &details.tracker), ("owner", &details.owner)].into_iter().filter(|(_, text)| text.is_empty());
    let blank: Vec<&str> = blank.map(|(name, _)| name).collect();
    let fill = if blank.is_empty() { String::new() } else { format!("fill in {}, ", blank.join(" and ")) };
    let path = path.display();
    say_line(format_args!(
        "{path}: {fill}review each entry, then check the file: atlas-cts catalog lint --expectations {path}"
    ))?;
    Ok(ExitStatus::Success)
}

fn no_day(text: &str) -> CommandError {
    unusable(ExpectationsError::NoDay { what: format!("--expires {text}") })
}

/// The error for known failures that cannot be used.
pub(crate) fn unusable(error: ExpectationsError) -> CommandError {
    RunError::Expectations(Box::new(error)).into()
}
