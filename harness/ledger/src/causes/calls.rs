//! The calls before a failure, without addresses and sizes.

use record::RuleResult;

/// A call, with the arguments that the header names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Called {
    pub function: String,
    /// The names of enumerators among the arguments, in order.
    pub names: Vec<String>,
}

impl std::fmt::Display for Called {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.names.is_empty() {
            true => write!(f, "{}()", self.function),
            false => write!(f, "{}(…{})", self.function, self.names.join(", …")),
        }
    }
}

/// The words after which a line of the trace is not a step of the rule: releases at the end of a case.
const RELEASED: &str = "(automatic release)";

/// The calls of the failing case, in order, without the releases at its end.
pub(super) fn before_failure(result: &RuleResult) -> Vec<Called> {
    let trace = result.failure.as_ref().map_or(&[][..], |failure| failure.trace.as_slice());
    trace.iter().filter(|line| !line.contains(RELEASED)).filter_map(|line| parsed(line)).collect()
}

/// The function that gave the failed statement its value: the last one that wrote a variable of the statement's false
/// part, or else the last one that was called.
pub(super) fn source_of_value(result: &RuleResult) -> Option<String> {
    let failure = result.failure.as_ref()?;
    let part = false_part(&failure.statement, &failure.message);
    let written = |line: &&String| {
        let arguments = line.split_once('(').map_or("", |(_, arguments)| arguments);
        let mut variables = arguments.split("=&").skip(1).map(identifier);
        variables.any(|variable| words(part).any(|word| word == variable))
    };
    let steps = || failure.trace.iter().filter(|line| !line.contains(RELEASED));
    let line = steps().rfind(written).or_else(|| steps().next_back())?;
    Some(parsed(line)?.function)
}

/// The part of a statement `a && b` that the message calls false; the whole statement if the message names none.
fn false_part<'a>(statement: &'a str, message: &str) -> &'a str {
    let numbers = message.rsplit_once("` does not hold: part ").and_then(|(_, text)| text.split_once(" is false"));
    let Some((number, all)) = numbers.and_then(|(numbers, _)| numbers.split_once(" of ")) else { return statement };
    let parts = conjuncts(statement);
    let part = number.parse().ok().and_then(|number: usize| parts.get(number.checked_sub(1)?).copied());
    part.filter(|_| all.parse() == Ok(parts.len())).unwrap_or(statement)
}

/// The parts between the `&&` outside parentheses.
fn conjuncts(statement: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in statement.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '&' if depth == 0 && at >= start && statement[at..].starts_with("&&") => {
                parts.push(&statement[start..at]);
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(&statement[start..]);
    parts
}

/// The identifier at the start of a text.
fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

fn words(statement: &str) -> impl Iterator<Item = &str> {
    statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Parses a line of a trace: `A: f(a=1, kind=SOME_NAME) = success`.
fn parsed(line: &str) -> Option<Called> {
    let (head, arguments) = line.split_once('(')?;
    let function = head.split_whitespace().next_back()?.to_owned();
    let arguments = arguments.rsplit_once(") =").or_else(|| arguments.rsplit_once(')'))?.0;
    let values = arguments.split(", ").filter_map(|argument| argument.split_once('=')).map(|(_, value)| value);
    Some(Called { function, names: values.filter(|value| is_name(value)).map(str::to_owned).collect() })
}

/// True if a value has the form of an enumerator's name.
fn is_name(value: &str) -> bool {
    value.contains('_') && value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::the_only_part("status == READY;", "", "query")]
    #[case::no_call_wrote_it("left == 3;", "", "wait")]
    #[case::both_sides_of_a_relation("start == at;", ": left is 1, right is 2", "look")]
    #[case::the_first_part("at != 0 && size == n;", ": part 1 of 2 is false: left is 0, right is 0", "reserve")]
    #[case::the_second_part("at != 0 && size == n;", ": part 2 of 2 is false: left is 0, right is 1", "look")]
    #[case::the_last_part("size == n && status == READY && at != 0;", ": part 3 of 3 is false", "reserve")]
    #[case::a_part_in_parentheses("(size == n && at != 0) && status == READY;", ": part 2 of 2 is false", "query")]
    #[case::not_split_as_the_engine_does("(at != 0 && size == n) && left == 3;", ": part 1 of 3 is false", "look")]
    #[case::a_choice("at == 0 || status == READY;", ": left side is false, right side is false", "query")]
    #[case::in_another_actor("B: size == n && at != 0;", ": part 2 of 2 is false", "reserve")]
    fn a_value_comes_from_the_call_that_wrote_it(
        #[case] statement: &str,
        #[case] operands: &str,
        #[case] function: &str,
    ) {
        let calls = [
            "reserve(at=&at, bytes=4096) = success",
            "query(stream=0x1, status=&status) = success",
            "look(data=&start, at=0x1000) = success",
            "look(data=&size, at=0x1000) = success",
            "wait(stream=0x1) = success",
            "free(p=0x2)  (automatic release)",
        ];
        let message = format!("`{}` does not hold{operands}", statement.trim_end_matches(';'));
        let result = super::super::tests::broken_rule("toy.a", &message, &calls, &[], None);
        let failure = record::Failure { statement: statement.to_owned(), ..*result.failure.clone().unwrap() };
        let result = RuleResult { failure: Some(Box::new(failure)), ..result };
        assert_eq!(source_of_value(&result).as_deref(), Some(function));
    }

    #[rstest]
    #[case("f(dst=0x12, count=3, kind=SOME_NAME) = success", "f(…SOME_NAME)")]
    #[case("A: g(p=&p) = 107000 (SOME_ERROR)", "g()")]
    #[case("h(a=ONE_A, b=TWO_B)", "h(…ONE_A, …TWO_B)")]
    fn a_line_of_a_trace_names_its_call(#[case] line: &str, #[case] called: &str) {
        assert_eq!(parsed(line).unwrap().to_string(), called);
    }
}
