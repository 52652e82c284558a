//! Results of rules that have not run.

use catalog::{Level, Rule, Rules};
use record::{RuleResult, Verdict};

/// The result of a rule that has not run.
pub(super) fn empty_result(rules: &Rules, rule: &Rule, seed: u64) -> RuleResult {
    let chapter = &rules.chapters[rule.chapter].name;
    RuleResult { seed, doubt: rule.doubt.clone(), ..blank(&rule.id, chapter, &rule.title, rule.level) }
}

/// A result with all optional fields empty.
pub(super) fn blank(id: &str, chapter: &str, title: &str, level: Level) -> RuleResult {
    RuleResult {
        id: id.to_owned(),
        chapter: chapter.to_owned(),
        title: title.to_owned(),
        level,
        verdict: Verdict::Pass,
        reason: String::new(),
        nanoseconds: 0,
        cases: 0,
        checks: 0,
        seed: 0,
        failure: None,
        findings: Vec::new(),
        observations: Default::default(),
        answers: None,
        doubt: None,
        interrupted: 0,
        coverage: None,
        observed_only: Vec::new(),
        left_out: Vec::new(),
        skipped_without: None,
        devices: Vec::new(),
        each: Vec::new(),
        memory_limit: None,
        ran_in: Vec::new(),
        repetition: None,
        logs: None,
        rounds: None,
    }
}
