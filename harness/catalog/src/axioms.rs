//! Axioms: what judged checks assume beside the sentences that they rest on (docs/policy.md).

use std::collections::HashSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

use steps::Span;
use steps::judgement::{Judged, judgements};
use steps::suggest::hint;

use super::check::Checker;
use super::diagnostic::Source;
use super::read::ParsedFile;
use super::rules::{Rule, Rules};

/// `specs/<runtime>/axioms.yaml`: assumptions that no sentence of the documents states.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AxiomsFile {
    /// The axioms.
    #[schemars(with = "Vec<Axiom>")]
    pub axioms: Vec<Spanned<Axiom>>,
}

/// An assumption that judged checks need and that no sentence states.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axiom {
    /// The axiom's name, without a dot: `contents-stay`.
    pub id: String,
    /// The assumption, in a sentence.
    pub says: String,
    /// Why no suite can do without it.
    pub needed: String,
    /// What a device that denies it could argue.
    pub objection: String,
    /// Built-in checks of the step language that always assume it.
    #[serde(default)]
    pub checks: Vec<String>,
}

impl Axiom {
    /// The axiom as a failure shows it.
    pub fn told(&self) -> String {
        format!("assuming {}: {}", self.id, self.says)
    }
}

impl Rule {
    /// The axioms that a judged check assumes: those that its ground names, or else those of its rule, and those of the
    /// built-in check that it is.
    pub fn axioms<'a>(&self, judged: &Judged, rules: &'a Rules) -> Vec<&'a Axiom> {
        let named = self.ground(judged).map(|ground| &ground.axioms).filter(|axioms| !axioms.is_empty());
        let named = named.unwrap_or(&self.assumes);
        let text = self.program.judged(judged);
        let built_in = |axiom: &Axiom| axiom.checks.iter().any(|check| text.starts_with(&format!("{check}(")));
        rules.axioms.iter().filter(|axiom| named.contains(&axiom.id) || built_in(axiom)).collect()
    }

    /// The axioms that the check at a place assumes; all of the rule's where the place is none of a check.
    pub fn axioms_at<'a>(&self, span: Span, rules: &'a Rules) -> Vec<&'a Axiom> {
        match self.judged_at(span) {
            Some(judged) => self.axioms(&judged, rules),
            None => self.all_axioms(rules),
        }
    }

    /// The axioms that any judged check of the rule assumes, in the order of the catalog.
    pub fn all_axioms<'a>(&self, rules: &'a Rules) -> Vec<&'a Axiom> {
        let judged = judgements(&self.program);
        let ids: HashSet<&str> =
            judged.iter().flat_map(|judged| self.axioms(judged, rules)).map(|axiom| axiom.id.as_str()).collect();
        rules.axioms.iter().filter(|axiom| ids.contains(axiom.id.as_str())).collect()
    }
}

impl Checker<'_> {
    /// The axioms of a runtime, each once.
    pub(super) fn axioms(&mut self, file: Option<&ParsedFile<AxiomsFile>>) -> Vec<Axiom> {
        let Some(file) = file else { return Vec::new() };
        let mut ids = HashSet::new();
        for axiom in &file.value.axioms {
            let id = &axiom.value.id;
            if id.contains('.') || !super::rules::is_id(id) {
                self.at(
                    &file.source,
                    axiom,
                    format!("`{id}` cannot be the id of an axiom: lower-case words joined by `-`"),
                );
            } else if !ids.insert(id.as_str()) {
                self.at(&file.source, axiom, format!("the axiom `{id}` is defined twice"));
            }
        }
        file.value.axioms.iter().map(|axiom| axiom.value.clone()).collect()
    }

    /// The axioms that a rule or a chapter names: each exists.
    pub(super) fn assumed(&mut self, source: &Arc<Source>, named: &[Spanned<String>], rules: &Rules) -> Vec<String> {
        for id in named {
            if rules.axioms.iter().all(|axiom| axiom.id != id.value) {
                let hint = hint(&id.value, rules.axioms.iter().map(|axiom| axiom.id.as_str()));
                self.at(source, id, format!("there is no axiom `{}` in axioms.yaml{hint}", id.value));
            }
        }
        named.iter().map(|id| id.value.clone()).collect()
    }
}
