//! The keys of `--tune` and `--sim`, and the size of the help that lists them.

use rstest::rstest;

use crate::support::small::{HOLDS, chapter};
use crate::support::{Bench, answer};

/// The largest number of lines of `run --help-all`.
const MOST_LINES: usize = 150;
/// The largest number of options of `run`.
const MOST_OPTIONS: usize = 40;

#[rstest]
#[case::unknown("run --tune deadlin=3", "there is no key `deadlin`; did you mean `deadline`?; keys are deadline, ")]
#[case::unknown_of_the_device("run --sim memry=2048", "there is no key `memry`; did you mean `memory`?")]
#[case::an_old_option_is_no_key("run --tune lock-dir=x", "there is no key `lock-dir`")]
#[case::of_another_command("catalog prove --tune min-executed=3", "there is no key `min-executed`; keys are")]
#[case::of_the_doctor("doctor --tune rule-limit=3", "there is no key `rule-limit`; keys are deadline, lock-wait")]
#[case::without_a_value("run --tune deadline", "write a value: deadline=SECONDS")]
#[case::too_small("run --tune deadline=0", "deadline is 1 to 2592000, not `0`")]
#[case::too_large("run --tune rule-limit=2592001", "rule-limit is 1 to 2592000, not `2592001`")]
#[case::patience("run --tune patience=1999", "patience: write `auto`, or 2000 to 600000 milliseconds")]
#[case::exhaustive("run --tune exhaustive=9", "exhaustive is 1 to 8, not `9`")]
#[case::worker_memory("run --tune worker-memory=x", "worker-memory is 0 to 1073741824, not `x`")]
#[case::every_device("run --tune every-device=maybe", "every-device is yes or no, not `maybe`")]
#[case::min_devices("run --tune min-devices=0", "min-devices is 1 to 1024, not `0`")]
#[case::min_executed("run --tune min-executed=-1", "min-executed is 0 to ")]
#[case::lock_wait("run --tune lock-wait=604801", "lock-wait is 0 to 604800, not `604801`")]
#[case::recover_limit("run --tune recover-limit=0", "recover-limit is 1 to 86400, not `0`")]
#[case::logs("run --tune logs=16385", "logs is 0 to 16384, not `16385`")]
#[case::redact("run --tune redact=", "redact is yes or no, not ``")]
#[case::keep("run --tune keep=2", "keep is yes or no, not `2`")]
#[case::without_axiom("run --product a2 --tune without-axiom=x", "unknown axiom `x`")]
#[case::memory("run --sim memory=1023", "memory is 1024 to 65536, not `1023`")]
#[case::call_ns("run --sim call-ns=60000000001", "call-ns is 0 to 60000000000, not")]
#[case::the_second_of_two("run --tune deadline=3,logs=x", "logs is 0 to 16384, not `x`")]
fn a_wrong_key_or_value_is_refused_with_what_is_accepted(#[case] line: &str, #[case] says: &str) {
    Bench::new().run(line.split(' ')).says(2, &[says]);
}

#[test]
fn every_key_is_accepted_in_one_list_or_repeated() {
    let bench = Bench::new();
    bench.catalog(chapter(&[HOLDS]));
    let limits = "deadline=40,rule-limit=50,patience=2500,exhaustive=2,worker-memory=0,lock-wait=3,recover-limit=9";
    let words = ["--product", "a2", "--backend", "simulator", "--tune", limits, "--tune", "every-device=no"];
    let results = ["--tune", "min-devices=1,min-executed=1,logs=8", "--tune=redact=no,keep=no"];
    let sim = ["--sim", "edition=9.0,memory=2048", "--sim", "run-mode=device,call-ns=1"];
    bench.run_catalog("report", &[&words[..], &results, &sim].concat()).says(0, &["conformant"]);
    let header = bench.report("report").header;
    let settings = &header.settings;
    assert_eq!((settings.deadline, settings.rule_limit, settings.patience), (40, Some(50), Some(2500)));
    assert_eq!((settings.sim_edition.as_deref(), settings.sim_memory), (Some("9.0"), Some(2048)));
    assert_eq!((header.run_mode.as_str(), settings.min_executed), ("device", Some(1)));
}

#[rstest]
#[case::patience("ATLAS_CTS_PATIENCE", "1", "ATLAS_CTS_PATIENCE: patience: write `auto`, or 2000 to 600000")]
#[case::bare_metal("ATLAS_CTS_ASSUME_BARE_METAL", "maybe", "ATLAS_CTS_ASSUME_BARE_METAL=maybe: the value is 1 or 0")]
#[case::the_gate("ATLAS_CTS_SKIP_GATE", "maybe", "ATLAS_CTS_SKIP_GATE=maybe: the value is 1 or 0")]
fn a_wrong_variable_is_named(#[case] name: &str, #[case] value: &str, #[case] says: &str) {
    answer(Bench::new().command(["run", "--product", "a2"]).env(name, value)).says(2, &[says]);
}

#[test]
fn a_variable_gives_a_key_that_the_command_line_does_not_give() {
    let bench = Bench::new();
    bench.catalog(chapter(&[HOLDS]));
    let words = ["run", "--specs", "specs", "--product", "a2", "--backend", "simulator", "--report-dir"];
    let run = |report: &str, more: &[&str]| {
        let mut command = bench.command(words.iter().chain(&[report]).chain(more));
        answer(command.env("ATLAS_CTS_PATIENCE", "3000")).says(0, &[]);
        bench.report(report).header.settings.patience
    };
    assert_eq!(run("variable", &[]), Some(3000));
    assert_eq!(run("both", &["--tune", "patience=4000"]), Some(4000));
}

#[test]
fn all_options_and_keys_of_a_run_fit_on_four_screens() {
    let page = answer(Bench::new().command(["run", "--help-all"]).env("COLUMNS", "100")).text;
    let lines = page.lines().count();
    assert!(lines <= MOST_LINES, "{lines} lines\n{page}");
    let names = page.lines().filter(|line| line.starts_with("      --") || line.starts_with("  -"));
    let options = names.count();
    assert!(options <= MOST_OPTIONS, "{options} options\n{page}");
    for key in ["deadline=SECONDS", "patience=MS", "edition=EDITION", "memory=MIB"] {
        assert!(page.lines().any(|line| line.trim_start().starts_with(key)), "{key}\n{page}");
    }
}
