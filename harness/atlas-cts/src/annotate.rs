//! Results of a run for the page of a CI job.

use clap::{Args, ValueEnum};
use engine::run::RunError;
use engine::run::headings::RESULTS;
use ledger::report::{annotations, workflow_commands};
use record::Recorded;

use crate::output::say_exactly;

/// The option for annotations.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct AnnotationOptions {
    /// Also print broken rules as annotations for a CI system.
    ///
    /// `auto` prints them for GitHub if GITHUB_ACTIONS is `true`. GitHub shows at most ten errors and ten warnings of a
    /// step.
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = RESULTS, hide_short_help = true)]
    annotations: Form,
}

/// The forms of annotations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For the CI system that runs the command, if it is known.
    #[default]
    Auto,
    /// GitHub's workflow commands.
    Github,
    /// None.
    None,
}

impl AnnotationOptions {
    /// Prints a run's annotations to standard output, if they are wanted.
    ///
    /// # Errors
    /// Fails if printing fails.
    pub fn say(self, run: &Recorded) -> Result<(), RunError> {
        if self.is_wanted() { say_exactly(&workflow_commands(&annotations(run))) } else { Ok(()) }
    }

    /// Prints a run's annotations to standard error, which GitHub reads too. For commands that print JSON.
    pub(crate) fn say_aside(self, run: &Recorded) {
        if self.is_wanted() {
            eprint!("{}", workflow_commands(&annotations(run)));
        }
    }

    fn is_wanted(self) -> bool {
        match self.annotations {
            Form::Auto => std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            Form::Github => true,
            Form::None => false,
        }
    }
}
