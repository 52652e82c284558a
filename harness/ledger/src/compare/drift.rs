//! Drift: two runs gave different answers to the same question, and no rule judges the answers.

use std::collections::{BTreeMap, BTreeSet};

use record::{AnswerCount, Meaning, QuestionAnswers, RuleResult};

use super::difference::{Drift, DriftKind, Share};
use super::pairs::Pairs;
use super::statistics::{Test, Tests, fisher};

/// Questions with different answers in two runs.
#[derive(Default)]
pub(super) struct Candidates {
    pub found: Vec<Candidate>,
    /// Remarks about answers that could not be compared.
    pub remarks: Vec<String>,
}

/// A question with different answers.
pub(super) struct Candidate {
    drift: Drift,
    /// The test for the difference; `None` if each run had a constant answer and the two answers differ.
    test: Option<Test>,
}

impl Candidate {
    /// A drift that counts only if its test is significant.
    pub(super) fn tested(drift: Drift, test: Test) -> Candidate {
        Candidate { drift, test: Some(test) }
    }

    /// The drift, unless chance explains the difference.
    pub(super) fn judged(self, significant: &[(f64, bool)]) -> Option<Drift> {
        match self.test {
            None => Some(self.drift),
            Some(test) if significant[test].1 => Some(Drift { p: Some(significant[test].0), ..self.drift }),
            Some(_) => None,
        }
    }
}

/// Compares the answers of both runs.
pub(super) fn compare(pairs: &Pairs<'_>, tests: &mut Tests) -> Candidates {
    let mut candidates = Candidates::default();
    let (old, new) = (&pairs.old.header, &pairs.new.header);
    let same_cases = old.seed == new.seed && old.catalog_digest == new.catalog_digest && old.product == new.product;
    let mut unrecorded = 0;
    let mut other_cases = 0;
    for (old_result, new_result) in pairs.both.values() {
        let good = |result: &RuleResult| matches!(result.meaning(), Meaning::Good | Meaning::Finding);
        if !good(old_result) || !good(new_result) {
            continue;
        }
        // If the numbers of cases differ, the shares of edge values and random samples differ too.
        let alike = old.profile == new.profile && nearly(old_result.cases, new_result.cases);
        let questions = questions(old_result, new_result);
        unrecorded += u64::from(old_result.answers.is_some() != new_result.answers.is_some());
        for SharedQuestion { kind, what, exact, old, new } in questions {
            let (first, second) = (only(&old), only(&new));
            let constant = first.is_some() && second.is_some();
            if constant && first == second {
                continue;
            }
            let drift = Drift {
                rule: new_result.id.clone(),
                kind,
                what,
                strength: total_variation(&old, &new),
                p: None,
                old: shares(&old),
                new: shares(&new),
                finding: false,
            };
            if constant && (exact || (same_cases && alike)) {
                candidates.found.push(Candidate { drift, test: None });
            } else if alike || exact {
                let test = Some(tests.add(p_value(&old, &new)));
                candidates.found.push(Candidate { drift, test });
            } else {
                other_cases += 1;
            }
        }
    }
    if unrecorded > 0 {
        candidates.remarks.push(format!(
            "rules with recorded answers in one run only: {unrecorded}; these are compared by their observations alone \
             (journals of 0.2 and older record no answers)"
        ));
    }
    if other_cases > 0 {
        candidates.remarks.push(format!(
            "questions with different answers that are not compared: {other_cases}; the runs tried different numbers of \
             cases, so the shares are of different mixtures"
        ));
    }
    candidates
}

/// A question with answers in both runs.
struct SharedQuestion {
    kind: DriftKind,
    what: String,
    /// True if equal questions mean equal cases.
    exact: bool,
    old: QuestionAnswers,
    new: QuestionAnswers,
}

fn questions(old: &RuleResult, new: &RuleResult) -> Vec<SharedQuestion> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    if let (Some(old), Some(new)) = (&old.answers, &new.answers) {
        let exact = old.exact && new.exact;
        for (kind, old, new) in [
            (DriftKind::Code, &old.calls, &new.calls),
            (DriftKind::Check, &old.checks, &new.checks),
            (DriftKind::Value, &old.values, &new.values),
        ] {
            for (what, given) in old {
                let Some(given_new) = new.get(what) else { continue };
                if let Some(observed) = what.strip_prefix("observe ") {
                    seen.insert(observed.split(" where ").next().unwrap_or_default().to_owned());
                }
                let (what, old, new) = (what.clone(), given.clone(), given_new.clone());
                found.push(SharedQuestion { kind, what, exact, old, new });
            }
        }
    }
    let single = |result: &RuleResult| result.coverage.as_ref().is_some_and(|coverage| coverage.distinct == 1);
    for (name, classes) in &old.observations {
        let Some(new_classes) = new.observations.get(name).filter(|_| !seen.contains(name)) else { continue };
        // A hazardous rule has one outcome per run. Numbers in the outcome's text are removed.
        let outcome = name == "outcome";
        let given = |classes: &BTreeMap<String, u64>| {
            let class = |text: &str| if outcome { without_numbers(text) } else { text.to_owned() };
            let count = |cases: &u64| AnswerCount { cases: *cases, example: None };
            let answers = classes.iter().map(|(text, cases)| (class(text), count(cases)));
            QuestionAnswers { cases: classes.values().sum(), answers: answers.collect() }
        };
        found.push(SharedQuestion {
            kind: DriftKind::Value,
            what: format!("observe {name}"),
            exact: outcome || (single(old) && single(new)),
            old: given(classes),
            new: given(new_classes),
        });
    }
    found
}

/// The answer, if there is only one.
fn only(given: &QuestionAnswers) -> Option<&str> {
    let mut answers = given.answers.keys();
    let first = answers.next()?;
    answers.next().is_none().then_some(first)
}

fn shares(given: &QuestionAnswers) -> Vec<Share> {
    let share = |(text, answer): (&String, &AnswerCount)| Share {
        answer: text.clone(),
        cases: answer.cases,
        example: answer.example.clone(),
    };
    let mut shares: Vec<Share> = given.answers.iter().map(share).collect();
    shares.sort_by_key(|share| std::cmp::Reverse(share.cases));
    shares
}

/// The number of times that each answer occurs in each run.
fn counts<'a>(old: &'a QuestionAnswers, new: &'a QuestionAnswers) -> impl Iterator<Item = (u64, u64)> + 'a {
    let answers: BTreeSet<&String> = old.answers.keys().chain(new.answers.keys()).collect();
    let cases = |given: &QuestionAnswers, answer: &str| given.answers.get(answer).map_or(0, |answer| answer.cases);
    answers.into_iter().map(move |answer| (cases(old, answer), cases(new, answer)))
}

fn total_variation(old: &QuestionAnswers, new: &QuestionAnswers) -> f64 {
    let (all_old, all_new) = (old.cases.max(1) as f64, new.cases.max(1) as f64);
    let difference = counts(old, new).map(|(a, b)| (a as f64 / all_old - b as f64 / all_new).abs()).sum::<f64>();
    (difference / 2.0).min(1.0)
}

/// Tests each answer against all other answers. Returns the smallest p value times the number of tests (Bonferroni).
fn p_value(old: &QuestionAnswers, new: &QuestionAnswers) -> f64 {
    let values: Vec<f64> = counts(old, new).map(|(a, b)| fisher(a, old.cases, b, new.cases)).collect();
    // With only two answers, the test of one answer is also the test of the other answer.
    let total = |given: &QuestionAnswers| given.answers.values().map(|answer| answer.cases).sum::<u64>();
    let one_each = |given: &QuestionAnswers| total(given) == given.cases;
    let tests = if values.len() == 2 && one_each(old) && one_each(new) { 1.0 } else { values.len() as f64 };
    (values.into_iter().fold(1.0, f64::min) * tests).min(1.0)
}

/// True if two numbers of cases differ by at most a tenth. Numbers of cases vary with the seed because `where` discards
/// cases.
fn nearly(a: u64, b: u64) -> bool {
    a.abs_diff(b) <= a.max(b) / 10
}

fn without_numbers(text: &str) -> String {
    let mut kept = String::new();
    for part in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        kept.push_str(if number { "#" } else { word });
        kept.push_str(&part[word.len()..]);
    }
    kept
}
