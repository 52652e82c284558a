//! Chapters and their rules.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_yaml::Spanned;
use steps::domain::{Choices, DomainSource};

use super::documents::SourceReference;
use crate::edition::EditionCondition;
use crate::editions::{EditionConditions, EditionConditionsForm};

/// The `clauses` of a rule: name → ids.
pub(crate) type ClauseNames = IndexMap<String, Spanned<Choices>>;

/// A chapter: a YAML file below `specs/<runtime>/rules`. It is named after the file: `copy.async` for
/// `copy/async.yaml`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChapterFile {
    /// The subject of the chapter.
    pub title: String,
    /// The axioms that the judged checks in all its rules assume.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub assumes: Vec<Spanned<String>>,
    /// The condition under which rules without `when` apply.
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
    /// The rule's permanent name, `<runtime>.<area>.<name>`.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// The rule in one short sentence.
    pub title: String,
    /// The documented behavior, in our words.
    pub statement: String,
    /// The passages that document the behavior; not needed if every check has a clause.
    #[serde(default)]
    #[schemars(with = "Vec<SourceReference>")]
    pub source: Vec<Spanned<SourceReference>>,
    /// The clauses that the checks rest on: a name for use in the steps → a clause, or several clauses from which the
    /// behavior is inferred.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Choices>")]
    pub clauses: ClauseNames,
    /// The axioms that the rule's judged checks assume in addition to the chapter's. A check that assumes other axioms
    /// names them under `clauses`, together with its clauses.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub assumes: Vec<Spanned<String>>,
    /// `must`, the default: a document promises the behavior. `info`: the behavior is inferred, or seen only in source
    /// code.
    #[serde(default)]
    pub level: Level,
    /// The suite version that added the rule or made it `must`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub since: Option<Spanned<String>>,
    /// `undefined`: the rule runs only with --hazardous, and is only observed.
    #[serde(default)]
    pub hazard: Option<Hazard>,
    /// True if the steps are one cycle of acquiring and releasing, which a soak repeats. A soak, not a run, notices what
    /// a cycle leaves behind.
    #[serde(default)]
    pub cycle: bool,
    /// An unresolved contradiction, printed whenever the rule is reported.
    #[serde(default)]
    pub doubt: Option<String>,
    /// The condition under which the rule applies; default: the chapter's.
    #[serde(default)]
    pub when: Option<When>,
    /// Processes and threads that perform the steps.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub actors: Option<Spanned<String>>,
    /// The axes that a case draws.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, DomainSource>")]
    pub forall: IndexMap<String, Spanned<DomainSource>>,
    /// A condition on the drawn values. Cases that do not satisfy it are discarded.
    #[serde(default, rename = "where")]
    #[schemars(with = "Option<String>")]
    pub condition: Option<Spanned<String>>,
    /// The calls and checks (docs/catalog/language.md).
    #[schemars(with = "String")]
    pub steps: Spanned<String>,
    /// Values that are recorded without being judged: name → expression.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub observe: IndexMap<String, Spanned<String>>,
    /// Functions that this rule owns: it judges their smallest valid use.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub owns: Vec<Spanned<String>>,
    /// Functions and values that the rule uses on purpose although they are documented as not supported on its
    /// products.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub unsupported: Vec<Spanned<String>>,
    /// Checks that are kept although no seeded defect needs them: statement → reason.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub unproven: IndexMap<String, Spanned<String>>,
}

/// The strength of a rule's source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// A document promises the behavior: a violation fails the run.
    #[default]
    Must,
    /// The behavior is inferred, or seen only in source code: violations are reported, and fail the run only with
    /// `--strict`.
    Info,
}

impl Level {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Level::Must => "must",
            Level::Info => "info",
        }
    }
}

/// The reason why a rule does not run by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hazard {
    /// The documents leave the result undefined: they forbid the use, require something else from the caller, or warn
    /// of an exception.
    Undefined,
}

/// The conditions under which a rule applies; all of them must hold.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// Only these products.
    #[serde(default)]
    pub products: Vec<String>,
    /// Not these products.
    #[serde(default)]
    pub not_products: Vec<String>,
    /// Only if programs run in this mode.
    #[serde(default)]
    pub run_mode: Option<String>,
    /// The minimum number of devices.
    #[serde(default)]
    pub devices: Option<u32>,
    /// A condition on the edition of the first library, for example `>=8.2`, or a map from libraries to conditions on
    /// their editions.
    #[serde(default)]
    #[schemars(with = "Option<EditionConditionsForm>")]
    pub edition: Option<Spanned<EditionConditions>>,
    /// Only on devices that have these capabilities of api.yaml.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub has: Vec<Spanned<String>>,
    /// Only on devices that lack these capabilities.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub has_not: Vec<Spanned<String>>,
    /// A condition on the version of the host's kernel, for example `>=5.11`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub kernel: Option<EditionCondition>,
    /// Only with --dedicated or on the simulated device, because the rule takes all of a device's memory.
    #[serde(default)]
    pub dedicated: bool,
}

impl When {
    /// The names of the capabilities that the condition reads, each with true if the device must have it.
    pub fn capabilities(&self) -> impl Iterator<Item = (&Spanned<String>, bool)> {
        self.has.iter().map(|name| (name, true)).chain(self.has_not.iter().map(|name| (name, false)))
    }

    /// True if the condition allows a product.
    pub(crate) fn allows(&self, product: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|known| known == product);
        (self.products.is_empty() || named(&self.products)) && !named(&self.not_products)
    }
}
