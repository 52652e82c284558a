//! A run's output for programs: one JSON object per event and line, on standard output.

use std::sync::Arc;

use crate::{annotate_aside, say_json};
use engine::run::{Agenda, Listener, Observer, RunError};
use record::{Incident, Recorded};

use super::event::{LogEvent, LogLine};

/// Prints events as JSON objects.
#[derive(Debug)]
pub(super) struct JsonLog;

/// Prints the events that happen while rules run.
#[derive(Debug)]
struct Events;

impl Observer for JsonLog {
    fn listener(&self) -> Arc<dyn Listener> {
        Arc::new(Events)
    }

    fn line(&mut self, text: &str) -> Result<(), RunError> {
        print(LogEvent::Line { text: text.to_owned() })
    }

    fn perform(&mut self, work: &Arc<Agenda>) -> Result<(), RunError> {
        print(LogEvent::run(work))?;
        work.perform_all(|result| print(LogEvent::result(&work.campaign, result)))
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        annotate_aside(run);
        print(LogEvent::end(run))
    }
}

impl Listener for Events {
    fn begun(&self, rule: &str, devices: &str) {
        let (rule, devices) = (rule.to_owned(), devices.to_owned());
        // If printing fails here, printing the next result reports the error.
        let _ = print(LogEvent::Begin { rule, devices });
    }

    fn remark(&self, text: &str) {
        let _ = print(LogEvent::Remark { text: text.to_owned() });
    }

    fn happened(&self, event: &Incident) {
        let _ = print(LogEvent::Happened(event.clone()));
    }
}

/// Prints an entire line at once, so that lines from different threads do not mix.
fn print(event: LogEvent) -> Result<(), RunError> {
    say_json(&serde_json::to_string(&LogLine::now(event)).expect("an event consists of strings and numbers"))
}
