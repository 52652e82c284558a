//! A diagnosis for a terminal.

use std::fmt::Write;

use catalog::count;

use super::search::{Candidate, Diagnosis, Mechanism};

/// The number of printed arguments against an explanation, and of printed defects that cannot be distinguished.
const SHOWN: usize = 4;

/// The diagnosis as text.
pub fn text(diagnosis: &Diagnosis) -> String {
    let mut text = String::new();
    for stale in &diagnosis.stale {
        let _ =
            writeln!(text, "stale: the fault dictionary of {}: {stale}; ci/night.sh makes it again", diagnosis.product);
    }
    if diagnosis.candidates.is_empty() && diagnosis.explanation.is_empty() {
        text.push_str(match diagnosis.failures {
            0 => "nothing to diagnose: no rule that the fault dictionary knows is broken\n",
            _ => "none of these: no defect in the fault dictionary resembles this run\n",
        });
        unknown(diagnosis, &mut text);
        return text;
    }
    let failures = count(diagnosis.failures, "failed rule");
    let percent = |share: f64| (share * 100.0).floor();
    match &diagnosis.explanation[..] {
        [] => {
            let fit = percent(diagnosis.fit);
            let _ =
                writeln!(text, "none of these: the best explanation fits {fit} % of {failures} and expected failures");
        }
        [one] => {
            let _ = writeln!(text, "{failures}: the device behaves {}", as_if(one));
        }
        several => {
            let _ = writeln!(text, "{failures}: the device behaves in {} ways at once:", several.len());
            for one in several {
                let _ = writeln!(text, "  {}", as_if(one));
            }
        }
    }
    if !diagnosis.explanation.is_empty() {
        let _ = writeln!(text, "  fits      {} % of the failures and of the expected failures", percent(diagnosis.fit));
    }
    arguments(&diagnosis.against, &mut text);
    unknown(diagnosis, &mut text);
    text.push_str("\nsingle mechanisms, the most likely first:\n");
    for candidate in &diagnosis.candidates {
        describe(candidate, diagnosis.failures, &mut text);
    }
    if !diagnosis.next.is_empty() {
        text.push_str("\ncheapest ways to tell them apart (--run runs them):\n");
        for next in &diagnosis.next {
            let cases = count(next.cases, if next.new { "case" } else { "more case" });
            let seconds = next.nanoseconds as f64 / 1e9;
            let _ = writeln!(text, "  {}: {cases}, {:.2} bits, about {seconds:.1} s simulated", next.rule, next.bits);
        }
    }
    text.push_str(
        "\n\"As if\" compares with seeded defects of the simulated device; it says nothing about the code.\n",
    );
    text
}

/// `as if the engine rounds sizes …`, with the defect's name.
fn as_if(mechanism: &Mechanism) -> String {
    let sentence = mechanism.sentence.trim_end_matches('.');
    let mut chars = sentence.chars();
    let first = chars.next().map(|char| char.to_lowercase().to_string()).unwrap_or_default();
    // A name of several capitals, such as an acronym, stays as it is.
    let second_is_capital = chars.clone().next().is_some_and(char::is_uppercase);
    let sentence = if second_is_capital { sentence.to_owned() } else { first + chars.as_str() };
    format!("as if {sentence} ({})", mechanism.defect)
}

fn describe(candidate: &Candidate, failures: usize, text: &mut String) {
    let percent = (candidate.likelihood * 100.0).round();
    let (explains, all) = (candidate.explains, count(failures, "failure"));
    let _ = writeln!(text, "  {percent:3} %  {}", as_if(&candidate.mechanism));
    let same = &candidate.mechanism.same;
    if !same.is_empty() {
        let more = if same.len() > SHOWN { format!(" and {} more", same.len() - SHOWN) } else { String::new() };
        let named = same[..same.len().min(SHOWN)].join(", ");
        let _ = writeln!(text, "         cannot be distinguished: {named}{more}");
    }
    let _ =
        writeln!(text, "         explains {explains} of {all}; {} against it", count(candidate.against.len(), "fact"));
    for fact in candidate.against.iter().take(2) {
        let _ = writeln!(text, "         {fact}");
    }
}

fn arguments(against: &[String], text: &mut String) {
    for fact in against.iter().take(SHOWN) {
        let _ = writeln!(text, "  against   {fact}");
    }
    if against.len() > SHOWN {
        let _ = writeln!(text, "  against   {} more", against.len() - SHOWN);
    }
}

fn unknown(diagnosis: &Diagnosis, text: &mut String) {
    if !diagnosis.unknown.is_empty() {
        let rules = count(diagnosis.unknown.len(), "failed rule");
        let _ = writeln!(text, "  not used  {rules} unknown to the dictionary: {}", diagnosis.unknown.join(", "));
    }
}
