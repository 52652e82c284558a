//! Why a rule has no case, or a text is not one.

use std::fmt;

use steps::evaluate::EvaluationError;

/// What keeps a case from being drawn, read or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CaseError {
    /// A bound, or `where`, has no value.
    Evaluation(EvaluationError),
    /// A value is outside the domain of its axis.
    OutsideDomain { value: i128, axis: String },
    /// A list is not an order of 0 … n-1.
    NotAPermutation { axis: String },
    /// A list stands for an integer, or an integer for a list.
    OtherKind { axis: String },
    /// There are more or fewer values than axes.
    OtherAxes { values: usize, axes: usize },
    /// `where` discards everything.
    AllDiscarded,
    /// `where` discarded everything that was drawn.
    NoneDrawn,
    /// A set of values is empty.
    NoValues,
    /// Fewer cases are planned than were run.
    PlanEnds,
    /// A case is not a JSON object.
    NotAnObject,
    /// The rule has no such axis.
    UnknownAxis { name: String, hint: String, axes: String },
    /// An axis has no value.
    MissingAxis { name: String },
    /// What was given is not a value of the axis.
    NotAValue { value: String, axis: String },
    /// One of the cases that were given is not a case.
    Given { case: String, error: Box<CaseError> },
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaseError::Evaluation(error) => error.fmt(f),
            CaseError::OutsideDomain { value, axis } => write!(f, "{value} is outside the domain of `{axis}`"),
            CaseError::NotAPermutation { axis } => write!(f, "`{axis}` is not a permutation"),
            CaseError::OtherKind { axis } => write!(f, "the value of `{axis}` is of another kind"),
            CaseError::OtherAxes { values, axes } => write!(f, "{values} values for {axes} axes"),
            CaseError::AllDiscarded => f.write_str("`where` discards every case; nothing was tested"),
            CaseError::NoneDrawn => f.write_str("the rule's condition excludes every case that was drawn"),
            CaseError::NoValues => f.write_str("a set of values is empty"),
            CaseError::PlanEnds => f.write_str("the plan ends before the case that failed"),
            CaseError::NotAnObject => f.write_str("a case is a JSON object: {\"size\": 64, …}"),
            CaseError::UnknownAxis { name, hint, axes } => {
                write!(f, "the rule has no axis `{name}`{hint}; its axes are {axes}")
            }
            CaseError::MissingAxis { name } => write!(f, "the case has no value for `{name}`"),
            CaseError::NotAValue { value, axis } => write!(f, "`{value}` is no value of `{axis}`"),
            CaseError::Given { case, error } => write!(f, "{case}: {error}"),
        }
    }
}

impl std::error::Error for CaseError {}

impl From<EvaluationError> for CaseError {
    fn from(error: EvaluationError) -> CaseError {
        CaseError::Evaluation(error)
    }
}
