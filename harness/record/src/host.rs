//! The machine that a run was made on.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine that a run was made on. What is absent is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// Release of the kernel.
    pub kernel: Option<String>,
    /// Size of a page of the kernel, in bytes.
    #[schemars(range(min = 1))]
    pub page_size: Option<u64>,
    /// Whether it is a virtual machine, as the system shows it.
    pub virtual_machine: Option<bool>,
    /// It was to be taken for a physical one, whatever it shows. Older journals do not know it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed_bare: bool,
    /// What its devices were asked for, because the documents do not speak of such a machine. Older journals do not know
    /// it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<CapabilityAnswer>,
    /// Rules that do not run because of what the machine is or allows: why, and how many. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// What made the container that the process is in; `None`: none that is known of.
    pub container: Option<String>,
    /// Whether the process may administrate the machine (CAP_SYS_ADMIN).
    pub privileged: Option<bool>,
    /// Bytes that the process may lock; `None`: nothing limits them.
    pub locked_memory: Option<u64>,
}

impl Host {
    /// Whether it counts as a virtual machine; `None`: it is not known.
    pub fn counts_as_virtual(&self) -> Option<bool> {
        if self.assumed_bare { Some(false) } else { self.virtual_machine }
    }

    /// What the devices answered, by the id of the capability.
    pub fn answers(&self) -> BTreeMap<String, Result<(), String>> {
        let answer = |asked: &CapabilityAnswer| asked.lacks.clone().map_or(Ok(()), Err);
        self.capabilities.iter().map(|asked| (asked.id.clone(), answer(asked))).collect()
    }

    /// Ids of the capabilities that the devices have shown.
    pub fn shown(&self) -> BTreeSet<String> {
        self.capabilities.iter().filter(|asked| asked.lacks.is_none()).map(|asked| asked.id.clone()).collect()
    }
}

/// What the devices of a machine answered when they were asked for a capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CapabilityAnswer {
    /// Its id in the catalog.
    pub id: String,
    /// What it is.
    pub means: String,
    /// What did not go; `None`: the devices can do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
}

/// Rules that a machine leaves out for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Why.
    pub reason: String,
    /// How many rules of the catalog.
    pub rules: u64,
}
