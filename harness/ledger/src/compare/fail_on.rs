//! The conditions that fail a comparison: `--fail-on regression,drift:code`.

use std::str::FromStr;

use super::difference::{Change, CoverageKind, Difference, DriftKind};

/// A condition that fails a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    Change(Change),
    /// Drift of this kind; `None` for any kind.
    Drift(Option<DriftKind>),
    /// A rule has an answer in only one run, for this reason; `None` for any reason.
    Coverage(Option<CoverageKind>),
    Field,
    Timing,
}

/// An unknown condition.
#[derive(Debug, thiserror::Error)]
#[error("unknown condition `{given}`; known are {}", NAMES.map(|(name, _)| name).join(", "))]
pub struct ConditionError {
    given: String,
}

/// All conditions, by name.
const NAMES: [(&str, Condition); 18] = [
    ("regression", Condition::Change(Change::Regression)),
    ("new-failure", Condition::Change(Change::NewFailure)),
    ("other-symptom", Condition::Change(Change::OtherSymptom)),
    ("flake", Condition::Change(Change::Flake)),
    ("fix", Condition::Change(Change::Fix)),
    ("drift", Condition::Drift(None)),
    ("drift:code", Condition::Drift(Some(DriftKind::Code))),
    ("drift:value", Condition::Drift(Some(DriftKind::Value))),
    ("drift:check", Condition::Drift(Some(DriftKind::Check))),
    ("drift:verdict", Condition::Drift(Some(DriftKind::Verdict))),
    ("coverage", Condition::Coverage(None)),
    ("only-old", Condition::Coverage(Some(CoverageKind::OnlyOld))),
    ("only-new", Condition::Coverage(Some(CoverageKind::OnlyNew))),
    ("gone", Condition::Coverage(Some(CoverageKind::Gone))),
    ("new", Condition::Coverage(Some(CoverageKind::New))),
    ("other-device", Condition::Coverage(Some(CoverageKind::OtherDevice))),
    ("field", Condition::Field),
    ("timing", Condition::Timing),
];

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Condition, ConditionError> {
        let found = NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, condition)| *condition).ok_or_else(|| ConditionError { given: text.to_owned() })
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = NAMES.iter().find(|(_, condition)| condition == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl Condition {
    /// True if a comparison meets the condition.
    pub fn holds(self, found: &Difference) -> bool {
        match self {
            Condition::Change(change) => found.changes.iter().any(|known| known.change == change),
            Condition::Drift(kind) => found.drift.iter().any(|drift| kind.is_none_or(|kind| drift.kind == kind)),
            Condition::Coverage(kind) => found.coverage.iter().any(|known| kind.is_none_or(|kind| known.kind == kind)),
            // The names and start times of two runs always differ.
            Condition::Field => found.fields.iter().any(|field| !["run", "started"].contains(&field.field.as_str())),
            Condition::Timing => found.timing.as_ref().is_some_and(|timing| !timing.exceeded.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Condition, NAMES};

    #[test]
    fn every_name_is_read_as_it_is_shown() {
        for (name, condition) in NAMES {
            assert_eq!(name.parse::<Condition>().ok(), Some(condition));
            assert_eq!(condition.to_string(), name);
        }
        let error = "drift:codes".parse::<Condition>().expect_err("unknown condition").to_string();
        assert!(error.contains("`drift:codes`") && error.contains("drift:code,"), "{error}");
    }
}
