//! The end of a run, and the status that its results mean.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::expected::AppliedExpectations;
use crate::incident::Happened;
use crate::result::RuleResult;
use crate::retry::Retry;
use crate::settings::RunSettings;
use crate::starts::{StartReason, Starts};
use crate::verdict::{Meaning, Verdict};

/// The end of a run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunEnd {
    /// End, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub finished: String,
    /// Wall time of the run in nanoseconds; of a resumed run, since it was resumed for the last time.
    pub nanoseconds: u64,
    /// Number of results by verdict.
    #[schemars(schema_with = "keyed::<Verdict, u64>")]
    pub counts: BTreeMap<Verdict, u64>,
    /// Worker processes started, and the time that their start-up took together, in nanoseconds; of a resumed run,
    /// since it was resumed for the last time.
    pub workers_started: u64,
    /// The same by reason; older journals do not know it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "keyed::<StartReason, Starts>")]
    pub starts: BTreeMap<StartReason, Starts>,
    /// See `workers_started`.
    pub start_up_nanoseconds: u64,
    /// What happened to devices and processes; of a resumed run, since it was resumed for the last time. Journals before
    /// format 4 say it in `remarks`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Happened>,
    /// What the library did where no rule ran: while it was set up, when its process ended. It changes no verdict.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// Kept counterexamples that could not be tried because their file is broken: with `strict` the answer is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unusable_cases: u64,
    /// What was done once more, for reasons of the infrastructure; of a resumed run, since it was resumed for the last
    /// time. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<Retry>,
    /// How known failures sort the results; `None`: there were none. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<AppliedExpectations>,
    /// The exit status: 0 nothing is broken but what is known, 1 a rule is broken, 3 the answer is not known. It follows
    /// from the settings, the results and what was expected, see [`exit_code`]; a journal that says something else is
    /// refused.
    pub exit: u8,
}

impl RunEnd {
    /// What is told about the run as a whole, a sentence each.
    pub fn told(&self) -> impl Iterator<Item = String> + '_ {
        self.events.iter().map(ToString::to_string).chain(self.remarks.iter().cloned())
    }
}

/// An object whose keys are known words.
fn keyed<K: JsonSchema, V: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let (keys, values) = (generator.subschema_for::<K>(), generator.subschema_for::<V>());
    json_schema!({"type": "object", "propertyNames": keys, "additionalProperties": values})
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The number of results by verdict.
pub fn counts(results: &[RuleResult]) -> BTreeMap<Verdict, u64> {
    let mut counts = BTreeMap::new();
    results.iter().for_each(|result| *counts.entry(result.verdict).or_default() += 1);
    counts
}

/// The exit status of a run with these results: of one that ends, and of one that is read again.
pub fn exit_code(
    settings: &RunSettings,
    results: &[RuleResult],
    unusable_cases: u64,
    expected: Option<&AppliedExpectations>,
) -> u8 {
    let counts = |result: &&RuleResult| !expected.is_some_and(|expected| expected.excuses(&result.id));
    let any = |meaning: Meaning| results.iter().filter(counts).any(|result| result.meaning() == meaning);
    let executed = results.iter().filter(|result| result.verdict != Verdict::Skipped).count() as u64;
    // Whether all parts together executed enough is known when they are merged.
    let whole = settings.part.is_none();
    let too_few = whole && settings.min_executed.is_some_and(|least| executed < least);
    let unknown = results.iter().filter(counts).any(|result| result.verdict.hides(result.level, settings.strict));
    let found = any(Meaning::Finding) || results.iter().filter(counts).any(|result| !result.findings.is_empty());
    let asked_for = expected.is_some_and(AppliedExpectations::breaks);
    if any(Meaning::Broken) || asked_for || (settings.strict && found) {
        1
    } else if unknown || too_few || (settings.strict && unusable_cases > 0) {
        3
    } else {
        0
    }
}
