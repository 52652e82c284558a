//! Readings: what a second reader, who saw neither the author's clauses nor notes, found that a check rests on.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

use steps::judgement::{Judged, Judgement, judgements};
use steps::suggest::hint;

use super::clauses::{Clause, Modality};
use super::diagnostic::{CatalogError, Diagnostic};
use super::model::Level;
use super::policy::Ground;
use super::read::read_readings;
use super::rules::{Rule, Rules};
use super::specs::Specs;
use crate::digest;

/// `specs/<runtime>/readings/*.yaml`: what a second reader found.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadingsFile {
    /// The readings.
    #[schemars(with = "Vec<Reading>")]
    pub readings: Vec<Spanned<Reading>>,
}

/// What a second reader found for one judged check.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// The rule's id.
    #[schemars(with = "String")]
    pub rule: Spanned<String>,
    /// SHA-256 of the check's text, as `atlas-cts clauses --checks` prints it: a check that is changed has to be read
    /// again.
    pub check: String,
    /// SHA-256 of the sentences that the reader found, as in a clause; none: the reader found none.
    #[serde(default)]
    pub sentences: Vec<String>,
    /// The sections in which they stand.
    #[serde(default)]
    pub sections: Vec<String>,
    /// What kind of sentence the strongest of them is; absent where there is none.
    #[serde(default)]
    pub modality: Option<Modality>,
    /// What of the check goes beyond these sentences, as the reader sees it.
    #[serde(default)]
    pub beyond: Option<String>,
    /// Where author and reader disagree: what was decided, and by which sentence.
    #[serde(default)]
    pub settled: Option<String>,
}

/// How a reading compares with what the check names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// Both found the same sentence.
    Sentence,
    /// Both found a promise, on the same page or in the same section.
    Section,
    /// The reader found a promise elsewhere.
    Elsewhere,
    /// The reader found no promise.
    Nothing,
}

impl Agreement {
    /// Whether nobody has to decide.
    pub fn agrees(self) -> bool {
        matches!(self, Agreement::Sentence | Agreement::Section)
    }

    /// What it is called in reports.
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
    /// The judged checks of a `must` rule, each with the digest of its text; several checks of one text are one.
    pub fn checks(&self) -> Vec<(Judged, String)> {
        if self.level != Level::Must || self.hazard.is_some() {
            return Vec::new();
        }
        let mut found: Vec<(Judged, String)> = Vec::new();
        for judged in judgements(&self.program) {
            let text = match judged.judgement {
                Judgement::Success => self.program.source.clone(),
                _ => self.program.judged(&judged),
            };
            let digest = digest::of_bytes(text.as_bytes());
            if !found.iter().any(|(_, known)| *known == digest) {
                found.push((judged, digest));
            }
        }
        found
    }
}

/// Compares what a reader found with what a check rests on.
fn compare(reading: &Reading, ground: &Ground, clauses: &[Clause]) -> Agreement {
    let own: Vec<&Clause> = ground.clauses.iter().map(|clause| &clauses[*clause]).collect();
    if !reading.modality.is_some_and(Modality::promises) {
        // What only looks for silent corruption promises nothing, and both say so.
        let promised = own.iter().any(|clause| clause.modality.promises());
        return if promised { Agreement::Nothing } else { Agreement::Section };
    }
    if own.iter().any(|clause| reading.sentences.contains(&clause.sentence)) {
        return Agreement::Sentence;
    }
    match own.iter().any(|clause| reading.sections.contains(&clause.section)) {
        true => Agreement::Section,
        false => Agreement::Elsewhere,
    }
}

/// What was read twice.
#[derive(Debug, Default)]
pub struct Readings {
    /// Rule and digest of a check → how author and reader compare, and whether that was settled.
    pub read: HashMap<(String, String), (Agreement, bool)>,
    /// Judged checks of `must` rules.
    pub checks: usize,
}

impl Readings {
    /// Checks that nobody but their author has read.
    pub fn unread(&self) -> usize {
        self.checks - self.read.len()
    }
}

/// Holds the readings of a catalog against its rules: a reading of a check that is there no more is a mistake, and so is a
/// disagreement that nobody settled. All mistakes are reported together.
pub fn readings(specs: &Specs, rules: &Rules) -> Result<Readings, CatalogError> {
    let (files, diagnostics) = read_readings(specs, &rules.runtime);
    let checks: HashMap<&str, Vec<(Judged, String)>> =
        rules.rules.iter().map(|rule| (rule.id.as_str(), rule.checks())).collect();
    let found = Readings { checks: checks.values().map(Vec::len).sum(), ..Readings::default() };
    let mut comparison = Comparison { rules, checks, found, diagnostics };
    for file in &files {
        for entry in &file.value.readings {
            if let Some((place, message)) = comparison.reading(&entry.value) {
                comparison.diagnostics.push(Diagnostic::at(&file.source, place, message));
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
    /// Rule → its judged checks, each with the digest of its text.
    checks: HashMap<&'a str, Vec<(Judged, String)>>,
    found: Readings,
    diagnostics: Vec<Diagnostic>,
}

impl Comparison<'_> {
    /// Compares one reading; a mistake with its place.
    fn reading<'r>(&mut self, reading: &'r Reading) -> Option<(&'r Spanned<String>, String)> {
        let id = &reading.rule.value;
        let wrong = |message: String| Some((&reading.rule, message));
        let Some(rule) = self.rules.rule(id) else {
            let hint = hint(id, self.rules.rules.iter().map(|rule| rule.id.as_str()));
            return wrong(format!("there is no rule `{id}`{hint}"));
        };
        let found = self.checks[rule.id.as_str()].iter().find(|(_, digest)| *digest == reading.check);
        let Some((judged, digest)) = found else {
            return wrong(format!(
                "{id} has no judged check of digest {} any more: it was changed or lowered; remove this reading, and have \
                 the check read again (`atlas-cts clauses --checks` prints the digests)",
                reading.check.get(..12).unwrap_or(&reading.check)
            ));
        };
        let ground = rule.ground(judged)?;
        let agreement = compare(reading, ground, &self.rules.book.clauses);
        let known = (id.clone(), digest.clone());
        if self.found.read.insert(known, (agreement, reading.settled.is_some())).is_some() {
            return wrong(format!("the check of {id} is read a second time"));
        }
        if agreement.agrees() || reading.settled.is_some() {
            return None;
        }
        wrong(format!(
            "author and second reader disagree about `{}` ({}): say under `settled` what was decided, and by which sentence",
            rule.program.judged(judged),
            agreement.name()
        ))
    }
}
