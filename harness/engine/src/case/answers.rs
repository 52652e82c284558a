//! Counts the answers to questions that no document settles, over the cases of a rule. Memory is bounded, and no
//! text is created before the rule ends.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use steps::Span;
use steps::evaluate::Value;
use steps::program::{Domain, Program};
use steps::{AxisId, Id};

use cases::{case_to_json, display_values};

/// The maximum number of questions kept per rule.
const MOST_QUESTIONS: usize = 64;
/// The maximum number of different answers kept per rule. Further answers count as `Told::Other` for their
/// question.
const MOST_ANSWERS: usize = 128;
/// The maximum number of answers recorded per case. Loops repeat the same question.
const MOST_OF_A_CASE: usize = 256;
/// The maximum number of combinations of drawn values that distinguish questions.
const MOST_COMBINATIONS: usize = 16;
/// The maximum length of an example, in bytes.
const LONGEST_EXAMPLE: usize = 120;

/// A question that the documents leave open, stored compactly while the case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// The position of the call or check in the steps.
    pub start: usize,
    pub end: usize,
    pub of: QuestionKind,
}

/// The kinds of open questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// A call: the function, by its position in the program, and the class of each argument (see [`class_of`]).
    Call {
        function: usize,
        classes: u64,
    },
    Check,
    /// An observed expression, by its position.
    Observed(usize),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// The code that a call returned.
    Code(i64),
    /// True if a call returned an address.
    Address(bool),
    /// The result of a check that is only reported: true if the check held.
    Holds(bool),
    /// For a check with two alternatives, true if the first alternative held.
    First(bool),
    /// A value in a place where several values are allowed.
    Value(i64),
    /// The class of an observed value.
    Class(String),
    /// Any answer beyond the limit.
    Other,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub question: OpenQuestion,
    pub told: Told,
}

/// A question with its answers, counted over the cases that raised the question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Counted {
    pub question: OpenQuestion,
    /// The drawn values that distinguish this question from others, as `name=value`.
    pub given: String,
    /// The number of cases that raised the question.
    pub cases: u64,
    pub answers: Vec<CountedAnswer>,
    /// The values in `given`, for fast comparison.
    #[serde(skip)]
    key: Vec<i128>,
    #[serde(skip)]
    last: u64,
}

/// An answer to a question, with its count.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CountedAnswer {
    pub told: Told,
    /// The number of cases that gave the answer.
    pub cases: u64,
    pub example: Option<Json>,
    #[serde(skip)]
    last: u64,
}

/// The counted answers from a rule's cases. A case counts only once for each answer, even if the case gives the answer
/// several times, because repetitions in one case are not independent observations.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tally {
    pub asked: Vec<Counted>,
    /// True if `given` contains every drawn value.
    pub exact: bool,
    pub left_out: u64,
    /// The axes whose values distinguish questions.
    #[serde(skip)]
    axes: Vec<AxisId>,
    /// The number of answers to all questions.
    #[serde(skip)]
    answers: usize,
    /// The number of cases.
    #[serde(skip)]
    cases: u64,
}

impl OpenQuestion {
    pub fn at(span: Span, of: QuestionKind) -> OpenQuestion {
        OpenQuestion { start: span.start, end: span.end, of }
    }

    pub fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

/// Records an answer from a case, up to a limit per case.
pub fn note(seen: &mut Vec<Seen>, question: OpenQuestion, told: Told) {
    if seen.len() < MOST_OF_A_CASE {
        seen.push(Seen { question, told });
    }
}

/// The number of bits that hold an argument's class.
const CLASS_BITS: usize = 5;

/// The class of an integer: 0 for zero, 1 for positive, 2 for negative. Small values of an enumeration have their
/// own classes, from 3.
pub fn class_of(value: i128, enumeration: bool) -> u64 {
    match value {
        0..28 if enumeration => value as u64 + 3,
        0 => 0,
        1.. => 1,
        _ => 2,
    }
}

/// The class of one argument, taken from the classes of a call's arguments.
pub fn nth_class(classes: u64, index: usize) -> u64 {
    (classes >> (index * CLASS_BITS)) & ((1 << CLASS_BITS) - 1)
}

/// The classes of a call's arguments, with one more argument's class added.
pub fn with_class(classes: u64, index: usize, class: u64) -> u64 {
    classes | class << (index * CLASS_BITS)
}

impl Tally {
    /// Creates a tally for a program. The domains of the program's axes determine which axes distinguish questions.
    pub fn new(program: &Program) -> Tally {
        let mut combinations = 1usize;
        let mut axes = Vec::new();
        for (id, axis) in program.axes.entries() {
            let values = match &axis.domain {
                Domain::Choice(names) => names.len(),
                Domain::Text(texts) => texts.len(),
                Domain::OneOf { values, .. } => values.len(),
                _ => continue,
            };
            if combinations.saturating_mul(values) <= MOST_COMBINATIONS {
                combinations *= values.max(1);
                axes.push(id);
            }
        }
        Tally { exact: axes.len() == program.axes.len(), axes, ..Tally::default() }
    }

    /// Counts the answers from a case.
    pub fn take(&mut self, program: &Program, case: (&[Value], u64), seen: &[Seen], observed: &[(usize, String)]) {
        if seen.is_empty() && observed.is_empty() {
            return;
        }
        self.cases += 1;
        let key: Vec<i128> = self.axes.iter().map(|axis| case.0[axis.index()].integer()).collect();
        for Seen { question, told } in seen {
            self.count(program, case, &key, *question, told);
        }
        for (position, class) in observed {
            let question = OpenQuestion { start: 0, end: 0, of: QuestionKind::Observed(*position) };
            self.count(program, case, &key, question, &Told::Class(class.clone()));
        }
    }

    fn count(&mut self, program: &Program, case: (&[Value], u64), key: &[i128], question: OpenQuestion, told: &Told) {
        let number = self.cases;
        let full = self.answers >= MOST_ANSWERS;
        // Most rules have no such axis, so their lists are empty. Comparing empty lists is slow and takes an eighth
        // of a case's time: an empty list points to no memory, and a masked load from there takes the processor
        // hundreds of cycles.
        let same_key = |known: &Counted| key.is_empty() || known.key == key;
        let known = self.asked.iter().position(|known| known.question == question && same_key(known));
        let at = match known {
            Some(at) => at,
            None if full || self.asked.len() == MOST_QUESTIONS => {
                self.left_out += 1;
                return;
            }
            None => {
                let shown = display_values(program, case.0);
                let given = self.axes.iter().map(|axis| &shown[axis.index()]);
                let given: Vec<String> = given.map(|(name, value)| format!("{name}={value}")).collect();
                let (given, key) = (given.join(", "), key.to_vec());
                self.asked.push(Counted { question, given, cases: 0, answers: Vec::new(), key, last: 0 });
                self.asked.len() - 1
            }
        };
        let asked = &mut self.asked[at];
        asked.cases += u64::from(asked.last != number);
        asked.last = number;
        let same = asked.answers.iter().position(|known| known.told == *told);
        let other = || asked.answers.iter().position(|known| known.told == Told::Other);
        let position = match same.or_else(|| if full { other() } else { None }) {
            Some(position) => position,
            None => {
                let example = if self.exact { None } else { Some(case_to_json(program, case.0, case.1)) };
                let example = example.filter(|example| example.to_string().len() <= LONGEST_EXAMPLE);
                let told = if full { Told::Other } else { told.clone() };
                asked.answers.push(CountedAnswer { told, cases: 0, example, last: 0 });
                self.answers += 1;
                asked.answers.len() - 1
            }
        };
        let answer = &mut asked.answers[position];
        answer.cases += u64::from(answer.last != number);
        answer.last = number;
    }
}
