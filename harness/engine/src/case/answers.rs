//! Answers that no document fixes, counted over the cases of a rule: within a bound, and without making a text of any
//! before the rule has ended.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use steps::Span;
use steps::evaluate::Value;
use steps::program::{Domain, Program};

use super::json::{case_to_json, display_values};

/// The most questions that are kept of a rule.
const MOST_QUESTIONS: usize = 64;
/// The most different answers that are kept of a rule; each question keeps its first in any case.
const MOST_ANSWERS: usize = 128;
/// The most that is noted of one case: loops ask the same again.
const MOST_OF_A_CASE: usize = 256;
/// The most different combinations of drawn values that tell questions apart.
const MOST_COMBINATIONS: usize = 16;
/// The longest example, in bytes.
const LONGEST_EXAMPLE: usize = 240;

/// What was asked, as small as it can be said while the case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Place of the call or check in the steps.
    pub start: usize,
    pub end: usize,
    pub of: Asked,
}

/// What kind of question it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// A call: the function by its position in the program, and the class of each argument, see [`class_of`].
    Call { function: usize, classes: u64 },
    /// A check.
    Check,
    /// An expression that the rule observes, by its position.
    Observed(usize),
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// A call's result.
    Code(i64),
    /// A check that is only reported held, or did not.
    Holds(bool),
    /// A check of two alternatives held by its first.
    First(bool),
    /// A check of `<=` or `>=` held with equal sides.
    Equal(bool),
    /// A value that has to be one of several.
    Value(i64),
    /// The class of what is observed.
    Class(String),
    /// One of many other answers.
    Other,
}

/// One question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub question: Question,
    pub told: Told,
}

/// One row of the count.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Counted {
    pub question: Question,
    /// The drawn values that tell questions apart, `name=value`.
    pub given: String,
    pub told: Told,
    pub times: u64,
    pub example: Option<Json>,
}

/// The answers of a rule, counted.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tally {
    pub rows: Vec<Counted>,
    /// Everything that a case draws stands in `given`.
    pub exact: bool,
    pub left_out: u64,
    /// The axes whose values tell questions apart.
    #[serde(skip)]
    axes: Vec<usize>,
    /// What stands in `given` of each row, to compare quickly.
    #[serde(skip)]
    keys: Vec<Vec<i128>>,
    #[serde(skip)]
    questions: usize,
}

impl Question {
    pub fn at(span: Span, of: Asked) -> Question {
        Question { start: span.start, end: span.end, of }
    }

    pub fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

/// Notes an answer of a case, unless the case has given too many already.
pub fn note(seen: &mut Vec<Seen>, question: Question, told: Told) {
    if seen.len() < MOST_OF_A_CASE {
        seen.push(Seen { question, told });
    }
}

/// Bits that the class of an argument takes.
const CLASS_BITS: usize = 5;

/// The class of an integer: 0 zero, 1 more, 2 less; of an enumeration, 3 and on: the value itself, where it is small.
pub fn class_of(value: i128, enumeration: bool) -> u64 {
    match value {
        0..28 if enumeration => value as u64 + 3,
        0 => 0,
        1.. => 1,
        _ => 2,
    }
}

/// The class of an argument among those of a call.
pub fn nth_class(classes: u64, index: usize) -> u64 {
    (classes >> (index * CLASS_BITS)) & ((1 << CLASS_BITS) - 1)
}

/// The classes of a call with the class of one more argument.
pub fn with_class(classes: u64, index: usize, class: u64) -> u64 {
    classes | class << (index * CLASS_BITS)
}

impl Tally {
    /// A count for a program: which of its axes tell questions apart is known from their domains.
    pub fn new(program: &Program) -> Tally {
        let mut combinations = 1usize;
        let mut axes = Vec::new();
        for (index, axis) in program.axes.iter().enumerate() {
            let values = match &axis.domain {
                Domain::Choice(names) => names.len(),
                Domain::Text(texts) => texts.len(),
                Domain::OneOf { values, .. } => values.len(),
                _ => continue,
            };
            if combinations.saturating_mul(values) <= MOST_COMBINATIONS {
                combinations *= values.max(1);
                axes.push(index);
            }
        }
        Tally { exact: axes.len() == program.axes.len(), axes, ..Tally::default() }
    }

    /// Counts what a case has shown.
    pub fn take(&mut self, program: &Program, case: (&[Value], u64), seen: &[Seen], observed: &[(usize, String)]) {
        if seen.is_empty() && observed.is_empty() {
            return;
        }
        let key: Vec<i128> = self.axes.iter().map(|axis| case.0[*axis].integer()).collect();
        for Seen { question, told } in seen {
            self.count(program, case, &key, *question, told);
        }
        for (position, class) in observed {
            let question = Question { start: 0, end: 0, of: Asked::Observed(*position) };
            self.count(program, case, &key, question, &Told::Class(class.clone()));
        }
    }

    fn count(&mut self, program: &Program, case: (&[Value], u64), key: &[i128], question: Question, told: &Told) {
        let same = |row: &Counted, at: usize, told: &Told| {
            row.question == question && row.told == *told && self.keys[at] == key
        };
        let rows = || self.rows.iter().enumerate();
        if let Some((at, _)) = rows().find(|(at, row)| same(row, *at, told)) {
            self.rows[at].times += 1;
            return;
        }
        let known = rows().any(|(at, row)| row.question == question && self.keys[at] == key);
        let told = if self.rows.len() < MOST_ANSWERS { told.clone() } else { Told::Other };
        if !known && (self.questions == MOST_QUESTIONS || told == Told::Other) {
            self.left_out += 1;
            return;
        }
        if told == Told::Other
            && let Some((at, _)) = rows().find(|(at, row)| same(row, *at, &told))
        {
            self.rows[at].times += 1;
            return;
        }
        self.questions += usize::from(!known);
        let (values, salt) = case;
        let shown = display_values(program, values);
        let given: Vec<String> =
            self.axes.iter().map(|axis| &shown[*axis]).map(|(name, value)| format!("{name}={value}")).collect();
        let example = Some(case_to_json(program, values, salt)).filter(|_| !program.axes.is_empty());
        let example = example.filter(|example| example.to_string().len() <= LONGEST_EXAMPLE);
        self.rows.push(Counted { question, given: given.join(", "), told, times: 1, example });
        self.keys.push(key.to_vec());
    }
}
