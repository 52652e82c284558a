//! Conditions that discard too much.

use std::fmt;

use crate::case::{CaseError, Discarded, Scope};
use crate::catalog::{Product, Rule, Rules, offered, short};

/// Cases that are drawn of a rule for each product.
const DRAWS: u32 = 1000;

/// A rule's `where` that does not keep enough, on the first product where that is so.
#[derive(Debug)]
pub struct ConditionMistake {
    /// `file:line:column` of the condition.
    place: String,
    rule: String,
    product: String,
    kind: ConditionMistakeKind,
}

/// What is wrong with it.
#[derive(Debug)]
pub enum ConditionMistakeKind {
    /// It discards more than half.
    Discards(Discarded),
    /// No case can be drawn.
    NoCase(CaseError),
}

impl fmt::Display for ConditionMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConditionMistake { place, rule, product, kind } = self;
        match kind {
            ConditionMistakeKind::Discards(discarded) => write!(
                f,
                "{place}: `where` discards {} % of the cases of {rule} on {product}, and may discard half; narrow the \
                 domains instead: smaller bounds, `multiple_of`, `offset`, or bounds that read an earlier axis",
                discarded.percent()
            ),
            ConditionMistakeKind::NoCase(error) => write!(f, "{place}: {rule} has no case on {product}: {error}"),
        }
    }
}

/// The rules whose `where` discards more than half of 1,000 cases on a product to which they apply.
pub fn condition_mistakes(rules: &Rules) -> Vec<ConditionMistake> {
    let conditional = rules.rules.iter().filter(|rule| rule.program.condition.is_some());
    let found = |rule| rules.products.iter().find_map(|product| mistake(rules, rule, product));
    conditional.filter_map(found).collect()
}

fn mistake(rules: &Rules, rule: &Rule, product: &Product) -> Option<ConditionMistake> {
    let mode = rule.when.run_mode.as_ref();
    if offered(rule, &product.id, rules).is_err() || mode.is_some_and(|mode| !product.run_modes.contains(mode)) {
        return None;
    }
    let processes = rule.program.processes.iter().map(|process| process.device + 1);
    let devices = processes.chain(rule.when.devices).max().unwrap_or(1);
    let scope = Scope { facts: product.facts.clone(), devices };
    let kind = match Discarded::measure(&rule.program, &scope, DRAWS) {
        Ok(discarded) if discarded.too_many() => ConditionMistakeKind::Discards(discarded),
        Ok(_) => return None,
        Err(error) => ConditionMistakeKind::NoCase(error),
    };
    let at = rule.source.condition.as_ref().map_or(&rule.source.steps, |condition| condition).referenced;
    let path = short(&rules.chapters[rule.chapter].path);
    let place = format!("{path}:{}:{}", at.line(), at.column());
    Some(ConditionMistake { place, rule: rule.id.clone(), product: product.id.clone(), kind })
}
