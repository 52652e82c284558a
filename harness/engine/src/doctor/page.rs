//! An examination as text for somebody who has little time: the verdict, then the worst, then what was looked at.

use std::fmt::Write;

use crate::report::{clean, wrap};

use super::finding::{Examination, Finding};

/// The width that the page is laid out for.
const WIDTH: usize = 100;
/// Columns of a label and of the space before and behind it.
const LABEL: usize = 11;

/// The page. Nothing of what tools and files say can move a cursor.
pub fn page(found: &Examination) -> String {
    let mut text = String::new();
    for line in wrap(&found.summary, WIDTH) {
        let _ = writeln!(text, "{line}");
    }
    for finding in &found.findings {
        add_finding(&mut text, finding);
    }
    let title = |text: &mut String, title: &str| {
        let _ = writeln!(text, "\n{title}");
    };
    if !found.devices.is_empty() {
        title(&mut text, "devices");
    }
    for device in &found.devices {
        let memory = device.memory_used.zip(device.memory_total);
        let memory = memory.map(|(used, total)| format!("{used} of {total} MiB in use"));
        let users = (!device.processes.is_empty()).then(|| format!("used by {}", device.processes.join(", ")));
        let parts = [device.name.clone(), device.health.clone(), memory, users];
        row(&mut text, &device.label, &parts.into_iter().flatten().collect::<Vec<_>>().join(", "));
    }
    if !found.versions.is_empty() {
        title(&mut text, "versions");
    }
    for version in &found.versions {
        row(&mut text, &version.of, &format!("{}  ({})", version.version, version.source));
    }
    title(&mut text, "looked at");
    for look in &found.looked_at {
        row(&mut text, "", &format!("{}: {}: {}", look.what, look.place, look.said));
    }
    text
}

fn add_finding(text: &mut String, finding: &Finding) {
    let _ = writeln!(text, "\n{:<8} {}", finding.severity.name().to_uppercase(), clean(&finding.id));
    row(text, "", &finding.title);
    for seen in &finding.seen {
        row(text, "seen", seen);
    }
    row(text, "next", &finding.next);
    if !finding.source.is_empty() {
        row(text, "rests on", &format!("{}: {}", finding.certainty.name(), finding.source));
    }
}

/// A labelled text, wrapped.
fn row(text: &mut String, label: &str, content: &str) {
    let width = LABEL - 3;
    let mut label = clean(label).into_owned();
    for line in wrap(content, WIDTH - LABEL) {
        let line = format!("  {label:<width$} {line}");
        let _ = writeln!(text, "{}", line.trim_end());
        label.clear();
    }
}
