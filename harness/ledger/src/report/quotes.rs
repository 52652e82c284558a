//! The documents' own words in failures.

use catalog::{Originals, Rules};
use messages::message;
use record::RuleResult;

/// Adds the original sentence and its place to each clause of a result's failure, if a document contains it. The
/// journal does not change: a run records the same with and without the documents.
pub fn quote(result: &mut RuleResult, rules: &Rules, originals: &Originals) {
    for clause in result.failure.iter_mut().flat_map(|failure| &mut failure.clauses) {
        let id = clause.split(": ").next().unwrap_or_default();
        if let Some(original) = rules.book.clause(id).and_then(|known| originals.of(known)) {
            *clause = message!("clause-quoted", clause = clause.as_str(), original = original.to_string());
        }
    }
}
