//! Readings. A reading names the sentences that a check rests on according to a second reader, who saw neither the
//! author's clauses nor the author's notes.

use std::collections::HashMap;

use steps::judgment::{Judged, Judgment, judgments};
use steps::suggest::hint;

use super::clauses::{Clause, ClauseBook};
use super::diagnostic::{CatalogError, Diagnostic};
use super::model::{Level, Reading, Strength};
use super::read::read_readings;
use super::rules::{Ground, Rule, Rules};
use super::sentence::{SENTENCE, names_a_sentence};
use super::specs::Specs;
use crate::digest;

/// The agreement between a reading and the clauses that the check names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// The author and the reader found the same sentence.
    Sentence,
    /// The author and the reader found promises on the same page or in the same section.
    Section,
    /// The reader found a promise elsewhere.
    Elsewhere,
    /// The reader found no promise.
    Nothing,
}

impl Agreement {
    /// True if no decision is needed.
    pub fn agrees(self) -> bool {
        matches!(self, Agreement::Sentence | Agreement::Section)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Agreement::Sentence => "the same sentence",
            Agreement::Section => "the same section",
            Agreement::Elsewhere => "a promise elsewhere",
            Agreement::Nothing => "no promise",
        }
    }
}

impl Rule {
    /// The judged checks in a `must` rule, each with the text that names it. Checks with the same text count as one.
    pub fn checks(&self) -> Vec<(Judged, String)> {
        if self.level != Level::Must || self.hazard.is_some() {
            return Vec::new();
        }
        let mut found: Vec<(Judged, String)> = Vec::new();
        for judged in judgments(&self.program) {
            let text = match judged.judgment {
                // The success of all calls depends on the whole program.
                Judgment::Success => {
                    let digest = digest::of_bytes(self.program.source.as_bytes());
                    format!("every call succeeds ({})", &digest[..SENTENCE])
                }
                _ => self.program.judged(&judged),
            };
            if !found.iter().any(|(_, known)| *known == text) {
                found.push((judged, text));
            }
        }
        found
    }
}

/// Compares a reader's findings with the ground of a check.
fn compare(reading: &Reading, ground: &Ground, book: &ClauseBook) -> Agreement {
    let own: Vec<&Clause> = ground.clauses.iter().map(|clause| &book.clauses[*clause]).collect();
    let found: Vec<&Clause> = reading.found.iter().filter_map(|id| book.clause(id)).collect();
    let promises = match reading.modality {
        Some(Strength::Modality(modality)) => modality.promises(),
        Some(Strength::None(_)) => false,
        None => found.iter().any(|clause| clause.modality.promises()),
    };
    if !promises {
        // A check that only detects silent corruption rests on no promise, and the reader found none.
        let promised = own.iter().any(|clause| clause.modality.promises());
        return if promised { Agreement::Nothing } else { Agreement::Section };
    }
    let same = |clause: &&Clause| {
        reading.found.contains(&clause.sentence) || found.iter().any(|found| found.sentence == clause.sentence)
    };
    if own.iter().any(same) {
        return Agreement::Sentence;
    }
    let section = |clause: &&Clause| {
        reading.sections.contains(&clause.section) || found.iter().any(|found| found.section == clause.section)
    };
    match own.iter().any(section) {
        true => Agreement::Section,
        false => Agreement::Elsewhere,
    }
}

/// The checks that a second reader has read.
#[derive(Debug, Default)]
pub struct Readings {
    /// The agreement between author and reader, by rule and text of the check, with true if a disagreement was settled.
    pub read: HashMap<(String, String), (Agreement, bool)>,
    /// The number of judged checks in `must` rules.
    pub checks: usize,
}

impl Readings {
    /// The checks that only their author has read, by rule.
    pub fn unread<'a>(&'a self, rules: &'a Rules) -> impl Iterator<Item = (&'a str, String)> + 'a {
        let checks = rules.rules.iter().flat_map(|rule| rule.checks().into_iter().map(|(_, text)| (&*rule.id, text)));
        checks.filter(|(rule, text)| !self.read.contains_key(&((*rule).to_owned(), text.clone())))
    }
}

/// Compares a catalog's readings with its rules. Readings of removed checks and unsettled disagreements are errors. All
/// mistakes are reported together.
pub fn readings(specs: &Specs, rules: &Rules) -> Result<Readings, CatalogError> {
    let (files, diagnostics) = read_readings(specs, &rules.runtime);
    let checks: HashMap<&str, Vec<(Judged, String)>> =
        rules.rules.iter().map(|rule| (rule.id.as_str(), rule.checks())).collect();
    let found = Readings { checks: checks.values().map(Vec::len).sum(), ..Readings::default() };
    let mut comparison = Comparison { rules, checks, found, diagnostics };
    for file in &files {
        for (rule, readings) in &file.value.readings {
            for (check, reading) in readings {
                if let Some(message) = comparison.reading(rule, check, &reading.value) {
                    comparison.diagnostics.push(Diagnostic::at(&file.source, reading, message));
                }
            }
        }
    }
    match comparison.diagnostics {
        diagnostics if diagnostics.is_empty() => Ok(comparison.found),
        diagnostics => Err(CatalogError { diagnostics }),
    }
}

struct Comparison<'a> {
    rules: &'a Rules,
    /// The judged checks of each rule, with their texts.
    checks: HashMap<&'a str, Vec<(Judged, String)>>,
    found: Readings,
    diagnostics: Vec<Diagnostic>,
}

impl Comparison<'_> {
    /// Compares one reading and returns its mistake, if any.
    fn reading(&mut self, id: &str, check: &str, reading: &Reading) -> Option<String> {
        let Some(rule) = self.rules.rule(id) else {
            let hint = hint(id, self.rules.rules.iter().map(|rule| rule.id.as_str()));
            return Some(format!("there is no rule `{id}`{hint}"));
        };
        let Some((judged, text)) = self.checks[rule.id.as_str()].iter().find(|(_, text)| text == check) else {
            return Some(format!(
                "{id} has no judged check `{check}`: it was changed or lowered. Remove this reading, and have the \
                 check read again (`atlas-cts catalog clauses --checks` prints the checks)"
            ));
        };
        let ground = rule.ground(judged)?;
        let agreement = compare(reading, ground, &self.rules.book);
        let known = (id.to_owned(), text.clone());
        if self.found.read.insert(known, (agreement, reading.settled.is_some())).is_some() {
            return Some(format!("the check of {id} has two readings; remove one"));
        }
        if let Some(mistake) = self.unnamed(rule, judged, reading) {
            return Some(mistake);
        }
        if agreement.agrees() || reading.settled.is_some() {
            return None;
        }
        Some(format!(
            "author and second reader disagree about `{check}` ({}): write the decision under `settled`, with the \
             sentence that decides it",
            agreement.name()
        ))
    }

    /// The mistake in the names that a reading uses, if any: a name is unknown or missing.
    fn unnamed(&self, rule: &Rule, judged: &Judged, reading: &Reading) -> Option<String> {
        if let Some(id) = reading.found.iter().find(|id| !names_a_sentence(id) && self.rules.book.clause(id).is_none())
        {
            return Some(format!("there is no clause `{id}`; name one, or the first {SENTENCE} digits of a sentence"));
        }
        if reading.beyond.is_some() && reading.settled.is_none() && reading.answered.is_none() {
            return Some(
                "the second reader says that the check goes beyond its sentences: name the axiom that covers it under \
                 `assuming`, the sentence that answers it under `answered`, or narrow or lower the check"
                    .to_owned(),
            );
        }
        let assumed = rule.axioms(judged, self.rules);
        let missing = reading.assuming.iter().find(|id| assumed.iter().all(|axiom| axiom.id != **id))?;
        Some(format!(
            "the second reader says that `{}` assumes {missing}, and {} does not: add it to `assumes` of the rule or \
             its chapter",
            rule.program.judged(judged),
            rule.id
        ))
    }
}
