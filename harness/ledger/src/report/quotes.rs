//! The documents' own words in failures.

use catalog::Originals;
use messages::message;
use record::{RuleResult, RunHeader};

/// Adds the original sentence and its place to each clause of a result's failure, if a document contains it. The
/// journal does not change: a run records the same with and without the documents.
pub fn quote(result: &mut RuleResult, header: &RunHeader, originals: &Originals) {
    let Some(failure) = result.failure.as_deref_mut() else { return };
    for (id, clause) in failure.clause_ids.iter().zip(&mut failure.clauses) {
        let sentence = header.clauses.get(id).and_then(|known| known.sentence.as_ref());
        if let Some(original) = sentence.and_then(|digits| originals.with_digest(digits)) {
            *clause = message!("clause-quoted", clause = clause.as_str(), original = original.to_string());
        }
    }
}
