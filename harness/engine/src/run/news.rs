//! What is told of a run as a whole: heard at once, and kept for its end.

use std::sync::{Arc, Mutex};

use crate::logs::Redactor;
use record::{Happened, Incident, Retry, RunEnd};

use super::listener::Listener;
use super::locked::locked;

/// What is told of a run, without names where these are taken out.
#[derive(Debug)]
pub(super) struct News {
    /// Who hears what happens at once.
    listener: Arc<dyn Listener>,
    redactor: Option<Arc<Redactor>>,
    /// What is to be said about the run as a whole.
    remarks: Mutex<Vec<String>>,
    /// What happened to devices and processes.
    events: Mutex<Vec<Incident>>,
    /// Rules that ran once more.
    retries: Mutex<Vec<Retry>>,
}

impl News {
    pub(super) fn new(listener: Arc<dyn Listener>, redactor: Option<Arc<Redactor>>) -> News {
        let (remarks, events, retries) = Default::default();
        News { listener, redactor, remarks, events, retries }
    }

    /// A rule begins, on these devices.
    pub(super) fn begun(&self, rule: &str, devices: &str) {
        self.listener.begun(rule, devices);
    }

    /// Says something about the run as a whole: now, and in the reports.
    pub(super) fn remark(&self, text: String) {
        match &self.redactor {
            Some(redactor) => self.listener.remark(&redactor.text(&text)),
            None => self.listener.remark(&text),
        }
        locked(&self.remarks).push(text);
    }

    /// Says what happened to devices or processes: now, and in the reports.
    pub(super) fn happened(&self, mut event: Incident) {
        if let (Some(redactor), Some(quoted)) = (&self.redactor, event.quotes_mut()) {
            *quoted = redactor.text(quoted);
        }
        self.listener.happened(&event);
        locked(&self.events).push(event);
    }

    /// Notes that a rule runs once more.
    pub(super) fn retried(&self, retry: Retry) {
        locked(&self.retries).push(retry);
    }

    /// Adds everything to the end of the run, behind what is there already.
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
