//! The selected rules, as a run's header records them.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Axiom, DocumentEntry, Editions, Rule, Rules, offered, one_space};
use record::{HeaderTexts, RuleResult, RunHeader, SelectedClause, SelectedRule, SelectedSteps};

use super::selection::Planned;
use super::support_rule;

/// Records the selected rules in a run's header, with the clauses and axioms that they rest on.
pub(super) fn record(header: &mut RunHeader, selected: &[Planned], rules: &Rules, editions: &Editions) {
    let product = header.product.clone();
    let runs = |rule: &&Rule| offered(rule, &product, rules).is_ok();
    header.selected = selected
        .iter()
        .map(|planned| match planned.rule.map(|index| &rules.rules[index]) {
            Some(rule) if runs(&rule) => of_rule(rule, rules, &header.documents),
            Some(rule) => heading(rule, rules),
            None => support_rule::selected_rule(planned),
        })
        .collect();
    let catalog = selected.iter().filter_map(|planned| planned.rule).map(|index| &rules.rules[index]).filter(runs);
    header.clauses = clauses(catalog, rules, editions);
}

/// A rule without the texts that only its failures need.
fn heading(rule: &Rule, rules: &Rules) -> SelectedRule {
    SelectedRule {
        id: rule.id.clone(),
        chapter: rules.chapters[rule.chapter].name.clone(),
        title: rule.title.clone(),
        level: rule.level,
        doubt: rule.doubt.clone(),
        statement: String::new(),
        sources: Vec::new(),
        owns: Vec::new(),
        steps: None,
    }
}

/// A rule with its texts. `documents` has titles and editions by id.
fn of_rule(rule: &Rule, rules: &Rules, documents: &BTreeMap<String, String>) -> SelectedRule {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let (line, column) = rule.steps_at();
    let cited = |source: &String| {
        let cited = documents.iter().find_map(|(id, title)| Some(id.clone() + source.strip_prefix(title.as_str())?));
        cited.unwrap_or_else(|| source.clone())
    };
    SelectedRule {
        statement: one_space(&rule.statement),
        sources: rule.sources.iter().map(cited).collect(),
        owns: rule.owns.clone(),
        steps: Some(SelectedSteps {
            file: rule.file.clone(),
            line: number(line),
            column: number(column),
            text: rule.steps(),
        }),
        ..heading(rule, rules)
    }
}

/// The clauses that rules rest on, and the axioms: their texts by id.
fn clauses<'a>(
    of: impl Iterator<Item = &'a Rule>,
    rules: &'a Rules,
    editions: &Editions,
) -> BTreeMap<String, SelectedClause> {
    let positions: BTreeSet<usize> =
        of.flat_map(|rule| &rule.grounds).flat_map(|ground| ground.clauses.clone()).collect();
    let clauses = positions.into_iter().map(|position| &rules.book.clauses[position]);
    let clauses = clauses.map(|clause| {
        let (text, sentence) = (clause.line(editions), Some(clause.sentence.clone()));
        (clause.id.to_string(), SelectedClause { text, sentence })
    });
    let axiom = |axiom: &Axiom| (axiom.id.clone(), SelectedClause { text: axiom.line(), sentence: None });
    clauses.chain(rules.axioms.iter().map(axiom)).collect()
}

/// Adds to a rule's result what the journal says once, in its header.
pub(super) fn complete(result: &mut RuleResult, rule: &Rule, rules: &Rules, editions: &Editions) {
    let documents = rules.documents.iter().map(DocumentEntry::named).collect();
    let clauses = clauses(std::iter::once(rule), rules, editions);
    let texts = HeaderTexts { documents: &documents, clauses: &clauses };
    let completed = of_rule(rule, rules, &documents).complete(texts, result);
    completed.expect("a failure names places and clauses of its rule");
}
