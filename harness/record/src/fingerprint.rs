//! The identity of a run's devices and of the software that drives them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The devices of a run and the software installed for them, read from the machine's tools and files before the run.
/// Absent values are unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fingerprint {
    /// The devices in the order of the runtime.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceIdentity>,
    /// Installed versions, one for each source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub installed: Vec<Installed>,
    /// Unknown facts, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// One device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceIdentity {
    /// Its number in the runtime.
    pub device: u32,
    /// Its name in the machine's tool.
    pub label: String,
    /// Its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its place on the bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Numbers that are unique to this device, under the tool's names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<String, String>,
    /// Settings that change the device's behavior, under the tool's names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

/// An installed version according to one source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Installed {
    /// The component: `driver`, `firmware`, `toolkit`, `runtime`.
    pub of: String,
    /// The version as the source writes it.
    pub version: String,
    /// The source: a path or a command.
    pub source: String,
}

impl DeviceIdentity {
    /// True unless an id or the address shows that the other device is a different one.
    pub fn may_be(&self, other: &DeviceIdentity) -> bool {
        let ids = self.ids.iter().all(|(name, id)| other.ids.get(name).is_none_or(|known| known == id));
        let addresses = self.address.as_ref().zip(other.address.as_ref()).is_none_or(|(one, other)| one == other);
        ids && addresses
    }
}

impl Fingerprint {
    /// True unless the two fingerprints show different devices.
    pub fn may_be_on(&self, other: &Fingerprint) -> bool {
        let same_number = |device: &DeviceIdentity| other.devices.iter().find(|other| other.device == device.device);
        self.devices.iter().all(|device| same_number(device).is_none_or(|other| device.may_be(other)))
    }
}
