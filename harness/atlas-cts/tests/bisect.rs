//! `atlas-cts bisect` as users run it: a set-up command that switches versions, and the first one with the symptom.

use crate::support;

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use record::read_run;
use rstest::{fixture, rstest};
use rustix::process::{Pid, Signal, kill_process};
use support::small::{ALIGNED, MISALIGNED, chapter};
use support::{Answer, Bench, Watched};

/// A rule that holds on a device with misaligned blocks.
const LARGE: &str = "
  - id: acl.small.large
    title: A large block is there
    statement: A large block is there.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 8192, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

/// A set-up that records the requested versions, and switches on a defect of the simulated device from 25.5 on.
/// Version 25.3 has no package.
const SET_UP: &str = "\
#!/bin/sh
echo \"$1\" >>asked
case $1 in
24.*|25.0*|25.2) ;;
25.3) echo \"no package for $1\" >&2; exit 7 ;;
slow) sleep 3600 ;;
odd) echo 'no variable' >\"$ATLAS_CTS_SETUP_ENV\" ;;
denied) echo ATLAS_CTS_DEFECT=deny.aclrtMalloc >\"$ATLAS_CTS_SETUP_ENV\" ;;
none) echo ATLAS_CTS_LIBRARY=gone.so >\"$ATLAS_CTS_SETUP_ENV\" ;;
*) echo ATLAS_CTS_DEFECT=malloc.aligned-only-from-4KiB >\"$ATLAS_CTS_SETUP_ENV\" ;;
esac
";

const RULE: &str = "acl.small.aligned";
const SYMPTOM: &str = "fail, check (uintptr_t)p % 64 == 0;";

#[fixture]
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, LARGE]));
    bench.write("set-up.sh", SET_UP);
    bench
}

fn words<'a>(options: &[&'a str], versions: &[&'a str]) -> Vec<&'a str> {
    let run = ["bisect", RULE, "--specs", "specs", "--product", "a2", "--report-dir", "tried"];
    [&run[..], options, &["--", "sh set-up.sh"], versions].concat()
}

fn bisect(bench: &Bench, options: &[&str], versions: &[&str]) -> Answer {
    bench.run(words(options, versions))
}

fn asked(bench: &Bench) -> Vec<String> {
    fs::read_to_string(bench.path("asked")).unwrap_or_default().lines().map(str::to_owned).collect()
}

#[rstest]
fn the_first_version_with_the_symptom_is_found_without_trying_each(bench: Bench) {
    let versions = ["24.1", "25.0.rc1", "25.0", "25.2", "25.5", "25.5.1", "25.7", "26.0"];
    let answer = bisect(&bench, &["--backend", "simulator"], &versions);
    answer.says(
        0,
        &[
            &format!("with       26.0  in 1 of 1 run: {SYMPTOM}"),
            "without    24.1  in 1 run",
            "without    25.2  in 1 run",
            "first      25.5: the first version with the symptom; 25.2 is free of it",
            "--runs N measures how sure",
            "kept       tried",
        ],
    );
    let asked = asked(&bench);
    assert_eq!((asked[0].as_str(), asked[1].as_str()), ("26.0", "24.1"), "the ends come first");
    assert!(asked.len() <= 6, "{asked:?}");
    assert!(answer.text.contains(&format!("left       the machine is set up for {}", asked.last().unwrap())));
    let run = read_run(&bench.path("tried/version-5-run-1")).unwrap();
    assert_eq!(run.header.defects, [MISALIGNED], "the set-up's variables apply to the run");
    assert_eq!(run.results.len(), 1);
}

#[rstest]
#[case::before_the_first(&["25.2", "25.3", "25.5"], 3, &[
    "skipped    25.3  the set-up failed with exit status 7: no package for 25.3",
    "first      25.5 or one of 25.3, which cannot be tried; 25.2 is free of it",
    "left       the last set-up, for 25.3, failed; set up the version that you want",
])]
#[case::elsewhere(&["24.1", "25.3", "25.0", "25.2", "25.5", "26.0"], 0, &["first      25.5: the first", "25.2 is free of it"])]
#[case::at_the_end(&["24.1", "25.2", "25.5", "25.3"], 0, &["skipped    25.3", "first      25.5: the first version"])]
#[case::at_the_beginning(&["25.3", "25.2", "25.5"], 0, &["skipped    25.3", "first      25.5: the first version"])]
#[case::everywhere(&["25.3", "none"], 3, &["nothing    no version can be tried"])]
#[case::that_takes_too_long(&["24.1", "slow", "25.5"], 3, &["skipped    slow  the set-up took more than 2 s"])]
#[case::with_an_invalid_file(&["24.1", "odd", "25.5"], 3, &["`no variable` in the file $ATLAS_CTS_SETUP_ENV is not NAME=VALUE"])]
#[case::where_the_run_has_no_answer(&["24.1", "none", "25.5"], 3, &["skipped    none  run 1: it wrote no journal: ", "gone.so"])]
fn a_version_that_cannot_be_set_up_is_skipped_with_a_reason(
    bench: Bench,
    #[case] versions: &[&str],
    #[case] status: i32,
    #[case] said: &[&str],
) {
    bisect(&bench, &["--setup-limit", "2"], versions).says(status, said);
}

#[rstest]
#[case::without_the_symptom(&["24.1", "25.2"], 3, &["25.2 does not show the symptom: this list has no first version"])]
#[case::with_the_symptom_everywhere(&["25.5", "26.0"], 3, &["first      25.5: the first version", "start the list with an older one"])]
#[case::one_version(&["25.5"], 2, &["a search needs at least two versions, not 1"])]
#[case::a_version_twice(&["24.1", "25.5", "24.1"], 2, &["version `24.1` is listed twice"])]
fn a_list_without_a_first_version(bench: Bench, #[case] versions: &[&str], #[case] status: i32, #[case] said: &[&str]) {
    bisect(&bench, &[], versions).says(status, said);
}

/// In a version in between, the rule breaks with another symptom.
#[rstest]
fn another_symptom_of_the_rule_does_not_count(bench: Bench) {
    let said = [
        "without    denied  in 1 run; 1 of 1 run failed in another way: ",
        "first      25.5: the first version with the symptom; denied",
    ];
    bisect(&bench, &[], &["24.1", "denied", "25.5", "26.0"]).says(0, &said);
}

#[rstest]
fn the_symptom_may_come_from_a_run(bench: Bench) {
    let options = ["--product", "a2", "--backend", "simulator"];
    bench.run_catalog("seen", &[&options[..], &["--defect", MISALIGNED]].concat()).says(1, &[]);
    bench.run_catalog("fine", &options).says(0, &[]);
    bisect(&bench, &["--like", "seen"], &["24.1", "25.2", "25.5", "26.0"]).says(0, &["first      25.5"]);
    fs::remove_dir_all(bench.path("tried")).unwrap();
    // The last version of this list fails with another symptom.
    let said = ["denied does not show the symptom: this list has no first version"];
    bisect(&bench, &["--like", "seen"], &["24.1", "25.5", "denied"]).says(3, &said);
    fs::remove_dir_all(bench.path("tried")).unwrap();
    bisect(&bench, &["--like", "fine"], &["24.1", "25.5"])
        .says(2, &["--like fine: acl.small.aligned is not broken in this run"]);
}

#[rstest]
#[case::as_the_last_argument("sh set-up.sh")]
#[case::in_place("sh set-up.sh {} && test {} = \"$1\"")]
fn the_version_is_where_the_command_wants_it(bench: Bench, #[case] command: &str) {
    let run = ["bisect", RULE, "--specs", "specs", "--product", "a2", "--report-dir", "tried", "--"];
    bench.run([&run[..], &[command, "24.1", "25 5"]].concat()).says(0, &["first      25 5: the first version"]);
    assert_eq!(asked(&bench), ["25 5", "24.1"]);
    bench.run([&run[..], &[command, "24.1", "25 5"]].concat()).says(3, &["cannot write tried", "--report-dir"]);
}

#[rstest]
fn options_of_run_reach_the_runs(bench: Bench) {
    let options = ["--seed", "7", "--dedicated", "--devices=2", "--defect", "variant.fresh-memory-random"];
    // Variables of the set-up become the environment, which the command line overrides.
    bisect(&bench, &options, &["24.1", "25.5"]).says(3, &["does not show the symptom"]);
    let header = read_run(&bench.path("tried/version-2-run-1")).unwrap().header;
    assert_eq!((header.seed, header.devices, header.settings.dedicated), (7, 2, true));
    assert_eq!(header.defects, ["variant.fresh-memory-random"]);
    bisect(&bench, &["--resume", "latest"], &["24.1", "25.5"]).says(2, &["unexpected argument '--resume' found"]);
    bench
        .run(["bisect", "acl.small.alinged", "--specs", "specs", "--", "true", "1", "2"])
        .says(2, &["acl.small.aligned"]);
}

/// Variables that select the rules of other runs on this machine do not apply.
#[rstest]
fn the_runs_ignore_variables_that_select_rules(bench: Bench) {
    bench.write("red.txt", "acl.small.large");
    let mut command = bench.command(words(&[], &["24.1", "25.5"]));
    support::answer(command.env("ATLAS_CTS_RULES", bench.path("red.txt"))).says(0, &["first      25.5"]);
}

/// The entry would keep the rule from running, because running it does harm.
#[rstest]
fn known_failures_are_searched_like_others(bench: Bench) {
    fs::create_dir(bench.path("expectations")).unwrap();
    bench.write(
        "expectations/known.yaml",
        "expectations:\n  - {rule: acl.small.aligned, kind: skip, danger: It hangs., owner: memory,\n    \
         tracker: \"https://tracker.example/1\", expires: 2999-12-31}\n",
    );
    bisect(&bench, &[], &["24.1", "25.5"]).says(0, &["first      25.5"]);
}

/// Versions are libraries: from v4 on, every third process refuses large blocks.
#[rstest]
fn a_flaky_symptom_is_found_by_repeated_runs_with_a_confidence(bench: Bench) {
    bench.library("fixtures/faults/faults.c", &["FAULT_NONE"]);
    fs::rename(bench.path("libtested.so"), bench.path("good.so")).unwrap();
    bench.library("fixtures/faults/history.c", &["FAULT_EVERY_THIRD_START"]);
    fs::rename(bench.path("libtested.so"), bench.path("bad.so")).unwrap();
    let set_up = "case {} in v[123]) ln -sf good.so libtested.so ;; *) ln -sf bad.so libtested.so ;; esac; \
                  echo ATLAS_CTS_SKIP_GATE=1 >\"$ATLAS_CTS_SETUP_ENV\"";
    let run = |runs: &str, folder: &str| {
        let words = ["bisect", "acl.small.large", "--specs", "specs", "--product", "a2", "--library", "libtested.so"];
        let words = [
            &words[..],
            &["--report-dir", folder, "--runs", runs, "--", set_up],
            &["v1", "v2", "v3", "v4", "v5", "v6"],
        ];
        support::answer(bench.command(words.concat()).env("FAULT_STARTS", bench.path("starts")))
    };
    let answer = run("12", "tried");
    answer.says(
        0,
        &[
            "first      v4: the first version with the symptom; v3 is free of it",
            "without    v3  in 12 runs",
            "% of all runs, with 95 % confidence",
        ],
    );
    let with: Vec<&str> = answer.text.lines().filter(|line| line.starts_with("with  ")).collect();
    let (hits, runs) = with[0].split_once("in ").unwrap().1.split_once(" runs").unwrap().0.split_once(" of ").unwrap();
    let (hits, runs): (u32, u32) = (hits.parse().unwrap(), runs.parse().unwrap());
    assert!(hits > 0 && hits < runs && runs == 12, "a flake, tried as often as requested: {}", with[0]);
    // A few runs of a flake prove little, and the message gives a sufficient number.
    let little = run("3", "little");
    assert!(little.text.contains("; --runs "), "{}", little.text);
}

/// A signal of a scheduler or a user stops the search, and no set-up stays behind.
#[rstest]
fn a_signal_stops_a_search_and_its_set_up_and_the_message_tells_where(bench: Bench) {
    bench.write("set-up.sh", "echo $$ >pid.new; mv pid.new pid; exec sleep 3600\n");
    let mut command: Command = bench.command(words(&[], &["24.1", "25.5"]));
    let mut search = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn().unwrap();
    let begun = Instant::now();
    let set_up = loop {
        if let Ok(pid) = fs::read_to_string(bench.path("pid")) {
            break Watched::new(&pid);
        }
        assert!(begun.elapsed() < crate::support::patience(60) && search.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    };
    kill_process(Pid::from_child(&search), Signal::TERM).unwrap();
    let output = search.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("SIGTERM: stopped") && text.contains("the last set-up, for 25.5, failed"), "{text}");
    assert_eq!(output.status.code(), Some(3));
    set_up.expect_end();
}
