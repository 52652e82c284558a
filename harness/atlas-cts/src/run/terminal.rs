//! A run's output for people: a line or a block for each result, and the progress on a terminal.

use std::sync::Arc;

use crate::{annotate, layout, say_line, say_painted};
use engine::run::{Agenda, Campaign, Listener, Observer, RunError};
use ledger::report::Notices;
use record::{Recorded, RuleResult};

use super::progress::Progress;
use super::verbosity::Verbosity;

/// Prints events line by line.
#[derive(Debug, Default)]
pub struct Terminal {
    progress: Arc<Progress>,
    notices: Notices,
    verbosity: Verbosity,
}

impl Terminal {
    /// An output of this amount.
    pub fn new(verbosity: Verbosity) -> Terminal {
        Terminal { verbosity, ..Terminal::default() }
    }

    fn result_text(&self, campaign: &Campaign, result: &RuleResult) -> Option<String> {
        self.verbosity.result(&self.notices, campaign, result, layout(self.verbosity.detail()))
    }
}

impl Observer for Terminal {
    fn listener(&self) -> Arc<dyn Listener> {
        self.progress.clone()
    }

    fn line(&mut self, text: &str) -> Result<(), RunError> {
        say_line(text)
    }

    fn perform(&mut self, work: &Arc<Agenda>) -> Result<(), RunError> {
        let progress = &self.progress;
        progress.during(work, || {
            work.perform_all(|result| {
                progress.finish(&result.id);
                let text = self.result_text(&work.campaign, result);
                text.map_or(Ok(()), |text| progress.aside(|| say_painted(&format!("{text}\n"))))
            })
        })
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        say_painted(&self.verbosity.summary(run, layout(self.verbosity.detail())))?;
        annotate(run)
    }
}
