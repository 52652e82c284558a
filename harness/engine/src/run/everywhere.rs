//! Runs a single-device rule on each device and records each result.

use catalog::Rule;
use record::{OnDevice, RuleResult, Verdict, on_which, worst};

use super::campaign::Campaign;
use super::devices::Demand;
use super::outcome::RuleOutcome;

impl Campaign {
    /// True if a rule runs on every device.
    pub(super) fn runs_on_each(&self, rule: &Rule) -> bool {
        let several = self.devices.at_the_same_time().is_some_and(|most| most > 1);
        self.everywhere && several && !self.replays() && Demand::of(rule) == Demand::Devices(1)
    }

    /// The results of a single-device rule on all devices, in the order in which the devices become free.
    pub(super) fn on_each(&self, index: usize) -> RuleOutcome {
        let mut left: Vec<usize> = (0..self.devices.at_the_same_time().unwrap_or(1)).collect();
        let mut ran: Vec<(usize, RuleOutcome)> = Vec::new();
        // If the rule hung on one device, the rule gets less time on the remaining devices.
        let mut hung = false;
        while let Some(unit) = self.devices.free_of(&left) {
            left.retain(|other| *other != unit);
            let outcome = self.in_rounds(index, &[unit], hung);
            hung |= outcome.result.verdict == Verdict::Timeout;
            ran.push((unit, outcome));
        }
        ran.sort_by_key(|(unit, _)| *unit);
        self.together(ran)
    }

    /// Combines the outcomes into the decisive outcome, which also lists the result on each device.
    fn together(&self, ran: Vec<(usize, RuleOutcome)>) -> RuleOutcome {
        let on = |(unit, outcome): &(usize, RuleOutcome)| OnDevice {
            device: self.devices.number(*unit),
            verdict: outcome.result.verdict,
            reason: outcome.result.reason.clone(),
            cases: outcome.result.cases,
            nanoseconds: outcome.result.nanoseconds,
        };
        let each: Vec<OnDevice> = ran.iter().map(on).collect();
        let outcomes: Vec<RuleOutcome> = ran.into_iter().map(|(_, outcome)| outcome).collect();
        let position = worst(&each).expect("a run has a device");
        let found = outcomes[position].clone();
        let mut result = RuleResult {
            cases: outcomes.iter().map(|outcome| outcome.result.cases).sum(),
            checks: outcomes.iter().map(|outcome| outcome.result.checks).sum(),
            nanoseconds: outcomes.iter().map(|outcome| outcome.result.nanoseconds).sum(),
            devices: vec![each[position].device.clone()],
            ..found.result
        };
        let where_found = on_which(&each).filter(|_| !result.verdict.passes());
        result.reason = match (where_found, result.reason.is_empty()) {
            (None, _) => result.reason,
            (Some(devices), true) => devices,
            (Some(devices), false) => format!("{devices}: {}", result.reason),
        };
        RuleOutcome { result: RuleResult { each, ..result }, ..found }
    }
}
