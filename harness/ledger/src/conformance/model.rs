//! The structure of a record. Doc comments here become the descriptions in the JSON Schema.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use record::{AppliedExpectations, DeviceOut, Fingerprint, Level, Verdict};

/// Evidence about a device from a run, as canonical JSON (RFC 8785). Numbers that do not fit a double are strings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConformanceRecord {
    /// Version of the record format.
    pub format: u32,
    /// The statement about the device, which follows from `rules` and `missing`.
    pub statement: Statement,
    /// Missing capabilities, without which the statement cannot be `conformant`.
    pub missing: Vec<Missing>,
    /// The axioms that checks in the required rules assume in addition to their clauses: id → sentence. Absent in
    /// records with format 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assuming: BTreeMap<String, String>,
    /// Version of the suite that made the run.
    pub suite: String,
    /// Name of the runtime.
    pub runtime: String,
    /// Id of the product; it selects the rules.
    pub product: String,
    /// The name that the runtime reported for the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_name: Option<String>,
    /// The runtime's edition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// The place where programs ran; empty if the runtime makes no distinction.
    pub run_mode: String,
    /// The catalog of the run.
    pub catalog: CatalogIdentity,
    /// The libraries under test, the main library first, and the libraries loaded by them.
    pub libraries: Vec<TestedLibrary>,
    /// Number of devices.
    pub devices: u32,
    /// Devices that the run did not use because they did not work.
    pub devices_out: Vec<DeviceOut>,
    /// The identity of the devices and of the software that drives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// The machine on which the run took place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<TestedMachine>,
    /// The run on which the record is based.
    pub run: RunIdentity,
    /// Rules by id: all rules with a result, and all rules that must hold on a conformant device.
    pub rules: BTreeMap<String, RuleVerdict>,
    /// The run's known failures, and the failures that they excused in the run. They excuse nothing in this record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<AppliedExpectations>,
}

/// The statement that a record makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Statement {
    /// Every required rule was shown to hold, and nothing is missing.
    Conformant,
    /// A rule whose statement a document promises is broken.
    NotConformant,
    /// Nothing is broken, but something is missing.
    NotShown,
}

/// A missing capability, without which a device cannot be called conformant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The missing capability.
    pub capability: Capability,
    /// The reason and the next action.
    pub why: String,
    /// The rules without an answer for this reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// A precondition for showing that a device is conformant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// The device is not simulated.
    RealDevice,
    /// The run is whole: it finished, is not a part, and was not limited to given cases.
    WholeRun,
    /// The run selected every required rule.
    EveryRule,
    /// Every selected rule has an answer.
    Answers,
    /// The machine has enough devices for the rules.
    Devices,
    /// No other program used the devices.
    Dedicated,
    /// The edition is known, because promises depend on it.
    Edition,
    /// Every rule can be judged on the machine: it is known to be virtual or physical, and processes may lock memory.
    Machine,
    /// Every rule ran all its planned cases.
    Coverage,
    /// The run assumed every axiom, so no check was merely observed for lack of an axiom.
    Axioms,
}

/// The identity of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CatalogIdentity {
    /// SHA-256 of the catalog's files, lower-case hex.
    pub digest: String,
    /// The number of rules in the catalog.
    pub rules: u64,
}

/// A library in the process under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestedLibrary {
    /// The path as opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex; absent if the file is unreadable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The build id written by the linker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// The version that the library reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// True for the suite's simulated device.
    pub simulated: bool,
}

/// The machine on which a run took place. Absent values are unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestedMachine {
    /// Kernel release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// True for a virtual machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_machine: Option<bool>,
    /// True if the user declared the machine to be physical.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed_bare: bool,
    /// The software that created the container in which the run took place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The number of bytes that a process may lock in memory; absent if there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked_memory: Option<String>,
}

/// The run on which a record is based.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunIdentity {
    /// Name of the run's folder.
    pub name: String,
    /// Start time, RFC 3339 in UTC.
    pub started: String,
    /// End time, RFC 3339 in UTC; absent if the run did not finish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// SHA-256 of the run's journal, lower-case hex.
    pub journal: String,
    /// Name of the profile, which sets the amount of work.
    pub profile: String,
    /// The run's seed.
    pub seed: String,
    /// True if the user declared exclusive use of the devices.
    pub dedicated: bool,
    /// Seeded defects that were active in the simulated device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defects: Vec<String>,
    /// The times at which the run was resumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<String>,
    /// Names of the runs that were merged into this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<String>,
    /// True if the names of machines, sites and people were removed.
    pub redacted: bool,
    /// Ids of the axioms that the run did not assume. Checks that assume these axioms were only observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_axioms: Vec<String>,
}

/// The result of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleVerdict {
    /// `must` if a document promises what the rule states.
    pub level: Level,
    /// True if the rule must hold on a conformant device in this environment.
    pub required: bool,
    /// The verdict; absent if there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The reason; empty for a pass.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Statement {
    /// The wording in reports.
    pub fn words(self) -> &'static str {
        match self {
            Statement::Conformant => "conformant",
            Statement::NotConformant => "not conformant",
            Statement::NotShown => "not shown to be conformant",
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.words())
    }
}

impl Capability {
    /// The wording in reports.
    pub fn words(self) -> &'static str {
        match self {
            Capability::RealDevice => "a real device",
            Capability::WholeRun => "a whole run",
            Capability::EveryRule => "every rule",
            Capability::Answers => "an answer for every rule",
            Capability::Devices => "enough devices",
            Capability::Dedicated => "exclusive use of the devices",
            Capability::Edition => "a known edition",
            Capability::Machine => "a machine on which everything can be judged",
            Capability::Coverage => "all planned cases of every rule",
            Capability::Axioms => "every axiom",
        }
    }
}
