//! The failure to reproduce, and the names of the folder's files.

use catalog::{Rule, Rules};
use engine::case::Case;
use record::{RuleResult, RunHeader};
use steps::StatementId;

/// The program's file name.
pub(super) const SOURCE: &str = "reproducer.c";
/// The folder with the suite's header.
pub(super) const HEADERS: &str = "header";

/// The failure to reproduce.
pub(super) struct Evidence<'a> {
    pub(super) rules: &'a Rules,
    pub(super) rule: &'a Rule,
    pub(super) header: &'a RunHeader,
    pub(super) result: &'a RuleResult,
    pub(super) cases: Vec<Case>,
    pub(super) observed: Vec<StatementId>,
}

impl Evidence<'_> {
    /// The devices that failed, by their numbers in the machine; empty means all devices.
    pub(super) fn devices(&self) -> &[String] {
        let of_failure = self.result.failure.as_deref().map_or(&[][..], |failure| &failure.devices);
        if of_failure.is_empty() { &self.result.devices } else { of_failure }
    }
}
