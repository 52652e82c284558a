//! A run's remarks and incidents, which are reported as they happen and kept for the end of the run.

use std::sync::{Arc, Mutex};

use crate::logs::Redactor;
use record::{Happened, Incident, Retry, RunEnd};

use super::listener::Listener;
use super::locked::locked;

/// A run's remarks and incidents, redacted if requested.
#[derive(Debug)]
pub(super) struct News {
    /// Receives events as they happen.
    listener: Arc<dyn Listener>,
    redactor: Option<Arc<Redactor>>,
    /// Remarks about the entire run.
    remarks: Mutex<Vec<String>>,
    /// The incidents with devices and processes so far.
    events: Mutex<Vec<Incident>>,
    /// The retries of rules so far.
    retries: Mutex<Vec<Retry>>,
}

impl News {
    pub(super) fn new(listener: Arc<dyn Listener>, redactor: Option<Arc<Redactor>>) -> News {
        let (remarks, events, retries) = Default::default();
        News { listener, redactor, remarks, events, retries }
    }

    /// Reports that a rule has started on these devices.
    pub(super) fn begun(&self, rule: &str, devices: &str) {
        self.listener.begun(rule, devices);
    }

    /// Adds a remark about the entire run. The remark is printed at once and included in the reports.
    pub(super) fn remark(&self, text: String) {
        match &self.redactor {
            Some(redactor) => self.listener.remark(&redactor.text(&text)),
            None => self.listener.remark(&text),
        }
        locked(&self.remarks).push(text);
    }

    /// Adds an incident with a device or a process. The incident is printed at once and included in the reports.
    pub(super) fn happened(&self, mut event: Incident) {
        if let (Some(redactor), Some(quoted)) = (&self.redactor, event.quotes_mut()) {
            *quoted = redactor.text(quoted);
        }
        self.listener.happened(&event);
        locked(&self.events).push(event);
    }

    /// Records a retry of a rule.
    pub(super) fn retried(&self, retry: Retry) {
        locked(&self.retries).push(retry);
    }

    /// Adds the remarks, incidents and retries to the end of the run.
    pub(super) fn add_to(&self, end: &mut RunEnd) {
        end.remarks.extend(locked(&self.remarks).iter().cloned());
        end.retries.extend(locked(&self.retries).iter().cloned());
        end.events.extend(locked(&self.events).iter().map(|event| Happened { part: None, event: event.clone() }));
        if let Some(redactor) = &self.redactor {
            end.remarks.iter_mut().for_each(|remark| *remark = redactor.text(remark));
            end.retries.iter_mut().for_each(|retry| retry.reason = redactor.text(&retry.reason));
        }
    }
}
