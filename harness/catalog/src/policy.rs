//! The policy: what a judged check may rest on, and what of a rule is only observed in an edition (docs/policy.md).

use std::collections::BTreeSet;
use std::sync::Arc;

use steps::Span;
use steps::StatementId;
use steps::judgement::{BareCall, Judged, Judgement, judgements, reported};
use steps::suggest::hint;

use super::check::Checker;
use super::clause_file::Modality;
use super::clauses::Clause;
use super::diagnostic::Source;
use super::edition::Edition;
use super::model::{Level, RuleSource, SupportEntry};
use super::rules::{Rule, Rules};
use super::select::offered;

/// What checks of a rule rest on: one clause, or several from which it is inferred.
#[derive(Debug, Clone)]
pub struct Ground {
    /// The name that the rule's steps use.
    pub name: String,
    /// Positions in [`ClauseBook::clauses`](super::ClauseBook::clauses).
    pub clauses: Vec<usize>,
    /// Ids of the axioms that the checks assume instead of the rule's; empty: the rule's.
    pub axioms: Vec<String>,
}

/// What is known of where the rules run, as far as promises depend on it.
#[derive(Debug, Clone)]
pub struct Known {
    /// The edition of the library; `None`: it is not known.
    pub edition: Option<Edition>,
    /// Where this program runs; `None`: it is not known, or all programs of the runtime run in the same place.
    pub run_mode: Option<String>,
    /// Whether programs run in a virtual machine; `None`: it is not known.
    pub virtual_machine: Option<bool>,
    /// Ids of the capabilities that the device has shown.
    pub shown: BTreeSet<String>,
    /// Ids of the axioms that this run does without: checks that assume them are only observed.
    pub without: BTreeSet<String>,
}

impl Known {
    /// Why a clause does not hold here, as what follows its id; `None`: it holds.
    fn against(&self, clause: &Clause) -> Option<String> {
        let edition = self.edition.as_ref();
        if !clause.holds_in(edition) {
            let is = edition.map_or_else(|| "unknown".to_owned(), Edition::to_string);
            return Some(format!("({}); the edition is {is}", clause.editions()));
        }
        let mode = self.run_mode.as_deref().filter(|mode| !clause.holds_in_mode(Some(mode)))?;
        Some(format!("({}); this program runs in mode {mode}", clause.modes()))
    }

    /// Why what calls a function of the table of support is observed here; `None`: it is judged.
    fn not_documented(&self, entry: &SupportEntry) -> Option<&'static str> {
        let shown = entry.capability.as_ref().is_some_and(|capability| self.shown.contains(capability));
        match self.virtual_machine {
            _ if !entry.not_virtual => None,
            None => Some("whether this is one is not known"),
            Some(true) if shown => Some("this is a virtual machine, whose device does it"),
            Some(_) => None,
        }
    }
}

impl Rule {
    /// What a judgement rests on; `None`: nothing is named for it.
    pub fn ground(&self, judged: &Judged) -> Option<&Ground> {
        self.ground_of(judged.rests_on)
    }

    fn ground_of(&self, named: Option<usize>) -> Option<&Ground> {
        match named {
            Some(named) => self.ground_named(named),
            None => <&[Ground; 1]>::try_from(&*self.grounds).ok().map(|[ground]| ground),
        }
    }

    /// What a marker of the steps names, by its position in the program's grounds.
    pub fn ground_named(&self, named: usize) -> Option<&Ground> {
        let name = &self.program.grounds.get(named)?.name;
        self.grounds.iter().find(|ground| ground.name == *name)
    }

    /// The judged check at a place of the steps.
    pub(super) fn judged_at(&self, span: Span) -> Option<Judged> {
        let at = |judged: &Judged| judged.reported == span || judged.statement == span;
        judgements(&self.program).into_iter().find(at).filter(|_| span != Span::default())
    }

    /// What the statement at a place rests on; everything that the rule rests on where the place is none of a check.
    pub fn grounds_at(&self, span: Span) -> Vec<&Ground> {
        match self.judged_at(span).and_then(|judged| self.ground(&judged)) {
            Some(ground) => vec![ground],
            None => self.grounds.iter().collect(),
        }
    }

    /// The statements whose checks are only observed here, by id, because what they rest on does not hold in this edition
    /// or on this host, or is not known to: with why, each reason once.
    pub fn observed_only(&self, rules: &Rules, known: &Known) -> (Vec<StatementId>, Vec<String>) {
        let (mut statements, mut reasons) = (Vec::new(), Vec::new());
        let why = |name: &'static str| Some((name, known.not_documented(rules.support.get(name)?)?));
        if let Some((function, why)) = self.program.function_names().find_map(why) {
            statements.extend(judgements(&self.program).iter().filter_map(|judged| judged.judgement.statement()));
            statements.extend(self.program.bare_calls().iter().map(|call| call.id));
            reasons.push(format!("{function} is documented for physical machines and containers; {why}"));
            return (statements, reasons);
        }
        let failing = |ground: &Ground| {
            let mut clauses = ground.clauses.iter().map(|clause| &rules.book.clauses[*clause]);
            clauses.find_map(|clause| Some((clause, known.against(clause)?)))
        };
        let denied =
            |judged: &Judged| self.axioms(judged, rules).into_iter().find(|axiom| known.without.contains(&axiom.id));
        let mut every = true;
        for judged in judgements(&self.program) {
            let what = self.program.judged(&judged);
            if let Some((clause, why)) = self.ground(&judged).and_then(failing) {
                reasons.push(format!("`{what}` rests on {} {why}", clause.id));
            } else if let Some(axiom) = denied(&judged) {
                reasons.push(format!("`{what}` assumes {}, which this run does without", axiom.id));
            } else {
                every = false;
                continue;
            }
            statements.extend(judged.judgement.statement());
        }
        let bare = self.program.bare_calls();
        if !reasons.is_empty() {
            let bare = bare.iter().filter(|call| match call.rests_on {
                None => every,
                named => self.ground_of(named).and_then(failing).is_some(),
            });
            statements.extend(bare.map(|call| call.id));
        }
        for (call, clause) in self.left_open(rules, known) {
            statements.push(call.id);
            reasons.push(format!("{} may be refused by {} ({})", call.function, clause.id, clause.modes()));
        }
        statements.sort_unstable();
        statements.dedup();
        let mut seen = BTreeSet::new();
        reasons.retain(|reason| seen.insert(reason.clone()));
        (statements, reasons)
    }

    /// The bare calls that may be refused in the program's run mode, each with the sentence that lets them be: not one
    /// that is marked with what a sentence promises of just this mode.
    fn left_open<'r>(&self, rules: &'r Rules, known: &Known) -> Vec<(BareCall, &'r Clause)> {
        let Some(mode) = known.run_mode.as_deref() else { return Vec::new() };
        let open: Vec<&Clause> = rules.book.clauses.iter().filter(|clause| clause.is_about(mode)).collect();
        let promised = |call: &BareCall| {
            let ground = call.rests_on.and_then(|named| self.ground_named(named));
            ground.is_some_and(|ground| ground.clauses.iter().any(|at| rules.book.clauses[*at].is_about(mode)))
        };
        let by = |call: BareCall| {
            let clause = open.iter().find(|clause| clause.leaves_open.iter().any(|name| name == call.function))?;
            Some((call, *clause))
        };
        self.program.bare_calls().into_iter().filter(|call| !promised(call)).filter_map(by).collect()
    }
}

impl Checker<'_> {
    /// What the checks of a rule rest on, by name.
    pub(super) fn grounds(&mut self, source: &Arc<Source>, rule: &RuleSource, rules: &Rules) -> Vec<Ground> {
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
                        let message = format!("`{id}` is in inventory.tsv, where no check rests; move it to clauses/");
                        self.at(source, clauses, message);
                    }
                    None => {
                        let hint = hint(id, rules.book.positions.keys().map(String::as_str));
                        self.at(source, clauses, format!("there is no clause `{id}`{hint}"));
                    }
                }
            }
            grounds.push(Ground { name: name.clone(), clauses: positions, axioms });
        }
        grounds
    }

    /// Holds a rule against the policy: each judged check of a `must` rule rests on a sentence that says what happens,
    /// on every product that the rule applies to.
    pub(super) fn policy(&mut self, source: &Arc<Source>, rule: &Rule, rules: &Rules) {
        let names: Vec<&str> = rule.grounds.iter().map(|ground| ground.name.as_str()).collect();
        for used in &rule.program.grounds {
            if !names.contains(&used.name.as_str()) {
                let hint = hint(&used.name, names.iter().copied());
                let message = format!("`{}` is none of the rule's `clauses`{hint}", used.name);
                self.inside(source, &rule.source.steps, rule.program.written(used.span), message);
            }
        }
        let unused = |name: &&&str| !rule.program.grounds.iter().any(|used| used.name == ***name);
        if names.len() > 1 {
            for name in names.iter().filter(unused) {
                let place = &rule.source.clauses[*name];
                self.at(source, place, format!("no check rests on `{name}`; mark the check that does, or remove it"));
            }
        }
        if rule.hazard.is_some() {
            return;
        }
        self.kept(source, rule, rules);
        if rule.level != Level::Must {
            return;
        }
        if names.is_empty() {
            let message = "a `must` rule says under `clauses` which sentences its checks rest on (docs/policy.md); \
                           without one it can only inform: `level: info`";
            return self.at(source, &rule.source.id, message);
        }
        let products: Vec<&str> = rules
            .products
            .iter()
            .map(|product| product.id.as_str())
            .filter(|product| offered(rule, product, rules).is_ok())
            .collect();
        for judged in judgements(&rule.program) {
            let text = rule.program.judged(&judged);
            let problem = match rule.ground(&judged) {
                None if judged.rests_on.is_some() => continue,
                None => {
                    Some(format!("`[name]` before it says on which clause it rests; names are {}", names.join(", ")))
                }
                Some(ground) => unfounded(ground, &judged, rule, rules, &products),
            };
            if let Some(problem) = problem {
                let message = format!("`{text}` is judged: {problem}");
                match judged.judgement {
                    Judgement::Success => self.at(source, &rule.source.id, message),
                    _ => self.inside(source, &rule.source.steps, rule.program.written(judged.statement), message),
                }
            }
        }
    }
}

impl Checker<'_> {
    /// A check that rests on what the caller has to keep, and on no outcome, looks at what happens to a caller that does
    /// not: the documents leave that undefined.
    fn kept(&mut self, source: &Arc<Source>, rule: &Rule, rules: &Rules) {
        let judged = if rule.level == Level::Must { Vec::new() } else { judgements(&rule.program) };
        for judged in judged.into_iter().chain(reported(&rule.program)) {
            let clauses = rule.ground(&judged).map(|ground| &*ground.clauses).unwrap_or_default();
            let clauses: Vec<&Clause> = clauses.iter().map(|clause| &rules.book.clauses[*clause]).collect();
            let Some(asked) = clauses.iter().find(|clause| clause.modality.asks()) else { continue };
            if clauses.iter().any(|clause| clause.modality.promises()) {
                continue;
            }
            let (text, id, modality) = (rule.program.judged(&judged), &asked.id, asked.modality.name());
            let message = format!(
                "`{text}` rests on {id}, which asks something of the caller ({modality}), and on no outcome: what happens \
                 to a caller that does otherwise is undefined; write `hazard: undefined`, or keep to it"
            );
            match judged.judgement {
                Judgement::Success => self.at(source, &rule.source.id, message),
                _ => self.inside(source, &rule.source.steps, rule.program.written(judged.statement), message),
            }
        }
    }
}

/// Why a check may not rest on a ground.
fn unfounded(ground: &Ground, judged: &Judged, rule: &Rule, rules: &Rules, products: &[&str]) -> Option<String> {
    let clauses: Vec<&Clause> = ground.clauses.iter().map(|clause| &rules.book.clauses[*clause]).collect();
    let name = &ground.name;
    let Some(first) = clauses.first() else {
        // Clauses that do not exist have been reported.
        let axioms = ground.axioms.join(", ");
        let message =
            format!("`{name}` names only axioms ({axioms}), which promise nothing; name a sentence that does");
        return (!ground.axioms.is_empty()).then_some(message);
    };
    let refused = judged.refused && clauses.iter().any(|clause| clause.modality == Modality::Prohibition);
    if !refused && !clauses.iter().any(|clause| clause.modality.promises()) {
        let lower = if clauses.iter().any(|clause| clause.modality.asks()) {
            "keep to it, look at it in a rule of its own with `hazard: undefined`"
        } else {
            "observe it (`[info]`)"
        };
        return Some(format!(
            "`{name}` ({}) is of modality {} and promises no outcome; {lower}, or name the sentence that does",
            first.id,
            first.modality.name()
        ));
    }
    if let Judgement::Code(id) = judged.judgement {
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
        "{} speaks of {of}, and the rule also applies to {product}; say so under `when`, or split the rule",
        clause.id
    ))
}
