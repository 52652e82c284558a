//! The README of a reproducer.

use std::fmt::Write;

use engine::print_c::{PRELUDE, VENDOR_HEADERS, can_be_shown, vendor_headers};
use ledger::report::{clean, markdown_line};
use record::text::quote_word;
use record::{RunHeader, on_which};

use super::evidence::{Evidence, HEADERS, SOURCE};
use super::libraries::LinkedLibraries;
use crate::runtimes::RUNTIMES;

/// The page: the promise and its source, the observation, the environment, and the steps to reproduce the failure.
pub(super) fn text(evidence: &Evidence<'_>, libraries: &LinkedLibraries) -> String {
    let mut text = format!("# {}: {}\n\n", evidence.rule.id, evidence.rule.title);
    promise(&mut text, evidence, "What is promised");
    seen(&mut text, evidence);
    environment(&mut text, evidence);
    run(&mut text, evidence, libraries);
    clean(&text).into_owned()
}

/// Puts a journal value, which may come from anywhere, on one line for a code block.
fn line_of(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Facts, each on a line of a code block: a name and a value.
pub(super) fn lines_of<'a>(facts: impl Iterator<Item = (&'a str, &'a String)>) -> String {
    facts.map(|(name, value)| format!("    {name:<9} {}\n", line_of(value))).collect()
}

/// A section with the rule's statement, and the clauses or sources that it rests on.
pub(super) fn promise(text: &mut String, evidence: &Evidence<'_>, heading: &str) {
    let rule = evidence.rule;
    let _ = writeln!(text, "## {heading}\n\n{}\n", rule.statement.trim());
    let clauses = evidence.result.failure.as_deref().map_or(&[][..], |failure| &failure.clauses);
    for clause in clauses {
        let _ = writeln!(text, "- {}", markdown_line(clause));
    }
    for (id, title) in &evidence.header.documents {
        if clauses.iter().any(|clause| clause.contains(&format!("([{id}] "))) {
            let _ = writeln!(text, "\n{}", markdown_line(&format!("[{id}] {title}")));
        }
    }
    for source in rule.sources.iter().filter(|_| clauses.is_empty()) {
        let _ = writeln!(text, "- {source}");
    }
    if let Some(doubt) = &rule.doubt {
        let _ = writeln!(text, "\nDoubt: {}", doubt.trim());
    }
    if rule.hazard.is_some() {
        text.push_str("\nThe documents leave the result undefined: the behavior is recorded, not judged.\n");
    }
}

/// A statement's expected and actual behavior.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) expected: String,
    pub(super) seen: String,
}

impl Finding {
    /// Splits a failure's message. Messages about calls end with the expectation.
    pub(super) fn of(statement: &str, message: &str) -> Finding {
        let call = statement.trim().trim_end_matches(';');
        let of_call = |seen: &str, rest: &str, expected: String| {
            let (_, rest) = rest.split_once(';').unwrap_or_default();
            let more = if rest.is_empty() { String::new() } else { format!(";{rest}") };
            Finding { expected, seen: format!("{seen}{more}") }
        };
        if let Some((seen, rest)) = message.split_once(", expected success") {
            return of_call(seen, rest, format!("{call} succeeds"));
        }
        if let Some((seen, rest)) = message.split_once(", it must fail") {
            let call = call.split(" fails").next().unwrap_or(call);
            return of_call(seen, rest, format!("{call} fails"));
        }
        if let Some((seen, codes)) = message.split_once(", documented is ") {
            let codes = codes.split(';').next().unwrap_or(codes);
            let call = call.split(" fails").next().unwrap_or(call);
            return Finding { expected: format!("{call} fails with {codes}"), seen: seen.to_owned() };
        }
        Finding { expected: format!("{call} holds"), seen: message.to_owned() }
    }
}

fn seen(text: &mut String, evidence: &Evidence<'_>) {
    let result = evidence.result;
    let _ = writeln!(text, "\n## What was seen\n\nVerdict: {}.\n", result.verdict);
    let Some(failure) = &result.failure else {
        text.push_str("The rule did not fail, so the program contains its smallest case.\n");
        return;
    };
    let values: Vec<String> = failure.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let values = if values.is_empty() { "none".to_owned() } else { values.join(", ") };
    let Finding { expected, seen } = Finding::of(&failure.statement, &failure.message);
    for (name, value) in [
        ("expected", expected.as_str()),
        ("seen", seen.as_str()),
        ("place", failure.place.as_str()),
        ("values", values.as_str()),
    ] {
        let _ = writeln!(text, "    {name:<9} {}", line_of(value));
    }
    if let Some(confirmation) = &failure.confirmation {
        let _ = writeln!(text, "    again     {}", confirmation.clause());
    }
    if evidence.cases.len() > 1 {
        let _ = writeln!(
            text,
            "\nThe case fails only after other cases in the same process, so the program runs all {}.",
            evidence.cases.len()
        );
    }
    if failure.replay_values.is_null() {
        text.push_str("\nNo case had started, so the program contains the smallest case.\n");
    }
    if !failure.trace.is_empty() {
        text.push_str("\nThe calls:\n\n");
        for call in &failure.trace {
            let _ = writeln!(text, "    {}", line_of(call));
        }
    }
}

fn environment(text: &mut String, evidence: &Evidence<'_>) {
    let RunHeader {
        library, product, reported_name, devices, edition, host, run_mode, suite, started, defects, ..
    } = evidence.header;
    let version = library.version.as_deref().unwrap_or("not reported");
    text.push_str("\n## Environment\n\n");
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "    {name:<9} {}", line_of(value));
    };
    line("library", &format!("{} (version {version})", library.path));
    line("sha256", &library.sha256);
    if library.simulated {
        let defects =
            if defects.is_empty() { "no defect".to_owned() } else { format!("the defects: {}", defects.join(", ")) };
        line("device", &format!("SIMULATED by the suite, with {defects}"));
    }
    for mapped in &evidence.header.mapped {
        line("", &format!("{} {}", mapped.path, mapped.build_id.as_deref().unwrap_or("")));
    }
    let named = reported_name.as_deref().unwrap_or("no name reported");
    line("product", &format!("{product} ({named}), devices: {devices}"));
    if !evidence.devices().is_empty() {
        line(
            "",
            &format!("seen on device {}, as the machine numbers them", markdown_line(&evidence.devices().join(", "))),
        );
    }
    if let Some(everywhere) = on_which(&evidence.result.each) {
        line("", &markdown_line(&everywhere));
    }
    if !run_mode.is_empty() {
        line("", &format!("programs run on: {run_mode}"));
    }
    line("edition", edition.as_deref().unwrap_or("unknown"));
    for (id, found) in &evidence.header.further_versions {
        line("", &format!("{id} {}", found.edition.as_deref().unwrap_or("unknown")));
    }
    for (name, answer) in &evidence.header.capabilities {
        line("capability", &format!("{name}: {answer}"));
    }
    if let Some(host) = host {
        let container = host.container.as_deref().unwrap_or("none detected");
        line("host", &format!("kernel {}, container: {container}", host.kernel.as_deref().unwrap_or("unknown")));
    }
    line("run", &format!("{started}, Atlas CTS {suite}, catalog {}", evidence.header.catalog_digest));
    if evidence.header.catalog_digest != evidence.rules.digest {
        line("", &format!("printed from another catalog, {}: the rule may have changed", evidence.rules.digest));
    }
}

/// A sentence about the device that the program uses.
fn where_it_runs(evidence: &Evidence<'_>) -> String {
    let devices = evidence.devices();
    match &evidence.rules.visible {
        Some(variable) if can_be_shown(devices) => format!(
            " The program uses only device {0} of the machine: it first sets `{variable}={0}`. Change that line to \
             use another machine or device.",
            devices.join(",")
        ),
        _ => String::new(),
    }
}

/// A sentence about the libraries that the program links.
fn linking(libraries: &LinkedLibraries) -> String {
    match libraries {
        LinkedLibraries { simulated: Some(name), .. } => {
            format!("The program links `{name}` in this folder; `make LIB=PATH` links another library.")
        }
        LinkedLibraries { first, .. } if first.starts_with('/') => {
            "The program links the run's libraries by their paths; `make LIB=PATH` links another one, for example on \
             another machine."
                .to_owned()
        }
        _ => "Give the library with `make LIB=PATH`, or its folder with `make LDFLAGS='-L DIR -Wl,-rpath,DIR'`."
            .to_owned(),
    }
}

fn run(text: &mut String, evidence: &Evidence<'_>, libraries: &LinkedLibraries) {
    let processes = evidence.rule.program.processes.len();
    let vendor = match vendor_headers(evidence.rules, evidence.rule).is_empty() {
        true => "make HEADER='<…>'".to_owned(),
        false => format!("make {VENDOR_HEADERS}=yes"),
    };
    let _ = write!(
        text,
        "
## Run it

`make run` compiles `{SOURCE}` with gcc and runs it. This file has the calls and the checks; `{PRELUDE}` has the code
that they need (patterns, processes and their order, releases). The program needs C11, POSIX threads and the runtime
under test. The header in `{HEADERS}/` is the suite's own declaration of the documented interface;
`{vendor} INCLUDE=DIR` uses the vendor's headers.
{}

`make debug` runs the program in gdb: without a time limit,
{}.
`DEBUGGER='gdb -tui'` selects another command line. `issue.md` is a text for the vendor's tracker.

| exit status | meaning |
| --- | --- |
| 0 | the rule holds |
| 1 | the rule is broken (the last line names the statement), or the library crashed, ended its process, or hung |
| 3 | unknown: the set-up failed, or this machine lacks something |

The library runs in {} that the program starts and watches.{}
",
        linking(libraries),
        if processes == 1 {
            "and without a second process"
        } else {
            "and with all processes under the debugger (`info inferiors` lists them)"
        },
        if processes == 1 { "a process".to_owned() } else { format!("{processes} processes") },
        where_it_runs(evidence)
    );
    if evidence.header.library.simulated {
        let variables = [
            (simulator_contract::environment::PRODUCT, evidence.header.product.clone()),
            (simulator_contract::environment::DEVICES, evidence.header.devices.to_string()),
            (
                simulator_contract::environment::EDITION,
                evidence.header.settings.sim_edition.clone().unwrap_or_default(),
            ),
            (
                simulator_contract::environment::MEMORY,
                evidence.header.settings.sim_memory.map(|mebibytes| mebibytes.to_string()).unwrap_or_default(),
            ),
            (simulator_contract::environment::RUN_MODE, evidence.header.run_mode.clone()),
            (simulator_contract::environment::DEFECTS, evidence.header.defects.join(",")),
        ];
        text.push_str("\nThe run used the suite's simulated device.");
        if libraries.simulated.is_some() {
            // Without a name, the command means the first runtime.
            let own = &evidence.header.runtime;
            let named = RUNTIMES.first().is_none_or(|first| first.name() != own);
            let runtime = if named { format!(" --runtime {own}") } else { String::new() };
            let _ = write!(text, " In this folder, `atlas-cts simulator --print-path .{runtime}` writes its library.");
        }
        text.push_str(" The program finds its device with\n\n");
        for (name, value) in variables.iter().filter(|(_, value)| !value.is_empty()) {
            // Line breaks are removed, because they would end the code block.
            let _ = writeln!(text, "    export {name}={}", quote_word(&line_of(value)));
        }
        let _ = writeln!(text, "    export {}=$(mktemp -d)", simulator_contract::environment::MACHINE);
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_call_that_must_succeed(
        "aclrtMalloc(&p, 64, 0);",
        "aclrtMalloc returned 107000, expected success",
        "aclrtMalloc(&p, 64, 0) succeeds",
        "aclrtMalloc returned 107000"
    )]
    #[case::a_call_that_must_fail(
        "aclrtFree(p) fails",
        "aclrtFree returned success, it must fail; the process reached its limit",
        "aclrtFree(p) fails",
        "aclrtFree returned success; the process reached its limit"
    )]
    #[case::a_code(
        "aclrtFree(p) fails {ACL_ERROR_INVALID_PARAM}",
        "aclrtFree returned 507899, documented is ACL_ERROR_INVALID_PARAM (100000)",
        "aclrtFree(p) fails with ACL_ERROR_INVALID_PARAM (100000)",
        "aclrtFree returned 507899"
    )]
    #[case::a_condition("n == 1", "n is 2", "n == 1 holds", "n is 2")]
    fn a_message_is_split_into_expected_and_seen(
        #[case] statement: &str,
        #[case] message: &str,
        #[case] expected: &str,
        #[case] seen: &str,
    ) {
        let finding = Finding { expected: expected.to_owned(), seen: seen.to_owned() };
        assert_eq!(Finding::of(statement, message), finding);
    }
}
