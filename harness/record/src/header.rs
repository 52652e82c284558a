//! The first line of a journal: what was tested, and how.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use catalog::{CapabilityAnswer, Edition, Editions, Libraries};

use crate::fingerprint::Fingerprint;
use crate::host::Host;
use crate::library::{FurtherLibrary, LibraryIdentity, LibraryVersion, MappedLibrary};
use crate::selected::{SelectedClause, SelectedRule};
use crate::settings::RunSettings;
use crate::shard::MergedRun;

/// The tested software and hardware, and all settings needed to repeat the run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunHeader {
    /// Version of the journal format.
    #[schemars(range(min = 5, max = 5))]
    pub format: u32,
    /// Version of the suite.
    pub suite: String,
    /// Name of the run's folder below `reports/out`, or the path given with `--report-dir`.
    pub run: String,
    /// Start time, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub started: String,
    /// The runtime's name, for example the folder below `specs/`.
    pub runtime: String,
    /// The id of the product, which selects the rules.
    pub product: String,
    /// The device name reported by the runtime, if any.
    pub reported_name: Option<String>,
    /// The library under test.
    pub library: LibraryIdentity,
    /// The runtime's other libraries that are installed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_libraries: Vec<FurtherLibrary>,
    /// The libraries mapped after start-up: the libraries under test, and the runtime and driver libraries that they
    /// loaded. System libraries are omitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mapped: Vec<MappedLibrary>,
    /// The machine on which the run took place; `None` for a simulated device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// The place where programs run: `host` or `device`; empty if the runtime makes no distinction.
    #[schemars(extend("enum" = ["host", "device", ""]))]
    pub run_mode: String,
    /// Number of devices.
    pub devices: u32,
    /// Devices that the run did not use because they did not work at its start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices_out: Vec<DeviceOut>,
    /// The identity of the devices; `None` for simulated devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// The runtime's edition, if known.
    pub edition: Option<String>,
    /// The versions of further libraries that have a version query, by the library's id. Absent if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub further_versions: BTreeMap<String, LibraryVersion>,
    /// The device's answers about its capabilities. Absent if the runtime has no capabilities.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capabilities: BTreeMap<String, CapabilityAnswer>,
    /// The run's seed. Each rule's seed is derived from the run's seed and the rule's id.
    pub seed: u64,
    /// Name of the profile, which sets the amount of work.
    pub profile: String,
    /// SHA-256 of the catalog's files, lower-case hex.
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub catalog_digest: String,
    /// Number of rules in the catalog.
    pub rules: usize,
    /// The selected rules, in catalog order; in a part of a run, those of all parts.
    pub selected: Vec<SelectedRule>,
    /// The clauses and axioms that the selected rules rest on, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub clauses: BTreeMap<String, SelectedClause>,
    /// The suite's subjects and their rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<Subject>,
    /// The documents that clauses cite: id → title and edition.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub documents: BTreeMap<String, String>,
    /// Seeded defects that were active in the simulated device.
    pub defects: Vec<String>,
    /// The other settings from the command line.
    pub settings: RunSettings,
    /// The runs that were merged into this run, in the order of their parts; empty if no runs were merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedRun>,
    /// The times at which the run was resumed, RFC 3339 in UTC. Each resumption also has its own line in the journal.
    #[serde(skip)]
    pub resumed: Vec<String>,
}

impl RunHeader {
    /// The ids of the rules that this run, or this part of a run, selected.
    pub fn own_rules(&self) -> impl Iterator<Item = &str> {
        let part = self.settings.part.as_ref().map(|part| part.rules.iter().map(String::as_str));
        let whole = part.is_none().then(|| self.selected.iter().map(|rule| rule.id.as_str()));
        part.into_iter().flatten().chain(whole.into_iter().flatten())
    }

    /// True if the run did not select the whole catalog.
    pub fn is_narrowed(&self) -> bool {
        self.own_rules().count() < self.rules
    }

    /// The editions of the libraries.
    pub fn editions(&self, libraries: &Libraries) -> Editions {
        let read = |edition: &Option<String>| edition.as_deref().and_then(Edition::read);
        let mut editions = Editions::from(read(&self.edition));
        for (position, library) in libraries.versioned() {
            editions.set(position, self.further_versions.get(&library.id).and_then(|found| read(&found.edition)));
        }
        editions
    }
}

/// A device that a run does not use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceOut {
    /// The device, by the runtime's numbering.
    pub device: String,
    /// The reason why the device is not used.
    pub reason: String,
}

/// A subject that the suite is designed to test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    pub name: String,
    /// Ids of the subject's rules.
    pub rules: Vec<String>,
}
