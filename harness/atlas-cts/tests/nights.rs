//! Long runs in bad conditions. A device that hangs does not cost every rule its deadline, one that works only
//! sometimes is noticed, a run that is stopped in any phase loses no result, and trouble with the clock, the disk or
//! logs is not blamed on a rule.

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

/// A rule that makes these calls after an allocation.
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
const TWO_STREAMS: &str = "      aclrtCreateStream(&other);
      aclrtCreateStream(&stream);
      aclrtSynchronizeStream(stream);
";
const STREAM_FOR_LONG: &str = "      aclrtCreateStream(&stream);
      aclrtSynchronizeStreamWithTimeout(stream, 1000);
";
/// A call that changes the whole process, so the rule gets a separate one.
const ALONE: &str = "      aclrtSetOpWaitTimeout(1000);
";
/// A rule runs three cases of these steps.
const COPY: &str = "      for (i < 40) {
        aclrtMemcpy(p, 4096, pattern(4096, 1), 4096, ACL_MEMCPY_HOST_TO_DEVICE);
      }
";

/// Rules that wait for a stream in two ways, then rules that only allocate.
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
    let owner = rule("night.owner", "    owns: [aclrtMemcpy]\n", COPY);
    let copies = (0..20).map(|number| rule(&format!("night.copy{number}"), "", COPY));
    format!("title: Night\nrules:\n{owner}{}", copies.collect::<String>())
}

/// Rules with two streams, between rules with one.
fn paired_rules() -> String {
    let mut rules = "title: Night\nrules:\n".to_owned();
    rules.push_str(&rule("night.owner", "    owns: [aclrtSynchronizeStream]\n", STREAM));
    for number in 0..3 {
        rules.push_str(&rule(&format!("night.pair{number}"), "", TWO_STREAMS));
        rules.push_str(&rule(&format!("night.stream{number}"), "", STREAM));
    }
    rules
}

/// Builds a library in front of the simulated device's library.
fn night(bench: &Bench, kind: &str) {
    stand_before(bench, "night.c", kind);
}

/// Builds a library that is linked with the simulated device's library.
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

/// A run of all rules with this deadline.
fn command(bench: &Bench, deadline: &str) -> Command {
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--library", "libnight.so"];
    let deadline = format!("deadline={deadline}");
    let mut command = bench.command(words.iter().chain(&["--tune", &deadline, "--jobs", "1"]));
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
