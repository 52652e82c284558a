//! The life cycle, the queries and the capabilities of api.yaml.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;
use steps::program::Readiness;

use crate::edition::EditionForm;

/// How a process is set up and torn down, in the step language.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifeCycle {
    /// From `loaded` to `init` and back.
    pub init: UpDown,
    /// From `init` to `device` and back.
    pub device: UpDown,
    /// Between cases: restore what the process's set-up chose.
    #[schemars(with = "Option<String>")]
    pub restore: Option<Spanned<String>>,
    /// After a rule, and after accidents: a failing call retires the worker.
    #[schemars(with = "Option<String>")]
    pub health: Option<Spanned<String>>,
    /// What a device does before it is used, and after what speaks against it: a small operation with a known result.
    #[schemars(with = "Option<String>")]
    pub gate: Option<Spanned<String>>,
    /// What a stream that is free takes, and one that was held: measured before a run, it says how long rules wait.
    #[schemars(with = "Option<String>")]
    pub pace: Option<Spanned<String>>,
    /// Where a product's life cycle differs: product → what takes the place of the above.
    #[serde(default, rename = "for")]
    pub differing: IndexMap<String, LifeCycleDifference>,
}

/// How the life cycle of one product differs.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifeCycleDifference {
    /// From `init` to `device` and back.
    #[serde(default)]
    pub device: Option<UpDown>,
    /// Between cases.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub restore: Option<Spanned<String>>,
    /// After a rule, and after accidents.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub health: Option<Spanned<String>>,
    /// What a device does before it is used.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub gate: Option<Spanned<String>>,
    /// What is measured before a run.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub pace: Option<Spanned<String>>,
    /// Queries that are not asked there, because the product does not support their functions.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub unasked: Vec<Spanned<String>>,
}

/// A step up and the step back.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpDown {
    /// Steps that set up.
    #[schemars(with = "String")]
    pub up: Spanned<String>,
    /// Steps that tear down.
    #[schemars(with = "String")]
    pub down: Spanned<String>,
}

/// What the runtime says about itself.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Queries {
    /// Number of devices.
    pub device_count: Option<QuerySource>,
    /// The name that tells the product.
    pub product: Option<QuerySource>,
    /// Bytes of the device's memory that nobody uses.
    pub free_memory: Option<QuerySource>,
    /// Where this program runs, one of `run_modes`.
    pub run_mode: Option<QuerySource>,
    /// The runtime's version: asked in this order, until one answers.
    #[serde(default)]
    pub version: Vec<VersionSource>,
    /// The text of the thread's last errors: asked only after a case has failed, and before anything else.
    pub recent_error: Option<QuerySource>,
}

/// A question for the runtime's version.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Version")]
pub struct VersionSource {
    /// What answers, for the report: the name of a function.
    pub by: String,
    /// How far the process must be set up.
    pub state: Readiness,
    /// Steps before the answer can be read.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub steps: Option<Spanned<String>>,
    /// An expression: the answer, an integer or a text. An empty text is none.
    #[schemars(with = "String")]
    pub value: Spanned<String>,
    /// The answer is the number of an interface, read in this way, and says nothing of the edition.
    pub interface: Option<EditionForm>,
}

/// A question to the runtime.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuerySource {
    /// How far the process must be set up.
    pub state: Readiness,
    /// Steps before the answer can be read.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub steps: Option<Spanned<String>>,
    /// An expression: the answer, an integer or a text.
    #[schemars(with = "String")]
    pub value: Spanned<String>,
}

/// What a device shows that it can do.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Capability")]
pub struct CapabilitySource {
    /// Its name, which support.yaml uses.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// What it is, in the words of a skip.
    pub means: String,
    /// Devices that the steps use, from 0 on.
    #[serde(default = "one_device")]
    pub devices: u32,
    /// Steps in a process that is set up on device 0, and ends after them: the device can do it where all of them hold.
    #[schemars(with = "String")]
    pub steps: Spanned<String>,
}

fn one_device() -> u32 {
    1
}
