//! What identifies the devices of a run, and what drives them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The devices of a run and what is installed for them, as the machine's tools and files show it before the run begins.
/// What is absent is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fingerprint {
    /// In the order in which the runtime counts them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceIdentity>,
    /// Versions of what is installed, one for each source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub installed: Vec<Installed>,
    /// What could not be found out, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// One device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceIdentity {
    /// Its number, as the runtime counts.
    pub device: u32,
    /// How the machine's tool names it.
    pub label: String,
    /// Its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its place on the bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Numbers that only this device has, under the names that the tool gives them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<String, String>,
    /// Settings that change what the device does, under the names that the tool gives them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

/// A version of something that is installed, as one source gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Installed {
    /// What has this version: `driver`, `firmware`, `toolkit`, `runtime`.
    pub of: String,
    /// As the source writes it.
    pub version: String,
    /// A path or a command.
    pub source: String,
}

impl DeviceIdentity {
    /// Whether another one may be the same device: nothing that both know says otherwise.
    pub fn may_be(&self, other: &DeviceIdentity) -> bool {
        let ids = self.ids.iter().all(|(name, id)| other.ids.get(name).is_none_or(|there| there == id));
        let addresses = self.address.as_ref().zip(other.address.as_ref()).is_none_or(|(one, other)| one == other);
        ids && addresses
    }
}

impl Fingerprint {
    /// Whether these may be the same devices as those of another fingerprint.
    pub fn may_be_on(&self, other: &Fingerprint) -> bool {
        let there = |device: &DeviceIdentity| other.devices.iter().find(|there| there.device == device.device);
        self.devices.iter().all(|device| there(device).is_none_or(|there| device.may_be(there)))
    }
}
