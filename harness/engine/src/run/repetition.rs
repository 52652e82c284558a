//! Repeats a rule that passed, if the run repeats cycles, and adds what grew to the rule's result.

use std::time::{Duration, Instant};

use crate::case::{SearchResult, rule_seed};
use crate::pool::Slot;
use crate::soak::{CYCLES_OF_A_START, Length, Repeated, RuleCycle, starts_processes};
use catalog::Rule;
use record::{Confirmation, Repetition, RuleResult, Verdict};
use serde_json::Value as Json;

use super::campaign::Campaign;
use super::devices::Lease;
use super::outcome::RuleOutcome;
use super::replay;
use super::result::{Finished, verdict};

impl Campaign {
    /// Divides the time of the repetition among the rules that take part, of which this many run at once.
    pub(super) fn share_time(&mut self, rules: usize, at_once: usize) {
        if let Some(Length::Time(time)) = self.repeats {
            let devices = if self.everywhere { self.devices.at_the_same_time().unwrap_or(1) } else { 1 };
            let parts = (rules * devices).max(1);
            let share = time.as_secs_f64() * at_once.min(parts) as f64 / parts as f64;
            self.repeats = Some(Length::Time(Duration::from_secs_f64(share)));
        }
    }

    /// The outcome of a rule that passed, after its cycle was repeated.
    pub(super) fn repeated(
        &self,
        index: usize,
        lease: &Lease<'_>,
        slot: &mut Slot,
        round: u64,
        outcome: RuleOutcome,
    ) -> RuleOutcome {
        let Some(length) = self.repeats.filter(|_| outcome.result.verdict.passes()) else { return outcome };
        let (begun, spent) = (Instant::now(), outcome.result.nanoseconds);
        let rule = &self.target.rules.rules[index];
        let run_seed = self.seed_of(round);
        let seed = rule_seed(run_seed, &rule.id);
        let judge = |search: &SearchResult| verdict(&self.target.rules, search, None);
        let cycle = RuleCycle { executor: &self.target.executor, slot, rule, seed, judge: &judge };
        let result = match cycle.repeat(length) {
            Repeated::Interrupted => outcome.result,
            Repeated::Unknown(reason) => RuleResult { verdict: Verdict::Error, reason, ..outcome.result },
            Repeated::Measured(repetition) => self.with_growth(rule, lease, run_seed, repetition, outcome.result),
            Repeated::Failed { after, search } => {
                let found = verdict(&self.target.rules, &search, None).0;
                let remark = "a case alone cannot show it".to_owned();
                let confirmation = Some(Confirmation::without_rerun(found, remark));
                let devices = self.seen(lease);
                let again = self.again(rule, &devices, run_seed, after + 1);
                let finished = Finished { search: *search, confirmation, output: String::new(), devices, run_seed };
                let mut result = finished.result(self, rule, seed);
                result.reason = format!("after {after} cycles that passed: {}", result.reason);
                if let Some(failure) = &mut result.failure {
                    failure.replay = again;
                }
                result
            }
        };
        let nanoseconds = spent + u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        RuleOutcome { result: RuleResult { nanoseconds, ..result }, ..outcome }
    }

    /// The command that repeats a rule's cycle on the same devices.
    fn again(&self, rule: &Rule, devices: &[String], run_seed: u64, cycles: u64) -> String {
        let command = replay::command(self, rule, &[], &Json::Null, devices, run_seed);
        let cycles = if starts_processes(rule) { cycles.saturating_mul(CYCLES_OF_A_START) } else { cycles };
        format!("{command} --profile soak --for {cycles}x")
    }

    fn with_growth(
        &self,
        rule: &Rule,
        lease: &Lease<'_>,
        run_seed: u64,
        repetition: Repetition,
        result: RuleResult,
    ) -> RuleResult {
        let mut lines: Vec<String> = repetition.grew.iter().map(|growth| growth.line()).collect();
        if lines.is_empty() {
            return RuleResult { repetition: Some(repetition), ..result };
        }
        let again = self.again(rule, &self.seen(lease), run_seed, repetition.cycles);
        lines.push(format!("again: {again}"));
        let repetition = Some(repetition);
        // A cycle states that nothing grows, and its level says whether a page promises that.
        if rule.cycle {
            return RuleResult { verdict: Verdict::Fail, reason: lines.join("; "), repetition, ..result };
        }
        let findings = [result.findings, lines].concat();
        RuleResult { findings, repetition, ..result }
    }
}
