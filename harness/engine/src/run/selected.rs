//! The selected rules, as a run's header records them.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Editions, Rule, Rules, one_space};
use record::{RuleResult, RunHeader, SelectedRule, SelectedSteps};

use super::selection::Planned;
use super::support_rule;

/// Records the selected rules in a run's header, with the clauses and axioms that they rest on.
pub(super) fn record(header: &mut RunHeader, selected: &[Planned], rules: &Rules, editions: &Editions) {
    header.selected = selected.iter().map(|planned| of_planned(planned, rules)).collect();
    let catalog = selected.iter().filter_map(|planned| planned.rule).map(|index| &rules.rules[index]);
    header.clauses = clauses(catalog, rules, editions);
}

/// A rule that a run can execute, as its header records it.
fn of_planned(planned: &Planned, rules: &Rules) -> SelectedRule {
    match planned.rule {
        Some(index) => of_rule(&rules.rules[index], rules),
        None => support_rule::selected(planned),
    }
}

fn of_rule(rule: &Rule, rules: &Rules) -> SelectedRule {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let (line, column) = rule.steps_at();
    SelectedRule {
        id: rule.id.clone(),
        chapter: rules.chapters[rule.chapter].name.clone(),
        title: rule.title.clone(),
        level: rule.level,
        doubt: rule.doubt.clone(),
        statement: one_space(&rule.statement),
        sources: rule.sources.clone(),
        owns: rule.owns.clone(),
        steps: Some(SelectedSteps {
            file: rule.file.clone(),
            line: number(line),
            column: number(column),
            text: rule.steps(),
        }),
    }
}

/// The clauses that rules rest on, and the axioms: their texts by id.
fn clauses<'a>(of: impl Iterator<Item = &'a Rule>, rules: &'a Rules, editions: &Editions) -> BTreeMap<String, String> {
    let positions: BTreeSet<usize> =
        of.flat_map(|rule| &rule.grounds).flat_map(|ground| ground.clauses.clone()).collect();
    let clauses = positions.into_iter().map(|position| &rules.book.clauses[position]);
    let clauses = clauses.map(|clause| (clause.id.to_string(), clause.line(editions)));
    clauses.chain(rules.axioms.iter().map(|axiom| (axiom.id.clone(), axiom.line()))).collect()
}

/// Adds to a rule's result what the journal says once, in its header.
pub(super) fn complete(result: &mut RuleResult, rule: &Rule, rules: &Rules, editions: &Editions) {
    let completed = of_rule(rule, rules).complete(&clauses(std::iter::once(rule), rules, editions), result);
    completed.expect("a failure names places and clauses of its own rule");
}
