//! `atlas-cts expect`: the failures of a run as entries for review.

use std::io::ErrorKind;
use std::path::PathBuf;

use atlas_cts::{CommandError, say, say_line};
use catalog::files::write_new;
use clap::Args;
use engine::run::{ExitStatus, RunError, read_named};
use ledger::expectations::{Details, ExpectationsError, day, draft, today};

/// Days that an entry holds for if nothing is said.
const DAYS: i64 = 30;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The run: its folder, a name below reports/out, or `latest`.
    #[arg(long, value_name = "RUN")]
    from: PathBuf,
    /// Who answers for the entries; without it, it is left to be filled in.
    #[arg(long, default_value = "", value_name = "NAME")]
    owner: String,
    /// Where they are followed up; without it, it is left to be filled in.
    #[arg(long, default_value = "", value_name = "LINK")]
    tracker: String,
    /// The last day on which they hold; without it, in 30 days.
    #[arg(long, value_name = "YYYY-MM-DD")]
    expires: Option<String>,
    /// The file to write to, which must not be there; without it, standard output.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
}

/// Writes entries for what failed in a run and nobody expected.
pub(crate) fn expect(arguments: &Arguments) -> Result<ExitStatus, CommandError> {
    let expires = match &arguments.expires {
        None => today() + time::Duration::days(DAYS),
        Some(text) => day(text).ok_or_else(|| no_day(text))?,
    };
    let (_, run) = read_named(&arguments.from).map_err(RunError::from)?;
    let details = Details { owner: arguments.owner.clone(), tracker: arguments.tracker.clone(), expires };
    let Some(text) = draft(&run, &details) else {
        eprintln!("nothing failed in this run that was not expected: there is no entry to write");
        return Ok(ExitStatus::Conformant);
    };
    let Some(path) = &arguments.to else {
        say(&text)?;
        return Ok(ExitStatus::Conformant);
    };
    write_new(path, text.as_bytes()).map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => CommandError::Exists { path: path.clone() },
        _ => CommandError::File { path: path.clone(), source },
    })?;
    say_line(format_args!("{}: look at each entry, then check them with `atlas-cts lint`", path.display()))?;
    Ok(ExitStatus::Conformant)
}

fn no_day(text: &str) -> CommandError {
    unusable(ExpectationsError::NoDay { what: format!("--expires {text}") })
}

/// Known failures that cannot be used, as a command ends with them.
pub(crate) fn unusable(error: ExpectationsError) -> CommandError {
    RunError::Expectations(Box::new(error)).into()
}
