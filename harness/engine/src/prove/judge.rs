//! The proof for one rule.

use std::collections::{BTreeMap, BTreeSet};

use steps::judgment::{Judged, Judgment, judgments};

use catalog::{Level, Rule, count};
use record::Verdict;

use super::experiment::Attempt;

/// The proof for one rule.
#[derive(Debug)]
pub struct RuleProof {
    pub id: String,
    /// The name of the rule's chapter.
    pub chapter: String,
    pub level: Level,
    /// The reason why the rule does not apply to the product or is not judged.
    pub skipped: Option<String>,
    /// The claimed defects, each with the results over all seeds.
    pub kills: BTreeMap<String, Tally>,
    /// The claimed defects that are subtle. A subtle defect shows only for some sizes, histories, orders or processes.
    pub subtle: BTreeSet<String>,
    /// The check that noticed each killed defect first.
    pub noticed_by: BTreeMap<String, String>,
    /// The bad devices on which the rule passed.
    pub passes_on: BTreeSet<String>,
    /// The faithful devices (`faithful`, or a variant) on which the rule did not pass, each with the rule's message.
    pub false_alarms: BTreeMap<String, String>,
    /// The variants on which the rule, of level `info`, did not pass, each with the rule's message. A rule of this
    /// level tests no promise, so no promise is broken.
    pub findings: BTreeMap<String, String>,
    /// The variants that lack what the rule needs, or on which its set-up failed, each with the message. A variant may
    /// refuse what a set-up needs. The rule is then not judged there.
    pub blocked: BTreeMap<String, String>,
    /// The devices on which the watchdog ended the rule, each with the message. The rule's result on these devices is
    /// unknown.
    pub cut: BTreeMap<String, String>,
    /// The rule's checks, in step order.
    pub checks: Vec<CheckProof>,
}

/// The number of seeds among which a rule may miss a claimed defect once. A claim that misses one of fewer seeds is
/// tried with this many.
pub(super) const ONE_MISS_IN: u64 = 20;

/// The results of running a rule on a defect with several seeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub seeds: u64,
    /// The number of seeds with which the rule failed.
    pub killed: u64,
    /// The number of seeds with which the watchdog ended the rule before a case failed.
    pub cut: u64,
    /// The number of cases up to the first failure, added up over all seeds.
    pub cases: u64,
}

impl Tally {
    pub fn note(&mut self, attempt: &Attempt) {
        self.seeds += 1;
        self.killed += u64::from(attempt.kills());
        self.cut += u64::from(matches!(attempt.verdict, Verdict::Cut | Verdict::Timeout));
        self.cases += attempt.cases;
    }

    /// True if the rule misses the defect with more than one seed in twenty. A rule that was never tried misses it.
    pub fn survives(&self) -> bool {
        !self.is_open() && (self.seeds == 0 || self.missed() * ONE_MISS_IN > self.seeds)
    }

    /// The number of seeds after which it is known whether the defect survives, at least `seeds`. `None` if that is known
    /// already.
    pub(super) fn needs(&self, seeds: u64) -> Option<u64> {
        let needed = if self.missed() == 0 { seeds } else { seeds.max(ONE_MISS_IN) };
        (self.missed() * ONE_MISS_IN <= needed).then_some(needed)
    }

    fn missed(&self) -> u64 {
        self.seeds - self.killed - self.cut
    }

    /// True if it is unknown whether the rule notices the defect, because the watchdog ended the rule.
    pub fn is_open(&self) -> bool {
        self.cut > 0
    }

    /// The estimated share of cases that notice the defect. The share is an estimate because the rule stops at its
    /// first failure.
    pub fn rate(&self) -> f64 {
        if self.cases == 0 { 0.0 } else { self.killed as f64 / self.cases as f64 }
    }
}

/// The proof for one check.
#[derive(Debug)]
pub struct CheckProof {
    pub judgment: Judgment,
    /// The check's statement, on one line.
    pub text: String,
    /// The check's place in the catalog, as `file:line:column`.
    pub place: String,
    /// The defects and bad devices that this check was the first to notice.
    pub caught: BTreeSet<String>,
    /// A defect, bad device or glitch that the rule does not notice without this check.
    pub needed_for: Option<String>,
    /// A defect that the rule does not claim, but notices only because of this check.
    pub could_claim: Option<String>,
    /// The reason that the catalog gives for keeping an unneeded check.
    pub reason: Option<String>,
    judged: Judged,
}

impl CheckProof {
    /// The proofs for all checks in a rule.
    pub fn all(rule: &Rule) -> Vec<CheckProof> {
        let check = |judged: Judged| {
            let text = rule.program.judged(&judged);
            CheckProof {
                judgment: judged.judgment,
                place: rule.place(judged.statement.start),
                reason: rule.unproven.get(&text).cloned(),
                text,
                caught: BTreeSet::new(),
                needed_for: None,
                could_claim: None,
                judged,
            }
        };
        judgments(&rule.program).into_iter().map(check).collect()
    }

    /// True if this check failed in the attempt.
    pub fn failed(&self, attempt: &Attempt) -> bool {
        let verdict = if matches!(self.judgment, Judgment::Code(_)) { Verdict::WrongCode } else { Verdict::Fail };
        let reported = self.judgment != Judgment::Success;
        attempt.verdict == verdict && (attempt.place == self.judged.reported) == reported
    }

    /// The kind of property that the check judges, for reports.
    pub fn what(&self) -> &'static str {
        match self.judgment {
            Judgment::Condition(_) => "condition",
            Judgment::Failure(_) => "that it fails",
            Judgment::Code(_) => "its code",
            Judgment::Success => "success",
        }
    }
}

impl RuleProof {
    /// The defects that the rule missed too often.
    pub fn survived(&self) -> Vec<&str> {
        self.kills.iter().filter(|(_, tally)| tally.survives()).map(|(name, _)| name.as_str()).collect()
    }

    /// True if the rule kills at least two defects, one of them subtle.
    pub(super) fn kills_enough(&self) -> bool {
        let subtle = self.subtle.iter().any(|name| self.kills.get(name).is_some_and(|tally| !tally.survives()));
        subtle && self.kills.len() - self.survived().len() >= 2
    }

    /// The gaps in the rule's proof; empty if the rule is proven.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        for name in self.survived() {
            let tally = &self.kills[name];
            gaps.push(format!("{name} survives (killed by {} of {} seeds)", tally.killed, tally.seeds));
        }
        if self.kills.len() < 2 {
            let claims = count(self.kills.len(), "defect");
            gaps.push(format!("kills {claims} on this product; at least 2 required"));
        }
        if self.subtle.is_empty() {
            gaps.push("kills no subtle defect on this product".to_owned());
        }
        // Only a `must` rule has to fail on bad devices: a rule that tests a freedom in the documents may pass on a
        // device that does nothing.
        if self.level == Level::Must {
            gaps.extend(self.passes_on.iter().map(|device| format!("passes on {device}")));
        }
        gaps.extend(self.cut.iter().map(|(device, what)| format!("unknown on {device}: {what}")));
        gaps.extend(self.false_alarms.iter().map(|(device, what)| format!("false alarm on {device}: {what}")));
        gaps
    }

    /// The checks whose removal changes nothing.
    pub fn unneeded(&self) -> impl Iterator<Item = &CheckProof> {
        self.checks.iter().filter(|check| check.needed_for.is_none())
    }

    /// The unneeded checks for which the catalog gives no reason.
    pub fn unexplained(&self) -> impl Iterator<Item = &CheckProof> {
        self.unneeded().filter(|check| check.reason.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    fn tally(seeds: u64, killed: u64) -> Tally {
        Tally { seeds, killed, cut: 0, cases: seeds }
    }

    #[test]
    fn a_defect_that_more_than_one_seed_in_twenty_misses_survives() {
        assert!(!tally(1, 1).survives() && !tally(20, 20).survives() && !tally(20, 19).survives());
        assert!(!Tally { cut: 1, ..tally(1, 0) }.survives(), "unknown is neither killed nor missed");
        assert!(tally(0, 0).survives() && tally(1, 0).survives() && tally(19, 18).survives());
        assert!(tally(20, 18).survives() && !tally(40, 38).survives());
    }

    #[test]
    fn a_claim_that_misses_a_seed_is_tried_with_more() {
        assert_eq!(tally(0, 0).needs(1), Some(1));
        assert_eq!(tally(1, 0).needs(1), Some(20));
        assert_eq!(tally(7, 6).needs(40), Some(40));
        assert_eq!(tally(2, 0).needs(1), None, "two misses are too many for twenty seeds");
        assert_eq!(tally(30, 28).needs(40), Some(40));
    }
}
