//! api.yaml: facts about the runtime that its header cannot express.

use std::collections::BTreeMap;

use history::Kind;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;
use steps::program::Space;

use super::life_cycle::{CapabilitySource, LifeCycle, Queries, TrialSource};
use crate::edition::{EditionCondition, EditionForm};

/// `specs/<runtime>/api.yaml`: facts about the runtime that its header does not express.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApiFile {
    /// The runtime's name, which is also the name of its folder and its bindings.
    #[schemars(with = "String")]
    pub runtime: Spanned<String>,
    /// A short description of the runtime.
    pub title: String,
    /// The location of the library. A runtime with several libraries has `libraries` instead.
    #[serde(default)]
    pub library: Option<LibrarySource>,
    /// The libraries, if there are several. The first one is always installed.
    #[serde(default)]
    pub libraries: Vec<LibraryEntry>,
    /// The modes in which programs can run, the default first; empty: the runtime has no modes.
    #[serde(default)]
    pub run_modes: Vec<String>,
    /// The format of the reported runtime version, which is read as an edition.
    #[serde(default)]
    pub edition: EditionForm,
    /// Structs whose layout in the header applies only to some editions.
    #[serde(default)]
    pub layouts: Vec<LayoutSource>,
    /// The type of codes that calls return. A runtime with several such types has `results` instead.
    #[serde(default)]
    pub result: Option<ResultSource>,
    /// The types of codes that calls return, if there are several.
    #[serde(default)]
    pub results: Vec<ResultSource>,
    /// Sets of codes that the steps use by name: `f(..) fails, usually misuse`.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Vec<String>>")]
    pub codes: IndexMap<String, Spanned<Vec<Spanned<String>>>>,
    /// Words that stand for several statements of a rule.
    #[serde(default)]
    pub words: Vec<WordSource>,
    /// Set-ups with which rules can begin. Their statements may declare variables.
    #[serde(default)]
    pub set_ups: Vec<SetUpSource>,
    /// The environment variable that lists the devices that a process sees, in ascending order and separated by commas.
    /// A process numbers its visible devices from 0. Without this variable, rules run one after another on real
    /// devices.
    #[serde(default)]
    pub visible: Option<String>,
    /// Environment variables of each process that loads the library, unless the user has set them.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub environment: IndexMap<String, Spanned<String>>,
    /// The freedom of calls to wait for work that a rule holds. Without it, a call that does not return is a failure.
    #[serde(default)]
    pub may_block: Option<MayBlockSource>,
    /// The steps that set up and tear down a process.
    pub life_cycle: LifeCycle,
    /// Queries about the runtime itself.
    pub queries: Queries,
    /// Capabilities that some devices have and others lack, by name. Rules name them under `when`.
    #[serde(default)]
    pub capabilities: IndexMap<String, CapabilitySource>,
    /// Trials of what a device may be able to do although no document says so. Each runs once if rules depend on it.
    #[serde(default)]
    pub trials: Vec<TrialSource>,
    /// Resources that calls acquire, with the calls that release them.
    #[serde(default)]
    pub resources: Vec<ResourceSource>,
    /// Functions that affect the whole process. Processes that call them are isolated unless the rule says otherwise.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub process: Vec<Spanned<String>>,
    /// Functions that wait for the device. If two of them hang, the device counts as lost.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub waits: Vec<Spanned<String>>,
    /// Parameters that are timeouts. Steps derive their values from `patience`.
    #[serde(default)]
    pub time_outs: Vec<TimeOutSource>,
    /// Parameters through which functions store a descriptor. Its number means nothing in another process.
    #[serde(default)]
    pub descriptors: Vec<DescriptorSource>,
    /// Histories of calls that several actors make at once. The steps check them with `linear(NAME)`.
    #[serde(default)]
    pub histories: Vec<HistorySource>,
    /// Documented limits on sizes. Rules try both sides and the limit itself.
    #[serde(default)]
    pub limits: Vec<LimitSource>,
    /// Sizes and limits with edges that no rule tries, by reason. If present, `lint` requires all other edges.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<Reason, Vec<String>>>")]
    pub undrawn: Option<BTreeMap<Reason, Vec<Spanned<String>>>>,
}

/// The freedom of calls to wait for work that a rule holds: a rule in which a call makes use of it is blocked.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MayBlock")]
pub struct MayBlockSource {
    /// The clause that leaves the freedom.
    #[schemars(with = "String")]
    pub by: Spanned<String>,
    /// Function → the clause by which it does not wait.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub except: IndexMap<String, Spanned<String>>,
}

/// A parameter that is a timeout.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeOutSource {
    #[schemars(with = "String")]
    pub function: Spanned<String>,
    /// Its name in the header.
    #[schemars(with = "String")]
    pub parameter: Spanned<String>,
    /// Its unit.
    pub unit: TimeUnit,
}

/// A parameter through which a function stores a descriptor.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Descriptor")]
pub struct DescriptorSource {
    #[schemars(with = "String")]
    pub function: Spanned<String>,
    /// Its name in the header. The parameter is a pointer to an integer of 32 bits, or an untyped pointer, which stores a
    /// descriptor only if the steps pass the address of such an integer.
    #[schemars(with = "String")]
    pub parameter: Spanned<String>,
}

/// A history: calls that are the operations of one model.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "History")]
pub struct HistorySource {
    /// The name in the steps: `linear(NAME)`.
    #[schemars(with = "String")]
    pub history: Spanned<String>,
    /// The sequential object that some order of the calls must follow.
    pub model: Kind,
    /// The length of keys that are buffers of bytes. Without it, a pointer to `char` is text.
    #[serde(default)]
    pub bytes: Option<u32>,
    /// The calls. A call that changes the object and is missing here makes the check wrong.
    pub operations: Vec<HistoryCallSource>,
}

/// A call that is an operation of a model. The meaning of a parameter is its name under the key of its role. A role is
/// also `actor` or `process`, for the number of the caller, or a fixed number. A pointer to an integer, a handle or a pointer
/// gives the value that it points to after the call; a pointer to `char` gives
/// the text or the buffer of bytes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HistoryCall")]
pub struct HistoryCallSource {
    /// The name of the operation in its model.
    #[schemars(with = "String")]
    pub operation: Spanned<String>,
    /// The function.
    #[schemars(with = "String")]
    pub call: Spanned<String>,
    /// The object that the operation concerns. Without it all operations concern one object.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub key: Option<Spanned<String>>,
    /// A value that is read, written, enqueued or dequeued, or the value after an addition.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub value: Option<Spanned<String>>,
    /// The value that a swap expects.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub from: Option<Spanned<String>>,
    /// The value that a swap writes.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub to: Option<Spanned<String>>,
    /// The amount that is added.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub amount: Option<Spanned<String>>,
    /// The number of bytes of a block.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub size: Option<Spanned<String>>,
    /// The address of a block.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub block: Option<Spanned<String>>,
}

/// The unit of a timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    Milliseconds,
    Seconds,
}

/// A documented limit on a function's parameters. A term is a parameter, a number, or a number times a parameter (`4 *
/// N`).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Limit")]
pub struct LimitSource {
    /// The function.
    #[schemars(with = "String")]
    pub function: Spanned<String>,
    /// The first term is at most the second.
    #[serde(default)]
    pub at_most: Option<[String; 2]>,
    /// The first term is a multiple of the second.
    #[serde(default)]
    pub multiple_of: Option<[String; 2]>,
}

/// The reason why no rule tries a size's edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The call would move or write this many bytes.
    MovesAsMuch,
    /// The call would take this much device or host memory.
    TakesAsMuch,
    /// The size is the length of memory, or of a list, that the caller provides.
    CallerHasIt,
    /// The documents allow few values, or no values of this size.
    FewValues,
    /// The documents promise nothing for this size.
    NotPromised,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::MovesAsMuch => "moves-as-much",
            Reason::TakesAsMuch => "takes-as-much",
            Reason::CallerHasIt => "caller-has-it",
            Reason::FewValues => "few-values",
            Reason::NotPromised => "not-promised",
        })
    }
}

/// The location of the library.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LibrarySource {
    /// File names, in the order in which they are tried.
    pub names: Vec<String>,
    /// Folders to search. They may contain environment variables as `${NAME}`; an entry with an unset variable is
    /// dropped.
    #[serde(default)]
    pub search: Vec<String>,
    /// The vendor's headers that declare the functions. Printed C can include them instead of the catalog's header.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub headers: Vec<Spanned<String>>,
}

/// One of several libraries.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Library")]
pub struct LibraryEntry {
    /// The library's name in reports.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// File names, in the order in which they are tried.
    pub names: Vec<String>,
    /// Folders to search. They may contain environment variables as `${NAME}`; an entry with an unset variable is
    /// dropped. The first library's folder is always searched.
    #[serde(default)]
    pub search: Vec<String>,
    /// True if the runtime also works without the library. If it is missing, rules that call its functions are skipped.
    #[serde(default)]
    pub optional: bool,
    /// The next action if the library is missing: how to install it.
    #[serde(default)]
    pub install: Option<String>,
    /// The vendor's headers that declare the functions. Printed C can include them instead of the catalog's header.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub headers: Vec<Spanned<String>>,
    /// The functions in the library, by name or as patterns such as `audit_*`. All others are in the first library.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub functions: Vec<Spanned<String>>,
}

/// A struct whose layout depends on the edition.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Layout")]
pub struct LayoutSource {
    /// The struct's name in the header.
    #[serde(rename = "struct")]
    #[schemars(with = "String")]
    pub structure: Spanned<String>,
    /// The editions in which the struct has the header's layout, for example `>=2.0`.
    #[schemars(with = "String")]
    pub editions: EditionCondition,
}

/// A type of codes that calls return.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultSource {
    /// The name of the type in the header.
    #[serde(rename = "type")]
    #[schemars(with = "String")]
    pub ty: Spanned<String>,
    /// The constant that means success.
    #[schemars(with = "String")]
    pub success: Spanned<String>,
    /// A pattern that matches the constants in the header that are codes, such as `PREFIX_*`. Without it, the codes are
    /// the type's enumerators.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub codes: Option<Spanned<String>>,
    /// Codes after which a process is unusable.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub fatal: Vec<Spanned<String>>,
}

/// A word that stands for several statements.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Word")]
pub struct WordSource {
    /// Its name and parameters: `holds(block, want)`.
    #[schemars(with = "String")]
    pub word: Spanned<String>,
    /// The statements that the word stands for: calls, built-ins, and at most one check.
    #[schemars(with = "String")]
    pub steps: Spanned<String>,
}

/// A set-up that stands for several statements, which may declare variables: `given pool(props, pool);`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SetUp")]
pub struct SetUpSource {
    /// The set-up's name and parameters: `pool(props, pool)`. If the set-up declares a variable under a parameter's
    /// name, the variable gets the name that the rule passes.
    #[schemars(with = "String")]
    pub given: Spanned<String>,
    /// The statements that the set-up stands for: declarations, calls, and checks that the rule can continue.
    #[schemars(with = "String")]
    pub steps: Spanned<String>,
}

/// A function that acquires a resource, with the functions that release it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Resource")]
pub struct ResourceSource {
    /// The function that acquires the resource.
    #[schemars(with = "String")]
    pub acquire: Spanned<String>,
    /// The parameter that receives or names the resource.
    #[schemars(with = "String")]
    pub handle: Spanned<String>,
    /// The function that releases the resource, if the handle is its only argument. Otherwise a call such as `f(handle,
    /// 0, size)`, whose other arguments are integers, constants, or parameters of the acquiring function.
    #[schemars(with = "String")]
    pub release: Spanned<String>,
    /// Further functions or calls that release the resource.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub also: Vec<Spanned<String>>,
    /// The side that may use the pointer: device or host.
    #[serde(default)]
    pub space: Option<Space>,
    /// The length of the handle, if it is a buffer of bytes.
    #[serde(default)]
    pub bytes: Option<u32>,
}
