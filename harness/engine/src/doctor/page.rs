//! An examination as a page of text: the verdict, the findings (worst first), and the examined places.

use std::borrow::Cow;
use std::fmt::Write;

use messages::{comma, message};
use record::text::{clean, pad, width, wrap};

use super::finding::{Examination, Finding};

/// The width of a label, in columns, including the spaces before and after the label.
const LABEL: usize = 11;

/// The maximum number of characters shown from one tool output or variable. The JSON report has the whole text.
const SHOWN: usize = 2000;

/// The page. Text from tools and files cannot move the cursor.
pub fn page(found: &Examination) -> String {
    let mut text = String::new();
    for line in wrap(&shown(&found.summary), width()) {
        let _ = writeln!(text, "{line}");
    }
    for finding in &found.findings {
        add_finding(&mut text, finding);
    }
    let title = |text: &mut String, title: &str| {
        let _ = writeln!(text, "\n{title}");
    };
    if !found.devices.is_empty() {
        title(&mut text, message!("heading-devices"));
    }
    for device in &found.devices {
        let memory = device.memory_used.zip(device.memory_total);
        let memory = memory.map(|(used, total)| message!("device-memory", used = used, total = total));
        let users = device.processes.join(comma());
        let users = (!users.is_empty()).then(|| message!("device-users", users = users));
        let parts = [device.name.clone(), device.health.clone(), memory, users];
        row(&mut text, &device.label, &parts.into_iter().flatten().collect::<Vec<_>>().join(comma()));
    }
    if !found.versions.is_empty() {
        title(&mut text, message!("heading-versions"));
    }
    for version in &found.versions {
        row(&mut text, &version.of, &format!("{}  ({})", version.version, version.source));
    }
    title(&mut text, message!("heading-looked-at"));
    for look in &found.looked_at {
        row(&mut text, "", &format!("{}: {}: {}", look.what, look.place, look.said));
    }
    text
}

fn add_finding(text: &mut String, finding: &Finding) {
    let _ = writeln!(text, "\n{} {}", pad(&finding.severity.name().to_uppercase(), 8), clean(&finding.id));
    row(text, "", &finding.title);
    for seen in &finding.seen {
        row(text, message!("label-seen"), seen);
    }
    row(text, message!("label-next"), &finding.next);
    if !finding.source.is_empty() {
        row(text, message!("label-rests-on"), &format!("{}: {}", finding.certainty.name(), finding.source));
    }
}

/// Labeled text, wrapped.
fn row(text: &mut String, label: &str, content: &str) {
    let mut label = clean(&shown(label)).into_owned();
    for line in wrap(&shown(content), width() - LABEL) {
        let line = format!("  {} {line}", pad(&label, LABEL - 3));
        let _ = writeln!(text, "{}", line.trim_end());
        label.clear();
    }
}

/// The beginning of a text of any length.
fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(message!("cut-text", text = &text[..end], bytes = text.len())),
    }
}

#[cfg(test)]
mod tests {
    use crate::doctor::{Certainty, Device, Severity};

    use super::*;

    #[test]
    fn the_verdict_comes_first_and_the_places_last() {
        let mut found = Examination::new("1", "toy", "/");
        found.find(Finding::new("toy.slow", Severity::Note, "a thing is slow", "wait for it"));
        let missing = Finding::new("toy.missing", Severity::Blocker, "a thing is missing", "get the thing");
        found.find(missing.seen("/opt/thing: \u{1b}[2J").rests_on(Certainty::Inferred, "a document"));
        found.version("driver", "1.2", "a file");
        found.devices.push(Device {
            label: "0:0".to_owned(),
            name: Some("toy".to_owned()),
            health: Some("good".to_owned()),
            memory_used: Some(1),
            memory_total: Some(2),
            ..Device::default()
        });
        found.looked("a thing", "/opt", "not found");
        found.conclude();
        insta::assert_snapshot!(page(&found), @r"
        This machine cannot run the suite: a thing is missing

        BLOCKER  toy.missing
                   a thing is missing
          seen     /opt/thing: ␛[2J
          next     get the thing
          rests on our conclusion: a document

        NOTE     toy.slow
                   a thing is slow
          next     wait for it

        devices
          0:0      toy, good, 1 of 2 MiB in use

        versions
          driver   1.2  (a file)

        looked at
                   a thing: /opt: not found
        ");
    }
}
