//! `report.html`, `summary.md` and `atlas-cts history` as users get them. They are written by every run, on request, by
//! a resumed run and by a merge, and never at the cost of a result.

use crate::support;

use std::fs;
use std::process::{Command, Stdio};

use rstest::{fixture, rstest};
use support::small::{ALIGNED, ELSEWHERE, HOLDS, MISALIGNED, chapter};
use support::{Answer, Bench, answer, take_environment};

const SIMULATED: [&str; 4] = ["--product", "a2", "--backend", "simulator"];
const BROKEN: [&str; 2] = ["--defect", MISALIGNED];
const PAGES: [&str; 2] = ["report.html", "summary.md"];

#[fixture]
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, HOLDS, ELSEWHERE]));
    bench
}

fn run(bench: &Bench, report: &str, arguments: &[&str]) -> Answer {
    bench.run_catalog(report, &[&SIMULATED[..], arguments].concat())
}

/// The content of a run's files for people.
#[track_caller]
fn pages(bench: &Bench, report: &str) -> [String; 2] {
    PAGES
        .map(|name| fs::read_to_string(bench.path(report).join(name)).unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn remove_pages(bench: &Bench, report: &str) {
    PAGES.iter().for_each(|name| fs::remove_file(bench.path(report).join(name)).unwrap());
}

#[rstest]
fn a_run_writes_a_page_with_the_failure_and_its_reproducer(bench: Bench) {
    run(&bench, "report", &BROKEN).says(1, &["not conformant: 1 rule broken"]);
    let [page, summary] = pages(&bench, "report");
    for told in [
        "not conformant: 1 rule broken (SIMULATED DEVICE)",
        "The device has seeded defects: malloc.aligned-only-from-4KiB.",
        "<h3>acl.small.aligned</h3>",
        "<code>size = 100</code>",
        "aclrtMalloc(devPtr=&amp;p, size=100",
        "#include &lt;stdio.h&gt;",
        "manual.blocks: ",
        "<a href=\"#rule-acl.small.aligned\">acl.small.aligned</a>",
    ] {
        assert!(page.contains(told), "{told} is missing in:\n{page}");
    }
    let program = bench.report("report").result("acl.small.aligned").failure.clone().unwrap().program.unwrap();
    assert!(program.contains("int main(") && program.contains("aclrtMalloc"), "{program}");
    assert!(
        summary.contains("### Causes of the broken rules (1)") && summary.contains("**fail** acl.small.aligned"),
        "{summary}"
    );
}

#[rstest]
fn reports_are_rewritten_from_the_journal_alone(bench: Bench) {
    run(&bench, "report", &BROKEN).says(1, &[]);
    let before = pages(&bench, "report");
    remove_pages(&bench, "report");
    fs::remove_dir_all(bench.path("specs")).unwrap();
    bench.run(["report", "report"]).says(0, &["report/junit.xml", "report/report.html", "report/summary.md"]);
    assert_eq!(pages(&bench, "report"), before);
    remove_pages(&bench, "report");
    bench.run(["run", "--resume", "report"]).says(1, &["rewriting its reports"]);
    assert_eq!(pages(&bench, "report"), before);
    bench.run(["report", "nowhere"]).says(2, &["nowhere", "give the folder of a run that was started"]);
}

#[rstest]
fn a_merged_run_has_a_page_of_all_shards(bench: Bench) {
    for number in ["1", "2"] {
        run(&bench, &format!("part-{number}"), &[&["--shard", &format!("{number}/2")], &BROKEN[..]].concat());
    }
    bench.run(["merge", "--specs", "specs", "--report-dir", "whole", "part-1", "part-2"]).says(1, &[]);
    let [page, summary] = pages(&bench, "whole");
    assert!(page.contains("2 of 2, merged") && page.contains("<h3>acl.small.aligned</h3>"), "{page}");
    assert!(page.contains("acl.small.holds") && summary.contains("| rules | pass | fail | skipped |"), "{summary}");
    // The merged run lists its shards.
    bench.run(["history", "."]).says(0, &["acl on a2 (simulated), 1 run", "2 runs are parts of merged runs"]);
}

#[rstest]
fn the_page_of_an_interrupted_run_tells_so(bench: Bench) {
    run(&bench, "report", &[]).says(0, &[]);
    let path = bench.path("report/results.jsonl");
    let journal = fs::read_to_string(&path).unwrap();
    let cut: Vec<&str> = journal.lines().filter(|line| !line.starts_with("{\"end\"")).collect();
    fs::write(&path, cut.join("\n") + "\n").unwrap();
    bench.run(["report", "report"]).says(0, &[]);
    let [page, summary] = pages(&bench, "report");
    assert!(page.contains("the run did not finish; 0 rules broken so far"), "{page}");
    assert!(summary.contains("❌ Atlas CTS: the run did not finish"), "{summary}");
}

#[rstest]
fn a_page_that_cannot_be_written_changes_no_result(bench: Bench) {
    fs::create_dir_all(bench.path("report/report.html/folder")).unwrap();
    let told = "report/report.html: ";
    run(&bench, "report", &[]).says(0, &[told, "`atlas-cts report ", "conformant: no rule that ran is broken"]);
    assert_eq!(bench.report("report").end().exit, 0);
    assert!(bench.path("report/junit.xml").exists() && bench.path("report/summary.md").exists());
    bench.run(["report", "report"]).says(3, &[told]);
}

/// The size limit is smaller than the page, and larger than `junit.xml`.
#[rstest]
fn without_space_for_the_page_the_other_reports_are_written(bench: Bench) {
    run(&bench, "report", &[]).says(0, &[]);
    let size = |name: &str| fs::metadata(bench.path("report").join(name)).unwrap().len();
    let limit = size("report.html") - 1;
    assert!(size("junit.xml").max(size("summary.md")) < limit, "the page is the largest");
    remove_pages(&bench, "report");
    fs::remove_file(bench.path("report/junit.xml")).unwrap();
    let atlas = bench.command(["run", "--resume", "report"]);
    let mut command = Command::new("prlimit");
    command.arg(format!("--fsize={limit}")).arg("--").arg(atlas.get_program()).args(atlas.get_args());
    take_environment(&mut command, &atlas);
    answer(command.current_dir(bench.path("")).stdin(Stdio::null()))
        .says(0, &["report/report.html: ", "File too large", "conformant"]);
    let mut names: Vec<_> =
        fs::read_dir(bench.path("report")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["junit.xml", "results.jsonl", "summary.md"], "no file is incomplete");
}

#[rstest]
fn a_history_tells_since_when_and_what_else_changed(bench: Bench) {
    for (number, defects) in [&[][..], &BROKEN, &BROKEN, &[]].into_iter().enumerate() {
        run(&bench, &format!("runs/night-{number}"), &[&["--seed", "7"], defects].concat());
    }
    bench.write("runs/broken", "no run");
    fs::create_dir(bench.path("runs/else")).unwrap();
    bench.write("runs/else/results.jsonl", "{\"no\":\"journal\"}\n");
    std::os::unix::fs::symlink("night-3", bench.path("runs/latest")).unwrap();
    let answer = bench.run(["history", "runs"]);
    answer.says(
        0,
        &[
            "acl on a2 (simulated), 4 runs",
            "acl.small.aligned .FF. 2 2/4 0/4",
            "other defects",
            "2 other rules were good in every run in which they ran",
            "left out: runs/else/results.jsonl is not a journal of this suite",
        ],
    );
    bench.run(["history", "runs", "--last", "2"]).says(0, &["F. 1 1/2", "2 older runs left out"]);
    bench.run(["history", "specs"]).says(2, &["no readable run below specs"]);
    fs::create_dir_all(bench.path("broken/one")).unwrap();
    bench.write("broken/one/results.jsonl", "no journal\n");
    bench.run(["history", "broken"]).says(2, &["no readable run below broken (left out: ", "its first line"]);
    bench.run(["history", "nowhere"]).says(2, &["cannot read nowhere"]);
}

#[rstest]
fn a_page_says_what_is_new_since_the_run_before(bench: Bench) {
    // Under cargo, the default folder for runs is that of the checkout.
    let command = |words: &[&str]| answer(bench.command(words).env_remove("CARGO_MANIFEST_DIR"));
    let run = |defects: &[&str]| command(&[&["run", "--specs", "specs"], &SIMULATED[..], defects].concat());
    run(&[]).says(0, &[]);
    run(&BROKEN).says(1, &[]);
    let page = || fs::read_to_string(bench.path("reports/out/latest/report.html")).unwrap();
    assert!(page().contains("1 rule is newly broken, 0 hold again, 0 are still broken."), "{}", page());
    // A run of another folder is compared only on request.
    command(&["report", "latest", "--since", "latest"]).says(0, &[]);
    assert!(page().contains("0 rules are newly broken, 0 hold again, 1 is still broken."), "{}", page());
    command(&["report", "latest", "--since", "nowhere"]).says(2, &["nowhere"]);
}
