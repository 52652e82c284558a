//! Chapters and their rules.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_yaml::Spanned;
use steps::domain::{Choices, DomainSource};

use super::documents::SourceReference;
use crate::edition::EditionCondition;

/// What a rule names under `clauses`: name → ids.
pub(crate) type ClauseNames = IndexMap<String, Spanned<Choices>>;

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

impl When {
    /// Whether a product is among those that are named.
    pub(crate) fn allows(&self, product: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|known| known == product);
        (self.products.is_empty() || named(&self.products)) && !named(&self.not_products)
    }
}
