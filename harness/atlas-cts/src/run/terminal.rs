//! A run's output for people: a line or a block for each result, and the progress on a terminal.

use std::sync::Arc;

use crate::{AnnotationOptions, layout, say_line, say_painted};
use catalog::Originals;
use engine::run::{Agenda, Campaign, Listener, Observer, RunError};
use ledger::report::{Blocks, quote};
use record::{Recorded, RuleResult};

use super::progress::Progress;
use super::verbosity::Verbosity;

/// Prints events line by line.
#[derive(Debug, Default)]
pub struct Terminal {
    progress: Arc<Progress>,
    blocks: Blocks,
    verbosity: Verbosity,
    annotations: AnnotationOptions,
    /// The documents whose sentences are quoted in failures.
    originals: Option<Originals>,
}

impl Terminal {
    /// An output of this amount that ends with these annotations.
    pub fn new(verbosity: Verbosity, annotations: AnnotationOptions) -> Terminal {
        Terminal { verbosity, annotations, ..Terminal::default() }
    }

    /// The same output, with the documents' sentences in failures.
    pub fn quoting(self, originals: Option<Originals>) -> Terminal {
        Terminal { originals, ..self }
    }

    fn result_text(&self, campaign: &Campaign, result: &RuleResult) -> Option<String> {
        let layout = layout(self.verbosity.detail());
        let Some(originals) = self.originals.as_ref().filter(|_| result.failure.is_some()) else {
            return self.verbosity.result(&self.blocks, campaign, result, layout);
        };
        let mut result = result.clone();
        quote(&mut result, &campaign.target.rules, originals);
        self.verbosity.result(&self.blocks, campaign, &result, layout)
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
                progress.ended(&result.id);
                let text = self.result_text(&work.campaign, result);
                text.map_or(Ok(()), |text| progress.aside(|| say_painted(&format!("{text}\n"))))
            })
        })
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        say_painted(&self.verbosity.summary(run, layout(self.verbosity.detail())))?;
        self.annotations.say(run)
    }
}
