//! Readings: what a second reader, who saw neither the author's clauses nor notes, found that a check rests on.

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

use steps::judgement::{Judged, Judgement, judgements};
use steps::suggest::hint;

use super::check::Checker;
use super::clauses::{Clause, Modality};
use super::diagnostic::Source;
use super::model::Level;
use super::policy::Ground;
use super::read::ParsedFile;
use super::rules::{Rule, Rules};
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

impl Checker<'_> {
    /// Holds the readings against the rules: a reading of a check that is there no more is a mistake, and so is a
    /// disagreement that nobody settled.
    pub(super) fn readings(&mut self, files: &[ParsedFile<ReadingsFile>], rules: &Rules) -> Readings {
        let mut readings = Readings::default();
        let checks: HashMap<&str, Vec<(Judged, String)>> =
            rules.rules.iter().map(|rule| (rule.id.as_str(), rule.checks())).collect();
        readings.checks = checks.values().map(Vec::len).sum();
        for file in files {
            for entry in &file.value.readings {
                self.reading(&file.source, &entry.value, rules, &checks, &mut readings);
            }
        }
        readings
    }

    fn reading(
        &mut self,
        source: &Arc<Source>,
        reading: &Reading,
        rules: &Rules,
        checks: &HashMap<&str, Vec<(Judged, String)>>,
        readings: &mut Readings,
    ) {
        let id = &reading.rule.value;
        let Some(rule) = rules.rule(id) else {
            let hint = hint(id, rules.rules.iter().map(|rule| rule.id.as_str()));
            return self.at(source, &reading.rule, format!("there is no rule `{id}`{hint}"));
        };
        let found = checks[rule.id.as_str()].iter().find(|(_, digest)| *digest == reading.check);
        let Some((judged, digest)) = found else {
            let message = format!(
                "{id} has no judged check of digest {} any more: it was changed or lowered; remove this reading, and have \
                 the check read again (`atlas-cts clauses --checks` prints the digests)",
                reading.check.get(..12).unwrap_or(&reading.check)
            );
            return self.at(source, &reading.rule, message);
        };
        let Some(ground) = rule.ground(judged) else { return };
        let agreement = compare(reading, ground, &rules.book.clauses);
        if !agreement.agrees() && reading.settled.is_none() {
            let text = rule.program.judged(judged);
            let message = format!(
                "author and second reader disagree about `{text}` ({}): say under `settled` what was decided, and by which \
                 sentence",
                agreement.name()
            );
            self.at(source, &reading.rule, message);
        }
        if readings.read.insert((id.clone(), digest.clone()), (agreement, reading.settled.is_some())).is_some() {
            self.at(source, &reading.rule, format!("the check of {id} is read a second time"));
        }
    }
}
