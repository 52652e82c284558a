//! The tested library and devices, the settings, and the events during the run.

use std::fmt::Write;

use crate::report::expected::{retries, retry};
use crate::report::fingerprint::{device_line, fingerprint_line, installed_line};
use crate::report::host::{host_line, left_out_lines};
use crate::report::parts::{merged_line, part_line, worth_a_line};
use crate::report::summary::run_time;
use crate::report::target::{capability_lines, library_line, mapped_line, target_line};
use crate::report::text::{duration, elide, one_line, short};
use messages::{comma, message};
use record::{Recorded, RunHeader};

use super::document::escape;

/// The largest number of lines under a label. The journal contains the omitted lines.
const MOST: usize = 60;
/// The longest line, in characters.
const LINE: usize = 600;

/// The facts from the header, then the course of the run.
pub(super) fn sections(run: &Recorded) -> String {
    format!("{}{}", tested(&run.header), course(run))
}

/// The rows in a list of terms.
struct Rows(String);

impl Rows {
    fn add(&mut self, label: &str, text: &str) {
        if !text.trim().is_empty() {
            let _ = writeln!(self.0, "<dt>{label}</dt><dd>{}</dd>", escape(&elide(text, LINE)));
        }
    }

    fn all(&mut self, label: &str, texts: impl IntoIterator<Item = String>) {
        let mut texts = texts.into_iter();
        let shown: Vec<String> =
            texts.by_ref().take(MOST).map(|text| format!("<li>{}</li>", escape(&elide(&text, LINE)))).collect();
        let rest = texts.count();
        let rest = match rest {
            0 => String::new(),
            rest => format!("<li>{}</li>", message!("and-more-in-journal", count = rest)),
        };
        if !shown.is_empty() {
            let _ = writeln!(self.0, "<dt>{label}</dt><dd><ul>{}{rest}</ul></dd>", shown.concat());
        }
    }
}

fn tested(header: &RunHeader) -> String {
    let mut rows = Rows(String::new());
    rows.add(message!("label-suite"), &format!("Atlas CTS {}, {}", header.suite, header.runtime));
    rows.add(message!("label-library"), &library_line(header));
    rows.add("sha256", &header.library.sha256);
    rows.add(message!("label-version"), header.library.version_note.as_deref().unwrap_or_default());
    let further = |library: &record::FurtherLibrary| {
        format!("{}: {} (sha256 {})", library.id, library.path, short(&library.sha256))
    };
    rows.all(message!("label-further"), header.further_libraries.iter().map(further));
    rows.all(message!("label-mapped"), header.mapped.iter().map(mapped_line));
    rows.add(message!("label-device"), &target_line(header));
    rows.all(message!("label-capabilities"), capability_lines(header));
    let unusable = header.devices_out.iter();
    let unusable = unusable.map(|out| message!("device-is", device = out.device.as_str(), what = out.reason.as_str()));
    rows.all(message!("label-unusable"), unusable);
    if let Some(fingerprint) = &header.fingerprint {
        rows.add(message!("label-identity"), &fingerprint_line(fingerprint));
        rows.all(message!("label-devices"), fingerprint.devices.iter().map(device_line));
        rows.all(message!("label-installed"), fingerprint.installed.iter().map(installed_line));
        rows.all(message!("label-unknown"), fingerprint.unknown.iter().cloned());
    }
    rows.add(message!("label-host"), &header.host.as_ref().map(host_line).unwrap_or_default());
    rows.all(message!("label-left-out"), header.host.iter().flat_map(left_out_lines));
    rows.all(message!("label-defects"), header.defects.iter().cloned());
    let document = |(id, title): (&String, &String)| format!("[{id}] {title}");
    rows.all(message!("label-documents"), header.documents.iter().map(document));
    let digest = header.catalog_digest.as_str();
    rows.add(message!("label-catalog"), &message!("catalog", count = header.rules, sha256 = digest));
    let (profile, seed) = (header.profile.as_str(), header.seed.to_string());
    let run = format!("{}{}{}", header.run, comma(), message!("profile-and-seed", profile = profile, seed = seed));
    rows.add(message!("label-run"), &run);
    let settings = &header.settings;
    rows.all(message!("label-without-axioms"), settings.without_axioms.iter().cloned());
    let marked = [
        (settings.strict, message!("setting-strict")),
        (settings.hazardous, message!("setting-hazardous")),
        (settings.dedicated, message!("setting-dedicated")),
        (settings.on_every_device, message!("setting-on-every-device")),
        (settings.redact, message!("setting-redacted")),
    ];
    let marked = marked.into_iter().filter(|(on, _)| *on).map(|(_, name)| name.to_owned());
    let patience = settings.patience.map(|patience| message!("patience", milliseconds = patience));
    let deadline = message!("deadline", seconds = settings.deadline);
    let lines: Vec<String> = [deadline].into_iter().chain(patience).chain(marked).collect();
    rows.add(message!("label-settings"), &lines.join(comma()));
    let selected = header.is_narrowed().then(|| message!("count-rules", count = header.own_rules().count()));
    rows.add(message!("label-selected"), &selected.unwrap_or_default());
    rows.add(message!("label-part"), &part_line(header));
    rows.all(message!("label-merged"), worth_a_line(header).map(merged_line));
    format!(
        "<section class=\"more\" aria-labelledby=\"tested\">\n<h2 id=\"tested\">{}</h2>\n<dl>\n{}</dl>\n</section>\n",
        message!("heading-tested"),
        rows.0
    )
}

/// The course of the run: times, starts, retries and remarks. Remarks also report on the health of devices.
fn course(run: &Recorded) -> String {
    let (header, mut rows) = (&run.header, Rows(String::new()));
    rows.add(message!("label-started"), &header.started);
    rows.all(message!("label-resumed"), header.resumed.iter().cloned());
    match &run.end {
        None => rows.add(message!("label-ended"), message!("unfinished")),
        Some(end) => {
            let (time, took) = (end.finished.as_str(), run_time(header, end));
            rows.add(message!("label-ended"), &message!("ended-after", time = time, took = took));
            rows.add(message!("label-exit-status"), &end.exit.to_string());
            let (started, time) = (end.workers_started, duration(end.start_up_nanoseconds));
            rows.add(message!("label-workers"), &message!("workers", count = started, time = time));
            let starts = end.starts.iter().map(|(reason, starts)| format!("{} {reason}", starts.processes));
            rows.add(message!("label-started-for"), &starts.collect::<Vec<_>>().join(comma()));
            rows.add(message!("label-retries"), &retries(&end.retries));
            rows.all(message!("label-retried"), end.retries.iter().map(retry));
            rows.all(message!("label-remarks"), end.told().map(|remark| one_line(&remark)));
            let open = end.expectations.iter().flat_map(|expected| &expected.open);
            rows.all(message!("label-open"), open.cloned());
        }
    }
    let interrupted = run.results.iter().filter(|result| result.interrupted > 0);
    let interrupted =
        interrupted.map(|result| format!("{}: {}", result.id, message!("interrupted", count = result.interrupted)));
    rows.all(message!("label-interrupted"), interrupted);
    rows.all(message!("label-in-flight"), run.in_flight.keys().cloned());
    format!(
        "<section class=\"more\" aria-labelledby=\"course\">\n<h2 id=\"course\">{}</h2>\n<dl>\n{}</dl>\n\
         <p class=\"faint\">{}</p>\n</section>\n",
        message!("heading-course"),
        rows.0,
        message!("other-files")
    )
}
