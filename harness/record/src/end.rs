//! The end of a run, and the exit status that follows from its results.

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
    /// End time, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub finished: String,
    /// Wall time of the run in nanoseconds; in a resumed run, since the last resumption.
    pub nanoseconds: u64,
    /// Number of results by verdict.
    #[schemars(schema_with = "keyed::<Verdict, u64>")]
    pub counts: BTreeMap<Verdict, u64>,
    /// The number of started worker processes; in a resumed run, since the last resumption.
    pub workers_started: u64,
    /// The number of started worker processes by reason. Absent in older journals.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "keyed::<StartReason, Starts>")]
    pub starts: BTreeMap<StartReason, Starts>,
    /// The total start-up time of the started workers, in nanoseconds.
    pub start_up_nanoseconds: u64,
    /// Device and process events; in a resumed run, since the last resumption. Before format 4, `remarks` has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Happened>,
    /// Remarks about the library's behavior while no rule ran: during set-up, or at the end of its process. They do not
    /// affect a verdict.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// Kept counterexamples that could not be tried because their files are damaged. With `strict`, they make the
    /// answer unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unusable_cases: u64,
    /// Retries caused by the infrastructure; in a resumed run, since the last resumption. Absent in older journals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<Retry>,
    /// The results compared with the known failures; `None` if none were given. Absent in older journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<AppliedExpectations>,
    /// The exit status: 0 if only known failures are broken, 1 if another rule is broken, 3 if the answer is unknown.
    /// It follows from the settings, the results and the known failures, see [`exit_code`]. A journal with a different
    /// status is rejected.
    pub exit: u8,
}

impl RunEnd {
    /// Remarks about the run as a whole.
    pub fn told(&self) -> impl Iterator<Item = String> + '_ {
        self.events.iter().map(ToString::to_string).chain(self.remarks.iter().cloned())
    }
}

/// The schema of an object with known keys.
pub(crate) fn keyed<K: JsonSchema, V: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
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

/// The exit status of a run with these results. The status is computed when the run ends, and again when its journal is
/// read.
pub fn exit_code(
    settings: &RunSettings,
    results: &[RuleResult],
    unusable_cases: u64,
    expected: Option<&AppliedExpectations>,
) -> u8 {
    let counts = |result: &&RuleResult| !expected.is_some_and(|expected| expected.excuses(&result.id));
    let any = |meaning: Meaning| results.iter().filter(counts).any(|result| result.meaning() == meaning);
    let executed = results.iter().filter(|result| result.verdict != Verdict::Skipped).count() as u64;
    // For a part, the merge checks the number of executed rules across all parts.
    let whole = settings.part.is_none();
    let too_few = whole && settings.min_executed.is_some_and(|least| executed < least);
    let unknown = results.iter().filter(counts).any(|result| result.hides(settings.strict));
    let found = any(Meaning::Finding) || results.iter().filter(counts).any(|result| !result.findings.is_empty());
    let fail_on = expected.is_some_and(AppliedExpectations::breaks);
    if any(Meaning::Broken) || fail_on || (settings.strict && found) {
        1
    } else if unknown || too_few || (settings.strict && unusable_cases > 0) {
        3
    } else {
        0
    }
}

#[cfg(test)]
mod tests;
