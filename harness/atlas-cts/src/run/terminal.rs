//! A run's output for people: a line or a block for each result, and the progress on a terminal.

use std::sync::Arc;

use crate::{AnnotationOptions, layout, say_line, say_painted};
use catalog::Originals;
use engine::run::{Agenda, Campaign, Listener, Observer, RunError};
use ledger::report::{Blocks, Detail, Layout, clean, pad, painted, quote, sort_text, summary, verdict_text};
use record::{Recorded, RuleResult, Sort, Verdict};

use super::progress::Progress;

/// The width of a verdict before a rule's id, in columns.
const NAME: usize = 9;

/// Prints events line by line.
#[derive(Debug, Default)]
pub struct Terminal {
    progress: Arc<Progress>,
    blocks: Blocks,
    annotations: AnnotationOptions,
    /// The documents whose sentences are quoted in failures.
    originals: Option<Originals>,
}

impl Terminal {
    /// An output that ends with these annotations.
    pub fn new(annotations: AnnotationOptions) -> Terminal {
        Terminal { annotations, ..Terminal::default() }
    }

    /// The same output, with the documents' sentences in failures.
    pub fn quoting(self, originals: Option<Originals>) -> Terminal {
        Terminal { originals, ..self }
    }

    fn result_text(&self, campaign: &Campaign, result: &RuleResult) -> String {
        let layout = layout(Detail::Brief);
        if result.verdict != Verdict::Pass && !campaign.expected(result) && campaign.breaks(result) {
            let mut result = result.clone();
            if let Some(originals) = &self.originals {
                quote(&mut result, &campaign.target.rules, originals);
            }
            return self.blocks.text(&result, &campaign.header, layout);
        }
        line_of(campaign, result, layout)
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
                progress.aside(|| say_painted(&format!("{text}\n")))
            })
        })
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        say_painted(&summary(&run.header, &run.results, run.end.as_ref(), layout(Detail::Brief)))?;
        self.annotations.say(run)
    }
}

/// A result that does not fail the run, on one line.
fn line_of(campaign: &Campaign, result: &RuleResult, layout: Layout) -> String {
    let verdict = verdict_text(result.verdict);
    let colored = |word: &str| painted(result.meaning(), &pad(word, NAME), layout);
    let (word, remark) = match result.verdict {
        Verdict::Pass => (colored(verdict), String::new()),
        known if known != Verdict::Skipped && campaign.expected(result) => {
            (pad(sort_text(Sort::Known), NAME), format!("{verdict}: {}", result.reason))
        }
        _ => (colored(verdict), result.reason.clone()),
    };
    let remark = if remark.is_empty() { remark } else { format!("  ({remark})") };
    format!("{word} {}", clean(&format!("{}{remark}", result.id)))
}
