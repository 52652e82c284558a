//! The rules that a run selected, as its journal records them: a reader needs no catalog.

use std::collections::BTreeMap;

use catalog::{Level, line_and_column};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Steps};
use crate::result::RuleResult;

/// A rule that a run selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelectedRule {
    /// The rule's id.
    pub id: String,
    /// The rule's chapter.
    pub chapter: String,
    /// The rule's title.
    pub title: String,
    /// `must` if a document promises what the rule states.
    pub level: Level,
    /// An unresolved contradiction in the documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// The rule's statement, on one line. This and the next fields are empty if the product does not offer the rule.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub statement: String,
    /// The documents that the rule cites: `id, section`, with the ids of the header.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// The functions that the rule owns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owns: Vec<String>,
    /// The rule's steps; `None` for a rule without steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<SelectedSteps>,
}

/// A clause or an axiom that the selected rules rest on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelectedClause {
    /// The clause as reports print it: its id, text, document and editions.
    pub text: String,
    /// The first digits of the SHA-256 of the document's normalized sentence; `None` for an axiom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
}

/// The steps of a rule, as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelectedSteps {
    /// The catalog's file: `specs/…/file.yaml`.
    pub file: String,
    /// The line in which the text starts, from 1.
    pub line: u32,
    /// The indentation of the text, in columns.
    pub column: u32,
    /// The text.
    pub text: String,
}

/// The number of lines kept before a failed statement.
const BEFORE: usize = 9;
/// The number of lines kept after the line in which a failed statement begins.
const AFTER: usize = 3;

impl SelectedSteps {
    /// The place of an offset in the text: `file:line:column`.
    fn place(&self, offset: usize) -> String {
        let (line, column) = line_and_column(&self.text, offset);
        format!("{}:{}:{}", self.file, self.line as usize + line, self.column as usize + column + 1)
    }

    /// The lines around a statement; `None` if the text has no such place.
    fn around(&self, (start, end): (u32, u32), calls: &[u32]) -> Option<Steps> {
        let (start, end) = (start as usize, end as usize);
        self.text.get(start..end)?;
        let ends = self.text.match_indices('\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let failed = starts.partition_point(|begin| *begin <= start) - 1;
        let (first, last) = (failed.saturating_sub(BEFORE), failed + AFTER);
        let from = starts[first];
        let to = starts.get(last + 1).copied().unwrap_or(self.text.len());
        let text = self.text[from..to].trim_end();
        let within = |offset: usize| offset.saturating_sub(from).min(text.len()) as u32;
        Some(Steps {
            first: self.line.saturating_add(first as u32),
            text: text.to_owned(),
            start: within(start),
            end: within(end),
            calls: calls.to_vec(),
        })
    }
}

/// The texts that a run's header has once, by id.
#[derive(Debug, Clone, Copy)]
pub struct HeaderTexts<'a> {
    /// Titles and editions of documents.
    pub documents: &'a BTreeMap<String, String>,
    /// Clauses and axioms.
    pub clauses: &'a BTreeMap<String, SelectedClause>,
}

impl SelectedRule {
    /// Adds to a result what the journal says once, in its header.
    ///
    /// # Errors
    /// Fails with a reason if the header lacks what the result refers to.
    pub fn complete(&self, texts: HeaderTexts<'_>, result: &mut RuleResult) -> Result<(), String> {
        result.chapter.clone_from(&self.chapter);
        result.title.clone_from(&self.title);
        result.level = self.level;
        result.doubt.clone_from(&self.doubt);
        match &mut result.failure {
            Some(failure) => self.complete_failure(texts, failure),
            None => Ok(()),
        }
    }

    fn complete_failure(&self, texts: HeaderTexts<'_>, failure: &mut Failure) -> Result<(), String> {
        let HeaderTexts { documents, clauses } = texts;
        let named = |source: &String| {
            let document = source.split_once(", ").and_then(|(id, section)| Some((documents.get(id)?, section)));
            document.map_or_else(|| source.clone(), |(title, section)| format!("{title}, {section}"))
        };
        failure.rule_statement.clone_from(&self.statement);
        failure.sources = self.sources.iter().map(named).collect();
        failure.owns.clone_from(&self.owns);
        let missing = |id: &String| format!("the header has no clause `{id}`");
        let text = |id: &String| clauses.get(id).map(|clause| clause.text.clone()).ok_or_else(|| missing(id));
        failure.clauses = failure.clause_ids.iter().map(text).collect::<Result<_, _>>()?;
        let Some(steps) = &self.steps else { return Ok(()) };
        failure.place = steps.place(failure.span.map_or(0, |(start, _)| start as usize));
        if let Some(span) = failure.span {
            let around = steps.around(span, &failure.calls);
            let missing = || format!("the steps of {} have no bytes {} to {}", self.id, span.0, span.1);
            failure.steps = Some(around.ok_or_else(missing)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn rule() -> SelectedRule {
        let lines: Vec<String> = (0..20).map(|line| format!("step_{line:02}();")).collect();
        SelectedRule {
            id: "toy.copy.tail".to_owned(),
            chapter: "copy".to_owned(),
            title: "A copy is complete".to_owned(),
            level: Level::Info,
            doubt: None,
            statement: "A copy is complete.".to_owned(),
            sources: vec!["guide, Copies, and more".to_owned(), "another page".to_owned()],
            owns: vec!["toy_copy".to_owned()],
            steps: Some(SelectedSteps {
                file: "specs/toy/copy.yaml".to_owned(),
                line: 40,
                column: 6,
                text: lines.join("\n"),
            }),
        }
    }

    /// The failure of a statement with this place and these clauses, completed.
    fn complete(span: Option<(u32, u32)>, clauses: &[&str]) -> Result<RuleResult, String> {
        let failure = serde_json::json!({
            "statement": "", "span": span, "clauses": clauses, "message": "", "values": [], "replay_values": null,
            "case": 1, "shrinks": 0, "trace": [], "calls": [53, 0], "output": "", "replay": "", "confirmation": null,
        });
        let result = serde_json::json!({
            "id": "toy.copy.tail", "verdict": "fail", "reason": "", "nanoseconds": 0, "cases": 1, "checks": 1,
            "seed": 1, "failure": failure, "findings": [], "observations": {}, "interrupted": 0,
        });
        let mut result: RuleResult = serde_json::from_value(result).unwrap();
        let documents = BTreeMap::from([("guide".to_owned(), "The guide (2)".to_owned())]);
        let clause = SelectedClause { text: "all-bytes: Every byte arrives.".to_owned(), sentence: None };
        let clauses = BTreeMap::from([("all-bytes".to_owned(), clause)]);
        rule().complete(HeaderTexts { documents: &documents, clauses: &clauses }, &mut result).map(|()| result)
    }

    #[test]
    fn a_failure_gets_what_the_header_has() {
        let result = complete(Some((13 * 11, 13 * 11 + 10)), &["all-bytes"]).unwrap();
        let failure = result.failure.unwrap();
        assert_eq!((result.title.as_str(), result.level), ("A copy is complete", Level::Info));
        assert_eq!(failure.place, "specs/toy/copy.yaml:53:7");
        assert_eq!(failure.sources, ["The guide (2), Copies, and more", "another page"]);
        assert_eq!(failure.clauses, ["all-bytes: Every byte arrives."]);
        let steps = failure.steps.unwrap();
        assert_eq!((steps.first, &steps.calls[..]), (44, &[53, 0][..]));
        assert_eq!(
            steps.text.lines().map(|line| &line[5..7]).collect::<Vec<_>>().join(" "),
            "04 05 06 07 08 09 10 11 12 13 14 15 16"
        );
        assert_eq!(&steps.text[steps.start as usize..steps.end as usize], "step_13();");
    }

    #[test]
    fn a_failure_without_a_statement_is_placed_at_the_start_of_the_steps() {
        let failure = complete(None, &[]).unwrap().failure.unwrap();
        assert_eq!((failure.place.as_str(), failure.steps), ("specs/toy/copy.yaml:40:7", None));
    }

    #[rstest]
    #[case::past_the_end(Some((200, 1000)), &[], "the steps of toy.copy.tail have no bytes 200 to 1000")]
    #[case::backward(Some((20, 10)), &[], "the steps of toy.copy.tail have no bytes 20 to 10")]
    #[case::a_clause(None, &["unknown"], "the header has no clause `unknown`")]
    fn what_the_header_lacks_is_named(
        #[case] span: Option<(u32, u32)>,
        #[case] clauses: &[&str],
        #[case] reason: &str,
    ) {
        assert_eq!(complete(span, clauses).unwrap_err(), reason);
    }
}
