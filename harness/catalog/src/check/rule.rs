//! Checks that a rule's steps compile and that the names in it exist.

use std::sync::Arc;

use serde_yaml::Spanned;
use steps::evaluate::Scope;
use steps::given::GivenUse;
use steps::judgment::judgments;
use steps::program::Sight;
use steps::suggest::hint;
use steps::{Id, Problem, Program, RulePart, RuleText};

use super::clauses::{document, section};
use crate::alternatives;
use crate::diagnostic::{Mistakes, Source, text_start};
use crate::ids::is_rule_id;
use crate::model::{RuleSource, SourceReference, When};
use crate::products::{unknown_product, unknown_run_mode};
use crate::rules::{Rule, RuleTexts, Rules, Written};
use crate::specs::short;
use crate::version::VersionNumber;

pub(super) fn check(
    source: &Arc<Source>,
    rule: RuleSource,
    chapter: usize,
    rules: &Rules,
    scopes: &[Scope],
    mistakes: &mut Mistakes,
) -> Option<Rule> {
    references(source, &rule, rules, mistakes);
    let text = RuleText {
        actors: rule.actors.as_ref().map(|text| text.value.as_str()),
        axes: rule.forall.iter().map(|(name, domain)| (name.as_str(), &domain.value)).collect(),
        condition: rule.condition.as_ref().map(|text| text.value.as_str()),
        steps: &rule.steps.value,
        observe: rule.observe.iter().map(|(name, text)| (name.as_str(), text.value.as_str())).collect(),
        life_cycle: false,
    };
    let program = match steps::check(&text, &rules.environment) {
        Ok(program) => program,
        Err(problems) => {
            problems.into_iter().for_each(|problem| report(source, &rule, problem, mistakes));
            return None;
        }
    };
    if let Some(actors) = rule.actors.as_ref().filter(|_| rules.visible.is_none())
        && program.processes.iter().any(|process| process.sight != Sight::Rule)
    {
        let text = "a process sees other devices only if api.yaml names the variable for them under `visible`";
        mistakes.at(source, actors, text.to_owned());
    }
    let when = rule.when.clone().unwrap_or_default();
    // If the rule exceeds the limits on several products, only the problems on the first product are reported.
    let products = rules.products.iter().zip(scopes).filter(|(product, _)| when.allows(&product.id));
    let excess = products.map(|(_, scope)| program.excess(scope)).find(|excess| !excess.is_empty());
    excess.into_iter().flatten().for_each(|problem| report(source, &rule, problem, mistakes));
    let not_called = |function: &&Spanned<String>| !program.function_names().any(|name| name == function.value);
    for function in rule.owns.iter().filter(not_called) {
        mistakes.at(source, function, format!("the rule owns `{}` but does not call it", function.value));
    }
    let names_values = alternatives::mentions(&program, &|name| rules.values.contains_key(name));
    let unknown = |name: &&Spanned<String>| {
        not_called(name)
            && !(rules.values.contains_key(&name.value) && alternatives::mentions(&program, &|used| used == name.value))
    };
    for name in rule.unsupported.iter().filter(unknown) {
        mistakes.at(source, name, format!("the rule does not use `{}`; remove it here", name.value));
    }
    for (statement, reason) in &rule.unproven {
        let judged: Vec<String> = judgments(&program).iter().map(|judged| program.judged(judged)).collect();
        if !judged.contains(statement) {
            let hint = hint(statement, judged.iter().map(String::as_str));
            mistakes.at(source, reason, format!("`{statement}` is not a check in the steps{hint}"));
        }
    }
    let cited = |reference: &Spanned<SourceReference>| {
        let SourceReference { document: id, section } = &reference.value;
        let document = rules.documents.iter().find(|document| document.id.value == *id);
        (document.map_or_else(|| id.clone(), |document| document.place(section)), id.clone())
    };
    let texts = texts(&rule, &program);
    debug_assert_eq!(program.written_text(&texts.uses), rule.steps.value, "{}", rule.id.value);
    Some(Rule {
        id: rule.id.value.clone(),
        title: rule.title.clone(),
        statement: rule.statement.trim().to_owned(),
        cited: rule.source.iter().map(cited).collect(),
        sources: Vec::new(),
        documents: Vec::new(),
        grounds: Vec::new(),
        assumes: Vec::new(),
        level: rule.level,
        hazard: rule.hazard,
        cycle: rule.cycle,
        doubt: rule.doubt.as_ref().map(|doubt| doubt.trim().to_owned()),
        when,
        chapter,
        functions: program.functions.clone(),
        program: program.into(),
        unsupported: rule.unsupported.iter().map(|function| function.value.clone()).collect(),
        owns: rule.owns.iter().map(|function| function.value.clone()).collect(),
        names_values,
        unproven: rule.unproven.iter().map(|(text, reason)| (text.clone(), reason.value.clone())).collect(),
        line: rule.id.referenced.line() as usize,
        file: short(&source.path),
        steps_at: text_start(source, &rule.steps),
        texts,
        written: Some(Written { file: source.clone(), source: rule }),
    })
}

/// The parts of a rule as written.
fn texts(rule: &RuleSource, program: &Program) -> RuleTexts {
    let use_of = |given: &GivenUse| rule.steps.value[given.written.start..given.written.end].to_owned();
    let value = |part: &Option<Spanned<String>>| part.as_ref().map(|text| text.value.clone());
    RuleTexts {
        since: value(&rule.since),
        actors: value(&rule.actors),
        axes: rule.forall.iter().map(|(name, domain)| (name.clone(), domain.value.to_string())).collect(),
        condition: value(&rule.condition),
        uses: program.givens.iter().map(use_of).collect(),
        observe: rule.observe.iter().map(|(name, text)| (name.clone(), text.value.clone())).collect(),
    }
}

/// Checks the documents, products and editions that a rule names.
fn references(source: &Arc<Source>, rule: &RuleSource, rules: &Rules, mistakes: &mut Mistakes) {
    let prefix = format!("{}.", rules.runtime);
    if !rule.id.value.starts_with(&prefix) || !is_rule_id(&rule.id.value) {
        let message = format!(
            "a rule's id is `{prefix}<area>.<name>`: lower-case letters, digits and `-`, separated by dots, at \
             most 200 bytes"
        );
        mistakes.at(source, &rule.id, message);
    }
    if let Some(since) = rule.since.as_ref().filter(|since| VersionNumber::read_whole(&since.value).is_none()) {
        let message = format!("`{}` is not a version of the suite; write, for example, 0.3.0", since.value);
        mistakes.at(source, since, message);
    }
    if rule.source.is_empty() && rule.clauses.is_empty() {
        mistakes.at(source, &rule.id, "the rule rests on nothing; name its clauses, or cite at least one source");
    }
    for reference in &rule.source {
        if let Some(document) = document(source, reference, &reference.value.document, &rules.documents, mistakes) {
            let declarations = &rules.environment.declarations;
            section(source, reference, &reference.value.section, document, declarations, mistakes);
        }
    }
    let unknown = |product: &String| unknown_product(product, &rules.products);
    let when = rule.when.clone().unwrap_or_default();
    for message in when.products.iter().chain(&when.not_products).filter_map(unknown) {
        mistakes.at(source, &rule.id, message);
    }
    if let Some(mode) = &when.run_mode
        && !rules.run_modes.contains(mode)
    {
        mistakes.at(source, &rule.id, unknown_run_mode(mode, &rules.run_modes));
    }
    capabilities(source, &when, rules, mistakes);
    for (named, place) in when.edition.iter().flat_map(|place| place.value.iter().map(move |(id, _)| (id, place))) {
        let Some(id) = named else { continue };
        let versioned = rules.libraries.versioned().map(|(_, library)| library.id.as_str());
        let known: Vec<&str> = std::iter::once(rules.libraries.first().id.as_str()).chain(versioned).collect();
        if !known.contains(&id) {
            let hint = hint(id, known);
            mistakes.at(source, place, format!("`{id}` is not a library whose version api.yaml queries{hint}"));
        }
    }
}

/// Checks the capabilities that a condition names.
fn capabilities(source: &Arc<Source>, when: &When, rules: &Rules, mistakes: &mut Mistakes) {
    let known = &rules.life_cycle.of("").capabilities;
    for (name, has) in when.capabilities() {
        if !known.iter().any(|capability| capability.name == name.value) {
            let hint = hint(&name.value, known.iter().map(|capability| capability.name.as_str()));
            mistakes.at(source, name, format!("`{}` is not a capability of api.yaml{hint}", name.value));
        }
        if has && when.has_not.iter().any(|other| other.value == name.value) {
            let message = format!("`{}` is listed under both `has` and `has_not`; remove one", name.value);
            mistakes.at(source, name, message);
        }
    }
}

fn report(source: &Arc<Source>, rule: &RuleSource, problem: Problem, mistakes: &mut Mistakes) {
    let scalar = match problem.part {
        RulePart::Steps => &rule.steps,
        RulePart::Actors => rule.actors.as_ref().unwrap_or(&rule.steps),
        RulePart::Where => rule.condition.as_ref().unwrap_or(&rule.steps),
        RulePart::Observe(index) => &rule.observe[index],
        RulePart::Axis(axis) => {
            let (name, domain) = rule.forall.get_index(axis.index()).expect("the axis was read from this map");
            return mistakes.at(source, domain, format!("{name}: {}", problem.message));
        }
    };
    mistakes.inside(source, scalar, problem.span, problem.message);
}
