//! What was tested, and how.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::host::Host;
use crate::library::{FurtherLibrary, LibraryIdentity, MappedLibrary};
use crate::part::MergedRun;
use crate::settings::RunSettings;

/// What was tested, and how: enough to repeat the run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunHeader {
    /// Version of the journal's format.
    #[schemars(range(min = 1, max = 4))]
    pub format: u32,
    /// Version of the suite.
    pub suite: String,
    /// Name of the run's folder below `reports/out`, or the path that `--report-dir` gave.
    pub run: String,
    /// Start, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub started: String,
    /// The runtime's name, for example the folder below `specs/`.
    pub runtime: String,
    /// Product id that the rules were selected for.
    pub product: String,
    /// The name that the runtime reported for the device, if it reported one.
    pub reported_name: Option<String>,
    /// The library under test.
    pub library: LibraryIdentity,
    /// The runtime's further libraries that were there, if it has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_libraries: Vec<FurtherLibrary>,
    /// What was mapped besides the system's base once the runtime was set up, by path: the libraries under test, and
    /// those of runtime and driver that they brought. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mapped: Vec<MappedLibrary>,
    /// The machine that the run was made on; `None`: a simulated device, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// Where programs run: `host` or `device`. Empty where the runtime knows no difference.
    #[schemars(extend("enum" = ["host", "device", ""]))]
    pub run_mode: String,
    /// Number of devices.
    pub devices: u32,
    /// Devices that were not used, because they did not work before the run began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices_out: Vec<DeviceOut>,
    /// What identifies the devices; `None`: each rule has a simulated machine, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// Edition of the runtime, if it is known.
    pub edition: Option<String>,
    /// The run's seed; each rule's seed is derived from it and the rule's id.
    pub seed: u64,
    /// Name of the work budget.
    pub profile: String,
    /// SHA-256 over the catalog's files, lower-case hex.
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub catalog_digest: String,
    /// Number of rules in the catalog.
    pub rules: usize,
    /// What the suite was asked for, and which rules are about it. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<Subject>,
    /// Seeded defects that were switched on in the simulated device.
    pub defects: Vec<String>,
    /// What else was asked for.
    #[serde(default)]
    pub settings: RunSettings,
    /// The runs that this one was put together from, in the order of their parts. Empty: it ran by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedRun>,
    /// When the run was resumed, RFC 3339 in UTC. In the journal these are lines of their own.
    #[serde(skip)]
    pub resumed: Vec<String>,
}

/// A device that a run does not use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceOut {
    /// The device as the runtime counts.
    pub device: String,
    /// What it did not do.
    pub reason: String,
}

/// Something that the suite was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    pub name: String,
    /// Ids of the rules that are about it.
    pub rules: Vec<String>,
}
