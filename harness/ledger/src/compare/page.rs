//! A comparison as sections and entries, for text, Markdown and HTML.

use std::collections::BTreeSet;

use super::difference::{
    Change, ChangeCause, CoverageKind, Difference, Drift, DriftKind, FieldChange, RuleChange, RuleOutcome, Share,
    Timing,
};
use super::outcome::{Numbers, Tone, is_finding, outcome};
use cases::query;
use messages::message;

/// The largest number of answers or fields shown in an entry.
const MOST_SHOWN: usize = 6;
/// The longest value shown, in characters.
const LONGEST: usize = 160;

/// A comparison, laid out for people.
pub(super) struct Page {
    /// The compared runs, one line each.
    pub sides: [String; 2],
    /// The outcome in one sentence.
    pub outcome: String,
    pub tone: Tone,
    pub numbers: Numbers,
    /// All numbers, in words.
    pub verdict: String,
    pub sections: Vec<Section>,
    /// An explanation of the figures.
    pub note: String,
}

/// Entries of one kind.
pub(super) struct Section {
    pub title: &'static str,
    /// True if the entries are problems.
    pub bad: bool,
    pub entries: Vec<PageEntry>,
}

/// A finding: a name, and labeled lines with details.
pub(super) struct PageEntry {
    pub name: String,
    pub lines: Vec<(&'static str, String)>,
    /// True if another entry of the same cause is shown whole.
    pub brief: bool,
}

impl PageEntry {
    fn new(name: String, lines: Vec<(&'static str, String)>) -> PageEntry {
        PageEntry { name, lines, brief: false }
    }
}

/// The page of a comparison.
pub(super) fn page(found: &Difference) -> Page {
    let mut sections = Vec::new();
    let mut add = |title: &'static str, bad: bool, entries: Vec<PageEntry>| {
        if !entries.is_empty() {
            sections.push(Section { title, bad, entries });
        }
    };
    let causes = found.causes.iter().filter(|cause| cause.rules.len() > 1);
    let followers: BTreeSet<&str> = causes.clone().flat_map(|cause| &cause.rules[1..]).map(String::as_str).collect();
    if causes.count() > 0 {
        add(message!("diff-causes"), true, found.causes.iter().map(cause_entry).collect());
    }
    for (change, title, bad) in [
        (Change::Regression, message!("diff-regressions"), true),
        (Change::NewFailure, message!("diff-new-failures"), true),
        (Change::OtherSymptom, message!("diff-other-symptoms"), true),
        (Change::Fix, message!("diff-fixes"), false),
        (Change::Flake, message!("diff-flakes"), false),
    ] {
        let changes = found.changes.iter().filter(|known| known.change == change);
        let mut entries: Vec<PageEntry> = changes
            .map(|change| PageEntry { brief: followers.contains(change.rule.as_str()), ..change_entry(change) })
            .collect();
        // The first rule of each cause is shown whole, before the others.
        entries.sort_by_key(|entry| entry.brief);
        add(title, bad, entries);
    }
    let findings = found.drift.iter().filter(|drift| is_finding(drift));
    add(message!("diff-findings"), false, findings.map(drift_entry).collect());
    let drift = found.drift.iter().filter(|drift| !is_finding(drift));
    add(message!("diff-drift"), false, drift.map(drift_entry).collect());
    for (kind, title) in [
        (CoverageKind::OnlyOld, message!("diff-only-old")),
        (CoverageKind::OnlyNew, message!("diff-only-new")),
        (CoverageKind::Gone, message!("diff-gone")),
        (CoverageKind::New, message!("diff-new")),
        (CoverageKind::OtherDevice, message!("diff-other-device")),
    ] {
        let known = found.coverage.iter().filter(|known| known.kind == kind);
        let entry = |known: &super::CoverageChange| {
            let lines = vec![
                (message!("label-verdict"), known.verdict.clone()),
                (message!("label-reason"), shortened(&known.why)),
            ];
            PageEntry::new(known.rule.clone(), lines)
        };
        add(title, false, known.map(entry).collect());
    }
    add(message!("diff-fields"), false, found.fields.iter().map(field_entry).collect());
    if let Some(timing) = &found.timing {
        add(message!("diff-timing"), !timing.exceeded.is_empty(), vec![timing_entry(timing)]);
    }
    let remarks: Vec<PageEntry> =
        found.remarks.iter().map(|remark| PageEntry::new(remark.clone(), Vec::new())).collect();
    add(message!("diff-limits"), false, remarks);
    let side = |side: &super::Side| {
        let line = message!(
            "diff-side",
            tested = side.tested.as_str(),
            product = side.product.as_str(),
            count = side.results,
            started = side.started.as_str()
        );
        let end = if side.ended { String::new() } else { format!(", {}", message!("unfinished")) };
        format!("{} ({line}{end})", side.path)
    };
    let (tone, outcome) = outcome(found);
    Page {
        sides: [side(&found.old), side(&found.new)],
        outcome,
        tone,
        numbers: Numbers::of(found),
        verdict: verdict(found),
        sections,
        note: note(found),
    }
}

fn verdict(found: &Difference) -> String {
    let of = |change: Change| found.changes.iter().filter(|known| known.change == change).count();
    let numbers = Numbers::of(found);
    message!(
        "diff-verdict",
        regressions = of(Change::Regression),
        failures = of(Change::NewFailure),
        symptoms = numbers.symptoms,
        fixes = numbers.fixes,
        flakes = numbers.flakes,
        findings = numbers.findings,
        drifts = numbers.drift,
        lost = numbers.lost,
        gained = numbers.gained,
        unchanged = numbers.unchanged
    )
}

fn note(found: &Difference) -> String {
    let family = &found.family;
    message!("diff-note", count = family.tests, method = family.method.as_str(), level = family.level)
}

fn cause_entry(cause: &ChangeCause) -> PageEntry {
    let rules = message!("count-rules", count = cause.rules.len());
    PageEntry::new(cause.title.clone(), vec![(message!("label-rules"), format!("{rules}: {}", cause.advice))])
}

fn change_entry(change: &RuleChange) -> PageEntry {
    let mut lines = vec![(message!("label-rule"), change.title.clone())];
    if let Some(old) = &change.old {
        lines.push((message!("label-old"), of_outcome(old)));
    }
    if let Some(new) = &change.new {
        lines.push((message!("label-new"), of_outcome(new)));
    }
    if let Some(p) = change.p {
        lines.push((message!("label-chance"), format!("p = {p:.2e}")));
    }
    PageEntry::new(change.rule.clone(), lines)
}

fn of_outcome(outcome: &RuleOutcome) -> String {
    let RuleOutcome { verdict, reason, symptom, rate } = outcome;
    let reason = if reason.is_empty() { String::new() } else { format!(": {}", shortened(reason)) };
    let check = symptom.as_ref().map(|symptom| symptom.check.as_str()).filter(|check| !check.is_empty());
    let check = check.map(|check| message!("diff-check", check = shortened(check.trim_end_matches(';'))));
    let rate = rate.map(|[failed, runs]| message!("diff-rate", failed = failed, runs = runs));
    [Some(format!("{verdict}{reason}")), check, rate].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn drift_entry(drift: &Drift) -> PageEntry {
    let kind = match drift.kind {
        DriftKind::Code => message!("label-code"),
        DriftKind::Value => message!("label-value"),
        DriftKind::Check => message!("label-check"),
        DriftKind::Verdict => message!("label-rule"),
    };
    let strength = match drift.p {
        Some(p) => format!("{:.2}, p = {p:.1e}", drift.strength),
        None => format!("{:.2}, {}", drift.strength, message!("diff-same-question")),
    };
    let lines = vec![
        (kind, shortened(&drift.what)),
        (message!("label-strength"), strength),
        (message!("label-old"), shares(&drift.rule, &drift.old)),
        (message!("label-new"), shares(&drift.rule, &drift.new)),
    ];
    PageEntry::new(drift.rule.clone(), lines)
}

/// Answers, each with its number of cases, followed by an example case as a query that `run` accepts.
fn shares(rule: &str, shares: &[Share]) -> String {
    let shown = shares.iter().take(MOST_SHOWN).map(|share| format!("{} × {}", shortened(&share.answer), share.cases));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if shares.len() > MOST_SHOWN {
        text += &format!(", {}", message!("and-more", count = shares.len() - MOST_SHOWN));
    }
    if let Some(example) = shares.iter().find_map(|share| share.example.as_ref()) {
        text += &format!(
            "; {}",
            message!("diff-example", values = query(rule, example).unwrap_or_else(|| shortened(&example.to_string())))
        );
    }
    text
}

fn field_entry(field: &FieldChange) -> PageEntry {
    let shown = |value: &Option<serde_json::Value>| match value {
        None => message!("absent").to_owned(),
        Some(serde_json::Value::String(text)) => shortened(text),
        Some(value) => shortened(&value.to_string()),
    };
    let lines = vec![(message!("label-old"), shown(&field.old)), (message!("label-new"), shown(&field.new))];
    PageEntry::new(field.field.clone(), lines)
}

fn timing_entry(timing: &Timing) -> PageEntry {
    let two = |number: f64| format!("{number:.2}");
    let interval = match timing.interval {
        Some([low, high]) => message!("timing-interval", low = two(low), high = two(high)),
        None => message!("timing-no-interval").to_owned(),
    };
    let (median, spread) = (two(timing.median), two(timing.spread));
    let median = message!("timing-median", median = median, interval = interval, spread = spread);
    let mut lines = vec![(message!("label-median"), median)];
    lines.extend(timing.outliers.iter().map(|rule| {
        let milliseconds = |nanoseconds: u64| format!("{:.3}", nanoseconds as f64 / 1e6);
        let (old, new) = (milliseconds(rule.old), milliseconds(rule.new));
        let outlier = message!("timing-outlier", ratio = two(rule.ratio), old = old, new = new);
        (message!("label-outlier"), format!("{}: {outlier}", rule.rule))
    }));
    lines.extend(timing.exceeded.iter().map(|text| (message!("label-budget"), text.clone())));
    PageEntry::new(message!("timing-name", count = timing.rules), lines)
}

/// The text on one line, cut at the length limit.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST - 1).chain(['…']).collect()
}
