//! Results of a run for the page of a CI job.

use engine::run::RunError;
use ledger::report::{annotations, workflow_commands};
use record::Recorded;

use crate::output::say_exactly;

/// Prints a run's annotations to standard output if GitHub runs the command.
///
/// # Errors
/// Fails if printing fails.
pub fn annotate(run: &Recorded) -> Result<(), RunError> {
    if is_wanted() { say_exactly(&workflow_commands(&annotations(run))) } else { Ok(()) }
}

/// Prints a run's annotations to standard error, which GitHub reads too. For commands that print JSON.
pub(crate) fn annotate_aside(run: &Recorded) {
    if is_wanted() {
        eprint!("{}", workflow_commands(&annotations(run)));
    }
}

fn is_wanted() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}
