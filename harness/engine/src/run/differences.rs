//! What two runs do not have in common: all of it at once, each with both values and what to do.

use record::{Fingerprint, Installed, RunHeader};

/// What differs between two runs, a line each.
#[derive(Debug)]
pub(super) struct Differences {
    /// What the two runs are called behind their values.
    names: [&'static str; 2],
    pub found: Vec<String>,
}

impl Default for Differences {
    fn default() -> Differences {
        Differences::between(["then", "now"])
    }
}

impl Differences {
    pub(super) fn between(names: [&'static str; 2]) -> Differences {
        Differences { names, found: Vec::new() }
    }

    pub(super) fn fact<T: PartialEq + ToString>(&mut self, what: &str, one: &T, other: &T, action: &str) {
        if one != other {
            let shown =
                |value: &T| Some(value.to_string()).filter(|text| !text.is_empty()).unwrap_or("none".to_owned());
            let [first, second] = self.names;
            self.found.push(format!("  {what}: {} {first}, {} {second}; {action}", shown(one), shown(other)));
        }
    }

    pub(super) fn option<T: PartialEq + ToString>(&mut self, name: &str, then: &T, now: Option<&T>) {
        if let Some(now) = now {
            self.fact(name, then, now, "leave it out");
        }
    }
}

/// The mapped libraries of a run that another one has at the same place, with their content: a library that is loaded
/// late, or only sometimes, is no difference.
pub(super) fn mapped(of: &RunHeader, other: &RunHeader) -> String {
    let both = of.mapped.iter().filter(|library| other.mapped.iter().any(|there| there.path == library.path));
    let shown = both.map(|library| format!("{} {}", library.path, library.sha256.as_deref().unwrap_or("unreadable")));
    shown.collect::<Vec<_>>().join(", ")
}

/// The further libraries of a run, with their content.
pub(super) fn further(of: &RunHeader) -> String {
    let shown = of.further_libraries.iter().map(|library| format!("{} {}", library.id, library.sha256));
    shown.collect::<Vec<_>>().join(", ")
}

impl Differences {
    /// What is installed, of which model the devices are and how they are set, as far as both runs know it. Which devices
    /// of one model they are is no difference: a run may go on elsewhere.
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
                self.fact(&format!("the model of device {}", device.device), model, other, "use devices of one model");
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

/// Whether two runs were made on devices that are surely not the same.
pub(super) fn on_others(one: &RunHeader, other: &RunHeader) -> bool {
    let both: Option<(&Fingerprint, &Fingerprint)> = one.fingerprint.as_ref().zip(other.fingerprint.as_ref());
    both.is_some_and(|(one, other)| !one.may_be_on(other))
}
