//! Log lines of driver and runtime about a failure: cut out of a machine's logs by time and process, redacted, bounded.
//!
//! ```text
//! scene (when, which processes) → the runtime's own sources → excerpts → redacted → bounded → texts of files
//! ```
//!
//! The engine knows neither places nor formats of logs: an entry of the registry does ([`Logs`]).

mod bounded;
mod redact;
mod tail;

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime};

pub use bounded::{Text, bounded};
pub use redact::{Redactor, Secret};
pub use tail::{Tail, tail};

use crate::doctor::HostMachine;

/// The logs of a runtime: an entry of the registry.
#[derive(Debug)]
pub struct Logs {
    /// Reads each source and returns the lines of the scene, or the reason why there are none. Reads a bounded number
    /// of bytes, and starts nothing after the scene's time limit.
    pub cut_out: fn(&HostMachine, &Scene) -> Vec<Excerpt>,
    /// Secrets that only this runtime's logs contain, redacted by `--redact` in addition to the common ones.
    pub secrets: &'static [Secret],
}

/// The time and the processes of a failure.
#[derive(Debug, Clone)]
pub struct Scene {
    /// From the rule's first case to the end of its confirmation, by the clock of this machine.
    pub from: SystemTime,
    pub to: SystemTime,
    /// The processes that ran its cases, by their numbers in this process's namespace.
    pub processes: BTreeSet<u32>,
    /// Nothing more is read after this.
    pub until: Instant,
}

/// The lines of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The name of the source, also of its file: lower-case letters and hyphens.
    pub source: &'static str,
    /// The place that was read, and the interpretation of its times.
    pub place: String,
    /// The lines in order.
    pub lines: Vec<String>,
    /// Number of older lines of the scene that were left out already.
    pub left_out: u64,
    /// Notes for the reader, for example why there are no lines.
    pub remarks: Vec<String>,
}

/// The greatest difference between the clocks of writer and reader.
const SLACK: Duration = Duration::from_secs(2);

impl Scene {
    /// True if an event at this time belongs to the scene. `slack` is the additional inaccuracy of its clock.
    pub fn holds(&self, at: SystemTime, slack: Duration) -> bool {
        let slack = SLACK + slack;
        let before =
            |earlier: SystemTime, later: SystemTime| later.duration_since(earlier).is_ok_and(|between| between > slack);
        !before(at, self.from) && !before(self.to, at)
    }

    /// True if its time limit has passed.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl Excerpt {
    /// A source without lines, and the reason.
    pub fn nothing(source: &'static str, place: impl Into<String>, why: impl Into<String>) -> Excerpt {
        Excerpt { source, place: place.into(), remarks: vec![why.into()], ..Excerpt::default() }
    }

    /// A source that was not read: the scene's time was up.
    pub fn unread(source: &'static str, place: impl Into<String>) -> Excerpt {
        Excerpt::nothing(source, place, "not looked into: the time for logs was used up")
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::long_before(-10, false)]
    #[case::just_before(-2, true)]
    #[case::within(3, true)]
    #[case::just_after(7, true)]
    #[case::long_after(8, false)]
    fn a_scene_holds_what_happened_meanwhile_and_what_clocks_blur(#[case] seconds: i64, #[case] holds: bool) {
        let from = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let to = from + Duration::from_secs(5);
        let scene = Scene { from, to, processes: BTreeSet::new(), until: Instant::now() };
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs((1_000_000 + seconds) as u64);
        assert_eq!(scene.holds(at, Duration::ZERO), holds);
    }
}
