//! `--lang`: the terminal and the doctor are in the language of the option or of the locale; files are English.

use std::fs;

use regex_lite::Regex;
use rstest::{fixture, rstest};

use crate::support::small::{ALIGNED, ELSEWHERE, HOLDS, MISALIGNED, chapter};
use crate::support::{Answer, Bench, answer};

const RUN: [&str; 9] = ["run", "--specs", "specs", "--product", "a2", "--backend", "simulator", "--defect", MISALIGNED];

#[fixture]
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, HOLDS, ELSEWHERE]));
    bench
}

/// A failing run in a language, with its reports in the folder `report`.
fn run(bench: &Bench, language: &str, more: &[&str]) -> Answer {
    // The folder is the same each time, because a run records its name.
    let _ = fs::remove_dir_all(bench.path("report"));
    bench.run(["--lang", language].iter().chain(&RUN).chain(&["--report-dir", "report"]).chain(more))
}

fn read(bench: &Bench, file: &str) -> String {
    fs::read_to_string(bench.path("report").join(file)).unwrap()
}

fn is_chinese(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// A text without its numbers: times, addresses, process ids.
fn without_numbers(text: &str) -> String {
    Regex::new("0x[0-9a-f]+|[0-9]+").unwrap().replace_all(text, "N").into_owned()
}

#[rstest]
fn a_failing_run_in_chinese_has_chinese_words_on_the_terminal(bench: Bench) {
    let answer = run(&bench, "zh", &[]);
    answer.says(
        1,
        &[
            "失败 FAIL  acl.small.aligned",
            "  现象       `(uintptr_t)p % 64 == 0` does not hold",
            "  重放       atlas-cts run ",
            "跳过 (1)",
            "C程序",
            "结果      不符合：1条规则被违反（模拟设备）",
            "报告      /",
        ],
    );
}

#[rstest]
fn what_programs_read_is_the_same_in_every_language(bench: Bench) {
    let files = ["en", "zh"].map(|language| {
        assert_eq!(run(&bench, language, &[]).status, 1);
        ["results.jsonl", "junit.xml", "summary.md"].map(|file| without_numbers(&read(&bench, file)))
    });
    assert_eq!(files[0], files[1]);
    assert!(files[1].iter().all(|text| !text.contains(is_chinese)));
    // A report of the same journal is equal byte for byte.
    let reports = ["en", "zh"].map(|language| {
        bench.run(["report", "report", "--lang", language]).says(0, &[]);
        (read(&bench, "junit.xml"), read(&bench, "report.html"))
    });
    assert_eq!(reports[0].0, reports[1].0);
    assert_eq!(reports[0].1, reports[1].1);
}

#[rstest]
fn printed_json_is_the_same_in_every_language(bench: Bench) {
    let logs = ["en", "zh"].map(|language| {
        let answer = run(&bench, language, &["--log-format", "json", "--jobs", "1"]);
        assert_eq!(answer.status, 1, "{}", answer.text);
        without_numbers(&answer.text)
    });
    assert_eq!(logs[0], logs[1]);
    assert!(logs[1].contains("not conformant"));
    let doctors = ["en", "zh"].map(|language| {
        let answer = bench.run(["--lang", language, "doctor", "--json", "--root", "specs"]);
        assert_eq!(answer.status, 3, "{}", answer.text);
        without_numbers(&answer.text)
    });
    assert_eq!(doctors[0], doctors[1]);
    assert!(doctors[1].contains("This machine cannot run the suite"));
}

#[rstest]
fn the_doctor_speaks_chinese(bench: Bench) {
    bench.run(["--lang", "zh", "doctor", "--root", "specs"]).says(
        3,
        &[
            "本机无法运行本套件：未找到Runtime的任何库",
            "阻断     library.missing",
            "  建议     安装Toolkit",
            "检查过的位置",
        ],
    );
}

#[rstest]
#[case::chinese(&[("LANG", "zh_CN.UTF-8")], "结果      不符合")]
#[case::no_language(&[("LANG", "C")], "result    not conformant")]
#[case::the_first_variable_that_is_set(&[("LC_ALL", "C.UTF-8"), ("LANG", "zh_CN.UTF-8")], "result    not conformant")]
#[case::the_suites_variable(&[("LANG", "C"), ("ATLAS_CTS_LANG", "zh")], "结果      不符合")]
#[case::the_suites_variable_over_the_locale(&[("LANG", "zh_CN.UTF-8"), ("ATLAS_CTS_LANG", "en")], "result    not conformant")]
fn the_locale_selects_the_language_unless_it_is_given(
    bench: Bench,
    #[case] variables: &[(&str, &str)],
    #[case] result: &str,
) {
    let mut command = bench.command(RUN.iter().chain(&["--report-dir", "report"]));
    answer(command.envs(variables.iter().copied())).says(1, &[result]);
}

#[rstest]
fn an_unknown_language_is_refused_with_the_known_ones(bench: Bench) {
    bench
        .run(["--lang", "fr", "doctor"])
        .says(2, &["invalid value 'fr' for '--lang <LANGUAGE>'", "[possible values: en, zh]"]);
    let mut command = bench.command(["doctor"]);
    answer(command.env("ATLAS_CTS_LANG", "fr")).says(2, &["'fr'", "[possible values: en, zh]"]);
}
