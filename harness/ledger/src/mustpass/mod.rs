//! A run against the must-pass list of its catalog: which rules a conformant device holds, and what the run shows of
//! them. Made only from a run's journal and catalog.

mod requirements;

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use catalog::{Rules, count};
use record::{Level, Meaning, Recorded, RuleResult, Sort, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use self::requirements::{Demands, demands};

/// The maximum number of rules to name in a line of text.
const NAMED: usize = 5;

/// A run against the must-pass list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MustPassRun {
    /// The statement about the device, which follows from `rules` and `missing`.
    pub statement: Statement,
    /// Missing capabilities, without which the statement cannot be `conformant`.
    pub missing: Vec<Missing>,
    /// The axioms that checks in the required rules assume in addition to their clauses.
    pub assuming: Vec<String>,
    /// Version of the suite that made the run.
    pub suite: String,
    /// Name of the runtime.
    pub runtime: String,
    /// SHA-256 of the catalog's files, lower-case hex.
    pub catalog: String,
    /// Id of the product; it selects the rules.
    pub product: String,
    /// The runtime's edition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// The libraries under test, the main library first, and the libraries loaded by them.
    pub libraries: Vec<TestedLibrary>,
    /// Name of the run's folder.
    pub run: String,
    /// Start time, RFC 3339 in UTC.
    pub started: String,
    /// Name of the profile, which sets the amount of work.
    pub profile: String,
    /// The run's seed, as text, because it may not fit a double.
    pub seed: String,
    /// The number of known failures in the run; they count like others.
    pub known: usize,
    /// Rules by id: all rules with a result, and all rules that must hold on a conformant device.
    pub rules: BTreeMap<String, RuleVerdict>,
}

/// The statement that a run makes about its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Statement {
    /// Every required rule was shown to hold, and nothing is missing.
    Conformant,
    /// A rule whose statement a document promises is broken.
    NotConformant,
    /// Nothing is broken, but something is missing.
    NotShown,
}

/// A missing capability, without which a device cannot be called conformant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Missing {
    /// The missing capability.
    pub capability: Capability,
    /// The reason and the next action.
    pub why: String,
    /// The rules without an answer for this reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// A precondition for showing that a device is conformant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// The device is not simulated.
    RealDevice,
    /// The run is whole: it finished, is not a part, and was not limited to given cases.
    WholeRun,
    /// The run selected every required rule.
    EveryRule,
    /// Every selected rule has an answer.
    Answers,
    /// The machine has enough devices for the rules.
    Devices,
    /// No other program used the devices.
    Dedicated,
    /// The edition is known, because promises depend on it.
    Edition,
    /// Every rule can be judged on the machine: it is known to be virtual or physical, and processes may lock memory.
    Machine,
    /// Every rule ran all its planned cases.
    Coverage,
    /// The run assumed every axiom, so no check was merely observed for lack of an axiom.
    Axioms,
}

/// A library in the process under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TestedLibrary {
    /// The path as opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex.
    pub sha256: String,
    /// The version that the library reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// True for the suite's simulated device.
    pub simulated: bool,
}

/// The result of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleVerdict {
    /// `must` if a document promises what the rule states.
    pub level: Level,
    /// True if the rule must hold on a conformant device in this environment.
    pub required: bool,
    /// The verdict; absent if there is no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The reason; empty for a pass.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// The reason why a run cannot be compared with a catalog's list.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MustPassRunError {
    #[error(
        "version {suite} made the run with another catalog (sha256 {of_run}; this one: {of_catalog}), so its rules are \
         unknown here; use that version, or name its catalog with --specs"
    )]
    Catalog { suite: String, of_run: String, of_catalog: String },
    #[error("unknown product {product} in this catalog; use the version that made the run")]
    Product { product: String },
}

/// Compares a run with the must-pass list of the catalog that it used.
///
/// # Errors
/// Fails if the run used a different catalog.
pub fn must_pass_run(run: &Recorded, rules: &Rules) -> Result<MustPassRun, MustPassRunError> {
    let header = &run.header;
    if header.catalog_digest != rules.digest || header.runtime != rules.runtime {
        return Err(MustPassRunError::Catalog {
            suite: header.suite.clone(),
            of_run: header.catalog_digest.clone(),
            of_catalog: rules.digest.clone(),
        });
    }
    if rules.product(&header.product).is_none() {
        return Err(MustPassRunError::Product { product: header.product.clone() });
    }
    let Demands { required, missing } = demands(run, rules);
    let axioms = required.iter().filter_map(|id| rules.rule(id)).flat_map(|rule| rule.all_axioms(rules));
    let mut assuming: Vec<String> = axioms.map(|axiom| axiom.id.clone()).collect();
    assuming.sort();
    assuming.dedup();
    let mut verdicts: BTreeMap<String, RuleVerdict> =
        run.results.iter().map(|result| (result.id.clone(), verdict(result, rules))).collect();
    for id in required {
        let none = RuleVerdict { level: Level::Must, required: true, verdict: None, reason: "no result".to_owned() };
        verdicts.entry(id).or_insert(none).required = true;
    }
    let first = &header.library;
    let library = |path: &String, sha256: &String, version: Option<String>| TestedLibrary {
        path: path.clone(),
        sha256: sha256.clone(),
        version,
        simulated: first.simulated,
    };
    let further = header.further_libraries.iter().map(|further| library(&further.path, &further.sha256, None));
    let applied = run.end.as_ref().and_then(|end| end.expectations.as_ref());
    let mut found = MustPassRun {
        statement: Statement::Conformant,
        missing,
        assuming,
        suite: header.suite.clone(),
        runtime: header.runtime.clone(),
        catalog: header.catalog_digest.clone(),
        product: header.product.clone(),
        edition: header.edition.clone(),
        libraries: [library(&first.path, &first.sha256, first.version.clone())].into_iter().chain(further).collect(),
        run: header.run.clone(),
        started: header.started.clone(),
        profile: header.profile.clone(),
        seed: header.seed.to_string(),
        known: applied.map_or(0, |applied| applied.number(Sort::Known) + applied.number(Sort::Expired)),
        rules: verdicts,
    };
    if found.broken_rules().next().is_some() {
        found.statement = Statement::NotConformant;
    } else if !found.missing.is_empty() {
        found.statement = Statement::NotShown;
    }
    Ok(found)
}

fn verdict(result: &RuleResult, rules: &Rules) -> RuleVerdict {
    // The catalog, not the journal, decides what a document promises.
    let level = rules.rule(&result.id).map_or(result.level, |rule| rule.level);
    let reason = if result.verdict == Verdict::Pass { String::new() } else { result.reason.clone() };
    RuleVerdict { level, required: false, verdict: Some(result.verdict), reason }
}

impl MustPassRun {
    /// The ids of broken rules whose statements a document promises, including known failures.
    pub fn broken_rules(&self) -> impl Iterator<Item = &str> {
        let broken = |rule: &RuleVerdict| {
            rule.level == Level::Must
                && rule.verdict.is_some_and(|verdict| verdict.meaning(rule.level) == Meaning::Broken)
        };
        self.rules.iter().filter(move |(_, rule)| broken(rule)).map(|(id, _)| id.as_str())
    }

    /// The text for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // A journal comes from outside, so its strings must not look like other lines.
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "{name:<10} {}", value.replace(['\n', '\t'], " "));
        };
        line("statement", self.statement.to_string());
        for missing in &self.missing {
            line("missing", format!("{}: {}{}", missing.capability.words(), missing.why, list_rules(&missing.rules)));
        }
        if !self.assuming.is_empty() {
            line("assuming", self.assuming.join(", "));
        }
        let broken: Vec<String> = self.broken_rules().map(str::to_owned).collect();
        if !broken.is_empty() {
            line("broken", format!("{} promised by a document{}", broken.len(), list_rules(&broken)));
        }
        if self.known > 0 {
            line("known", format!("{} listed as known, still counted here", count(self.known, "result")));
        }
        let edition = self.edition.as_ref().map(|edition| format!(", edition {edition}")).unwrap_or_default();
        line("product", format!("{} of {}{edition}", self.product, self.runtime));
        for library in &self.libraries {
            let what = if library.simulated { "SIMULATED DEVICE" } else { &library.path };
            line("library", format!("{what} (sha256 {})", library.sha256));
        }
        let required = self.rules.values().filter(|rule| rule.required).count();
        let seen = self.rules.values().filter(|rule| rule.verdict.is_some()).count();
        line("rules", format!("{required} required of a conformant device; {seen} with a result"));
        line("run", format!("{}, begun {}, profile {}, seed {}", self.run, self.started, self.profile, self.seed));
        line("suite", format!("{} (catalog sha256 {})", self.suite, self.catalog));
        text
    }
}

/// The ids of the first rules, and the number of remaining rules.
fn list_rules(rules: &[String]) -> String {
    let more = rules.len().saturating_sub(NAMED);
    let first = rules[..rules.len() - more].join(", ");
    match (rules.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(" ({first})"),
        (false, more) => format!(" ({first} and {more} more)"),
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Statement::Conformant => "conformant",
            Statement::NotConformant => "not conformant",
            Statement::NotShown => "not shown to be conformant",
        })
    }
}

impl Capability {
    /// The wording in reports.
    pub fn words(self) -> &'static str {
        match self {
            Capability::RealDevice => "a real device",
            Capability::WholeRun => "a whole run",
            Capability::EveryRule => "every rule",
            Capability::Answers => "an answer for every rule",
            Capability::Devices => "enough devices",
            Capability::Dedicated => "exclusive use of the devices",
            Capability::Edition => "a known edition",
            Capability::Machine => "a machine on which everything can be judged",
            Capability::Coverage => "all planned cases of every rule",
            Capability::Axioms => "every axiom",
        }
    }
}
