//! The policy on the grounds of a rule's judged checks (docs/catalog/evidence.md).

use std::sync::Arc;

use steps::judgment::{Judged, Judgment, judgments, reported};
use steps::suggest::hint;

use crate::clauses::Clause;
use crate::diagnostic::{Mistakes, Source};
use crate::model::{Level, Modality, RuleSource};
use crate::rules::{Ground, Rule, Rules};
use crate::select::offered;

/// The grounds of a rule's checks, by name.
pub(super) fn grounds(source: &Arc<Source>, rule: &RuleSource, rules: &Rules, mistakes: &mut Mistakes) -> Vec<Ground> {
    let mut grounds = Vec::new();
    for (name, clauses) in &rule.clauses {
        let (mut positions, mut axioms) = (Vec::new(), Vec::new());
        for id in &clauses.value.0 {
            if rules.axioms.iter().any(|axiom| axiom.id == *id) {
                axioms.push(id.clone());
                continue;
            }
            match rules.book.positions.get(id) {
                Some(position) => positions.push(*position),
                None if rules.book.clauses.iter().any(|clause| clause.id == *id) => {
                    let message =
                        format!("`{id}` is in inventory.tsv, on which no check can rest; move it to clauses/");
                    mistakes.at(source, clauses, message);
                }
                None => {
                    let hint = hint(id, rules.book.positions.keys().map(String::as_str));
                    mistakes.at(source, clauses, format!("there is no clause `{id}`{hint}"));
                }
            }
        }
        grounds.push(Ground { name: name.clone(), clauses: positions, axioms });
    }
    grounds
}

/// Checks a rule against the policy. On every product to which a `must` rule applies, each of the rule's judged checks
/// must rest on a sentence that promises an outcome.
pub(super) fn check(source: &Arc<Source>, rule: &Rule, rules: &Rules, mistakes: &mut Mistakes) {
    let names: Vec<&str> = rule.grounds.iter().map(|ground| ground.name.as_str()).collect();
    for used in &rule.program.grounds {
        if !names.contains(&used.name.as_str()) {
            let hint = hint(&used.name, names.iter().copied());
            let message = format!("`{}` is not among the rule's `clauses`{hint}", used.name);
            mistakes.inside(source, &rule.in_file().source.steps, rule.program.written(used.span), message);
        }
    }
    let unused = |name: &&&str| !rule.program.grounds.iter().any(|used| used.name == ***name);
    if names.len() > 1 {
        for name in names.iter().filter(unused) {
            let place = &rule.in_file().source.clauses[*name];
            mistakes.at(source, place, format!("no check rests on `{name}`; mark the check that does, or remove it"));
        }
    }
    never_judged(source, rule, rules, mistakes);
    if rule.hazard.is_some() {
        return;
    }
    kept(source, rule, rules, mistakes);
    if rule.level != Level::Must {
        return;
    }
    if names.is_empty() {
        let message = "a `must` rule names the sentences that its checks rest on under `clauses` \
                       (docs/catalog/evidence.md); without any it can only inform: `level: info`";
        return mistakes.at(source, &rule.in_file().source.id, message);
    }
    let products: Vec<&str> = rules
        .products
        .iter()
        .map(|product| product.id.as_str())
        .filter(|product| offered(rule, product, rules).is_ok())
        .collect();
    for judged in judgments(&rule.program) {
        let text = rule.program.judged(&judged);
        let problem = match rule.ground(&judged) {
            None if judged.rests_on.is_some() => continue,
            None => Some(format!("write the `[name]` of its clause before it; names are {}", names.join(", "))),
            Some(ground) => unfounded(ground, &judged, rule, rules, &products),
        };
        if let Some(problem) = problem {
            let message = format!("`{text}` is judged: {problem}");
            match judged.judgment {
                Judgment::Success => mistakes.at(source, &rule.in_file().source.id, message),
                _ => mistakes.inside(
                    source,
                    &rule.in_file().source.steps,
                    rule.program.written(judged.statement),
                    message,
                ),
            }
        }
    }
}

/// Reports a ground that holds in no edition to which the rule applies: its checks would never be judged.
fn never_judged(source: &Arc<Source>, rule: &Rule, rules: &Rules, mistakes: &mut Mistakes) {
    let Some(edition) = &rule.when.edition else { return };
    for ground in &rule.grounds {
        for clause in ground.clauses.iter().map(|clause| &rules.book.clauses[*clause]) {
            let mut conditions = edition.value.iter().filter(|(library, _)| {
                library.map_or(Some(0), |id| rules.libraries.position(id)) == Some(clause.library)
            });
            if let Some((_, condition)) = conditions.find(|(_, condition)| !condition.meets(&clause.span)) {
                let message = format!(
                    "{} holds {}, but the rule applies to edition {condition}, so that its checks are never judged; \
                     change `when`, or name a sentence of these editions",
                    clause.id,
                    clause.editions()
                );
                mistakes.at(source, &rule.in_file().source.clauses[&ground.name], message);
            }
        }
    }
}

/// Reports a check that rests only on the caller's duties. Such a check tests a caller that breaks a duty, and the
/// documents do not define the result.
fn kept(source: &Arc<Source>, rule: &Rule, rules: &Rules, mistakes: &mut Mistakes) {
    let judged = if rule.level == Level::Must { Vec::new() } else { judgments(&rule.program) };
    for judged in judged.into_iter().chain(reported(&rule.program)) {
        let clauses = rule.ground(&judged).map(|ground| &*ground.clauses).unwrap_or_default();
        let clauses: Vec<&Clause> = clauses.iter().map(|clause| &rules.book.clauses[*clause]).collect();
        let Some(duty) = clauses.iter().find(|clause| clause.modality.asks()) else { continue };
        if clauses.iter().any(|clause| clause.modality.promises()) {
            continue;
        }
        let (text, id, modality) = (rule.program.judged(&judged), &duty.id, duty.modality.name());
        let message = format!(
            "`{text}` rests on {id}, a requirement on the caller ({modality}), and on no outcome: what happens \
             to a caller that breaks it is undefined; write `hazard: undefined`, or keep to it"
        );
        match judged.judgment {
            Judgment::Success => mistakes.at(source, &rule.in_file().source.id, message),
            _ => mistakes.inside(source, &rule.in_file().source.steps, rule.program.written(judged.statement), message),
        }
    }
}

/// The reason why the policy does not allow a check to rest on a ground.
fn unfounded(ground: &Ground, judged: &Judged, rule: &Rule, rules: &Rules, products: &[&str]) -> Option<String> {
    let clauses: Vec<&Clause> = ground.clauses.iter().map(|clause| &rules.book.clauses[*clause]).collect();
    let name = &ground.name;
    let Some(first) = clauses.first() else {
        // Unknown clauses were reported earlier.
        let axioms = ground.axioms.join(", ");
        let message =
            format!("`{name}` names only axioms ({axioms}), which promise nothing; name a sentence that does");
        return (!ground.axioms.is_empty()).then_some(message);
    };
    let refused = judged.refused && clauses.iter().any(|clause| clause.modality == Modality::Prohibition);
    if !refused && !clauses.iter().any(|clause| clause.modality.promises()) {
        let lower = if clauses.iter().any(|clause| clause.modality.asks()) {
            "keep to it, move the check to a separate rule with `hazard: undefined`"
        } else {
            "observe it (`[info]`)"
        };
        return Some(format!(
            "`{name}` ({}) has modality {} and promises no outcome; {lower}, or name a sentence that does",
            first.id,
            first.modality.name()
        ));
    }
    if let Judgment::Code(id) = judged.judgment {
        let judged = rule.program.codes(id);
        if !clauses.iter().any(|clause| clause.codes.iter().any(|code| judged.contains(code))) {
            return Some(format!(
                "no clause of `{name}` names one of these codes for the call; write `fails`, or `fails, usually {{…}}`"
            ));
        }
    }
    let (clause, product) = clauses
        .iter()
        .find_map(|clause| Some((clause, products.iter().find(|product| !clause.speaks_of(product))?)))?;
    let of = clause.products.join(", ");
    Some(format!(
        "{} applies only to {of}, but the rule also applies to {product}; restrict it under `when`, or split the rule",
        clause.id
    ))
}
