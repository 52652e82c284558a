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

/// The function that gave the failed statement its value: the last one that wrote a variable of the statement, or else
/// the last one that was called.
pub(super) fn source_of_value(result: &RuleResult) -> Option<String> {
    let failure = result.failure.as_ref()?;
    let written = |line: &&String| {
        let arguments = line.split_once('(').map_or("", |(_, arguments)| arguments);
        let mut variables = arguments.split("=&").skip(1).map(identifier);
        variables.any(|variable| words(&failure.statement).any(|word| word == variable))
    };
    let steps = || failure.trace.iter().filter(|line| !line.contains(RELEASED));
    let line = steps().rfind(written).or_else(|| steps().next_back())?;
    Some(parsed(line)?.function)
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
    #[case("status == READY;", "query")]
    #[case("left == 3;", "wait")]
    fn a_value_comes_from_the_call_that_wrote_it(#[case] statement: &str, #[case] function: &str) {
        let calls = [
            "query(stream=0x1, status=&status) = success",
            "wait(stream=0x1) = success",
            "free(p=0x2)  (automatic release)",
        ];
        let result = super::super::tests::broken("toy.a", "", &calls, &[], None);
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
