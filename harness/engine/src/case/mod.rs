//! Runs a rule's cases and finds the smallest failing case.

mod answers;
mod clock;
mod report;
mod search;
mod trace;

pub use answers::{
    Counted, CountedAnswer, OpenQuestion, QuestionKind, Seen, Tally, Told, class_of, note, nth_class, with_class,
};
pub use clock::Shrinking;
pub use report::{CaseFailure, CaseReport, FailedCall, LostIn, Trouble};
pub use search::{FailedCase, Ran, Search, SearchResult};
pub use trace::Trace;

pub use cases::{
    Budget, Case, CaseError, CaseTree, Discarded, Distinct, Effort, Exhaustive, LEAST_PATIENCE, Patience, Plan,
    QueryError, Scope, Value, calls_of_a_case, case_from_json, case_to_json, cases_from_json, display_values,
    exhausted, first_value, parse_json, parse_query, query, rule_seed, smallest_case, some_cases, unique_keys,
};
