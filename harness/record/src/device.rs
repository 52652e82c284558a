//! A rule's devices, and its answer on each of them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::RuleResult;
use crate::verdict::Verdict;

/// A rule's answer on one device. The rule ran on several devices, one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OnDevice {
    /// The device, by the machine's numbering.
    pub device: String,
    pub verdict: Verdict,
    /// The reason, as in a result.
    pub reason: String,
    pub cases: u64,
    pub nanoseconds: u64,
}

impl RuleResult {
    /// The devices on which the rule has an answer; empty if the journal does not record devices.
    pub fn answered_on(&self) -> BTreeSet<String> {
        match self.each.is_empty() {
            true if self.devices.is_empty() => BTreeSet::new(),
            // If a rule uses several devices together, these devices share one answer.
            true => [self.devices.join(",")].into(),
            false => self.each.iter().map(|on| on.device.clone()).collect(),
        }
    }

    /// The result as if the rule had run only on these devices.
    pub fn only_on(&self, devices: &BTreeSet<String>) -> RuleResult {
        let each: Vec<OnDevice> = self.each.iter().filter(|on| devices.contains(&on.device)).cloned().collect();
        let Some(worst) = worst(&each).filter(|_| each.len() < self.each.len()) else { return self.clone() };
        let same = self.devices.len() == 1 && self.devices[0] == each[worst].device;
        RuleResult {
            verdict: if same { self.verdict } else { each[worst].verdict },
            reason: each[worst].reason.clone(),
            failure: self.failure.clone().filter(|_| same),
            answers: self.answers.clone().filter(|_| same),
            devices: vec![each[worst].device.clone()],
            cases: each.iter().map(|on| on.cases).sum(),
            nanoseconds: each.iter().map(|on| on.nanoseconds).sum(),
            each,
            ..self.clone()
        }
    }
}

/// The index of the answer that decides the result. A failure outranks an unknown answer, and an unknown answer
/// outranks a pass. A lost device counts only if no other device has an answer.
pub fn worst(each: &[OnDevice]) -> Option<usize> {
    (0..each.len()).min_by_key(|position| (severity(each[*position].verdict), *position))
}

/// The rank of a verdict among answers of one rule, the most severe first.
pub(crate) fn severity(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Fail | Verdict::WrongCode | Verdict::Crash | Verdict::Timeout | Verdict::Flaky => 0,
        Verdict::Error => 1,
        Verdict::Blocked | Verdict::Cut => 2,
        Verdict::Pass | Verdict::Exceeds | Verdict::Observed => 3,
        Verdict::Skipped => 4,
        Verdict::DeviceLost => 5,
    }
}

/// A rule's answers on several devices, if the answers differ, for example `fails on device 1, holds on devices 0, 2`.
pub fn on_which(each: &[OnDevice]) -> Option<String> {
    let mut groups: Vec<(&'static str, Vec<&str>)> = Vec::new();
    let worst = each.get(worst(each)?)?;
    for on in std::iter::once(worst).chain(each.iter().filter(|on| on.device != worst.device)) {
        let word = word(on.verdict);
        match groups.iter_mut().find(|(known, _)| *known == word) {
            Some((_, devices)) => devices.push(&on.device),
            None => groups.push((word, vec![&on.device])),
        }
    }
    let part = |(word, mut devices): (&str, Vec<&str>)| {
        // The answers are sorted by severity; the text lists devices in the machine's order.
        devices.sort_by_key(|device| each.iter().position(|on| on.device == *device));
        format!("{word} on {} {}", if devices.len() == 1 { "device" } else { "devices" }, devices.join(", "))
    };
    (groups.len() > 1).then(|| groups.into_iter().map(part).collect::<Vec<_>>().join(", "))
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass | Verdict::Exceeds | Verdict::Observed => "holds",
        Verdict::Fail | Verdict::WrongCode => "fails",
        Verdict::Flaky => "fails sometimes",
        Verdict::Crash => "crashes",
        Verdict::Timeout => "hangs",
        Verdict::Blocked => "is blocked",
        Verdict::Cut => "is cut short",
        Verdict::Skipped => "is skipped",
        Verdict::Error => "has no answer",
        Verdict::DeviceLost => "is lost",
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn each(verdicts: &[Verdict]) -> Vec<OnDevice> {
        let on = |(number, verdict): (usize, &Verdict)| OnDevice {
            device: number.to_string(),
            verdict: *verdict,
            reason: String::new(),
            cases: 1,
            nanoseconds: 1,
        };
        verdicts.iter().enumerate().map(on).collect()
    }

    #[rstest]
    #[case(&[Verdict::Pass, Verdict::Fail, Verdict::Pass, Verdict::Pass], Some("fails on device 1, holds on devices 0, 2, 3"))]
    #[case(&[Verdict::Pass, Verdict::DeviceLost], Some("holds on device 0, is lost on device 1"))]
    #[case(&[Verdict::Fail, Verdict::Fail, Verdict::Blocked], Some("fails on devices 0, 1, is blocked on device 2"))]
    #[case(&[Verdict::Pass, Verdict::Pass], None)]
    #[case(&[], None)]
    fn answers_that_differ_between_devices_are_named(#[case] verdicts: &[Verdict], #[case] text: Option<&str>) {
        assert_eq!(on_which(&each(verdicts)).as_deref(), text);
    }
}
