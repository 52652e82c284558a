//! Reports of made-up data.

mod annotations;
mod journal;
pub(crate) mod page;
mod schema;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sample::{
    broken, confirmation, device_header, end, failure_with_steps, folder, header, history, result, results,
};
use ledger::report::{Detail, JUNIT_FILE, Layout, failure_text, first_line, summary, write_junit};
use proptest::prelude::*;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use record::{
    Bar, Boundary, Conclusion, Confirmation, Coverage, DeviceIdentity, FailingValues, Failure, Fingerprint, Installed,
    Level, Line, MemoryLimit, Picture, RuleResult, RunEnd, RunHeader, Stack, StackThread, Steps, Untried, Verdict,
};
use rstest::rstest;

fn junit(header: &RunHeader, results: &[RuleResult], end: Option<&RunEnd>) -> String {
    let dir = folder();
    let path = write_junit(&dir, header, results, end).unwrap();
    assert_eq!(path, dir.join(JUNIT_FILE));
    assert_eq!(fs::read_dir(&*dir).unwrap().count(), 1, "only the report remains");
    fs::read_to_string(path).unwrap()
}

// ---- the look of reports

#[rstest]
#[case::simulated("first_line_simulated", header())]
#[case::device("first_line_device", device_header())]
fn first_lines(#[case] name: &str, #[case] header: RunHeader) {
    insta::assert_snapshot!(name, first_line(&header));
}

#[test]
fn summaries() {
    let all = results();
    insta::assert_snapshot!("summary_broken", summary(&header(), &all, Some(&end(&all, 1)), Layout::FILE));
    insta::assert_snapshot!("summary_unfinished", summary(&header(), &all[..2], None, Layout::FILE));
    insta::assert_snapshot!("summary_nothing", summary(&device_header(), &[], None, Layout::FILE));
    let mut header = device_header();
    header.rules = 1;
    insta::assert_snapshot!("summary_conformant", summary(&header, &all[..1], Some(&end(&all[..1], 0)), Layout::FILE));
}

#[test]
fn summaries_in_brief() {
    let all = results();
    let narrow = Layout { width: 80, ..BRIEF };
    insta::assert_snapshot!("summary_brief_broken", summary(&header(), &all, Some(&end(&all, 1)), narrow));
    let green = [all[0].clone()];
    insta::assert_snapshot!("summary_brief_conformant", summary(&header(), &green, Some(&end(&green, 0)), narrow));
    let unknown: Vec<RuleResult> = all.into_iter().filter(|result| result.verdict == Verdict::Blocked).collect();
    insta::assert_snapshot!("summary_brief_unknown", summary(&header(), &unknown, Some(&end(&unknown, 3)), narrow));
}

#[test]
fn known_failures_are_separate_from_new_ones() {
    let all = results();
    let mut end = end(&all, 3);
    (end.expectations, end.retries) = (Some(crate::sample::expected()), vec![crate::sample::retry()]);
    let text = summary(&header(), &all, Some(&end), Layout::FILE);
    let broken = text.split("\ncauses").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default();
    assert!(!broken.contains("toy.copy.exact-count"), "a known failure is not listed as broken:\n{text}");
    let unbroken = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "known failures (1) toy.copy.exact-count fail, check same(back, source, size); https://tracker.example/3, owner \
         copies, until 2027-03-31 (toy.yaml:3)",
        "fixed: known failures that now hold (1) toy.copy.zero-bytes the rule holds",
        "expected 1 fixed, 1 known; 4 entries in expectations, as of 2027-03-01",
        "open toy.yaml:20: the version of driver is unknown",
        "retries 1 lost-device (never because of a verdict)",
    ] {
        assert!(unbroken.contains(expected), "{expected}\n{text}");
    }
    let junit = junit(&header(), &all, Some(&end));
    for expected in [
        "<skipped type=\"known\" message=\"known: fail, check same(back, source, size);; https://tracker.example/3",
        "fixed: the rule holds, but the entry expects crash; remove the entry; https://tracker.example/9",
        "<property name=\"retry\" value=\"lost-device (toy.copy.peer): the device did not answer\"/>",
        "<property name=\"expectations\" value=\"expectations (sha256 60303ae2)\"/>",
    ] {
        assert!(junit.contains(expected), "{expected}\n{junit}");
    }
    let failures: Vec<&str> = junit.lines().filter(|line| line.contains("<failure")).collect();
    assert!(
        matches!(failures.as_slice(), [only] if only.contains("type=\"timeout\"")),
        "of two broken rules one is known:\n{junit}"
    );
}

#[test]
fn failure_blocks() {
    insta::assert_snapshot!("failure", failure_text(&broken(), &header(), Layout::FILE));
    insta::assert_snapshot!("failure_without_case", failure_text(&results()[8], &device_header(), Layout::FILE));
    let mut long = broken();
    long.level = Level::Info;
    let failure = long.failure.as_mut().unwrap();
    failure.trace = (0..1000).map(|call| format!("f({call}) = {}", "0123456789".repeat(call % 12))).collect();
    failure.output = (0..50).map(|line| format!("line {line}\n")).collect();
    failure.values.push(("a_name_that_is_really_rather_long".into(), "[1, 2, 3] ".repeat(30)));
    failure.shrinks = 0;
    insta::assert_snapshot!("failure_long", failure_text(&long, &header(), Layout::FILE));
}

/// The layout of blocks during a run.
const BRIEF: Layout = Layout { detail: Detail::Brief, ..Layout::FILE };

#[rstest]
#[case::brief("failure_brief", BRIEF)]
#[case::full("failure_full", Layout::FILE)]
#[case::narrow("failure_narrow", Layout { width: 60, ..BRIEF })]
#[case::colored("failure_colored", Layout { color: true, ..BRIEF })]
fn the_failed_statement_is_marked_in_its_steps(#[case] name: &str, #[case] layout: Layout) {
    let mut result = broken();
    result.failure = Some(Box::new(failure_with_steps()));
    insta::assert_snapshot!(name, failure_text(&result, &header(), layout));
}

#[rstest]
#[case::in_a_set_up(|failure: &mut Failure| failure.statement = "toy_dv_take(&p, size);".into())]
#[case::of_named_codes(|failure: &mut Failure| failure.statement = "same(back, source, size) fails {A, B};".into())]
fn a_statement_with_other_words_than_in_the_steps_is_shown(#[case] change: fn(&mut Failure)) {
    let mut result = broken();
    let mut failure = failure_with_steps();
    change(&mut failure);
    result.failure = Some(Box::new(failure));
    assert!(failure_text(&result, &header(), BRIEF).contains("\n  statement  "));
}

#[rstest]
#[case::out_of_range(|steps: &mut Steps| steps.end = 100_000)]
#[case::backwards(|steps: &mut Steps| (steps.start, steps.end) = (20, 10))]
#[case::within_a_character(|steps: &mut Steps| (steps.text, steps.start, steps.end) = ("ää".into(), 1, 2))]
#[case::moving_the_cursor(|steps: &mut Steps| steps.text.push('\u{1b}'))]
fn steps_that_cannot_be_shown_leave_the_rest_of_the_block(#[case] change: fn(&mut Steps)) {
    let mut result = broken();
    let mut failure = failure_with_steps();
    change(failure.steps.as_mut().unwrap());
    result.failure = Some(Box::new(failure));
    let text = failure_text(&result, &header(), BRIEF);
    assert!(text.contains("\n  statement  same(back, source, size);\n") && !text.contains(" | "), "{text}");
}

#[rstest]
#[case::after("failure_after_others", Conclusion::After)]
#[case::flaky("failure_flaky", Conclusion::Flaky)]
#[case::after_rules("failure_after_rules", Conclusion::AfterRules)]
#[case::open("failure_not_run_again", Conclusion::Open)]
#[case::once("failure_unconfirmed", Conclusion::Unconfirmed)]
fn failures_that_depend_on_others_or_on_chance(#[case] name: &str, #[case] conclusion: Conclusion) {
    let mut result = broken();
    let failure = result.failure.as_mut().unwrap();
    failure.output.clear();
    failure.confirmation = Some(confirmation(conclusion));
    if conclusion == Conclusion::Flaky {
        result.verdict = Verdict::Flaky;
    }
    insta::assert_snapshot!(name, failure_text(&result, &header(), Layout::FILE));
}

#[test]
fn calls_without_an_order_are_lanes_and_bars() {
    let mut result = broken();
    result.failure.as_mut().expect("a failure").history = Some(Box::new(history()));
    let text = failure_text(&result, &header(), Layout::FILE);
    for line in [
        "blocks (allocator): no order of the 2 calls marked with #, of 37, is allowed",
        "before: no live block",
        "A        [#######2########]",
        "  2  A  allocate(64) = 0x10000",
        "  4  A  allocate(64) = (not returned)",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn a_stack_shows_the_inner_frames_of_the_thread_that_matters() {
    let frames = |count: usize| (0..count).map(|number| format!("#{number} libtoy.so+0x{number}")).collect();
    let thread = |wait: &str, count| StackThread {
        id: 7,
        name: "toy".into(),
        wait: wait.into(),
        frames: frames(count),
        left_out: 0,
    };
    let shown = |stack: Stack| {
        let mut result = broken();
        result.failure.as_mut().unwrap().stack = Some(Box::new(stack));
        let text = failure_text(&result, &header(), Layout::FILE);
        let lines = text.lines().skip_while(|line| !line.starts_with("  stack "));
        let row: Vec<String> = lines
            .take_while(|line| !line.starts_with("  calls ") && !line.starts_with("  rule "))
            .map(str::to_owned)
            .collect();
        row.iter().map(|line| line[13..].to_owned()).collect::<Vec<_>>()
    };
    let crash = Stack { reason: "SIGSEGV".into(), threads: vec![thread("", 14)], ..Stack::default() };
    let inner = (0..10).map(|number| format!("#{number} libtoy.so+0x{number}"));
    let expected =
        [vec!["SIGSEGV".to_owned()], inner.collect(), vec!["4 outer frames more; the journal has them".into()]];
    assert_eq!(shown(crash), expected.concat());
    let hang = Stack {
        reason: "read before the process was killed".into(),
        threads: vec![thread("asleep in futex", 1), thread("running", 3)],
        remarks: vec!["no debugger is in PATH".into()],
        ..Stack::default()
    };
    assert_eq!(
        shown(hang),
        [
            "read before the process was killed",
            "thread toy: asleep in futex",
            "#0 libtoy.so+0x0",
            "1 other thread; the journal has it",
            "no debugger is in PATH"
        ]
    );
}

#[test]
fn a_journal_from_before_confirmations_is_read() {
    let mut line = serde_json::to_value(Line::Result(Box::new(broken()))).unwrap();
    line["result"]["failure"].as_object_mut().unwrap().remove("confirmation").unwrap();
    let Line::Result(result) = serde_json::from_value(line).unwrap() else { panic!("it is a result") };
    assert_eq!(result.failure.unwrap().confirmation, None);
}

#[test]
fn a_run_that_tested_nothing_is_not_called_conformant() {
    let skipped = &results()[3..6];
    let text = summary(&header(), skipped, Some(&end(skipped, 0)), Layout::FILE);
    assert!(text.contains("nothing was tested") && !text.contains("conformant"), "{text}");
}

#[test]
fn junit_reports() {
    let all = results();
    insta::assert_snapshot!("junit", junit(&header(), &all, Some(&end(&all, 1))));
    insta::assert_snapshot!("junit_unfinished", junit(&device_header(), &all[..1], None));
}

#[test]
fn remarks_of_a_run_are_in_its_summary_and_a_case_that_passes() {
    let all = results();
    let remark = "a process with the library cannot end in order: <signal 6> ]]>";
    let mut end = end(&all[..1], 0);
    end.remarks = vec![remark.to_owned(), "another".to_owned()];
    let text = summary(&header(), &all[..1], Some(&end), Layout::FILE);
    assert!(text.contains(&format!("remark    {remark}\nremark    another\n")), "{text}");
    let xml = junit(&header(), &all[..1], Some(&end));
    assert!(xml.contains("tests=\"2\" failures=\"0\" errors=\"0\""), "{xml}");
    assert!(xml.contains("name=\"toy.run.end\"") && xml.contains("cannot end in order: <signal 6>"), "{xml}");
    if let Some(valid) = xmllint(&xml) {
        valid.unwrap();
    }
}

#[test]
fn colors_only_on_request() {
    let mut all = results();
    all[1].reason = "\u{1b}[2J\u{9b}2J \u{202e}enog".into();
    let plain = summary(&header(), &all, Some(&end(&all, 1)), Layout::FILE);
    let moves = ['\u{1b}', '\u{9b}', '\u{202e}'];
    assert!(!plain.contains(moves));
    assert!(!failure_text(&all[1], &header(), Layout::FILE).contains(moves));
    let colored = summary(&header(), &all, Some(&end(&all, 1)), Layout { color: true, ..Layout::FILE });
    let mut stripped = colored.clone();
    for code in ["0", "1", "1;31", "32", "33"] {
        stripped = stripped.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_ne!(colored, plain);
    assert_eq!(stripped, plain);
}

#[test]
fn an_older_report_is_replaced_and_a_refusal_is_explained() {
    let dir = folder();
    fs::write(dir.join(JUNIT_FILE), "old").unwrap();
    write_junit(&dir, &header(), &results(), None).unwrap();
    assert!(
        fs::read_to_string(dir.join(JUNIT_FILE)).unwrap().starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
    );
    let error = write_junit(&dir.join("missing"), &header(), &results(), None).unwrap_err();
    assert!(error.to_string().contains("then run `atlas-cts report "), "{error}");
}

// ---- laws over any text

/// Text that may break readers: any character, and the markup of XML.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let special = prop::sample::select(vec![
        "]]>",
        "]]",
        ">",
        "]",
        "<![CDATA[",
        "&",
        "&#0;",
        "&amp;",
        "<",
        "\"",
        "'",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\0",
        "\u{1}",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{85}",
        "\u{9b}",
        "\u{d7ff}",
        "\u{e000}",
        "\u{fffd}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{1fffe}",
        "\u{10ffff}",
        "\u{2028}",
        "\u{feff}",
        "--",
        "<?",
        "<!--",
        "e\u{301}",
        "内存",
        "",
    ]);
    let piece = prop_oneof![3 => special.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from), 1 => "[ -~]{0,60}"];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// A run whose texts are all from `texts`.
fn filled(texts: &[String], info: bool) -> (RunHeader, Vec<RuleResult>, RunEnd) {
    let mut next = texts.iter().cycle().cloned();
    let mut text = || next.next().unwrap_or_default();
    let mut header = header();
    for field in [&mut header.suite, &mut header.run, &mut header.started, &mut header.runtime, &mut header.product] {
        *field = text();
    }
    for field in [&mut header.run_mode, &mut header.profile, &mut header.catalog_digest, &mut header.library.path] {
        *field = text();
    }
    (header.library.sha256, header.library.chosen_by) = (text(), text());
    (header.reported_name, header.edition, header.library.version) = (Some(text()), Some(text()), Some(text()));
    header.defects = vec![text(), text()];
    let mut results = Vec::new();
    for (number, verdict) in Verdict::ALL.into_iter().enumerate() {
        let mut result = crate::sample::result(&format!("{number}{}", text()), verdict, &text());
        (result.chapter, result.title, result.doubt) = (text(), text(), Some(text()));
        result.level = if info { Level::Info } else { Level::Must };
        result.findings = vec![text(), text()];
        result.observations = BTreeMap::from([(text(), BTreeMap::from([(text(), 3)]))]);
        result.failure = (number % 3 != 0).then(|| {
            Box::new(Failure {
                statement: text(),
                place: text(),
                message: text(),
                rule_statement: text(),
                clauses: vec![text()],
                sources: vec![text(), text()],
                values: vec![(text(), text()), (text(), text())],
                replay_values: serde_json::Value::String(text()),
                devices: vec![text(), text()],
                case: 1,
                shrinks: 1,
                cut: false,
                steps: Some(Steps {
                    first: u32::MAX,
                    text: text(),
                    start: number as u32,
                    end: number as u32 + 3,
                    calls: (0..40).map(|line| u32::MAX - line % 2).collect(),
                }),
                trace: (0..40).map(|_| text()).collect(),
                output: text(),
                recent_error: text(),
                stack: Some(Box::new(Stack {
                    reason: text(),
                    threads: vec![StackThread {
                        id: 1,
                        name: text(),
                        wait: text(),
                        frames: (0..40).map(|_| text()).collect(),
                        left_out: 1,
                    }],
                    left_out: 1,
                    registers: text(),
                    modules: vec![text()],
                    remarks: vec![text()],
                })),
                replay: text(),
                history: Some(Box::new(Picture {
                    name: text(),
                    model: text(),
                    lanes: vec![text(), text()],
                    before: vec![text()],
                    bars: history()
                        .bars
                        .into_iter()
                        .map(|bar| Bar { call: text(), answer: Some(text()), ..bar })
                        .chain((0..90).map(|at| Bar {
                            lane: at % 2 * 7,
                            from: 5,
                            to: Some(3),
                            ..history().bars.remove(0)
                        }))
                        .collect(),
                    ..history()
                })),
                program: Some(text()),
                boundary: vec![Boundary {
                    axis: text(),
                    fails: FailingValues::Only(vec![text()]),
                    passes: Some(text()),
                    tried: 3,
                    cut: true,
                    untried: Some(Untried { values: vec![text()], with: vec![text()] }),
                }],
                owns: vec![text()],
                confirmation: Some(Confirmation {
                    after: vec![vec![(text(), text())], vec![]],
                    after_rules: vec![text()],
                    remark: text(),
                    ..confirmation(Conclusion::After)
                }),
                ..Failure::default()
            })
        });
        results.push(result);
    }
    let mut end = end(&results, 1);
    end.finished = text();
    (header, results, end)
}

/// Reads a document to its end and returns the number of its cases.
fn cases_of(xml: &str) -> usize {
    let allowed = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{7e}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(allowed), "a character that XML does not allow, or a control character");
    let attributes = |element: &BytesStart<'_>| {
        for attribute in element.attributes() {
            attribute.unwrap().normalized_value(quick_xml::XmlVersion::Explicit1_0).unwrap();
        }
    };
    let (mut reader, mut cases, mut depth) = (Reader::from_str(xml), 0, 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => break,
            Event::Text(text) => assert!(text.decode().unwrap().trim().is_empty(), "text outside of a section"),
            Event::GeneralRef(reference) => panic!("a reference outside of a section: {reference:?}"),
            Event::Start(element) => {
                attributes(&element);
                depth += 1;
                cases += usize::from(element.name().as_ref() == b"testcase");
            }
            Event::Empty(element) => {
                attributes(&element);
                cases += usize::from(element.name().as_ref() == b"testcase");
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    cases
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_makes_a_well_formed_report(texts in prop::collection::vec(text(), 1..9), info in any::<bool>(), ended in any::<bool>()) {
        let (header, results, end) = filled(&texts, info);
        let xml = junit(&header, &results, ended.then_some(&end));
        prop_assert_eq!(cases_of(&xml), results.len() + usize::from(!ended));
    }

    #[test]
    fn any_text_fits_a_terminal(texts in prop::collection::vec(text(), 1..9), info in any::<bool>()) {
        let (header, results, end) = filled(&texts, info);
        let control = |c: char| c.is_control() && c != '\n';
        let blocks = results.iter().flat_map(|result| [BRIEF, Layout::FILE].map(|layout| failure_text(result, &header, layout)));
        for block in blocks.chain([summary(&header, &results, Some(&end), Layout::FILE)]) {
            prop_assert!(!block.replace('\t', " ").contains(control), "{}", block);
        }
        prop_assert!(!first_line(&header).contains(char::is_control));
    }

    #[test]
    fn blocks_are_a_hundred_columns_wide(message in "[ -~]{0,400}", call in "[a-z ]{0,300}", name in "[a-z]{1,20}") {
        let mut result = broken();
        let failure = result.failure.as_mut().unwrap();
        failure.message = message.clone();
        failure.values = vec![(name, message.clone())];
        failure.trace = vec![call; 35];
        result.reason = message.clone();
        result.findings = vec![message];
        for line in failure_text(&result, &header(), Layout::FILE).lines().chain(summary(&header(), &[result.clone()], None, Layout::FILE).lines()) {
            // These commands are copied whole.
            let copied = ["  replay", "  failed "].iter().any(|label| line.starts_with(label));
            prop_assert!(line.chars().count() <= 100 || copied, "{}", line);
        }
    }
}

// ---- the schema of junit.xml

fn schema(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/schema").join(name)
}

/// Validates a document. `None` if xmllint is missing, which is an error in CI.
fn xmllint(xml: &str) -> Option<Result<(), String>> {
    let dir = folder();
    fs::write(dir.join(JUNIT_FILE), xml).unwrap();
    let mut command = Command::new("xmllint");
    command.args(["--noout", "--nonet", "--schema"]).arg(schema("junit.xsd")).arg(dir.join(JUNIT_FILE));
    match command.output() {
        Ok(output) if output.status.success() => Some(Ok(())),
        Ok(output) => Some(Err(String::from_utf8_lossy(&output.stderr).into_owned())),
        Err(error) if std::env::var_os("CI").is_some() => panic!("xmllint (libxml2-utils) is required in CI: {error}"),
        Err(error) => {
            eprintln!("skipped: no xmllint ({error}); install libxml2-utils to validate reports");
            None
        }
    }
}

#[rstest]
fn reports_are_valid(
    #[values(false, true)] simulated: bool,
    #[values(0, 1, 9)] rules: usize,
    #[values(false, true)] ended: bool,
) {
    let header = if simulated { header() } else { device_header() };
    let all = results();
    let end = end(&all[..rules], 1);
    if let Some(valid) = xmllint(&junit(&header, &all[..rules], ended.then_some(&end))) {
        valid.unwrap();
    }
}

#[rstest]
#[case::section_end("a ]]> b ]]]]>> c")]
#[case::markup("<failure message='x'>&amp;</failure>&#0;<!-- <![CDATA[ ")]
#[case::controls("\u{0}\u{1}\u{8}\u{b}\u{c}\u{1b}[31m\u{7f}\u{80}\u{9f}\r\r\n")]
#[case::edges("\u{d7ff}\u{e000}\u{fffd}\u{fffe}\u{ffff}\u{1fffe}\u{1ffff}\u{10fffe}\u{10ffff}")]
fn reports_with_odd_texts_are_valid(#[case] text: &str, #[values(false, true)] info: bool) {
    let (mut header, results, end) = filled(&[text.to_owned()], info);
    header.started = "2027-03-01T08:30:00.123Z".into();
    if let Some(valid) = xmllint(&junit(&header, &results, Some(&end))) {
        valid.unwrap();
    }
}

#[rstest]
#[case::more_digits("time=\"0.015\"", "time=\"0.0151\"")]
#[case::case_without_name("testcase name=\"toy.copy.peer\"", "testcase")]
#[case::file("testcase name", "testcase file=\"a\" name")]
#[case::no_tests(" tests=\"9\"", "")]
#[case::no_count("skipped=\"1\"", "skipped=\"one\"")]
#[case::verdict("type=\"fail\"", "type=\"odd\"")]
#[case::property_without_value("value=\"42\"", "")]
#[case::unknown_element("<system-out>", "<system-log/><system-out>")]
fn the_schema_rejects(#[case] from: &str, #[case] to: &str) {
    let all = results();
    let xml = junit(&header(), &all, Some(&end(&all, 1)));
    assert!(xml.contains(from), "{from}");
    if let Some(valid) = xmllint(&xml.replacen(from, to, 1)) {
        valid.unwrap_err();
    }
}

/// A remark on coverage appears in the summary and in junit.xml; the rule still passes.
#[test]
fn a_remark_on_coverage_is_shown_and_changes_no_verdict() {
    let mut all = vec![result("toy.copy.a", Verdict::Pass, ""), result("toy.copy.b", Verdict::Pass, "")];
    let remark = "12 of 100 cases were tried: `where` discarded 380 of 400 draws";
    let without = junit(&header(), &all, Some(&end(&all, 0)));
    let silent = summary(&header(), &all, Some(&end(&all, 0)), Layout::FILE);
    assert!(!without.contains("coverage") && !silent.contains("fewer cases than planned"));
    all[0].coverage = Some(Coverage { distinct: 12, remark: Some(remark.to_owned()), cut: None });
    let text = summary(&header(), &all, Some(&end(&all, 0)), Layout::FILE);
    assert!(text.contains(&format!("fewer cases than planned (1)\n  toy.copy.a  {remark}\n")), "{text}");
    let xml = junit(&header(), &all, Some(&end(&all, 0)));
    let case = xml.split("<testcase ").find(|case| case.contains("toy.copy.a")).unwrap();
    assert!(case.contains("coverage") && case.contains("380 of 400 draws") && !case.contains("<failure"), "{case}");
    assert_eq!(without.matches("<failure").count(), xml.matches("<failure").count());
}

/// The rule is only observed, but would have used all memory of the machine.
#[test]
fn a_process_at_its_memory_limit_is_a_finding_of_the_summary() {
    let mut result = result("toy.set.overflow", Verdict::Observed, "");
    result.memory_limit = Some(MemoryLimit { mebibytes: 2048, call: Some("toy_set".to_owned()) });
    let text = summary(&device_header(), &[result], None, Layout::FILE);
    let finding = "findings: a process reached its memory limit (1)\n  observed    toy.set.overflow  in toy_set: 2048 MiB \
                   in addition to start-up\n";
    assert!(text.contains(finding), "{text}");
}

/// A fingerprint with all optional parts.
fn fingerprint() -> Fingerprint {
    let one = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    let device = |device| DeviceIdentity {
        device,
        label: format!("{device}:0"),
        model: Some("Toy910".to_owned()),
        address: Some(format!("0000:0{device}:00.0")),
        ids: one("Die ID", "17 4\u{1b}[2J"),
        settings: one("signatures", "off"),
    };
    let installed = |of: &str, version: &str, source: &str| Installed {
        of: of.to_owned(),
        version: version.to_owned(),
        source: source.to_owned(),
    };
    Fingerprint {
        devices: vec![device(0), device(1)],
        installed: vec![
            installed("driver", "25.2.1", "toy-smi"),
            installed("driver", "25.2.1", "/opt/toy/driver"),
            installed("toolkit", "8.2", "/opt/toy/toolkit"),
        ],
        unknown: vec!["the firmware is hidden".to_owned()],
    }
}

#[test]
fn the_identity_of_the_devices_is_in_the_summary_and_in_junit() {
    let header = RunHeader { fingerprint: Some(fingerprint()), ..device_header() };
    let text = summary(&header, &results(), Some(&end(&results(), 0)), Layout::FILE);
    let lines = ["identity  2 × Toy910 (0:0, 1:0), driver 25.2.1, toolkit 8.2\n", "unknown   the firmware is hidden\n"];
    assert!(lines.iter().all(|line| text.contains(line)), "{text}");
    let xml = junit(&header, &results(), Some(&end(&results(), 0)));
    let device = "device 1: 1:0, Toy910, 0000:01:00.0, Die ID 17 4␛[2J, signatures off";
    for property in [device, "driver 25.2.1 (/opt/toy/driver)", "the firmware is hidden"] {
        assert!(xml.contains(property), "{property} is missing in {xml}");
    }
}
