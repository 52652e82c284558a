//! The policy at run time: which of a rule's checks are only observed in an edition or on a host
//! (docs/catalog/evidence.md).

use std::collections::BTreeSet;

use steps::StatementId;
use steps::judgment::{BareCall, Judged, judgments};

use super::clauses::Clause;
use super::edition::Edition;
use super::editions::Editions;
use super::model::SupportEntry;
use super::rules::{Ground, Rule, Rules};

/// The known facts about the target on which promises depend.
#[derive(Debug, Clone)]
pub struct Known {
    /// The editions of the libraries.
    pub editions: Editions,
    /// The mode in which this program runs; `None`: unknown, or the runtime has no modes.
    pub run_mode: Option<String>,
    /// True in a virtual machine; `None`: unknown.
    pub virtual_machine: Option<bool>,
    /// Ids of the trials that the device has passed.
    pub shown: BTreeSet<String>,
    /// Ids of the axioms that this run does not assume. Checks that need them are only observed.
    pub without: BTreeSet<String>,
}

impl Known {
    /// The reason why a clause does not hold here, as the text that follows its id; `None` if it holds.
    fn against(&self, clause: &Clause) -> Option<String> {
        if !clause.holds_in(&self.editions) {
            let is = self.editions.of(clause.library).map_or_else(|| "unknown".to_owned(), Edition::to_string);
            return Some(format!("({}); the edition is {is}", clause.editions()));
        }
        let mode = self.run_mode.as_deref().filter(|mode| !clause.holds_in_mode(Some(mode)))?;
        Some(format!("({}); this program runs in mode {mode}", clause.modes()))
    }

    /// The reason why calls to a function in the support table are only observed here; `None` if they are judged.
    fn not_documented(&self, entry: &SupportEntry) -> Option<&'static str> {
        let shown = entry.trial.as_ref().is_some_and(|trial| self.shown.contains(trial));
        match self.virtual_machine {
            _ if !entry.not_virtual => None,
            None => Some("it is unknown if this is one"),
            Some(true) if shown => Some("this is a virtual machine, whose device supports it"),
            Some(_) => None,
        }
    }
}

impl Rule {
    /// The ids of statements whose checks are only observed here, because their grounds do not hold or may not hold in
    /// this edition or on this host. Also returns the reasons, without duplicates.
    pub fn observed_only(&self, rules: &Rules, known: &Known) -> (Vec<StatementId>, Vec<String>) {
        let (mut statements, mut reasons) = (Vec::new(), Vec::new());
        let why = |name: &'static str| Some((name, known.not_documented(rules.support.get(name)?)?));
        if let Some((function, why)) = self.program.function_names().find_map(why) {
            statements.extend(judgments(&self.program).iter().filter_map(|judged| judged.judgment.statement()));
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
        for judged in judgments(&self.program) {
            let what = self.program.judged(&judged);
            if let Some((clause, why)) = self.ground(&judged).and_then(failing) {
                reasons.push(format!("`{what}` rests on {} {why}", clause.id));
            } else if let Some(axiom) = denied(&judged) {
                reasons.push(format!("`{what}` assumes {}, which this run leaves out", axiom.id));
            } else {
                every = false;
                continue;
            }
            statements.extend(judged.judgment.statement());
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

    /// The bare calls that may fail in the program's run mode, each with the sentence that allows the failure. Calls
    /// that are marked with a promise for this mode are left out.
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
