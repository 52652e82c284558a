//! The shape of the YAML files. Doc comments here become the descriptions in the JSON Schema.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_yaml::Spanned;
use steps::domain::{Choices, DomainSource};
use steps::program::{Space, State};

use super::clauses::ClauseNames;
use super::edition::{Edition, EditionCondition, EditionForm, Span};

/// `specs/<runtime>/documents.yaml`: what the rules cite.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentsFile {
    /// The documents.
    pub documents: Vec<DocumentEntry>,
}

/// A document that rules cite.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentEntry {
    /// The name that rules use.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// Its title.
    pub title: String,
    /// The edition, as far as it is known.
    pub edition: String,
    /// Its language, for example `zh`.
    pub language: String,
    /// What it covers.
    pub covers: String,
    /// Its sections by name, but for functions and types of the header, which are sections of every document; none: any
    /// name is one.
    #[serde(default)]
    pub sections: Vec<String>,
    /// Its pages that chapters of clauses list without a restriction, with every function that they describe.
    #[serde(default)]
    pub pages: Vec<PageEntry>,
    /// Whether it promises anything; source code does not, and rules that rest on it alone inform.
    #[serde(default = "promises")]
    pub promises: bool,
}

/// A page of a document, and the functions that it describes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Page")]
pub struct PageEntry {
    /// Its name, as chapters of clauses write it.
    pub page: String,
    /// The functions that it describes, also those that the header does not declare: each has a clause.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub functions: Vec<Spanned<String>>,
    /// Functions without a clause, each with the reason.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub open: IndexMap<String, Spanned<String>>,
}

impl DocumentEntry {
    /// Whether a page lists a function, with clauses or open.
    pub fn describes(&self, function: &str) -> bool {
        self.pages
            .iter()
            .any(|page| page.functions.iter().any(|known| known.value == function) || page.is_open(function))
    }
}

impl PageEntry {
    /// Whether the page says why a function has no clause.
    pub fn is_open(&self, function: &str) -> bool {
        self.open.contains_key(function)
    }
}

fn promises() -> bool {
    true
}

/// `specs/<runtime>/products.yaml`: product families.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProductsFile {
    /// The product that the simulated device imitates when none is asked for; without it, the first one.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub default: Option<Spanned<String>>,
    /// Family → what its products have in common. Lists of products may name families, and leave out what comes after `not`:
    /// `[current, not ipv350]`.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub families: IndexMap<String, Spanned<String>>,
    /// The products, in the order in which reported names are matched.
    pub products: Vec<ProductEntry>,
}

/// A product, or several that the documents never tell apart.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProductEntry {
    /// The name that rules and `--product` use.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// Its name in the documents.
    pub name: String,
    /// The families that it is of.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub families: Vec<Spanned<String>>,
    /// Regular expressions on the name that the runtime reports.
    pub reported_names: Vec<String>,
    /// Where programs can run, some of the runtime's `run_modes`.
    #[serde(default)]
    pub run_modes: Vec<String>,
    /// Documented quantities: bytes (4KiB) or plain integers. Every product has every quantity.
    #[schemars(with = "IndexMap<String, String>")]
    pub facts: IndexMap<String, Spanned<String>>,
}

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
    pub state: State,
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
    pub state: State,
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

/// `specs/<runtime>/support.yaml`: function × product.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupportFile {
    /// Where the table comes from.
    pub source: SourceReference,
    /// By function.
    pub functions: IndexMap<String, SupportEntry>,
    /// By enumerator, of those that not every product takes.
    #[serde(default)]
    pub values: IndexMap<String, SupportEntry>,
}

/// Which products offer a function or take a value; a product in neither list: the documents do not say.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupportEntry {
    /// Documented as supported.
    #[serde(default)]
    pub supported: Vec<String>,
    /// Documented as not supported.
    #[serde(default)]
    pub unsupported: Vec<String>,
    /// The first edition of the runtime that has it, as far as is known.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub since: Option<Edition>,
    /// Of a function: documented for physical machines and containers only, so that in a virtual machine it is undefined.
    #[serde(default)]
    pub not_virtual: bool,
    /// Of a function that is `not_virtual`: the capability of api.yaml that says whether the device does it all the same.
    #[serde(default)]
    pub capability: Option<String>,
    /// Of a function: bytes of memory that a rule which calls it locks at most. Where a process may lock less, its failure
    /// says nothing about the device.
    #[serde(default)]
    pub locks: u64,
    /// The last edition that has it.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub until: Option<Edition>,
}

impl SupportEntry {
    /// The editions that have it.
    pub fn span(&self) -> Span {
        Span { since: self.since.clone(), until: self.until.clone() }
    }
}

/// `specs/<runtime>/subjects.yaml`: what the suite was asked for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubjectsFile {
    /// The subjects, in the order of the summary.
    pub subjects: Vec<SubjectEntry>,
}

/// A subject: the summary of a run says what of it was judged, and what was only observed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Subject")]
pub struct SubjectEntry {
    /// Its name.
    pub subject: String,
    /// The rules that are about it: ids, in which `*` stands for any text.
    #[schemars(with = "Vec<String>")]
    pub rules: Vec<Spanned<String>>,
}

/// A chapter: a YAML file below `specs/<runtime>/rules`. Its name is that of the file, `copy.async` for `copy/async.yaml`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChapterFile {
    /// What the chapter is about.
    pub title: String,
    /// The axioms that the judged checks of all its rules assume.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub assumes: Vec<Spanned<String>>,
    /// What must hold for those of its rules to apply that say nothing about it.
    #[serde(default)]
    pub when: When,
    /// Its rules.
    #[schemars(with = "Vec<RuleSource>")]
    pub rules: Vec<Spanned<RuleSource>>,
}

/// One rule.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleSource {
    /// The rule's name for ever, `<runtime>.<area>.<name>`.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// A sentence.
    pub title: String,
    /// What the document says, in our words.
    pub statement: String,
    /// Where it says so; where every check has its clause, the clauses say it.
    #[serde(default)]
    #[schemars(with = "Vec<SourceReference>")]
    pub source: Vec<Spanned<SourceReference>>,
    /// On which clauses the checks rest: a name for the steps → a clause, or several from which it is inferred.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Choices>")]
    pub clauses: ClauseNames,
    /// The axioms that its judged checks assume beside their clauses, and beside what the chapter assumes. A check that assumes
    /// others names them under `clauses`, among its clauses.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub assumes: Vec<Spanned<String>>,
    /// `must`, as most: a document promises it. `info`: seen in source only, or inferred.
    #[serde(default)]
    pub level: Level,
    /// The version of the suite that brought it, or made it `must`. Without it: the first one whose list under `mustpass` has
    /// it, so for a new rule the next one; or it informs.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub since: Option<Spanned<String>>,
    /// `undefined`: runs only with --hazardous, and is observed, never judged.
    #[serde(default)]
    pub hazard: Option<Hazard>,
    /// An unresolved contradiction, printed in every report of the rule.
    #[serde(default)]
    pub doubt: Option<String>,
    /// What must hold for the rule to apply; without it, what its chapter says.
    #[serde(default)]
    pub when: Option<When>,
    /// Processes and threads that perform the steps.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub actors: Option<Spanned<String>>,
    /// What a case draws.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, DomainSource>")]
    pub forall: IndexMap<String, Spanned<DomainSource>>,
    /// Discards cases for which it does not hold.
    #[serde(default, rename = "where")]
    #[schemars(with = "Option<String>")]
    pub condition: Option<Spanned<String>>,
    /// What is done and what must hold (docs/language.md).
    #[schemars(with = "String")]
    pub steps: Spanned<String>,
    /// What is recorded without being judged: name → expression.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub observe: IndexMap<String, Spanned<String>>,
    /// Functions of which this rule is the smallest valid use.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub owns: Vec<Spanned<String>>,
    /// Functions and values that the documents list as not supported on the rule's products, and that it uses on purpose.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub unsupported: Vec<Spanned<String>>,
    /// Seeded defects that the rule catches: `name`, or `name on a2, a3` where it has an effect on these products only.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub kills: Vec<Spanned<String>>,
    /// Checks that are kept although no seeded defect needs them: statement → reason.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub unproven: IndexMap<String, Spanned<String>>,
}

/// How strong the source of a rule is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// A document promises it: a violation breaks the run.
    #[default]
    Must,
    /// Seen only in source, or inferred: reported, breaks a run only with `--strict`.
    Info,
}

impl Level {
    /// The name used in every report.
    pub fn name(self) -> &'static str {
        match self {
            Level::Must => "must",
            Level::Info => "info",
        }
    }
}

/// Why a rule does not run by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hazard {
    /// The documents leave the result undefined: they forbid it, ask the caller for something else, or say that it may
    /// cause an exception.
    Undefined,
}

/// A place in a document.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceReference {
    /// The document's id in documents.yaml.
    pub document: String,
    /// Section, heading or function.
    pub section: String,
}

/// What must hold for a rule to apply; everything named must.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// Only these products.
    #[serde(default)]
    pub products: Vec<String>,
    /// Not these products.
    #[serde(default)]
    pub not_products: Vec<String>,
    /// Only where programs run in this mode.
    #[serde(default)]
    pub run_mode: Option<String>,
    /// At least so many devices.
    #[serde(default)]
    pub devices: Option<u32>,
    /// Edition of the runtime, for example `>=8.2`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub edition: Option<EditionCondition>,
    /// Version of the host's kernel, for example `>=5.11`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub kernel: Option<EditionCondition>,
    /// Only with --dedicated and on the simulated device: the rule takes all memory of a device.
    #[serde(default)]
    pub dedicated: bool,
}
