//! The life cycle, queries and trials in api.yaml.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;
use steps::program::Readiness;

use crate::edition::EditionForm;

/// The set-up and teardown of a process, in the step language.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifeCycle {
    /// The steps from `loaded` to `init`, and back.
    pub init: UpDown,
    /// The steps from `init` to `device`, and back.
    pub device: UpDown,
    /// Texts of steps, each of which runs once in every process after its device is set up: the first use of what the
    /// runtime loads only then. If a call fails, the rest of its text is left out; the rules that use the call judge it.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub warm_up: Vec<Spanned<String>>,
    /// Steps that run between cases and restore the state that the process chose when it was set up.
    #[schemars(with = "Option<String>")]
    pub restore: Option<Spanned<String>>,
    /// Steps that run after a rule and after accidents. If a call fails, the worker is retired.
    #[schemars(with = "Option<String>")]
    pub health: Option<Spanned<String>>,
    /// The device gate: a small operation with a known result, performed before a device is used and after signs of
    /// trouble.
    #[schemars(with = "Option<String>")]
    pub gate: Option<Spanned<String>>,
    /// Steps that time an idle stream and a blocked stream before a run. The times determine how long rules wait.
    #[schemars(with = "Option<String>")]
    pub pace: Option<Spanned<String>>,
    /// Product → the parts of the life cycle that differ on that product.
    #[serde(default, rename = "for")]
    pub differing: IndexMap<String, LifeCycleDifference>,
}

/// The parts of the life cycle that differ on one product.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifeCycleDifference {
    /// The steps from `init` to `device`, and back.
    #[serde(default)]
    pub device: Option<UpDown>,
    /// Steps that run between cases.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub restore: Option<Spanned<String>>,
    /// Steps that run after a rule and after accidents.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub health: Option<Spanned<String>>,
    /// The device gate.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub gate: Option<Spanned<String>>,
    /// Steps that take measurements before a run.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub pace: Option<Spanned<String>>,
    /// Queries to leave out because the product does not support their functions.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub unasked: Vec<Spanned<String>>,
}

/// A set-up step and its reverse.
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

/// Queries about the runtime itself.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Queries {
    /// The number of devices.
    pub device_count: Option<QuerySource>,
    /// The name that identifies the product.
    pub product: Option<QuerySource>,
    /// A name by which products.yaml knows the product if the reported name does not tell it; an empty text otherwise.
    pub kind: Option<QuerySource>,
    /// The device's free memory in bytes.
    pub free_memory: Option<QuerySource>,
    /// The mode in which this program runs, one of `run_modes`.
    pub run_mode: Option<QuerySource>,
    /// Queries for the runtime's version. They are tried in this order until one answers.
    #[serde(default)]
    pub version: Vec<VersionSource>,
    /// The query for the text about the thread's last errors. It is made only after a case has failed, before any other
    /// call.
    pub recent_error: Option<QuerySource>,
}

/// A query for the runtime's version.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Version")]
pub struct VersionSource {
    /// The name of the function that reports give as the answer's source.
    pub by: String,
    /// The library whose version it is; default: the first.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub library: Option<Spanned<String>>,
    /// The readiness that the query requires.
    pub state: Readiness,
    /// Steps that run before the answer is read.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub steps: Option<Spanned<String>>,
    /// The expression that gives the answer, an integer or a text. An empty text does not count as an answer.
    #[schemars(with = "String")]
    pub value: Spanned<String>,
    /// If present, the answer is an interface number in this format, which does not give the edition.
    pub interface: Option<EditionForm>,
}

/// A query to the runtime.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuerySource {
    /// The readiness that the query requires.
    pub state: Readiness,
    /// Steps that run before the answer is read.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub steps: Option<Spanned<String>>,
    /// The expression that gives the answer, an integer or a text.
    #[schemars(with = "String")]
    pub value: Spanned<String>,
}

/// A capability that some devices have and others lack. The run queries the device once.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Capability")]
pub struct CapabilitySource {
    /// The capability in words, for messages and reports.
    #[serde(default)]
    pub title: String,
    /// The readiness that the query requires.
    pub state: Readiness,
    /// Steps that run before the answer is read.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub steps: Option<Spanned<String>>,
    /// The expression that gives the answer, an integer. The device has the capability unless it is 0.
    #[schemars(with = "String")]
    pub value: Spanned<String>,
}

/// A trial, in which a device demonstrates a capability that no document promises.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Trial")]
pub struct TrialSource {
    /// Its name in support.yaml.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// The capability's name in skip messages.
    pub means: String,
    /// The number of devices that the steps use, counted from device 0.
    #[serde(default = "one_device")]
    pub devices: u32,
    /// Steps that run in a process that is set up on device 0 and exits after them. The device has the capability if
    /// all checks hold.
    #[schemars(with = "String")]
    pub steps: Spanned<String>,
}

fn one_device() -> u32 {
    1
}
