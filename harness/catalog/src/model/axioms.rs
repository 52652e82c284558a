//! axioms.yaml: assumptions that no sentence states.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `specs/<runtime>/axioms.yaml`: assumptions that the documents do not state.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AxiomsFile {
    /// The axioms.
    #[schemars(with = "Vec<Axiom>")]
    pub axioms: Vec<Spanned<Axiom>>,
}

/// An assumption that judged checks need although no sentence states it.
#[derive(Debug, Clone, Deserialize, JsonSchema, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Axiom {
    /// The axiom's name, without a dot: `contents-stay`.
    pub id: String,
    /// The assumption, as one sentence.
    pub says: String,
    /// The reason why every suite needs the axiom.
    pub needed: String,
    /// The objection that a vendor could raise if a device violates the axiom.
    pub objection: String,
    /// Built-in checks of the step language that always assume the axiom.
    #[serde(default)]
    pub checks: Vec<String>,
}

impl Axiom {
    /// The axiom as printed in a failure.
    pub fn line(&self) -> String {
        format!("assuming {}: {}", self.id, self.says)
    }
}
