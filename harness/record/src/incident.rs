//! What happens to devices and processes in a run, for programs; the sentences for people are made here alone.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::retry::RetryCause;

/// Something that happened in a run, and in which part of a merged one. A device is named as the machine numbers it; `None`:
/// the run has one that cannot be told from others. Reasons are for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Happened {
    /// The number of the part; `None`: the run is a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub part: Option<u32>,
    #[serde(flatten)]
    pub event: Incident,
}

/// Something that happened to devices or processes. A device is named as the machine numbers it; `None`: the run has one
/// that cannot be told from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Incident {
    /// No rule uses the device from here on.
    DeviceOut { device: Option<String>, reason: String },
    /// The command of the site brought a device back, in this one of at most `attempts` attempts.
    DeviceBack {
        device: Option<String>,
        reason: String,
        #[schemars(range(min = 1))]
        attempt: u32,
        #[schemars(range(min = 1))]
        attempts: u32,
    },
    /// The command of the site did not bring a device back, in this one of at most `attempts` attempts.
    DeviceNotBack {
        device: Option<String>,
        reason: String,
        #[schemars(range(min = 1))]
        attempt: u32,
        #[schemars(range(min = 1))]
        attempts: u32,
    },
    /// Calls of a process had no effect after this rule, and another process took its place.
    ProcessReplaced { device: Option<String>, rule: String, reason: String },
    /// A rule with these devices runs once more, for what it met and not for what it said.
    RuleRetried { rule: String, cause: RetryCause, devices: Vec<Option<String>>, reason: String },
    /// An amount of something, bytes or a number, does not come back each time these rules run together.
    Leak { rules: Vec<String>, resource: Leaked, amount: u64, device: Option<String> },
}

/// What does not come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Leaked {
    /// Bytes of a device's memory.
    Memory,
    /// File descriptors of a process.
    Descriptors,
    /// Threads of a process.
    Threads,
}

impl Leaked {
    /// An amount of it, as a sentence names it.
    pub fn amount(self, amount: u64, device: Option<&str>) -> String {
        match self {
            Leaked::Memory => {
                format!("{:.1} MiB of the memory of {}", amount as f64 / f64::from(1 << 20), device_name(device))
            }
            Leaked::Descriptors => format!("{amount} file descriptors of their process"),
            Leaked::Threads => format!("{amount} threads of their process"),
        }
    }
}

/// A device, as reports call it.
pub fn device_name(device: Option<&str>) -> String {
    device.map_or_else(|| "the device".to_owned(), |device| format!("device {device}"))
}

impl Incident {
    /// The texts that may quote a library or the machine.
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
                write!(f, "{} is out of this run: {reason}", device_name(device.as_deref()))
            }
            Incident::DeviceBack { device, reason, attempt, attempts } => {
                let name = device_name(device.as_deref());
                write!(f, "{name} was out ({reason}), and works again after --recover-cmd ({attempt} of {attempts})")
            }
            Incident::DeviceNotBack { device, reason, attempt, attempts } => {
                let name = device_name(device.as_deref());
                write!(f, "{name} is out, and --recover-cmd did not bring it back ({attempt} of {attempts}): {reason}")
            }
            Incident::ProcessReplaced { device, rule, reason } => write!(
                f,
                "after {rule}, calls of its process on {} did not have their effect any more, and another process took its \
                 place: {reason}",
                device_name(device.as_deref())
            ),
            Incident::RuleRetried { rule, cause: RetryCause::LostDevice, devices, reason } => {
                let names: Vec<String> = devices.iter().map(|device| device_name(device.as_deref())).collect();
                write!(f, "{rule} has lost {} and runs once more: {reason}", names.join(" and "))
            }
            Incident::RuleRetried { rule, .. } => {
                write!(f, "{rule} ran in a process whose calls had no effect any more, and runs once more")
            }
            Incident::Leak { rules, resource, amount, device } => {
                let what = resource.amount(*amount, device.as_deref());
                match &rules[..] {
                    [rule] => write!(f, "{rule}: each time it runs, {what} do not come back"),
                    [first, second] => {
                        write!(f, "{first} and {second}: each time they run together, {what} do not come back")
                    }
                    // A coincidence that is as regular as the rules looks the same.
                    several => write!(
                        f,
                        "{what} do not come back when {} rules run, {} to {}, and neither half of them takes that alone: \
                         they do together, or somebody else who uses the device",
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
        "device 2 is out of this run: it is silent"
    )]
    #[case::of_an_unnamed_device(
        Incident::DeviceNotBack { device: None, reason: "the command ended with 1".into(), attempt: 1, attempts: 2 },
        r#"{"event":"device-not-back","device":null,"reason":"the command ended with 1","attempt":1,"attempts":2}"#,
        "the device is out, and --recover-cmd did not bring it back (1 of 2): the command ended with 1"
    )]
    #[case::retried(
        Incident::RuleRetried {
            rule: "a.b".into(), cause: RetryCause::LostDevice, devices: vec![two(), Some("3".into())], reason: "no".into()
        },
        r#"{"event":"rule-retried","rule":"a.b","cause":"lost-device","devices":["2","3"],"reason":"no"}"#,
        "a.b has lost device 2 and device 3 and runs once more: no"
    )]
    #[case::leak(
        Incident::Leak { rules: vec!["a.b".into()], resource: Leaked::Memory, amount: 3 << 19, device: two() },
        r#"{"event":"leak","rules":["a.b"],"resource":"memory","amount":1572864,"device":"2"}"#,
        "a.b: each time it runs, 1.5 MiB of the memory of device 2 do not come back"
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
