//! The part of a dictionary that holds for the present catalog and simulated device.

use std::collections::{BTreeMap, HashSet};

use catalog::{Rule, Rules, count, digest};
use simulator_contract::Defect;

use crate::model::{Cell, Dictionary, KnownRule, Row};

/// The part of a dictionary that still holds. Rules whose text has changed and defects that no longer exist have
/// dropped out, so that nothing is concluded from them.
#[derive(Debug)]
pub struct Current {
    pub dictionary: Dictionary,
    /// True for each rule, by its position, whose text is the same.
    holds: Vec<bool>,
    /// The sentence of each row's defect, by the row's position; `None` if the defect no longer exists.
    sentences: Vec<Option<&'static str>>,
    /// Remarks about what dropped out, with the next action; empty if the dictionary is up to date.
    pub stale: Vec<String>,
}

impl Current {
    /// Compares a dictionary with the catalog and the simulated device's defects.
    pub fn of(dictionary: Dictionary, rules: &Rules, defects: &'static [Defect]) -> Current {
        let same = |known: &KnownRule| rules.rule(&known.id).is_some_and(|rule| digest_of_rule(rule) == known.text);
        let holds: Vec<bool> = dictionary.rules.iter().map(same).collect();
        let table: BTreeMap<&str, &'static str> =
            defects.iter().map(|defect| (defect.name, defect.mechanism)).collect();
        let sentences: Vec<Option<&'static str>> =
            dictionary.rows.iter().map(|row| table.get(row.defect.as_str()).copied()).collect();
        let mut stale = Vec::new();
        let changed = holds.iter().filter(|holds| !**holds).count();
        if changed > 0 {
            stale.push(format!("{} changed since and dropped out", count(changed, "rule")));
        }
        let gone = sentences.iter().filter(|sentence| sentence.is_none()).count();
        if gone > 0 {
            stale.push(format!("{} gone since", count(gone, "defect")));
        }
        if dictionary.defects != digest_of_defects(defects) && gone == 0 {
            let known: HashSet<&str> = dictionary.rows.iter().map(|row| row.defect.as_str()).collect();
            let new = defects.iter().filter(|defect| !known.contains(defect.name)).count();
            stale.push(format!(
                "the table of defects changed; {} not in it, or reached by no rule",
                count(new, "defect")
            ));
        }
        if !dictionary.untried.is_empty() {
            let (untried, all) = (dictionary.untried.len(), count(defects.len(), "defect"));
            stale.push(format!("{untried} of {all} were not tried"));
        }
        if dictionary.catalog != rules.digest && changed == 0 {
            stale.push("the catalog changed, but none of its rules".to_owned());
        }
        Current { dictionary, holds, sentences, stale }
    }

    /// A dictionary that was made for the present catalog and this table of defects.
    pub fn just_made(dictionary: Dictionary, defects: &'static [Defect]) -> Current {
        let holds = vec![true; dictionary.rules.len()];
        let sentence = |row: &Row| defects.iter().find(|defect| defect.name == row.defect).map(|found| found.mechanism);
        let sentences = dictionary.rows.iter().map(sentence).collect();
        Current { dictionary, holds, sentences, stale: Vec::new() }
    }

    /// The rows of defects that still exist, each with the defect's sentence.
    pub fn rows(&self) -> impl Iterator<Item = (&Row, &'static str)> {
        self.dictionary.rows.iter().zip(&self.sentences).filter_map(|(row, sentence)| Some((row, (*sentence)?)))
    }

    /// True if the text of a rule, by its position, is the same.
    pub fn holds(&self, rule: usize) -> bool {
        self.holds.get(rule).copied().unwrap_or(false)
    }

    /// The cells of a row whose rules still hold.
    pub fn cells<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a Cell> {
        row.cells.iter().filter(|cell| self.holds(cell.rule as usize))
    }

    /// The rules that still hold, each with its position.
    pub fn rules(&self) -> impl Iterator<Item = (usize, &KnownRule)> {
        self.dictionary.rules.iter().enumerate().filter(|(at, _)| self.holds(*at))
    }
}

/// The digest of a table of defects: names and sentences.
pub fn digest_of_defects(defects: &[Defect]) -> String {
    let lines: String = defects.iter().map(|defect| format!("{}\t{}\n", defect.name, defect.mechanism)).collect();
    digest::of_bytes(lines.as_bytes())[..16].to_owned()
}

/// The digest of the parts of a rule's text that decide its results: level, condition, actors, axes, and steps with
/// their set-ups. Titles, sources and claims do not count.
pub fn digest_of_rule(rule: &Rule) -> String {
    let source = &rule.source;
    let mut text = format!("{:?}\t{:?}\n", rule.level, rule.hazard);
    for part in [&source.condition, &source.actors].into_iter().flatten() {
        text += &format!("{}\n", part.value);
    }
    for (name, domain) in &source.forall {
        text += &format!("{name}\t{:?}\n", domain.value);
    }
    text += &rule.program.source;
    digest::of_bytes(text.as_bytes())[..12].to_owned()
}
