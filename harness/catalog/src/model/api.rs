//! What the header cannot say: api.yaml.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;
use steps::program::Space;

use super::life_cycle::{CapabilitySource, LifeCycle, Queries};
use crate::edition::{EditionCondition, EditionForm};

/// `specs/<runtime>/api.yaml`: what the header cannot say.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApiFile {
    /// The runtime's name: that of its folder and of its bindings.
    #[schemars(with = "String")]
    pub runtime: Spanned<String>,
    /// What it is.
    pub title: String,
    /// How the library is found. A runtime of several libraries has `libraries` instead.
    #[serde(default)]
    pub library: Option<LibrarySource>,
    /// The libraries, where there are several: first the one that is always there.
    #[serde(default)]
    pub libraries: Vec<LibraryEntry>,
    /// Where programs can run, the usual place first; none: the runtime knows no difference.
    #[serde(default)]
    pub run_modes: Vec<String>,
    /// How the version that the runtime reports is read as an edition.
    #[serde(default)]
    pub edition: EditionForm,
    /// Structs whose layout in the header holds for some editions only.
    #[serde(default)]
    pub layouts: Vec<LayoutSource>,
    /// What calls return. A runtime with several types of codes has `results` instead.
    #[serde(default)]
    pub result: Option<ResultSource>,
    /// What calls return, where there are several types of codes.
    #[serde(default)]
    pub results: Vec<ResultSource>,
    /// Sets of codes that the steps use by name: `f(..) fails, usually misuse`.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Vec<String>>")]
    pub codes: IndexMap<String, Spanned<Vec<Spanned<String>>>>,
    /// Words that stand for several statements of a rule.
    #[serde(default)]
    pub words: Vec<WordSource>,
    /// Set-ups that rules begin with: statements that may declare.
    #[serde(default)]
    pub set_ups: Vec<SetUpSource>,
    /// The variable whose value names the devices that a process sees, in ascending order and with commas between: a
    /// process numbers what it sees from 0. Without one, rules run one after another on real devices.
    #[serde(default)]
    pub visible: Option<String>,
    /// How a process is set up and torn down.
    pub life_cycle: LifeCycle,
    /// What the runtime says about itself.
    pub queries: Queries,
    /// What a device may be able to do where no document says so: asked once, where rules depend on it.
    #[serde(default)]
    pub capabilities: Vec<CapabilitySource>,
    /// What calls acquire, and how it is released.
    #[serde(default)]
    pub resources: Vec<ResourceSource>,
    /// Functions that change the whole process: processes that call them are isolated, unless their rule says otherwise.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub process: Vec<Spanned<String>>,
    /// Functions that return when the device has done something: where two of them hang, nothing else is tried.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub waits: Vec<Spanned<String>>,
    /// Parameters that are time-outs: what steps give them follows from `patience`.
    #[serde(default)]
    pub time_outs: Vec<TimeOutSource>,
    /// Documented limits of sizes: rules try both sides and the limit itself.
    #[serde(default)]
    pub limits: Vec<LimitSource>,
    /// Sizes and limits of which rules do not try every edge, by the reason for that. With it, `lint` asks for the others.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<Reason, Vec<String>>>")]
    pub undrawn: Option<BTreeMap<Reason, Vec<Spanned<String>>>>,
}

/// A parameter that is a time-out.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeOutSource {
    #[schemars(with = "String")]
    pub function: Spanned<String>,
    /// Its name in the header.
    #[schemars(with = "String")]
    pub parameter: Spanned<String>,
    /// What it counts.
    pub unit: TimeUnit,
}

/// What a time-out counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    Milliseconds,
    Seconds,
}

/// A documented limit of a function's parameters. A term is a parameter, a number, or a number times a parameter
/// (`4 * N`).
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

/// Why no rule tries an edge of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The call moves or writes that many bytes.
    MovesAsMuch,
    /// The call takes that much memory of the device or the host.
    TakesAsMuch,
    /// It is the length of memory, or of a list, that the caller has.
    CallerHasIt,
    /// The documents leave few values, or none of that size.
    FewValues,
    /// The documents promise nothing there.
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

/// How the library is found.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LibrarySource {
    /// File names, in the order in which they are tried.
    pub names: Vec<String>,
    /// Folders, with `${VARIABLES}` of the environment; an unset variable drops the entry.
    #[serde(default)]
    pub search: Vec<String>,
}

/// One of several libraries.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Library")]
pub struct LibraryEntry {
    /// Its name in reports.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// File names, in the order in which they are tried.
    pub names: Vec<String>,
    /// Folders, with `${VARIABLES}` of the environment; an unset variable drops the entry. The folder of the first
    /// library is always looked in.
    #[serde(default)]
    pub search: Vec<String>,
    /// The runtime also works without it: rules that call its functions are skipped then.
    #[serde(default)]
    pub optional: bool,
    /// The functions that live in it, by name or as a pattern such as `audit_*`. All others live in the first library.
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
    /// The editions that have the header's layout, for example `>=2.0`.
    #[schemars(with = "String")]
    pub editions: EditionCondition,
}

/// A type of codes that calls return.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultSource {
    /// The type of the code that says success or failure.
    #[serde(rename = "type")]
    #[schemars(with = "String")]
    pub ty: Spanned<String>,
    /// The constant that means success.
    #[schemars(with = "String")]
    pub success: Spanned<String>,
    /// Which constants of the header name codes, as a pattern such as `PREFIX_*`; without it, the enumerators of the
    /// type.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub codes: Option<Spanned<String>>,
    /// Codes after which a process is of no further use.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub fatal: Vec<Spanned<String>>,
}

/// A word that stands for several statements.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Word")]
pub struct WordSource {
    /// Its name, and names for what a rule passes: `holds(block, want)`.
    #[schemars(with = "String")]
    pub word: Spanned<String>,
    /// What it stands for: calls, built-ins, and at most one check.
    #[schemars(with = "String")]
    pub steps: Spanned<String>,
}

/// A set-up that stands for several statements, which may declare: `given pool(props, pool);`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SetUp")]
pub struct SetUpSource {
    /// Its name, and names for what a rule passes: `pool(props, pool)`. What it declares under such a name gets the
    /// rule's name.
    #[schemars(with = "String")]
    pub given: Spanned<String>,
    /// What it stands for: declarations, calls, and checks that it may go on.
    #[schemars(with = "String")]
    pub steps: Spanned<String>,
}

/// A pair of functions that acquire and release.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Resource")]
pub struct ResourceSource {
    /// The function that acquires.
    #[schemars(with = "String")]
    pub acquire: Spanned<String>,
    /// Its parameter that receives or names what is acquired.
    #[schemars(with = "String")]
    pub handle: Spanned<String>,
    /// The function that releases, whose one argument is the handle; or a whole call such as `f(handle, 0, size)` with
    /// integers, constants and parameters of the function that acquires.
    #[schemars(with = "String")]
    pub release: Spanned<String>,
    /// Further functions or calls that release it.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub also: Vec<Spanned<String>>,
    /// Who may use the pointer.
    #[serde(default)]
    pub space: Option<Space>,
    /// Length of a handle that is a buffer of bytes.
    #[serde(default)]
    pub bytes: Option<u32>,
}
