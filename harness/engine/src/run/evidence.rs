//! The logs around a failure, from a rule's start until its result is written.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::doctor::HostMachine;
use crate::logs::{Excerpt, Logs, Redactor, Scene, Text, bounded};
use crate::pool::Activity;
use crate::runtime::Runtime;
use record::{Meaning, RuleResult};

use super::options::Options;

/// The time limit for reading the logs about one failure. No further log source is read after the limit.
const TIME: Duration = Duration::from_secs(2);
/// The maximum change of the clock during a rule. A larger change counts as a jump.
const DRIFT: Duration = Duration::from_secs(1);

/// The log sources, and the excerpts that are not yet written.
#[derive(Debug)]
pub(super) struct Evidence {
    /// `None` if no logs are read.
    place: Option<(&'static Logs, HostMachine)>,
    pub redactor: Option<Arc<Redactor>>,
    /// The maximum number of log bytes to keep per rule.
    most: usize,
    found: Mutex<HashMap<String, LogEvidence>>,
}

/// The logs for a rule.
#[derive(Debug, Default)]
pub(super) struct LogEvidence {
    pub texts: Vec<Text>,
    /// The log sources that gave no lines, each with the reason.
    pub nothing: Vec<String>,
}

/// The times at which a rule started, from the wall clock and the monotonic clock.
#[derive(Debug)]
pub(super) struct Watch {
    wall: SystemTime,
    clock: Instant,
}

impl Evidence {
    /// Creates the evidence for a run. With `embedded`, the run uses the executable's simulated device, which writes
    /// no logs.
    pub(super) fn of(options: &Options, runtime: &'static Runtime, embedded: bool) -> Evidence {
        let secrets = runtime.logs.as_ref().map_or(&[][..], |logs| logs.secrets);
        let wanted = options.tune.logs > 0 && !embedded;
        let place = runtime.logs.as_ref().filter(|_| wanted);
        Evidence {
            place: place.map(|logs| (logs, HostMachine::new(&options.machine.variables.log_root, TIME))),
            redactor: options
                .tune
                .redact
                .then(|| Arc::new(Redactor::new(&options.machine.variables.log_root, secrets))),
            most: (options.tune.logs as usize) << 10,
            found: Mutex::default(),
        }
    }

    /// Records the start of a rule on the machine with this activity.
    pub(super) fn begin(&self, activity: &Activity) -> Watch {
        // Discards the list of the previous rule's processes.
        drop(activity.take());
        Watch { wall: SystemTime::now(), clock: Instant::now() }
    }

    /// Reads the logs if they may explain a rule's result.
    pub(super) fn end(&self, watch: &Watch, activity: &Activity, result: &RuleResult) {
        let processes = activity.take();
        let Some((logs, place)) = &self.place else { return };
        if !worth_it(result) {
            return;
        }
        let (now, clock) = (SystemTime::now(), Instant::now());
        let jumped = jumped(watch.wall, now, clock - watch.clock);
        let scene = Scene { from: watch.wall.min(now), to: watch.wall.max(now), processes, until: clock + TIME };
        let excerpts = (logs.cut_out)(place, &scene);
        let found = self.kept(&result.id, &scene, &excerpts, jumped);
        self.found.lock().unwrap_or_else(PoisonError::into_inner).insert(result.id.clone(), found);
    }

    /// Removes and returns a rule's logs.
    pub(super) fn take(&self, id: &str) -> Option<LogEvidence> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
    }

    fn kept(&self, id: &str, scene: &Scene, excerpts: &[Excerpt], jumped: Option<String>) -> LogEvidence {
        let redacted = |text: &str| match &self.redactor {
            Some(redactor) => redactor.text(text),
            None => text.to_owned(),
        };
        let shown = |at: SystemTime| OffsetDateTime::from(at).format(&Rfc3339).unwrap_or_default();
        let processes: Vec<String> = scene.processes.iter().map(u32::to_string).collect();
        let mut head = format!(
            "# {id}, from {} to {}; processes {}\n",
            shown(scene.from),
            shown(scene.to),
            if processes.is_empty() { "none".to_owned() } else { processes.join(" ") }
        );
        if let Some(jumped) = &jumped {
            head.push_str(&format!("# {jumped}\n"));
        }
        // Tokens may be longer than the text that they replace, so the limit applies after redaction.
        let excerpts: Vec<Excerpt> = excerpts
            .iter()
            .map(|excerpt| Excerpt {
                place: redacted(&excerpt.place),
                lines: excerpt.lines.iter().map(|line| redacted(line)).collect(),
                remarks: excerpt.remarks.iter().map(|remark| redacted(remark)).collect(),
                ..excerpt.clone()
            })
            .collect();
        let texts = bounded(&head, &excerpts, self.most);
        let without = excerpts.iter().filter(|excerpt| !texts.iter().any(|text| text.source == excerpt.source));
        let nothing = without.map(|excerpt| {
            let why = if excerpt.remarks.is_empty() {
                "not enough space".to_owned()
            } else {
                excerpt.remarks.join(
                    "; \
                ",
                )
            };
            format!("{}: {}: {why}", excerpt.source, excerpt.place)
        });
        let nothing = nothing.chain(jumped.clone()).collect();
        LogEvidence { texts, nothing }
    }
}

/// True if logs may explain a result.
pub(super) fn worth_it(result: &RuleResult) -> bool {
    matches!(result.meaning(), Meaning::Broken | Meaning::Unknown)
}

/// Returns a remark if the clock was set while a rule ran.
fn jumped(from: SystemTime, to: SystemTime, took: Duration) -> Option<String> {
    let (by, direction) = match to.duration_since(from) {
        Ok(wall) if wall > took => (wall - took, "forward"),
        Ok(wall) => (took - wall, "back"),
        Err(error) => (took + error.duration(), "back"),
    };
    (by > DRIFT).then(|| {
        format!(
            "the clock was set {direction} by {} s during the rule: lines may be missing or belong to other rules",
            by.as_secs()
        )
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::as_it_should(5_000, 5_001, None)]
    #[case::forward(3_605_000, 5_000, Some("forward by 3600 s"))]
    #[case::back(1_000, 6_000, Some("back by 5 s"))]
    #[case::before_it_began(-60_000, 5_000, Some("back by 65 s"))]
    fn a_clock_that_was_set_is_seen(#[case] wall: i64, #[case] took: u64, #[case] said: Option<&str>) {
        let from = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 30);
        let by = Duration::from_millis(wall.unsigned_abs());
        let to = if wall < 0 { from - by } else { from + by };
        let seen = jumped(from, to, Duration::from_millis(took));
        assert_eq!(seen.is_some(), said.is_some());
        assert!(said.is_none_or(|said| seen.unwrap().contains(said)));
    }
}
