//! Device and process events in a run, as data for programs and as sentences for people.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::retry::RetryCause;

/// An event in a run. Devices have the machine's numbers; `None` is the run's only device, which has no number. Reasons
/// are for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Happened {
    /// The part of a merged run; `None` if the run was not merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub part: Option<u32>,
    #[serde(flatten)]
    pub event: Incident,
}

/// A device or process event. Devices have the machine's numbers; `None` is the run's only device, which has no number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Incident {
    /// The device was quarantined, so no later rule uses it.
    DeviceOut { device: Option<String>, reason: String },
    /// The recovery command restored a device. `attempt` counts from 1 up to `attempts`.
    DeviceBack {
        device: Option<String>,
        reason: String,
        #[schemars(range(min = 1))]
        attempt: u32,
        #[schemars(range(min = 1))]
        attempts: u32,
    },
    /// The recovery command did not restore a device. `attempt` counts from 1 up to `attempts`.
    DeviceNotBack {
        device: Option<String>,
        reason: String,
        #[schemars(range(min = 1))]
        attempt: u32,
        #[schemars(range(min = 1))]
        attempts: u32,
    },
    /// After this rule, calls in its process had no effect, so the process was replaced.
    ProcessReplaced { device: Option<String>, rule: String, reason: String },
    /// A rule on these devices runs again because its environment failed, not because of its verdict.
    RuleRetried { rule: String, cause: RetryCause, devices: Vec<Option<String>>, reason: String },
    /// Each time these rules run together, this amount (in bytes, or a count) of a resource is not freed.
    Leak { rules: Vec<String>, resource: Leaked, amount: u64, device: Option<String> },
}

/// A resource that is not freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Leaked {
    /// Memory on a device, in bytes.
    Memory,
    /// File descriptors in a process.
    Descriptors,
    /// Threads in a process.
    Threads,
}

impl Leaked {
    /// The amount and the resource, in words.
    pub fn amount(self, amount: u64, device: Option<&str>) -> String {
        match self {
            Leaked::Memory => {
                format!("{:.1} MiB of memory on {}", amount as f64 / f64::from(1 << 20), device_name(device))
            }
            Leaked::Descriptors => format!("{amount} file descriptors in the process"),
            Leaked::Threads => format!("{amount} threads in the process"),
        }
    }
}

/// The name of a device in reports.
pub fn device_name(device: Option<&str>) -> String {
    device.map_or_else(|| "the device".to_owned(), |device| format!("device {device}"))
}

impl Incident {
    /// The part of the event that may quote a library or the machine.
    pub fn quotes_mut(&mut self) -> Option<&mut String> {
        match self {
            Incident::DeviceOut { reason, .. }
            | Incident::DeviceBack { reason, .. }
            | Incident::DeviceNotBack { reason, .. }
            | Incident::ProcessReplaced { reason, .. }
            | Incident::RuleRetried { reason, .. } => Some(reason),
            Incident::Leak { .. } => None,
        }
    }
}

impl fmt::Display for Happened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            Some(part) => write!(f, "part {part}: {}", self.event),
            None => self.event.fmt(f),
        }
    }
}

impl fmt::Display for Incident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incident::DeviceOut { device, reason } => {
                write!(f, "{} is out of use for this run: {reason}", device_name(device.as_deref()))
            }
            Incident::DeviceBack { device, reason, attempt, attempts } => {
                let name = device_name(device.as_deref());
                write!(
                    f,
                    "{name} was out of use ({reason}); the recovery command restored it (attempt {attempt} of {attempts})"
                )
            }
            Incident::DeviceNotBack { device, reason, attempt, attempts } => {
                let name = device_name(device.as_deref());
                write!(
                    f,
                    "{name} is out of use; the recovery command did not restore it (attempt {attempt} of {attempts}): {reason}"
                )
            }
            Incident::ProcessReplaced { device, rule, reason } => write!(
                f,
                "after {rule}, calls on {} no longer had any effect in its worker; the worker was replaced: {reason}",
                device_name(device.as_deref())
            ),
            Incident::RuleRetried { rule, cause: RetryCause::LostDevice, devices, reason } => {
                let names: Vec<String> = devices.iter().map(|device| device_name(device.as_deref())).collect();
                write!(f, "{rule} lost {} and runs again: {reason}", names.join(" and "))
            }
            Incident::RuleRetried { rule, .. } => {
                write!(f, "{rule} ran in a worker whose calls no longer had any effect; it runs again")
            }
            Incident::Leak { rules, resource, amount, device } => {
                let what = resource.amount(*amount, device.as_deref());
                match &rules[..] {
                    [rule] => write!(f, "{rule}: each time it runs, it leaks {what}"),
                    [first, second] => {
                        write!(f, "{first} and {second}: each time they run together, they leak {what}")
                    }
                    // Another program that allocates whenever these rules run would look like the same leak.
                    several => write!(
                        f,
                        "{what} leak when the {} rules from {} to {} run, but not when either half runs alone: the \
                         cause is their combination, or another program that uses the device",
                        several.len(),
                        several.first().map_or("", |id| id),
                        several.last().map_or("", |id| id)
                    ),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn two() -> Option<String> {
        Some("2".to_owned())
    }

    #[rstest]
    #[case::out(
        Incident::DeviceOut { device: two(), reason: "it is silent".into() },
        r#"{"event":"device-out","device":"2","reason":"it is silent"}"#,
        "device 2 is out of use for this run: it is silent"
    )]
    #[case::of_an_unnamed_device(
        Incident::DeviceNotBack { device: None, reason: "the command ended with 1".into(), attempt: 1, attempts: 2 },
        r#"{"event":"device-not-back","device":null,"reason":"the command ended with 1","attempt":1,"attempts":2}"#,
        "the device is out of use; the recovery command did not restore it (attempt 1 of 2): the command ended with 1"
    )]
    #[case::retried(
        Incident::RuleRetried {
            rule: "a.b".into(), cause: RetryCause::LostDevice, devices: vec![two(), Some("3".into())], reason: "no".into()
        },
        r#"{"event":"rule-retried","rule":"a.b","cause":"lost-device","devices":["2","3"],"reason":"no"}"#,
        "a.b lost device 2 and device 3 and runs again: no"
    )]
    #[case::leak(
        Incident::Leak { rules: vec!["a.b".into()], resource: Leaked::Memory, amount: 3 << 19, device: two() },
        r#"{"event":"leak","rules":["a.b"],"resource":"memory","amount":1572864,"device":"2"}"#,
        "a.b: each time it runs, it leaks 1.5 MiB of memory on device 2"
    )]
    fn an_event_is_data_for_a_program_and_a_sentence_for_a_person(
        #[case] event: Incident,
        #[case] json: &str,
        #[case] sentence: &str,
    ) {
        assert_eq!(event.to_string(), sentence);
        let whole = Happened { part: None, event: event.clone() };
        assert_eq!(serde_json::to_string(&whole).unwrap(), json);
        let part = Happened { part: Some(4), event };
        assert_eq!(part.to_string(), format!("part 4: {sentence}"));
        let back: Happened = serde_json::from_str(&serde_json::to_string(&part).unwrap()).unwrap();
        assert_eq!(back, part);
    }
}
