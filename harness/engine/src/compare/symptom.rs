//! How a rule fails, apart from the values with which it does.

use crate::record::{Meaning, RuleResult};

use super::difference::{Outcome, Symptom};

/// What a run says of a rule.
pub(super) fn outcome(result: &RuleResult) -> Outcome {
    let confirmation = result.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
    let repeats = confirmation.map(|known| if known.alone.runs > 0 { known.alone } else { known.rule });
    let rate = repeats.filter(|repeats| repeats.runs > 0);
    Outcome {
        verdict: result.verdict.name().to_owned(),
        reason: result.reason.clone(),
        symptom: symptom(result),
        rate: rate.map(|repeats| [u64::from(repeats.failed), u64::from(repeats.runs)]),
    }
}

/// The symptom of a failure; `None`: the rule did not fail.
pub(super) fn symptom(result: &RuleResult) -> Option<Symptom> {
    if matches!(result.meaning(), Meaning::Good | Meaning::Skipped) {
        return None;
    }
    let failure = result.failure.as_deref();
    let (call, code) = failure.map_or((None, None), |failure| answered(&failure.message));
    Some(Symptom {
        verdict: result.verdict.name().to_owned(),
        check: failure.map(|failure| failure.statement.clone()).unwrap_or_default(),
        code,
        call,
    })
}

/// The call that a message is about and the code that it names: `f returned 7 (NAME), expected …`.
fn answered(message: &str) -> (Option<String>, Option<String>) {
    let name = |text: &str| text.split_whitespace().next_back().map(str::to_owned);
    if let Some((before, after)) = message.split_once(" returned ") {
        let code = after.split(',').next().unwrap_or_default();
        return (name(before), Some(code.to_owned()));
    }
    let lost = [" did not return: ", " had returned: "];
    let call = lost.iter().find_map(|words| message.split_once(words)).and_then(|(before, _)| name(before));
    (call, None)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::answered;

    #[rstest]
    #[case("f returned 7 (SOME_NAME), expected success", Some("f"), Some("7 (SOME_NAME)"))]
    #[case("in the positive control, f returned success, it must fail", Some("f"), Some("success"))]
    #[case("releasing with g returned 3, expected success", Some("g"), Some("3"))]
    #[case("f did not return: a hang of 5 s", Some("f"), None)]
    #[case("in process B: after f had returned: it ended with signal 11", Some("f"), None)]
    #[case("`a == b` does not hold: left is 1, right is 2", None, None)]
    fn the_message_names_call_and_code(#[case] message: &str, #[case] call: Option<&str>, #[case] code: Option<&str>) {
        let (found_call, found_code) = answered(message);
        assert_eq!((found_call.as_deref(), found_code.as_deref()), (call, code));
    }
}
