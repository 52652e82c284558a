//! A run's output for people: a line or a block for each result, and the progress on a terminal.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{AnnotationOptions, layout, say_line, say_painted};
use catalog::Originals;
use engine::run::{Agenda, Campaign, Listener, Observer, RunError};
use ledger::report::{Notices, quote};
use record::{Recorded, RuleResult};

use super::progress::Progress;
use super::verbosity::Verbosity;

/// Prints events line by line.
#[derive(Debug, Default)]
pub struct Terminal {
    progress: Arc<Progress>,
    notices: Notices,
    verbosity: Verbosity,
    annotations: AnnotationOptions,
    /// The documents whose sentences are quoted in failures.
    originals: Option<Originals>,
    /// The results with quoted sentences.
    quoted: Mutex<BTreeMap<String, RuleResult>>,
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
            return self.verbosity.result(&self.notices, campaign, result, layout);
        };
        let mut result = result.clone();
        quote(&mut result, &campaign.target.rules, originals);
        let text = self.verbosity.result(&self.notices, campaign, &result, layout);
        self.quoted.lock().unwrap_or_else(PoisonError::into_inner).insert(result.id.clone(), result);
        text
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
        let mut shown = run.clone();
        let mut quoted = self.quoted.lock().unwrap_or_else(PoisonError::into_inner);
        let with_quotes = shown.results.iter_mut().filter_map(|result| Some((quoted.remove(&result.id)?, result)));
        with_quotes.for_each(|(quoted, result)| *result = quoted);
        say_painted(&self.verbosity.summary(&shown, layout(self.verbosity.detail())))?;
        self.annotations.say(run)
    }
}
