//! The outcome of a run in one sentence.

use messages::message;
use record::{AppliedExpectations, Meaning, Recorded, RuleResult, RunEnd, RunHeader, Verdict};

use super::expected::only_known;
use super::text::one_line;
use crate::causes::counting;

/// The color for a run's outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// Nothing is broken, and rules were tested.
    Good,
    /// Nothing counts as broken, but the run does not show that the device is conformant.
    Empty,
    /// A rule is broken, or the answer is unknown.
    Bad,
}

/// A run's outcome.
pub(super) struct Conclusion {
    pub tone: Tone,
    pub text: String,
}

/// The outcome of a run as text.
pub fn conclusion_text(run: &Recorded) -> String {
    one_line(&conclusion(&run.header, &run.results, run.end.as_ref()).text)
}

/// The outcome of a run: its exit status in words.
pub(super) fn conclusion(header: &RunHeader, results: &[RuleResult], end: Option<&RunEnd>) -> Conclusion {
    let expected = end.and_then(|end| end.expectations.as_ref());
    let counts = counting(results, end);
    let counting = |meaning| counts.iter().filter(|result| result.meaning() == meaning).count();
    let number = |meaning| results.iter().filter(|result| result.meaning() == meaning).count();
    let broken = counting(Meaning::Broken);
    let cut = counts.iter().filter(|result| result.verdict == Verdict::Cut).count();
    let known = expected.and_then(only_known);
    let (tone, text) = match end.map(|end| end.exit) {
        None => (Tone::Bad, message!("result-unfinished", count = broken)),
        // A run in which no rule held shows nothing, so the result is not called conformant.
        Some(0) if known.is_some() => (Tone::Empty, known.unwrap_or_default()),
        Some(0) if cut > 0 => (Tone::Empty, message!("result-good-but-cut", count = cut)),
        Some(0) if number(Meaning::Good) == 0 => {
            let text = match number(Meaning::Finding) {
                0 => message!("result-nothing-tested"),
                _ => message!("result-only-findings"),
            };
            (Tone::Empty, text.to_owned())
        }
        Some(0) => (Tone::Good, message!("result-conformant").to_owned()),
        Some(1) if broken == 0 && expected.is_some_and(AppliedExpectations::breaks) => {
            (Tone::Bad, message!("result-fail-on").to_owned())
        }
        Some(1) if broken == 0 => (Tone::Bad, message!("result-strict-findings").to_owned()),
        Some(1) => (Tone::Bad, message!("result-not-conformant", count = broken)),
        Some(3) => {
            let executed = results.iter().filter(|result| result.verdict != Verdict::Skipped).count();
            let unknown = counting(Meaning::Unknown);
            let text = match header.settings.min_executed {
                Some(least) if (executed as u64) < least && unknown == 0 => {
                    message!("result-too-few", count = executed, least = least)
                }
                _ if end.is_some_and(|end| end.unusable_cases > 0) && unknown == 0 => {
                    message!("result-unusable-cases").to_owned()
                }
                _ if cut > 0 && unknown <= cut => message!("result-unknown-cut", count = cut),
                _ => message!("result-unknown").to_owned(),
            };
            (Tone::Bad, text)
        }
        Some(other) => (Tone::Bad, message!("exit-status", status = other)),
    };
    let once = counts.iter().filter(|result| result.unconfirmed()).count();
    let reds = broken + counting(Meaning::Finding);
    let once = if once > 0 { message!("count-unconfirmed", count = once, of = reds) } else { String::new() };
    let text = [text, once].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    Conclusion { tone, text }
}
