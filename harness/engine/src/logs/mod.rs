//! What driver and runtime wrote about a failure: cut out of a machine's logs by time and process, redacted, bounded.
//!
//! ```text
//! scene (when, which processes) → the runtime's own sources → excerpts → redacted → bounded → texts of files
//! ```
//!
//! The engine knows neither places nor formats: an entry of the registry does ([`Logs`]).

mod bounded;
mod redact;
mod tail;

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime};

pub use bounded::{Text, bounded};
pub use redact::{Redactor, Secret};
pub use tail::{Tail, tail};

use crate::doctor::HostMachine;

/// What the logs of a runtime are: an entry of the registry.
#[derive(Debug)]
pub struct Logs {
    /// Looks into each source and gives what belongs to the scene, or says why there is nothing. It reads a bounded
    /// number of bytes, and begins nothing after the scene's time is up.
    pub cut_out: fn(&HostMachine, &Scene) -> Vec<Excerpt>,
    /// What only this runtime's logs name and `--redact` takes out, besides what all logs may hold.
    pub secrets: &'static [Secret],
}

/// When and where a failure happened.
#[derive(Debug, Clone)]
pub struct Scene {
    /// From the rule's first case to the end of its confirmation, by the clock of this machine.
    pub from: SystemTime,
    pub to: SystemTime,
    /// The processes that ran its cases, as this process numbers them.
    pub processes: BTreeSet<u32>,
    /// Nothing more is read after this.
    pub until: Instant,
}

/// What a source had.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// What is kept together: also the name of the file, lower-case letters and hyphens.
    pub source: &'static str,
    /// Where it was read, and how its times were understood.
    pub place: String,
    /// The lines in their order.
    pub lines: Vec<String>,
    /// Older lines of the scene that were left out already.
    pub left_out: u64,
    /// What a reader must know, for example why there are no lines.
    pub remarks: Vec<String>,
}

/// How far the clocks of what writes and of what reads may be apart.
const SLACK: Duration = Duration::from_secs(2);

impl Scene {
    /// Whether something that happened then belongs to it. `slack` is how far its clock may be off besides.
    pub fn holds(&self, at: SystemTime, slack: Duration) -> bool {
        let slack = SLACK + slack;
        let before =
            |earlier: SystemTime, later: SystemTime| later.duration_since(earlier).is_ok_and(|between| between > slack);
        !before(at, self.from) && !before(self.to, at)
    }

    /// Whether its time is up.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl Excerpt {
    /// A source without lines, and why.
    pub fn nothing(source: &'static str, place: impl Into<String>, why: impl Into<String>) -> Excerpt {
        Excerpt { source, place: place.into(), remarks: vec![why.into()], ..Excerpt::default() }
    }

    /// A source that nobody has looked into: the scene's time was up.
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
