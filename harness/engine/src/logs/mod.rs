//! Log lines from the driver and the runtime about a failure: selected from a machine's logs by time and process,
//! redacted, and limited in size.
//!
//! ```text
//! scene (when, which processes) → the runtime's own sources → excerpts → redacted → bounded → texts of files
//! ```
//!
//! The engine does not know where logs are or what format they have. A registry entry does ([`Logs`]).

mod bounded;
mod kernel;
mod redact;
mod tail;
pub mod times;

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime};

pub use bounded::{Text, bounded};
pub use kernel::{MOST_OF_A_FILE, Subject, kernel_lines, kernel_messages};
pub use redact::{Redactor, Secret};
pub use tail::{Tail, tail};

use crate::doctor::HostMachine;

/// A runtime's logs; part of a registry entry.
#[derive(Debug)]
pub struct Logs {
    /// Reads each source and returns the lines for the scene, or the reason why there are no lines. Reads a limited
    /// number of bytes, and starts no reading after the scene's time limit.
    pub cut_out: fn(&HostMachine, &Scene) -> Vec<Excerpt>,
    /// Secrets that occur only in this runtime's logs, which the key `redact` redacts in addition to the common secrets.
    pub secrets: &'static [Secret],
}

/// The time of a failure, and the processes involved in it.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The time at which the rule's first case started, by this machine's clock.
    pub from: SystemTime,
    pub to: SystemTime,
    /// The processes that ran the rule's cases, by their numbers in this process's namespace.
    pub processes: BTreeSet<u32>,
    /// The time limit for reading.
    pub until: Instant,
}

/// The lines from one source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The name of the source and its file: lower-case letters and hyphens.
    pub source: &'static str,
    /// The place from which the lines were read, and the interpretation of their times.
    pub place: String,
    /// The lines in order.
    pub lines: Vec<String>,
    /// The number of older lines from the scene that were already left out.
    pub left_out: u64,
    /// Notes for the reader, for example the reason why there are no lines.
    pub remarks: Vec<String>,
}

/// The maximum difference between the writer's and the reader's clocks.
const SLACK: Duration = Duration::from_secs(2);

impl Scene {
    /// True if an event at this time belongs to the scene. `slack` is the additional inaccuracy of the event's
    /// clock.
    pub fn holds(&self, at: SystemTime, slack: Duration) -> bool {
        let slack = SLACK + slack;
        let before =
            |earlier: SystemTime, later: SystemTime| later.duration_since(earlier).is_ok_and(|between| between > slack);
        !before(at, self.from) && !before(self.to, at)
    }

    /// True if the time limit has passed.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl Excerpt {
    /// A source without lines, and the reason.
    pub fn nothing(source: &'static str, place: impl Into<String>, why: impl Into<String>) -> Excerpt {
        Excerpt { source, place: place.into(), remarks: vec![why.into()], ..Excerpt::default() }
    }

    /// A source that was not read because the scene's time limit had passed.
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
