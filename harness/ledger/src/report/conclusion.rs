//! What came of a run, in one sentence.

use record::{AppliedExpectations, Meaning, Recorded, RuleResult, RunEnd, RunHeader, Verdict};

use super::expected::only_known;
use super::text::{count, one_line};

/// How a sentence is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// It is what everybody hopes for.
    Good,
    /// Nothing is wrong, and less was shown than one may think.
    Empty,
    /// Something is broken, or the answer is not known.
    Bad,
}

/// What came of a run.
pub(super) struct Conclusion {
    pub tone: Tone,
    pub text: String,
}

/// What came of a run, as text.
pub fn conclusion_text(run: &Recorded) -> String {
    one_line(&conclusion(&run.header, &run.results, run.end.as_ref()).text)
}

/// What came of a run: its exit status in words.
pub(super) fn conclusion(header: &RunHeader, results: &[RuleResult], end: Option<&RunEnd>) -> Conclusion {
    let expected = end.and_then(|end| end.expectations.as_ref());
    let counts = |result: &&RuleResult| !expected.is_some_and(|expected| expected.excuses(&result.id));
    let counting = |meaning| results.iter().filter(counts).filter(|result| result.meaning() == meaning).count();
    let number = |meaning| results.iter().filter(|result| result.meaning() == meaning).count();
    let broken = counting(Meaning::Broken) as u64;
    let cut = results.iter().filter(counts).filter(|result| result.verdict == Verdict::Cut).count() as u64;
    let known = expected.and_then(only_known);
    let (tone, text) = match end.map(|end| end.exit) {
        None => (Tone::Bad, format!("the run did not reach its end; {} broken so far", count(broken, "rule"))),
        // An empty promise: a run in which nothing held has shown nothing.
        Some(0) if known.is_some() => (Tone::Empty, known.unwrap_or_default()),
        Some(0) if cut > 0 => {
            let told = format!("no rule that ran is broken, and {} not known: cases were cut", count(cut, "rule"));
            (Tone::Empty, told)
        }
        Some(0) if number(Meaning::Good) == 0 => {
            let told = match number(Meaning::Finding) {
                0 => "nothing was tested: no rule has an answer",
                _ => "no promise was tested: see the findings",
            };
            (Tone::Empty, told.to_owned())
        }
        Some(0) => (Tone::Good, "conformant: no rule that ran is broken".to_owned()),
        Some(1) if broken == 0 && expected.is_some_and(AppliedExpectations::breaks) => {
            (Tone::Bad, "broken by --fail-on: see what is fixed or expired, and the entries".to_owned())
        }
        Some(1) if broken == 0 => (Tone::Bad, "not conformant: see the findings".to_owned()),
        Some(1) => (Tone::Bad, format!("not conformant: {} broken", count(broken, "rule"))),
        Some(3) => {
            let executed = results.iter().filter(|result| result.verdict != Verdict::Skipped).count() as u64;
            let unknown = counting(Meaning::Unknown) > 0;
            let failed = counting(Meaning::Unknown) as u64 > cut;
            let told = match header.settings.min_executed {
                Some(least) if executed < least && !unknown => {
                    format!("not known: {} executed, --min-executed asks for {least}", count(executed, "rule"))
                }
                _ if end.is_some_and(|end| end.unusable_cases > 0) && !unknown => {
                    "not known: kept counterexamples could not be tried, see the remarks".to_owned()
                }
                _ if cut > 0 && !failed => format!("not known: cases of {} were cut", count(cut, "rule")),
                _ => "not known: the environment or a device failed".to_owned(),
            };
            (Tone::Bad, told)
        }
        Some(other) => (Tone::Bad, format!("exit status {other}")),
    };
    Conclusion { tone, text }
}
