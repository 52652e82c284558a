//! Axioms: assumptions that judged checks make in addition to the sentences that they rest on
//! (docs/catalog/evidence.md).

use std::collections::HashSet;

use steps::Span;
use steps::judgment::{Judged, judgments};

use super::model::Axiom;
use super::rules::{Rule, Rules};

impl Rule {
    /// The axioms that a judged check assumes: the axioms of its ground (or of its rule, if the ground names none), and
    /// the axioms of the built-in that it uses.
    pub fn axioms<'a>(&self, judged: &Judged, rules: &'a Rules) -> Vec<&'a Axiom> {
        let named = self.ground(judged).map(|ground| &ground.axioms).filter(|axioms| !axioms.is_empty());
        let named = named.unwrap_or(&self.assumes);
        let text = self.program.judged(judged);
        let built_in = |axiom: &Axiom| axiom.checks.iter().any(|check| text.starts_with(&format!("{check}(")));
        rules.axioms.iter().filter(|axiom| named.contains(&axiom.id) || built_in(axiom)).collect()
    }

    /// The axioms that the check at a place assumes. If there is no check at the place, returns all of the rule's
    /// axioms.
    pub fn axioms_at<'a>(&self, span: Span, rules: &'a Rules) -> Vec<&'a Axiom> {
        match self.judged_at(span) {
            Some(judged) => self.axioms(&judged, rules),
            None => self.all_axioms(rules),
        }
    }

    /// The axioms that any of the rule's judged checks assumes, in catalog order.
    pub fn all_axioms<'a>(&self, rules: &'a Rules) -> Vec<&'a Axiom> {
        let judged = judgments(&self.program);
        let ids: HashSet<&str> =
            judged.iter().flat_map(|judged| self.axioms(judged, rules)).map(|axiom| axiom.id.as_str()).collect();
        rules.axioms.iter().filter(|axiom| ids.contains(axiom.id.as_str())).collect()
    }
}
