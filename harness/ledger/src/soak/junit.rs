//! A soak as JUnit: a test case for each rule.

use record::RecordedSoak;

use super::judge::{Judged, RuleCourse};
use super::text::alarm_lines;
use crate::report::{escaped, one_line};

/// The document. A rule with an alarm is a `failure`; a rule that was not measured is skipped if the device refused
/// what a cycle needs, and otherwise an `error`. An unfinished soak has an additional `error`.
pub fn junit(soak: &RecordedSoak, judged: &Judged) -> String {
    let header = &soak.header;
    let class = escaped(&format!("{}.soak", one_line(&header.runtime)));
    let (mut failures, mut errors, mut skipped) = (0, 0, 0);
    let mut cases = String::new();
    for rule in &judged.rules {
        let name = escaped(&one_line(&header.rules[rule.rule].id));
        let result = match outcome(rule) {
            Outcome::Alarm => {
                failures += 1;
                let lines = escaped(&alarm_lines(soak, rule).join("\n"));
                format!("<failure type=\"alarm\" message=\"a law over time is broken\">{lines}</failure>")
            }
            Outcome::Unknown(reason) => {
                errors += 1;
                format!("<error type=\"error\" message=\"{}\"/>", escaped(&one_line(&reason)))
            }
            Outcome::Refused(reason) => {
                skipped += 1;
                format!("<skipped message=\"{}\"/>", escaped(&one_line(&reason)))
            }
            Outcome::Steady => String::new(),
        };
        cases += &format!("    <testcase classname=\"{class}\" name=\"{name}\" time=\"0\">{result}</testcase>\n");
    }
    let mut tests = judged.rules.len();
    if soak.end.is_none() {
        (tests, errors) = (tests + 1, errors + 1);
        cases += &format!(
            "    <testcase classname=\"{class}\" name=\"{class}.end\" time=\"0\">\
             <error type=\"error\" message=\"the soak did not end\"/></testcase>\n"
        );
    }
    let time = soak.nanoseconds() as f64 / 1e9;
    let numbers = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"");
    let started = escaped(&one_line(&header.started));
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <testsuites name=\"atlas-cts soak\" {numbers} time=\"{time:.3}\">\n  \
         <testsuite name=\"{class}\" {numbers} time=\"{time:.3}\" timestamp=\"{started}\">\n{cases}  \
         </testsuite>\n</testsuites>\n"
    )
}

enum Outcome {
    Alarm,
    Steady,
    Refused(String),
    Unknown(String),
}

fn outcome(rule: &RuleCourse) -> Outcome {
    match &rule.skipped {
        _ if rule.alarmed() => Outcome::Alarm,
        Some((reason, true)) => Outcome::Refused(reason.clone()),
        Some((reason, false)) => Outcome::Unknown(reason.clone()),
        None if rule.courses.iter().all(|course| course.slope.is_none()) => {
            Outcome::Unknown("too few batches for a judgment".to_owned())
        }
        None => Outcome::Steady,
    }
}
