//! The shape of a record. Doc comments here become the descriptions in the JSON Schema.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use record::{AppliedExpectations, DeviceOut, Fingerprint, Level, Verdict};

/// Evidence about a device from a run, as canonical JSON (RFC 8785). Numbers that a double cannot hold are texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConformanceRecord {
    /// Version of the record's format.
    pub format: u32,
    /// The statement about the device; it follows from `rules` and `missing`.
    pub statement: Statement,
    /// Missing capabilities: the statement `conformant` would need them.
    pub missing: Vec<Missing>,
    /// The axioms that the checks of the required rules assume in addition to their clauses: id → sentence. Absent in
    /// records of format 1.
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
    /// Edition of the runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// The place where programs ran; empty: the runtime does not distinguish.
    pub run_mode: String,
    /// The catalog of the run.
    pub catalog: CatalogIdentity,
    /// The libraries under test, the first one first, and the libraries that they loaded.
    pub libraries: Vec<TestedLibrary>,
    /// Number of devices.
    pub devices: u32,
    /// Devices that were not used because they did not work.
    pub devices_out: Vec<DeviceOut>,
    /// The identity of the devices and of the software that drives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// The machine of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<TestedMachine>,
    /// The run.
    pub run: RunIdentity,
    /// Rules by id: all rules with a result, and all rules that a conformant device must hold.
    pub rules: BTreeMap<String, RuleVerdict>,
    /// The known failures of the run and the failures that they excused. In this record they excuse nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<AppliedExpectations>,
}

/// The statement of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Statement {
    /// Every rule that the device must hold was shown to hold, and nothing is missing.
    Conformant,
    /// A rule that a document promises is broken.
    NotConformant,
    /// Nothing is broken, but something is missing.
    NotShown,
}

/// A missing capability, without which a device is not called conformant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The missing capability.
    pub capability: Capability,
    /// The reason, and what to do.
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
    /// The run finished, is not a part of a run, and was not limited to given cases.
    WholeRun,
    /// The run selected every rule that the device must hold.
    EveryRule,
    /// Every selected rule has an answer.
    Answers,
    /// The machine has as many devices as the rules need.
    Devices,
    /// No one else used the devices.
    Dedicated,
    /// The edition is known, because promises depend on it.
    Edition,
    /// The machine allows judging every rule: it is known to be virtual or physical, and processes may lock memory.
    Machine,
    /// All planned cases of every rule ran.
    Coverage,
    /// The run assumed every axiom, so no check was only observed for lack of one.
    Axioms,
}

/// The identity of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CatalogIdentity {
    /// SHA-256 of the catalog's files, lower-case hex.
    pub digest: String,
    /// The number of its rules.
    pub rules: u64,
}

/// A library in the process under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestedLibrary {
    /// The path as opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex; absent: unreadable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The build id from its linker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// The version that it reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// True for the suite's simulated device.
    pub simulated: bool,
}

/// The machine of a run. Absent values are unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestedMachine {
    /// Kernel release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// True for a virtual machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_machine: Option<bool>,
    /// The user declared the machine to be physical.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed_bare: bool,
    /// The software that made the container of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The number of bytes that a process may lock; absent: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked_memory: Option<String>,
}

/// The run of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunIdentity {
    /// Name of its folder.
    pub name: String,
    /// Start, RFC 3339 in UTC.
    pub started: String,
    /// End, RFC 3339 in UTC; absent: the run did not finish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// SHA-256 of its journal, lower-case hex.
    pub journal: String,
    /// Name of the work budget.
    pub profile: String,
    /// The run's seed.
    pub seed: String,
    /// According to the user, no one else used the devices.
    pub dedicated: bool,
    /// Seeded defects that were switched on in the simulated device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defects: Vec<String>,
    /// The times at which it was resumed after it was killed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<String>,
    /// Names of the runs that were merged into it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<String>,
    /// Names of machines, sites and persons were removed.
    pub redacted: bool,
    /// Ids of the axioms that the run did not assume: it only observed the checks that assume them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_axioms: Vec<String>,
}

/// The result of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleVerdict {
    /// `must` if a document promises the statement of the rule.
    pub level: Level,
    /// True if a conformant device must hold the rule in this environment.
    pub required: bool,
    /// The verdict; absent: no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The reason; empty for a pass.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Statement {
    /// The words for reports.
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
    /// The words for reports.
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
