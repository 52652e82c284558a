//! Bad nights: a device that hangs does not cost every rule its deadline, one that works now and then is seen to, a run
//! that is ended in any phase loses nothing, and what happens around it (the clock, the disk, logs without end) blames
//! nobody.

#[path = "nights/devices.rs"]
mod devices;
#[path = "nights/ended.rs"]
mod ended;
#[path = "nights/hangs.rs"]
mod hangs;
#[path = "nights/phases.rs"]
mod phases;
use crate::support;
#[path = "nights/surroundings.rs"]
mod surroundings;

use std::collections::BTreeMap;
use std::process::Command;

use record::Verdict;
use support::{Answer, Bench, Report, answer};

/// A rule that makes these calls behind an allocation.
fn rule(id: &str, keys: &str, steps: &str) -> String {
    format!(
        "  - id: acl.{id}
    title: It answers
    statement: It answers.
    clauses: {{manual: manual.blocks}}
    level: must
{keys}    steps: |
      aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_NORMAL_ONLY);
      ---
{steps}      (uintptr_t)p % 64 == 0;
"
    )
}

const STREAM: &str = "      aclrtCreateStream(&stream);
      aclrtSynchronizeStream(stream);
";
const STREAM_FOR_LONG: &str = "      aclrtCreateStream(&stream);
      aclrtSynchronizeStreamWithTimeout(stream, 1000);
";
/// What changes the whole process has one to itself.
const ALONE: &str = "      aclrtSetOpWaitTimeout(1000);
";
/// A rule runs three cases of this.
const COPY: &str = "      for (i < 40) {
        aclrtMemcpy(p, 4096, pattern(4096, 1), 4096, ACL_MEMCPY_HOST_TO_DEVICE);
      }
";

/// Rules that wait for a stream in two ways, and after them rules that only allocate.
fn waiting_rules() -> String {
    let mut rules = "title: Night\nrules:\n".to_owned();
    rules.push_str(&rule("night.first", "", STREAM));
    rules.push_str(&rule("night.owner", "    owns: [aclrtSynchronizeStream]\n", STREAM));
    (0..4).for_each(|number| rules.push_str(&rule(&format!("night.stream{number}"), "", STREAM)));
    (0..4).for_each(|number| rules.push_str(&rule(&format!("night.early{number}"), "", "")));
    (0..3).for_each(|number| rules.push_str(&rule(&format!("night.timed{number}"), "", STREAM_FOR_LONG)));
    (0..4).for_each(|number| rules.push_str(&rule(&format!("night.late{number}"), "", "")));
    rules
}

fn copying_rules() -> String {
    let copies = (0..60).map(|number| rule(&format!("night.copy{number}"), "", COPY));
    format!("title: Night\nrules:\n{}", copies.collect::<String>())
}

/// A library that stands before the simulated device's.
fn night(bench: &Bench, kind: &str) {
    stand_before(bench, "night.c", kind);
}

/// Builds a library from a source that is linked with the simulated device's.
fn stand_before(bench: &Bench, source: &str, kind: &str) {
    bench.library_before_the_simulator(source, "libnight.so", &[&format!("NIGHT_{kind}")]);
}

/// A bench with a catalog and a device.
fn bench(rules: String, kind: &str) -> Bench {
    let bench = Bench::new();
    bench.catalog(rules);
    night(&bench, kind);
    bench
}

/// A run of everything, in which nobody waits for a call for longer than this.
fn command(bench: &Bench, deadline: &str) -> Command {
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--library", "libnight.so"];
    let mut command = bench.command(words.iter().chain(&["--deadline", deadline, "--jobs", "1"]));
    command.env("NIGHT_COUNT", bench.path("count"));
    command
}

fn run(rules: String, kind: &str) -> (Bench, Answer, Report) {
    let bench = bench(rules, kind);
    let answer = answer(&mut command(&bench, "3"));
    let report = bench.report("report");
    (bench, answer, report)
}

fn verdicts(report: &Report) -> BTreeMap<&str, Verdict> {
    report.results.iter().map(|result| (result.id.as_str(), result.verdict)).collect()
}
