//! Converts the counted answers from a rule's cases into journal entries.

use abi::{Function, Type};
use steps::program::Program;
use steps::types::is_address;

use crate::case::{Counted, CountedAnswer, QuestionKind, Tally, Told, nth_class};
use catalog::Rules;
use record::{AnswerCount, Answers};

/// A rule's answers, with the names of calls, arguments and codes. `None` if there are none.
pub(super) fn recorded(rules: &Rules, program: &Program, tally: Tally) -> Option<Answers> {
    if tally.asked.is_empty() {
        return None;
    }
    let mut answers = Answers { exact: tally.exact, left_out: tally.left_out, ..Answers::default() };
    for asked in tally.asked {
        let value = asked.answers.iter().any(|answer| matches!(answer.told, Told::Value(_)));
        let of_kind = match asked.question.of {
            QuestionKind::Call { .. } => &mut answers.calls,
            QuestionKind::Check if !value => &mut answers.checks,
            QuestionKind::Check | QuestionKind::Observed(_) => &mut answers.values,
        };
        // Two places in the steps may have the same text.
        let known = of_kind.entry(question(rules, program, &asked)).or_default();
        known.cases += asked.cases;
        for CountedAnswer { told, cases, example, .. } in &asked.answers {
            let told = answer(rules, program, asked.question.of, told);
            let known = known.answers.entry(told).or_insert_with(|| AnswerCount { cases: 0, example: example.clone() });
            known.cases += cases;
        }
    }
    Some(answers)
}

/// The function in a row. `None` if the library corrupted the process that sent the row.
fn function(program: &Program, position: usize) -> Option<&'static Function> {
    program.functions.get(position).copied()
}

fn question(rules: &Rules, program: &Program, row: &Counted) -> String {
    let text = match row.question.of {
        QuestionKind::Observed(position) => {
            let name = program.observe.get(position).map_or("?", |(name, ..)| name);
            format!("observe {name}")
        }
        QuestionKind::Check => program.text(row.question.span()).trim_end_matches(';').to_owned(),
        QuestionKind::Call { function: position, classes } => {
            let text = program.text(row.question.span());
            match function(program, position) {
                Some(function) => {
                    let classes = arguments(rules, function, classes);
                    if classes.is_empty() { text } else { format!("{text} [{classes}]") }
                }
                None => text,
            }
        }
    };
    if row.given.is_empty() { text } else { format!("{text} where {}", row.given) }
}

/// The classes of a call's arguments, without non-null addresses, for example `size: 0, policy: NAME`.
fn arguments(rules: &Rules, function: &Function, classes: u64) -> String {
    let shown = function.parameters.iter().enumerate().filter_map(|(index, parameter)| {
        let class = nth_class(classes, index);
        let class = match (parameter.ty, class) {
            (Type::Struct(_), _) => return None,
            (ty, 0) if is_address(ty) => "NULL".to_owned(),
            (ty, _) if is_address(ty) => return None,
            (_, 0) => "0".to_owned(),
            (_, 1) => "> 0".to_owned(),
            (_, 2) => "< 0".to_owned(),
            (ty, value) => enumerator(rules, ty, i128::from(value - 3)),
        };
        Some(format!("{}: {class}", parameter.name))
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn enumerator(rules: &Rules, ty: Type, value: i128) -> String {
    let Type::Enumeration { name, .. } = ty else { return value.to_string() };
    let enumeration = rules.environment.declarations.bindings.enums.iter().find(|known| known.name == name);
    let constant = enumeration.and_then(|known| known.constants.iter().find(|constant| constant.value == value));
    constant.map_or_else(|| value.to_string(), |constant| constant.name.to_owned())
}

fn answer(rules: &Rules, program: &Program, of: QuestionKind, told: &Told) -> String {
    match told {
        Told::Code(code) => {
            let function = match of {
                QuestionKind::Call { function: position, .. } => function(program, position),
                _ => None,
            };
            let codes = function.and_then(|function| rules.environment.results.of(function.returns));
            codes.map_or_else(|| code.to_string(), |codes| codes.shown(i128::from(*code)))
        }
        Told::Holds(true) => "holds".to_owned(),
        Told::Holds(false) => "does not hold".to_owned(),
        Told::First(true) => "its first alternative".to_owned(),
        Told::First(false) => "its second alternative".to_owned(),
        Told::Address(true) => "an address".to_owned(),
        Told::Address(false) => "NULL".to_owned(),
        Told::Value(value) => value.to_string(),
        Told::Class(class) => class.clone(),
        Told::Other => "something else".to_owned(),
    }
}
