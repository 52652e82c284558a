//! A comparison as sections and entries: what text, Markdown and HTML show in their own way.

use super::difference::{
    Change, CoverageKind, Difference, Drift, DriftKind, FieldChange, Outcome, RuleChange, Share, Timing,
};

/// The answers and fields that are shown of one entry.
const MOST_SHOWN: usize = 6;
/// The longest value that is shown, in characters.
const LONGEST: usize = 160;

/// A comparison for a person.
pub(super) struct Page {
    /// What was compared, a line for each run.
    pub sides: [String; 2],
    /// One sentence that says what was found.
    pub verdict: String,
    pub sections: Vec<Section>,
    /// What the figures mean.
    pub note: String,
}

/// Entries of one kind.
pub(super) struct Section {
    pub title: &'static str,
    /// Whether the section is bad news.
    pub bad: bool,
    pub entries: Vec<Entry>,
}

/// One finding: a name and lines of details with a label each.
pub(super) struct Entry {
    pub name: String,
    pub lines: Vec<(&'static str, String)>,
}

/// The page of a comparison.
pub(super) fn page(found: &Difference) -> Page {
    let mut sections = Vec::new();
    let mut add = |title: &'static str, bad: bool, entries: Vec<Entry>| {
        if !entries.is_empty() {
            sections.push(Section { title, bad, entries });
        }
    };
    for (change, title, bad) in [
        (Change::Regression, "Regressions", true),
        (Change::NewFailure, "New failures: no answer before", true),
        (Change::OtherSymptom, "Other symptoms", true),
        (Change::Fix, "Fixes", false),
        (Change::Flake, "Flaky, and no news: the rates do not differ more than chance explains", false),
    ] {
        add(title, bad, found.changes.iter().filter(|known| known.change == change).map(change_entry).collect());
    }
    add("Behavior drift: nothing broke, the strongest first", false, found.drift.iter().map(drift_entry).collect());
    for (kind, title) in [
        (CoverageKind::OnlyOld, "No answer any more"),
        (CoverageKind::OnlyNew, "An answer for the first time"),
        (CoverageKind::Gone, "Rules that are gone"),
        (CoverageKind::New, "Rules that are new"),
        (CoverageKind::OtherDevice, "Rules on another device than before: another question"),
    ] {
        let known = found.coverage.iter().filter(|known| known.kind == kind);
        let entry = |known: &super::CoverageChange| Entry {
            name: known.rule.clone(),
            lines: vec![("verdict", known.verdict.clone()), ("why", shortened(&known.why))],
        };
        add(title, false, known.map(entry).collect());
    }
    add("What was tested, and how", false, found.fields.iter().map(field_entry).collect());
    if let Some(timing) = &found.timing {
        add("Time: information, unless there is a budget", !timing.exceeded.is_empty(), vec![timing_entry(timing)]);
    }
    let remarks: Vec<Entry> =
        found.remarks.iter().map(|remark| Entry { name: remark.clone(), lines: Vec::new() }).collect();
    add("What this comparison cannot say", false, remarks);
    let side = |side: &super::Side| {
        let end = if side.ended { "" } else { ", not finished" };
        format!("{} ({}, {}, {} results, {}{end})", side.path, side.tested, side.product, side.results, side.started)
    };
    Page { sides: [side(&found.old), side(&found.new)], verdict: verdict(found), sections, note: note(found) }
}

fn verdict(found: &Difference) -> String {
    let of = |change: Change| found.changes.iter().filter(|known| known.change == change).count();
    let coverage =
        |wanted: [CoverageKind; 2]| found.coverage.iter().filter(|known| wanted.contains(&known.kind)).count();
    format!(
        "{} regressions, {} new failures, {} other symptoms, {} fixes, {} flaky without news, {} drifts; {} rules lost \
         their answer, {} gained one; {} rules as before",
        of(Change::Regression),
        of(Change::NewFailure),
        of(Change::OtherSymptom),
        of(Change::Fix),
        of(Change::Flake),
        found.drift.len(),
        coverage([CoverageKind::OnlyOld, CoverageKind::Gone]),
        coverage([CoverageKind::OnlyNew, CoverageKind::New]),
        found.unchanged
    )
}

fn note(found: &Difference) -> String {
    let family = &found.family;
    format!(
        "{} tests of shares and rates ({}): the chance that any of them speaks where nothing changed is at most {}. Not \
         tested: verdicts, and questions whose case is the same and whose answer was always one, and now always another.",
        family.tests, family.method, family.level
    )
}

fn change_entry(change: &RuleChange) -> Entry {
    let mut lines = vec![("rule", change.title.clone())];
    if let Some(old) = &change.old {
        lines.push(("old", outcome(old)));
    }
    if let Some(new) = &change.new {
        lines.push(("new", outcome(new)));
    }
    if let Some(p) = change.p {
        lines.push(("chance", format!("p = {p:.2e}")));
    }
    Entry { name: change.rule.clone(), lines }
}

fn outcome(outcome: &Outcome) -> String {
    let Outcome { verdict, reason, symptom, rate } = outcome;
    let reason = if reason.is_empty() { String::new() } else { format!(": {}", shortened(reason)) };
    let check = symptom.as_ref().map(|symptom| symptom.check.as_str()).filter(|check| !check.is_empty());
    let check = check.map(|check| format!("; check `{}`", shortened(check))).unwrap_or_default();
    let rate =
        rate.map(|[failed, runs]| format!("; failed {failed} of {runs} times when run again")).unwrap_or_default();
    format!("{verdict}{reason}{check}{rate}")
}

fn drift_entry(drift: &Drift) -> Entry {
    let kind = match drift.kind {
        DriftKind::Code => "code",
        DriftKind::Value => "value",
        DriftKind::Check => "check",
        DriftKind::Verdict => "verdict",
    };
    let strength = match drift.p {
        Some(p) => format!("{:.2}, p = {p:.1e}", drift.strength),
        None => format!("{:.2}, the same question", drift.strength),
    };
    let lines = vec![
        (kind, shortened(&drift.what)),
        ("strength", strength),
        ("old", shares(&drift.old)),
        ("new", shares(&drift.new)),
    ];
    Entry { name: drift.rule.clone(), lines }
}

fn shares(shares: &[Share]) -> String {
    let shown = shares.iter().take(MOST_SHOWN).map(|share| format!("{} × {}", shortened(&share.answer), share.cases));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if shares.len() > MOST_SHOWN {
        text += &format!(", {} more", shares.len() - MOST_SHOWN);
    }
    if let Some(example) = shares.iter().find_map(|share| share.example.as_ref()) {
        text += &format!("; for example {}", shortened(&example.to_string()));
    }
    text
}

fn field_entry(field: &FieldChange) -> Entry {
    let shown = |value: &Option<serde_json::Value>| match value {
        None => "not there".to_owned(),
        Some(serde_json::Value::String(text)) => shortened(text),
        Some(value) => shortened(&value.to_string()),
    };
    Entry { name: field.field.clone(), lines: vec![("old", shown(&field.old)), ("new", shown(&field.new))] }
}

fn timing_entry(timing: &Timing) -> Entry {
    let interval = match timing.interval {
        Some([low, high]) => format!("{low:.2} to {high:.2} with 95 % confidence"),
        None => "too few rules for an interval".to_owned(),
    };
    let within = format!("half of the rules are within a factor of {:.2} of it", timing.spread);
    let mut lines = vec![("median", format!("{:.2} ({interval}); {within}", timing.median))];
    lines.extend(timing.outliers.iter().map(|rule| {
        let milliseconds = |nanoseconds: u64| nanoseconds as f64 / 1e6;
        let (old, new) = (milliseconds(rule.old), milliseconds(rule.new));
        ("unlike", format!("{}: {:.2} ({old:.3} ms, then {new:.3} ms a case)", rule.rule, rule.ratio))
    }));
    lines.extend(timing.exceeded.iter().map(|text| ("budget", text.clone())));
    Entry { name: format!("time of a case, new over old, over {} rules", timing.rules), lines }
}

/// Text on one line, with an end.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST - 1).chain(['…']).collect()
}
