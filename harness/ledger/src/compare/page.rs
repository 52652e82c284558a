//! A comparison as sections and entries, for text, Markdown and HTML.

use super::difference::{
    Change, CoverageKind, Difference, Drift, DriftKind, FieldChange, RuleChange, RuleOutcome, Share, Timing,
};
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
    /// The findings in one sentence.
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
}

/// The page of a comparison.
pub(super) fn page(found: &Difference) -> Page {
    let mut sections = Vec::new();
    let mut add = |title: &'static str, bad: bool, entries: Vec<PageEntry>| {
        if !entries.is_empty() {
            sections.push(Section { title, bad, entries });
        }
    };
    for (change, title, bad) in [
        (Change::Regression, message!("diff-regressions"), true),
        (Change::NewFailure, message!("diff-new-failures"), true),
        (Change::OtherSymptom, message!("diff-other-symptoms"), true),
        (Change::Fix, message!("diff-fixes"), false),
        (Change::Flake, message!("diff-flakes"), false),
    ] {
        add(title, bad, found.changes.iter().filter(|known| known.change == change).map(change_entry).collect());
    }
    add(message!("diff-drift"), false, found.drift.iter().map(drift_entry).collect());
    for (kind, title) in [
        (CoverageKind::OnlyOld, message!("diff-only-old")),
        (CoverageKind::OnlyNew, message!("diff-only-new")),
        (CoverageKind::Gone, message!("diff-gone")),
        (CoverageKind::New, message!("diff-new")),
        (CoverageKind::OtherDevice, message!("diff-other-device")),
    ] {
        let known = found.coverage.iter().filter(|known| known.kind == kind);
        let entry = |known: &super::CoverageChange| PageEntry {
            name: known.rule.clone(),
            lines: vec![
                (message!("label-verdict"), known.verdict.clone()),
                (message!("label-reason"), shortened(&known.why)),
            ],
        };
        add(title, false, known.map(entry).collect());
    }
    add(message!("diff-fields"), false, found.fields.iter().map(field_entry).collect());
    if let Some(timing) = &found.timing {
        add(message!("diff-timing"), !timing.exceeded.is_empty(), vec![timing_entry(timing)]);
    }
    let remarks: Vec<PageEntry> =
        found.remarks.iter().map(|remark| PageEntry { name: remark.clone(), lines: Vec::new() }).collect();
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
    Page { sides: [side(&found.old), side(&found.new)], verdict: verdict(found), sections, note: note(found) }
}

fn verdict(found: &Difference) -> String {
    let of = |change: Change| found.changes.iter().filter(|known| known.change == change).count();
    let coverage =
        |wanted: [CoverageKind; 2]| found.coverage.iter().filter(|known| wanted.contains(&known.kind)).count();
    message!(
        "diff-verdict",
        regressions = of(Change::Regression),
        failures = of(Change::NewFailure),
        symptoms = of(Change::OtherSymptom),
        fixes = of(Change::Fix),
        flakes = of(Change::Flake),
        drifts = found.drift.len(),
        lost = coverage([CoverageKind::OnlyOld, CoverageKind::Gone]),
        gained = coverage([CoverageKind::OnlyNew, CoverageKind::New]),
        unchanged = found.unchanged
    )
}

fn note(found: &Difference) -> String {
    let family = &found.family;
    message!("diff-note", count = family.tests, method = family.method.as_str(), level = family.level)
}

fn change_entry(change: &RuleChange) -> PageEntry {
    let mut lines = vec![(message!("label-rule"), change.title.clone())];
    if let Some(old) = &change.old {
        lines.push((message!("label-old"), outcome(old)));
    }
    if let Some(new) = &change.new {
        lines.push((message!("label-new"), outcome(new)));
    }
    if let Some(p) = change.p {
        lines.push((message!("label-chance"), format!("p = {p:.2e}")));
    }
    PageEntry { name: change.rule.clone(), lines }
}

fn outcome(outcome: &RuleOutcome) -> String {
    let RuleOutcome { verdict, reason, symptom, rate } = outcome;
    let reason = if reason.is_empty() { String::new() } else { format!(": {}", shortened(reason)) };
    let check = symptom.as_ref().map(|symptom| symptom.check.as_str()).filter(|check| !check.is_empty());
    let check = check.map(|check| message!("diff-check", check = shortened(check)));
    let rate = rate.map(|[failed, runs]| message!("diff-rate", failed = failed, runs = runs));
    [Some(format!("{verdict}{reason}")), check, rate].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn drift_entry(drift: &Drift) -> PageEntry {
    let kind = match drift.kind {
        DriftKind::Code => message!("label-code"),
        DriftKind::Value => message!("label-value"),
        DriftKind::Check => message!("label-check"),
        DriftKind::Verdict => message!("label-verdict"),
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
    PageEntry { name: drift.rule.clone(), lines }
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
    PageEntry {
        name: field.field.clone(),
        lines: vec![(message!("label-old"), shown(&field.old)), (message!("label-new"), shown(&field.new))],
    }
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
    PageEntry { name: message!("timing-name", count = timing.rules), lines }
}

/// The text on one line, cut at the length limit.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST - 1).chain(['…']).collect()
}
