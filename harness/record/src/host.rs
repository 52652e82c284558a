//! The machine on which a run took place.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine on which a run took place. Absent values are unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// Kernel release.
    pub kernel: Option<String>,
    /// The kernel's page size, in bytes.
    #[schemars(range(min = 1))]
    pub page_size: Option<u64>,
    /// True if the operating system reports a virtual machine.
    pub virtual_machine: Option<bool>,
    /// True if the user declared the machine to be physical.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed_bare: bool,
    /// The results of trials of what the documents do not promise on this kind of machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "capabilities")]
    pub trials: Vec<TrialAnswer>,
    /// Rules that do not run because of the machine, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The software that created the container in which the process runs; `None` if the process is not in a known
    /// container.
    pub container: Option<String>,
    /// True if the process may administer the machine (CAP_SYS_ADMIN).
    pub privileged: Option<bool>,
    /// The number of bytes that the process may lock in memory; `None` if there is no limit.
    pub locked_memory: Option<u64>,
}

impl Host {
    /// True if the run treats the machine as virtual; `None` if unknown.
    pub fn counts_as_virtual(&self) -> Option<bool> {
        if self.assumed_bare { Some(false) } else { self.virtual_machine }
    }

    /// The results of trials, by id.
    pub fn answers(&self) -> BTreeMap<String, Result<(), String>> {
        let result = |answer: &TrialAnswer| answer.lacks.clone().map_or(Ok(()), Err);
        self.trials.iter().map(|answer| (answer.id.clone(), result(answer))).collect()
    }

    /// Ids of the trials that the devices passed.
    pub fn shown(&self) -> BTreeSet<String> {
        self.trials.iter().filter(|answer| answer.lacks.is_none()).map(|answer| answer.id.clone()).collect()
    }
}

/// The result of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialAnswer {
    /// The trial's id in the catalog.
    pub id: String,
    /// The capability that the trial tests.
    pub means: String,
    /// The failure that shows that the capability is missing; `None` if the devices have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
}

/// Rules that do not run on a machine, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The reason why the rules do not run.
    pub reason: String,
    /// The number of rules.
    pub rules: u64,
}
