//! A run's output for people: a line or a block for each result, and the progress on a terminal.

use std::io::IsTerminal;
use std::sync::Arc;

use crate::{AnnotationOptions, say_line, say_painted};
use engine::run::{Agenda, Listener, Observer, RunError};
use ledger::report::Blocks;
use record::Recorded;

use super::progress::Progress;
use super::verbosity::Verbosity;

/// Prints events line by line.
#[derive(Debug, Default)]
pub struct Terminal {
    progress: Arc<Progress>,
    blocks: Blocks,
    verbosity: Verbosity,
    annotations: AnnotationOptions,
}

impl Terminal {
    /// An output of this amount that ends with these annotations.
    pub fn new(verbosity: Verbosity, annotations: AnnotationOptions) -> Terminal {
        Terminal { verbosity, annotations, ..Terminal::default() }
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
        let (progress, blocks, verbosity) = (&self.progress, &self.blocks, self.verbosity);
        progress.during(work, || {
            work.perform_all(|result| {
                progress.ended(&result.id);
                let text = verbosity.result(blocks, &work.campaign, result);
                text.map_or(Ok(()), |text| progress.aside(|| say_line(text)))
            })
        })
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        let color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        say_painted(&self.verbosity.summary(run, color))?;
        self.annotations.say(run)
    }
}
