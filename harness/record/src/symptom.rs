//! The symptom of a failure, without the case's values. Two failures with equal symptoms count as the same failure.

use catalog::one_space;

use crate::result::RuleResult;
use crate::verdict::Verdict;

/// The symptom of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symptom {
    pub verdict: Verdict,
    /// The failed statement, with each run of spaces reduced to one space.
    pub check: Option<String>,
    /// The answer from the call.
    pub code: Option<Code>,
    /// The function whose call answered, crashed or hung.
    pub call: Option<String>,
}

/// The answer from a call: `107000 (SOME_ERROR_NAME)`, `107000`, `success`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The returned value.
    pub value: String,
    /// The value's name in the header, if the header names the value.
    pub name: Option<String>,
}

impl Symptom {
    /// The symptom of a rule's result.
    pub fn of(result: &RuleResult) -> Symptom {
        Symptom::with(result, result.verdict)
    }

    /// The symptom of a single failing run. For a flaky rule, other runs pass.
    pub fn of_single_run(result: &RuleResult) -> Symptom {
        let confirmation = result.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
        let found = confirmation.filter(|_| result.verdict == Verdict::Flaky).map(|confirmation| confirmation.found);
        Symptom::with(result, found.unwrap_or(result.verdict))
    }

    fn with(result: &RuleResult, verdict: Verdict) -> Symptom {
        let failure = result.failure.as_deref();
        let (call, code) = failure.map_or((None, None), |failure| answered(&failure.message));
        Symptom { verdict, check: failure.map(|failure| one_space(&failure.statement)), code, call }
    }
}

impl Code {
    /// Parses a code in the form that messages use.
    fn read(text: &str) -> Code {
        match text.strip_suffix(')').and_then(|text| text.split_once(" (")) {
            Some((value, name)) => Code { value: value.to_owned(), name: Some(name.to_owned()) },
            None => Code { value: text.to_owned(), name: None },
        }
    }

    /// True if the text is the code's value or name.
    pub fn is(&self, text: &str) -> bool {
        self.value == text || self.name.as_deref() == Some(text)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name.as_ref().unwrap_or(&self.value))
    }
}

impl std::fmt::Display for Symptom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.code.as_ref().map(Code::to_string);
        write_symptom(f, self.verdict, self.check.as_deref(), code.as_deref(), self.call.as_deref())
    }
}

/// Writes the known parts of a symptom.
pub fn write_symptom(
    f: &mut std::fmt::Formatter<'_>,
    verdict: Verdict,
    check: Option<&str>,
    code: Option<&str>,
    call: Option<&str>,
) -> std::fmt::Result {
    f.write_str(verdict.name())?;
    let named = [("check", check), ("code", code), ("call", call)];
    let named = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
    named.into_iter().try_for_each(|(name, value)| write!(f, ", {name} {value}"))
}

/// The call named in a message, and its answer: `f returned 7 (NAME), expected …`.
pub fn answered(message: &str) -> (Option<String>, Option<Code>) {
    // A call outside the steps has a note after its name, for example `(life cycle)`.
    let without_note = |text: &str| match text.rsplit_once(" (") {
        Some((before, _)) if text.ends_with(')') => before.to_owned(),
        _ => text.to_owned(),
    };
    let name = |text: &str| without_note(text).split_whitespace().next_back().map(str::to_owned);
    if let Some((before, after)) = message.split_once(" returned ") {
        let lost = before.ends_with(" had");
        let before = if lost { before.trim_end_matches(" had") } else { before };
        let end = after.find(", ").or_else(|| after.find(" and left ")).unwrap_or(after.len());
        return (name(before), (!lost).then(|| Code::read(&after[..end])));
    }
    let words = [" did not return: ", " had returned: "];
    let call = words.iter().find_map(|words| message.split_once(words)).and_then(|(before, _)| name(before));
    (call, None)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("f returned 7 (SOME_NAME), expected success", Some("f"), Some("SOME_NAME"))]
    #[case("f returned 7, documented is 8 (OTHER)", Some("f"), Some("7"))]
    #[case("in the positive control, f returned success, it must fail", Some("f"), Some("success"))]
    #[case("f returned success and left an out-variable as it was", Some("f"), Some("success"))]
    #[case("releasing with g returned 3, expected success", Some("g"), Some("3"))]
    #[case("f did not return: a hang of 5 s", Some("f"), None)]
    #[case("f (life cycle) returned 3, expected success", Some("f"), Some("3"))]
    #[case("f (automatic release) did not return: a hang of 5 s", Some("f"), None)]
    #[case("in process B: after f had returned: it ended with signal 11", Some("f"), None)]
    #[case("`a == b` does not hold: left is 1, right is 2", None, None)]
    fn the_message_names_call_and_code(#[case] message: &str, #[case] call: Option<&str>, #[case] code: Option<&str>) {
        let (found_call, found_code) = answered(message);
        assert_eq!((found_call.as_deref(), found_code.map(|code| code.to_string()).as_deref()), (call, code));
    }
}
