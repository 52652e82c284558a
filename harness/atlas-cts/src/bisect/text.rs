//! The lines that a search prints.

use catalog::count;
use ledger::confidence::Confidence;
use record::Symptom;

use super::hunt::{Hunt, SearchResult, Tried};
use super::search::Conclusion;

/// The line about a version.
pub(super) fn tried(version: &str, tried: &Tried, symptom: Option<&Symptom>) -> String {
    let word = match tried {
        Tried { hits: 1.., .. } => "with",
        Tried { unknown, .. } if !unknown.is_empty() => "skipped",
        _ => "without",
    };
    let mut parts = Vec::new();
    if let Some(symptom) = symptom.filter(|_| tried.hits > 0) {
        parts.push(format!("in {} of {}: {symptom}", tried.hits, runs(tried.runs)));
    } else if tried.unknown.is_empty() {
        parts.push(format!("in {}", runs(tried.runs)));
    }
    if let Some(other) = tried.other.first() {
        parts.push(format!("{} of {} failed in another way: {other}", tried.other.len(), runs(tried.runs)));
    }
    if !tried.unknown.is_empty() {
        parts.push(tried.unknown.clone());
    }
    format!("{word:<10} {version}  {}", parts.join("; "))
}

/// The lines about the result.
pub(super) fn conclusion(hunt: &Hunt, found: &SearchResult) -> Vec<String> {
    let name = |version: &usize| hunt.versions[*version].as_str();
    let names = |versions: &[usize]| versions.iter().map(name).collect::<Vec<_>>().join(", ");
    let mut lines = Vec::new();
    let mut line = |word: &str, text: String| lines.push(format!("{word:<10} {text}"));
    match &found.conclusion {
        Conclusion::First { first, before, between } => {
            let free = match before {
                Some(before) => format!("{} is free of it", name(before)),
                None => "no version that can be tried is free of it; start the list with an older one".to_owned(),
            };
            match between.as_slice() {
                [] => line("first", format!("{}: the first version with the symptom; {free}", name(first))),
                skipped => line(
                    "first",
                    format!("{} or one of {}, which cannot be tried; {free}", name(first), names(skipped)),
                ),
            }
            match &found.confidence {
                Some(confidence) => line("sure", sure(confidence)),
                None => line("sure", "only if the symptom shows in every run; --runs N measures how sure".into()),
            }
        }
        Conclusion::Nowhere { last } => {
            line("nothing", format!("{} does not show the symptom: this list has no first version", name(last)));
        }
        Conclusion::Untried => {
            line("nothing", "no version can be tried; fix the set-up, or the errors that the runs report".to_owned())
        }
    }
    if let Some(left) = &found.left {
        line("left", left.clone());
    }
    line("kept", format!("{}: each run, and the output of each command", hunt.folder.display()));
    lines
}

fn sure(confidence: &Confidence) -> String {
    let Confidence { hits, runs: of, rate, free, runs_of_free, missed, right, wanted } = confidence;
    let versions = count(*free, "version");
    let more = if *right < 0.9 { format!("; --runs {wanted} for 90 %") } else { String::new() };
    format!(
        "at least {:.1} %: it showed in {hits} of {}, so in more than {:.0} % of all runs, with 95 % confidence; if it \
         is not rarer in other versions, {versions} without it in {} each may hide it with {:.1} % probability{more}",
        right * 100.0,
        runs(*of),
        rate * 100.0,
        runs(*runs_of_free),
        missed * 100.0
    )
}

fn runs(number: u32) -> String {
    count(number, "run")
}
