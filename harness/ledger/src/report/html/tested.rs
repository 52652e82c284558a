//! What was tested, with what settings, and what happened to the run besides its rules.

use std::fmt::Write;

use crate::report::expected::{retries, retry};
use crate::report::fingerprint::{device_line, fingerprint_line, installed_line};
use crate::report::host::{host_line, left_out_lines};
use crate::report::parts::{merged_line, part_line, worth_a_line};
use crate::report::summary::{device, library_line, mapped_line};
use crate::report::text::{count, duration, elide, one_line, short};
use record::{Recorded, RunHeader};

use super::document::escaped;

/// Lines of one kind; the journal has all.
const MOST: usize = 60;
/// Characters of a line.
const LINE: usize = 600;

/// Facts of the header, then the course of the run.
pub(super) fn sections(run: &Recorded) -> String {
    format!("{}{}", tested(&run.header), course(run))
}

/// Rows of a list of terms.
struct Rows(String);

impl Rows {
    fn add(&mut self, label: &str, text: &str) {
        if !text.trim().is_empty() {
            let _ = writeln!(self.0, "<dt>{label}</dt><dd>{}</dd>", escaped(&elide(text, LINE)));
        }
    }

    fn all(&mut self, label: &str, texts: impl IntoIterator<Item = String>) {
        let mut texts = texts.into_iter();
        let shown: Vec<String> =
            texts.by_ref().take(MOST).map(|text| format!("<li>{}</li>", escaped(&elide(&text, LINE)))).collect();
        let rest = texts.count();
        let rest = if rest > 0 { format!("<li>and {rest} more, which the journal names</li>") } else { String::new() };
        if !shown.is_empty() {
            let _ = writeln!(self.0, "<dt>{label}</dt><dd><ul>{}{rest}</ul></dd>", shown.concat());
        }
    }
}

fn tested(header: &RunHeader) -> String {
    let mut rows = Rows(String::new());
    rows.add("suite", &format!("Atlas CTS {}, {}", header.suite, header.runtime));
    rows.add("library", &library_line(header));
    rows.add("sha256", &header.library.sha256);
    rows.add("version", header.library.version_note.as_deref().unwrap_or_default());
    let further = |library: &record::FurtherLibrary| {
        format!("{}: {} (sha256 {})", library.id, library.path, short(&library.sha256))
    };
    rows.all("further", header.further_libraries.iter().map(further));
    rows.all("mapped", header.mapped.iter().map(mapped_line));
    let edition = header.edition.as_deref().unwrap_or("unknown");
    let mode = match header.run_mode.as_str() {
        "" => String::new(),
        mode => format!(", programs on the {mode}"),
    };
    rows.add("device", &format!("{}, product {}, edition {edition}{mode}", device(header), header.product));
    rows.all("out", header.devices_out.iter().map(|out| format!("device {}: {}", out.device, out.reason)));
    if let Some(fingerprint) = &header.fingerprint {
        rows.add("identity", &fingerprint_line(fingerprint));
        rows.all("devices", fingerprint.devices.iter().map(device_line));
        rows.all("installed", fingerprint.installed.iter().map(installed_line));
        rows.all("not known", fingerprint.unknown.iter().cloned());
    }
    rows.add("host", &header.host.as_ref().map(host_line).unwrap_or_default());
    rows.all("left out", header.host.iter().flat_map(left_out_lines));
    rows.all("defects", header.defects.iter().cloned());
    rows.add("catalog", &format!("{} rules, sha256 {}", header.rules, header.catalog_digest));
    rows.add("run", &format!("{}, profile {}, seed {}", header.run, header.profile, header.seed));
    let settings = &header.settings;
    let marked = [
        (settings.strict, "strict"),
        (settings.hazardous, "hazardous"),
        (settings.dedicated, "dedicated"),
        (settings.on_every_device, "on every device"),
        (settings.redact, "redacted"),
    ];
    rows.all("without axioms", settings.without_axioms.iter().cloned());
    let marked: Vec<&str> = marked.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect();
    rows.add(
        "settings",
        &format!(
            "deadline {} s{}{}",
            settings.deadline,
            settings.patience.map(|patience| format!(", patience {patience} ms")).unwrap_or_default(),
            marked.iter().map(|name| format!(", {name}")).collect::<String>()
        ),
    );
    rows.add("selected", &settings.rules.as_ref().map(|rules| count(rules.len() as u64, "rule")).unwrap_or_default());
    rows.add("parts", &part_line(header));
    rows.all("merged", worth_a_line(header).map(merged_line));
    format!(
        "<section aria-labelledby=\"tested\">\n<h2 id=\"tested\">What was tested</h2>\n<dl>\n{}</dl>\n</section>\n",
        rows.0
    )
}

/// How long the run took, as far as it knows: the end of a resumed one counts from there on.
pub(super) fn run_time(run: &Recorded) -> Option<String> {
    let since = if run.header.resumed.is_empty() { "" } else { " since it was resumed" };
    run.end.as_ref().map(|end| format!("{}{since}", duration(end.nanoseconds)))
}

/// What happened: times, starts, retries, remarks. The health of devices is told in remarks, and in the devices that are
/// out.
fn course(run: &Recorded) -> String {
    let (header, mut rows) = (&run.header, Rows(String::new()));
    rows.add("started", &header.started);
    rows.all("resumed", header.resumed.iter().cloned());
    match &run.end {
        None => rows.add("ended", "the run did not reach its end"),
        Some(end) => {
            let took = run_time(run).unwrap_or_default();
            rows.add("ended", &format!("{}, after {took}", end.finished));
            rows.add("exit status", &end.exit.to_string());
            let start_up = duration(end.start_up_nanoseconds);
            rows.add("workers", &format!("{} started, {start_up} of start-up in total", end.workers_started));
            let starts = end.starts.iter().map(|(reason, starts)| format!("{} {reason}", starts.processes));
            rows.add("for", &starts.collect::<Vec<_>>().join(", "));
            rows.add("retries", &retries(&end.retries));
            rows.all("again", end.retries.iter().map(retry));
            rows.all("remarks", end.told().map(|remark| one_line(&remark)));
            let open = end.expectations.iter().flat_map(|expected| &expected.open);
            rows.all("open", open.cloned());
        }
    }
    let interrupted = run.results.iter().filter(|result| result.interrupted > 0);
    rows.all(
        "interrupted",
        interrupted.map(|result| {
            format!("{}: ended with the run {}", result.id, count(u64::from(result.interrupted), "time"))
        }),
    );
    rows.all("in flight", run.in_flight.keys().map(|rule| format!("{rule} ran when the run ended")));
    format!(
        "<section aria-labelledby=\"course\">\n<h2 id=\"course\">Course of the run</h2>\n<dl>\n{}</dl>\n\
         <p class=\"faint\">Beside this page: results.jsonl (the journal, which has everything), junit.xml, summary.md.</p>\n\
         </section>\n",
        rows.0
    )
}
