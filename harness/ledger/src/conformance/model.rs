//! The shape of a record. Doc comments here become the descriptions in the JSON Schema.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use record::{AppliedExpectations, DeviceOut, Fingerprint, Level, Verdict};

/// What a run shows of a device. Written as canonical JSON (RFC 8785). Numbers that a double cannot hold are texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConformanceRecord {
    /// Version of the record's format.
    pub format: u32,
    /// What the run shows; it follows from `rules` and `missing`.
    pub statement: Statement,
    /// What the word `conformant` would need, and the run does not have.
    pub missing: Vec<Missing>,
    /// The axioms that the checks of the required rules assume beside the sentences that they rest on: id → sentence.
    /// Absent in records of format 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assuming: BTreeMap<String, String>,
    /// Version of the suite that the run was made with.
    pub suite: String,
    /// Name of the runtime.
    pub runtime: String,
    /// Id of the product that the rules were selected for.
    pub product: String,
    /// The name that the runtime reported for the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_name: Option<String>,
    /// Edition of the runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// Where programs ran; empty: the runtime knows no difference.
    pub run_mode: String,
    /// The rules that the run used.
    pub catalog: CatalogIdentity,
    /// The libraries under test, the first one first, and what they brought.
    pub libraries: Vec<TestedLibrary>,
    /// Number of devices.
    pub devices: u32,
    /// Devices that were not used, because they did not work.
    pub devices_out: Vec<DeviceOut>,
    /// What identifies the devices and what drives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// The machine that the run was made on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<TestedMachine>,
    /// The run that all of this was seen in.
    pub run: RunIdentity,
    /// By the rule's id: each rule that has a result, and each that a conformant device has to hold.
    pub rules: BTreeMap<String, RuleVerdict>,
    /// The known failures that were applied, and what they excused. They excuse nothing here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<AppliedExpectations>,
}

/// What a run shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Statement {
    /// Every rule that the device has to hold was seen to hold, and nothing is missing.
    Conformant,
    /// A rule that a document promises is broken.
    NotConformant,
    /// Nothing is broken, and something is missing.
    NotShown,
}

/// Something without which nobody calls a device conformant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// What a run has to have.
    pub capability: Capability,
    /// What this one lacks, and what to do.
    pub why: String,
    /// The rules that nobody knows about for that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// What a run has to have before it can show that a device is conformant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// A device that is not simulated.
    RealDevice,
    /// The run is whole: it reached its end, is not a part of one, and tried more than given cases.
    WholeRun,
    /// Every rule that the device has to hold was asked for.
    EveryRule,
    /// Every rule that was asked for has an answer.
    Answers,
    /// As many devices as the rules need.
    Devices,
    /// Nobody else used the devices.
    Dedicated,
    /// The edition is known, on which depends what a document promises.
    Edition,
    /// The machine lets everything be judged: it is known whether it is a virtual one, and memory may be locked.
    Machine,
    /// All planned cases of every rule ran.
    Coverage,
    /// No check was only observed because the run did without an axiom.
    Axioms,
}

/// Which rules a run used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CatalogIdentity {
    /// SHA-256 over the catalog's files, lower-case hex.
    pub digest: String,
    /// How many rules it has.
    pub rules: u64,
}

/// A library that was in the process under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestedLibrary {
    /// Path as it was opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex; absent: it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The id that its linker gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// The version that it reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether it is the suite's simulated device.
    pub simulated: bool,
}

/// The machine that a run was made on. What is absent is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestedMachine {
    /// Release of the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Whether it is a virtual machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_machine: Option<bool>,
    /// It was to be taken for a physical one, as whoever started the run says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed_bare: bool,
    /// What made the container that the run was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Bytes that a process may lock; absent: nothing limits them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked_memory: Option<String>,
}

/// The run that a record was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunIdentity {
    /// Name of its folder.
    pub name: String,
    /// Start, RFC 3339 in UTC.
    pub started: String,
    /// End, the same; absent: it was not reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// SHA-256 of its journal, lower-case hex.
    pub journal: String,
    /// Name of the work budget.
    pub profile: String,
    /// The run's seed.
    pub seed: String,
    /// Nobody else used the devices, as whoever started it says.
    pub dedicated: bool,
    /// Seeded defects that were switched on in the simulated device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defects: Vec<String>,
    /// When it was resumed after it had been killed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<String>,
    /// Names of the runs that it was put together from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<String>,
    /// What names a machine, a site or a person was taken out.
    pub redacted: bool,
    /// Ids of the axioms that the run did without: it only observed the checks that assume them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_axioms: Vec<String>,
}

/// What became of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleVerdict {
    /// Whether a document promises what it says.
    pub level: Level,
    /// Whether a conformant device has to hold it, here.
    pub required: bool,
    /// What was seen; absent: it has no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Why, where it does not simply hold.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Statement {
    /// The words that reports use.
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
    /// The words that reports use.
    pub fn words(self) -> &'static str {
        match self {
            Capability::RealDevice => "a real device",
            Capability::WholeRun => "a whole run",
            Capability::EveryRule => "every rule",
            Capability::Answers => "an answer of every rule",
            Capability::Devices => "enough devices",
            Capability::Dedicated => "devices that nobody else uses",
            Capability::Edition => "a known edition",
            Capability::Machine => "a machine on which everything can be judged",
            Capability::Coverage => "all planned cases of every rule",
            Capability::Axioms => "every axiom",
        }
    }
}
