//! Collects the differences between two runs. Each difference is reported with both values and the next step for the
//! user.

use std::collections::BTreeSet;

use catalog::CapabilityAnswer;
use record::{Fingerprint, Installed, RunHeader};

/// The differences between two runs, one per line.
#[derive(Debug)]
pub(super) struct Differences {
    /// The labels for the two runs. Each label is printed after the run's value.
    names: [&'static str; 2],
    /// The long names of the options on the command line; `None` if every option counts as given there.
    on_command_line: Option<BTreeSet<String>>,
    pub found: Vec<String>,
}

impl Default for Differences {
    fn default() -> Differences {
        Differences::between(["then", "now"])
    }
}

impl Differences {
    pub(super) fn between(names: [&'static str; 2]) -> Differences {
        Differences { names, on_command_line: None, found: Vec::new() }
    }

    /// The differences between an earlier run and the options of this command line.
    pub(super) fn from_earlier(on_command_line: Option<&BTreeSet<String>>) -> Differences {
        Differences { on_command_line: on_command_line.cloned(), ..Differences::default() }
    }

    pub(super) fn fact<T: PartialEq + ToString>(&mut self, what: &str, one: &T, other: &T, action: &str) {
        if one != other {
            let shown =
                |value: &T| Some(value.to_string()).filter(|text| !text.is_empty()).unwrap_or("none".to_owned());
            let [first, second] = self.names;
            self.found.push(format!("  {what}: {} {first}, {} {second}; {action}", shown(one), shown(other)));
        }
    }

    /// Compares an option that the command line gives. An earlier run's value replaces those that the environment
    /// gives, and those that were measured.
    pub(super) fn option<T: PartialEq + ToString>(&mut self, name: &str, then: &T, now: Option<&T>) {
        let mut names = name.split(" or ").map(|name| name.trim_start_matches('-'));
        let given = self.on_command_line.as_ref().is_none_or(|given| names.any(|name| given.contains(name)));
        if let Some(now) = now.filter(|_| given) {
            self.fact(name, then, now, "leave it out");
        }
    }
}

/// The libraries that a run mapped and that the other run mapped at the same path, with their digests. Other libraries
/// are left out, because a library that is loaded late or only sometimes is not a difference.
pub(super) fn mapped(of: &RunHeader, other: &RunHeader) -> String {
    let both = of.mapped.iter().filter(|library| other.mapped.iter().any(|there| there.path == library.path));
    let shown = both.map(|library| format!("{} {}", library.path, library.sha256.as_deref().unwrap_or("unreadable")));
    shown.collect::<Vec<_>>().join(", ")
}

/// The other libraries that a run recorded, with their digests.
pub(super) fn further(of: &RunHeader) -> String {
    let shown = of.further_libraries.iter().map(|library| format!("{} {}", library.id, library.sha256));
    shown.collect::<Vec<_>>().join(", ")
}

/// The editions of a run's libraries.
pub(super) fn editions(of: &RunHeader) -> String {
    let further = of.further_versions.iter();
    let further = further.map(|(id, found)| format!("{id} {}", found.edition.as_deref().unwrap_or("unknown")));
    of.edition.clone().into_iter().chain(further).collect::<Vec<_>>().join(", ")
}

/// The capabilities of a run's device, with its answers.
pub(super) fn able(of: &RunHeader) -> String {
    let shown = of.capabilities.iter().map(|(name, answer)| match answer {
        CapabilityAnswer::Gave(number) => format!("{name} {number}"),
        CapabilityAnswer::Failed(_) => format!("{name} unknown"),
        CapabilityAnswer::Unasked(_) => format!("{name} not asked"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

impl Differences {
    /// Compares the installed software and the devices' models and settings, if both runs recorded these. Other
    /// devices of the same model are not a difference, because a run may continue on them.
    pub(super) fn fingerprints(&mut self, one: &RunHeader, other: &RunHeader) {
        let (Some(one), Some(other)) = (&one.fingerprint, &other.fingerprint) else { return };
        for installed in &one.installed {
            let same = |there: &&Installed| (&there.of, &there.source) == (&installed.of, &installed.source);
            if let Some(there) = other.installed.iter().find(same) {
                let what = format!("the version of the {} ({})", installed.of, installed.source);
                self.fact(&what, &installed.version, &there.version, "use a machine with the same installed");
            }
        }
        for device in &one.devices {
            let Some(there) = other.devices.iter().find(|there| there.device == device.device) else { continue };
            if let (Some(model), Some(other)) = (&device.model, &there.model) {
                self.fact(
                    &format!("the model of device {}", device.device),
                    model,
                    other,
                    "use devices of the same model",
                );
            }
            for (name, value) in &device.settings {
                if let Some(other) = there.settings.get(name) {
                    let what = format!("{name} of device {}", device.device);
                    self.fact(&what, value, other, "set both devices the same way");
                }
            }
        }
    }
}

/// True if it is certain that the two runs used different devices.
pub(super) fn on_others(one: &RunHeader, other: &RunHeader) -> bool {
    let both: Option<(&Fingerprint, &Fingerprint)> = one.fingerprint.as_ref().zip(other.fingerprint.as_ref());
    both.is_some_and(|(one, other)| !one.may_be_on(other))
}
