//! Errors in drawing or reading cases.

use steps::count;
use steps::evaluate::EvaluationError;

/// An error that prevents drawing, reading or building a case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// A bound or a `where` has no value.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// A value is outside the domain of its axis.
    #[error("{value} is outside the domain of `{axis}`")]
    OutsideDomain { value: i128, axis: String },
    /// A list is not a permutation of 0 to n-1.
    #[error("`{axis}` is not a permutation")]
    NotAPermutation { axis: String },
    /// A list is not a sequence of the rule's operations, or not a column of its sequence.
    #[error("`{axis}` is not a sequence of the rule's operations")]
    NotSteps { axis: String },
    #[error("all sequences of at most {longest} steps are too many; try fewer steps")]
    TooManySequences { longest: u32 },
    /// A list was given for an integer, or an integer for a list.
    #[error("the value of `{axis}` is a list instead of an integer, or an integer instead of a list")]
    OtherKind { axis: String },
    /// The number of values differs from the number of axes.
    #[error("{} for {axes} {}", count(*values, "value"), if *axes == 1 { "axis" } else { "axes" })]
    OtherAxes { values: usize, axes: usize },
    #[error("`where` discards every case; nothing was tested")]
    AllDiscarded,
    /// The operations of a rule's sequences were never possible, or check nothing.
    #[error("no sequence executed a check, so nothing was tested; look at the conditions after `when`")]
    NothingChecked,
    #[error("the rule's condition excludes every case that was drawn")]
    NoneDrawn,
    /// The plan has fewer cases than the run.
    #[error("the plan ends before the case that failed")]
    PlanEnds,
    #[error("a case is a JSON object: {{\"size\": 64, …}}")]
    NotAnObject,
    #[error("the rule has no axis `{name}`{hint}; its axes are {axes}")]
    UnknownAxis { name: String, hint: String, axes: String },
    #[error("the case has no value for `{name}`")]
    MissingAxis { name: String },
    #[error("`{value}` is not a value of `{axis}`; allowed: {allowed}")]
    NotAValue { value: String, axis: String, allowed: String },
    /// The value may be allowed on another product or with more devices.
    #[error("`{value}` is not a value of `{axis}`; allowed here: {allowed}")]
    NotHere { value: String, axis: String, allowed: String },
    #[error("`{value}` is not a value of `salt`, which is an integer of at least 0")]
    NotASalt { value: String },
    #[error("the list contains no cases")]
    NoCases,
    /// The rule never draws the case.
    #[error("the rule's `where` excludes this case, so the rule says nothing about it")]
    Excluded,
    /// One of several given cases is invalid.
    #[error("{case}: {error}")]
    Given { case: String, error: Box<CaseError> },
}
