//! The identity of a run's devices, and of the installed software that drives them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run's devices and the software installed for them, as the machine's tools and files reported them before the run.
/// Absent values are unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fingerprint {
    /// The devices, in the runtime's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceIdentity>,
    /// The installed versions, one for each source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub installed: Vec<Installed>,
    /// Unknown facts, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// A device and its identity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceIdentity {
    /// The device's number in the runtime.
    pub device: u32,
    /// The device's name in the machine's tool.
    pub label: String,
    /// The device's model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The device's address on the bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Numbers unique to this device, by the names that the tool uses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<String, String>,
    /// Settings that change the device's behavior, by the names that the tool uses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

/// An installed version according to one source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Installed {
    /// The component: `driver`, `firmware`, `toolkit`, `runtime`.
    pub of: String,
    /// The version, as the source writes it.
    pub version: String,
    /// The source: a path or a command.
    pub source: String,
}

impl DeviceIdentity {
    /// True unless an id or the address proves that the two devices differ.
    pub fn may_be(&self, other: &DeviceIdentity) -> bool {
        let ids = self.ids.iter().all(|(name, id)| other.ids.get(name).is_none_or(|known| known == id));
        let addresses = self.address.as_ref().zip(other.address.as_ref()).is_none_or(|(one, other)| one == other);
        ids && addresses
    }
}

impl Fingerprint {
    /// True unless the two fingerprints prove that the devices differ.
    pub fn may_be_on(&self, other: &Fingerprint) -> bool {
        let same_number = |device: &DeviceIdentity| other.devices.iter().find(|other| other.device == device.device);
        self.devices.iter().all(|device| same_number(device).is_none_or(|other| device.may_be(other)))
    }
}
