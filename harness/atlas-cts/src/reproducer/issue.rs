//! The text for the vendor's issue tracker.

use std::fmt::Write;

use ledger::report::clean;
use record::RunHeader;

use super::evidence::Evidence;
use super::readme::{Finding, lines_of, promise};

/// The page: the problem, the versions, the promise with its document, expected and seen, and the steps.
pub(super) fn text(evidence: &Evidence<'_>) -> String {
    let mut text = format!("# {}\n\n", evidence.rule.title);
    if evidence.header.library.simulated {
        text.push_str(
            "**Not for a vendor: the run used the suite's simulated device, so this is not a failure of a product.**\n\n",
        );
    }
    problem(&mut text, evidence);
    versions(&mut text, evidence);
    promise(&mut text, evidence, "Promised behavior");
    steps(&mut text, evidence);
    clean(&text).into_owned()
}

fn problem(text: &mut String, evidence: &Evidence<'_>) {
    let result = evidence.result;
    text.push_str("## Problem\n\n");
    let Some(failure) = &result.failure else {
        let _ = writeln!(text, "The rule did not fail in this run: {}.\n", result.verdict);
        return;
    };
    let Finding { expected, seen } = Finding::of(&failure.statement, &failure.message);
    let values: Vec<String> = failure.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let again = failure.confirmation.as_ref().map(record::Confirmation::clause).unwrap_or_default();
    let lines = [("Expected", &expected), ("Seen", &seen), ("Values", &values.join(", ")), ("Repeated", &again)];
    text.push_str(&lines_of(lines.into_iter().filter(|(_, value)| !value.is_empty())));
    if !failure.recent_error.is_empty() {
        text.push_str("\nThe runtime's own report of the error:\n\n");
        for line in failure.recent_error.lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    text.push('\n');
}

fn versions(text: &mut String, evidence: &Evidence<'_>) {
    let RunHeader { library, product, reported_name, edition, host, fingerprint, run_mode, devices, .. } =
        evidence.header;
    let mut lines: Vec<(&str, String)> = Vec::new();
    let named = reported_name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    lines.push(("Product", format!("{product}{named}, {}", catalog::count(*devices as usize, "device"))));
    let fingerprint = fingerprint.as_ref();
    let models = fingerprint.iter().flat_map(|found| &found.devices).filter_map(|device| device.model.clone());
    let mut models: Vec<String> = models.collect();
    models.dedup();
    if !models.is_empty() {
        lines.push(("Model", models.join(", ")));
    }
    for installed in fingerprint.iter().flat_map(|found| &found.installed) {
        lines.push(("Installed", format!("{} {}", installed.of, installed.version)));
    }
    for unknown in fingerprint.iter().flat_map(|found| &found.unknown) {
        lines.push(("Unknown", unknown.clone()));
    }
    lines.push(("Library", format!("{}, sha256 {}", library.path, library.sha256)));
    lines.push(("Version", library.version.clone().unwrap_or_else(|| "not reported by the library".to_owned())));
    lines.push(("Edition", edition.clone().unwrap_or_else(|| "unknown".to_owned())));
    let unknown = || "unknown".to_owned();
    let further = evidence.header.further_versions.iter();
    lines.extend(
        further.map(|(id, found)| ("Edition", format!("{id} {}", found.edition.clone().unwrap_or_else(unknown)))),
    );
    let capabilities = evidence.header.capabilities.iter();
    lines.extend(capabilities.map(|(name, answer)| ("Capability", format!("{name}: {answer}"))));
    if let Some(host) = host {
        let unknown = || "unknown".to_owned();
        lines.push(("Kernel", host.kernel.clone().unwrap_or_else(unknown)));
        lines.push(("Container", host.container.clone().unwrap_or_else(|| "none detected".to_owned())));
    }
    if !run_mode.is_empty() {
        lines.push(("Runs on", run_mode.clone()));
    }
    let _ = writeln!(text, "## Versions\n");
    text.push_str(&lines_of(lines.iter().map(|(name, value)| (*name, value))));
    text.push('\n');
}

fn steps(text: &mut String, evidence: &Evidence<'_>) {
    let suite = &evidence.header.suite;
    let _ = write!(
        text,
        "
## Steps to reproduce

1. Unpack the attached folder on the machine with the device.
2. `make run` builds and runs the program. `make run LIB=/path/of/the/library.so` uses another library, and
   `make HEADER='<…>' INCLUDE=DIR` the installed headers.
3. Exit status 1: the promise is broken, and the last line names the statement. 0: it holds. 3: unknown.

`make debug` runs the program in gdb, without a time limit. The calls that lead to the failure are in `README.md`,
the program is `reproducer.c`. Written from a run of Atlas CTS {suite}, rule `{}`.
",
        evidence.rule.id
    );
}
