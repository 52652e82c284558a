//! A run's output for people: a line or a block for each result, and the progress on a terminal.

use std::io::IsTerminal;
use std::sync::Arc;

use crate::{AnnotationOptions, say_line, say_painted};
use engine::run::{Agenda, Campaign, Listener, Observer, RunError};
use ledger::report::{Blocks, pad, sort_text, summary, verdict_text};
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
}

impl Terminal {
    /// An output that ends with these annotations.
    pub fn new(annotations: AnnotationOptions) -> Terminal {
        Terminal { annotations, ..Terminal::default() }
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
        let (progress, blocks) = (&self.progress, &self.blocks);
        progress.during(work, || {
            work.perform_all(|result| {
                progress.ended(&result.id);
                progress.aside(|| say_line(result_text(blocks, &work.campaign, result)))
            })
        })
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        let color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        say_painted(&summary(&run.header, &run.results, run.end.as_ref(), color))?;
        self.annotations.say(run)
    }
}

fn result_text(blocks: &Blocks, campaign: &Campaign, result: &RuleResult) -> String {
    let verdict = verdict_text(result.verdict);
    match result.verdict {
        known if known != Verdict::Skipped && known != Verdict::Pass && campaign.expected(result) => {
            format!("{} {}  ({verdict}: {})", pad(sort_text(Sort::Known), NAME), result.id, result.reason)
        }
        Verdict::Pass => format!("{} {}", pad(verdict, NAME), result.id),
        _ if campaign.breaks(result) => blocks.text(result, &campaign.header),
        _ if result.reason.is_empty() => format!("{} {}", pad(verdict, NAME), result.id),
        _ => format!("{} {}  ({})", pad(verdict, NAME), result.id, result.reason),
    }
}
