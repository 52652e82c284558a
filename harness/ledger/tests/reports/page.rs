//! Reports for people: `report.html` and `summary.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ledger::report::{JUNIT_FILE, PAGE_FILE, STEP_SUMMARY_FILE, write_reports};
use proptest::prelude::*;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use record::{Failure, LogFile, Recorded, RuleLogs, RuleResult, RunEnd, RunHeader, Verdict};
use rstest::rstest;

use super::{filled, text};
use crate::sample::{self, broken, device_header, end, failure, folder, header, result, results};

/// Megabytes are decimal.
const LARGEST: usize = 3_000_000;

fn run(header: RunHeader, results: Vec<RuleResult>, end: Option<RunEnd>) -> Recorded {
    Recorded { header, results, in_flight: BTreeMap::new(), end }
}

/// The page and the summary of a run in a new folder.
fn written(run: &Recorded) -> (String, String) {
    let dir = folder();
    in_folder(&dir, run)
}

fn in_folder(dir: &Path, run: &Recorded) -> (String, String) {
    assert_eq!(write_reports(dir, run, None).unwrap(), Vec::<String>::new());
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    (read(PAGE_FILE), read(STEP_SUMMARY_FILE))
}

/// The body of a page, without style and script.
fn body(page: &str) -> &str {
    let (_, rest) = page.split_once("<body>\n").expect("a page has a body");
    rest.split_once("<script").expect("a page has a script").0
}

fn ended(results: Vec<RuleResult>, exit: u8) -> Recorded {
    let end = end(&results, exit);
    run(header(), results, Some(end))
}

#[test]
fn pages() {
    let mut whole = ended(results(), 1);
    if let Some(end) = &mut whole.end {
        (end.expectations, end.retries) = (Some(sample::expected()), vec![sample::retry()]);
        end.remarks = vec!["device 1: more memory errors than before; it is out of use".to_owned()];
    }
    insta::assert_snapshot!("page_broken", body(&written(&whole).0));
    insta::assert_snapshot!("page_conformant", body(&written(&ended(results()[..1].to_vec(), 0)).0));
    insta::assert_snapshot!("page_nothing", body(&written(&run(device_header(), vec![], None)).0));
}

#[test]
fn calls_without_an_order_are_a_picture() {
    let mut result = broken();
    result.failure.as_mut().expect("a failure").history = Some(Box::new(sample::history()));
    let page = written(&ended(vec![result], 1)).0;
    let (_, picture) = page.split_once("<svg class=\"lanes\"").expect("a picture");
    let picture = picture.split_once("</svg>").expect("the picture has an end").0;
    assert_eq!(picture.matches("<rect class=\"fill-bad\"").count(), 2, "{picture}");
    assert_eq!(picture.matches("<rect class=\"fill-faint\"").count(), 2, "{picture}");
    assert!(page.contains("allocate(64) = 0x10000"), "{page}");
}

#[test]
fn step_summaries() {
    let mut whole = ended(results(), 1);
    if let Some(end) = &mut whole.end {
        end.expectations = Some(sample::expected());
        end.remarks = vec!["@all: <b>a process</b> could not end in order".to_owned()];
    }
    insta::assert_snapshot!("step_summary_broken", written(&whole).1);
    insta::assert_snapshot!("step_summary_conformant", written(&ended(results()[..1].to_vec(), 0)).1);
    insta::assert_snapshot!("step_summary_nothing", written(&run(device_header(), vec![], None)).1);
}

#[rstest]
#[case::the_message("the last byte of <code>back</code> is 0xa5, expected 0x17")]
#[case::the_statement("same(back, source, size);")]
#[case::its_place("specs/toy/copy.yaml:41:7")]
#[case::the_values("<code>size = 65569</code><br/><code>host_offset = 3</code>")]
#[case::the_clause("copy.all-bytes: A copy writes every byte of the range")]
#[case::the_calls("<li><code>toy_dv_copy(device_memory, 65569, source, 65569, TOY_MEMCPY_HOST_TO_DEVICE)")]
#[case::the_results_of_running_it_again("fails in 2 of 2 runs of the case alone")]
#[case::the_program("return toy_dv_copy(0, 0) &lt; 1 &amp;&amp; 2 &gt; 1;")]
#[case::the_output("␛[31m[ERROR]␛[0m short copy ]]&gt;")]
#[case::the_replay(
    "atlas-cts replay reports/out/2027-03-01T08-30-00Z toy.copy.exact-count --values &#39;{&quot;size&quot;"
)]
#[case::the_doubt("The guide says 32-byte granularity")]
fn a_failure_on_the_page_has(#[case] text: &str) {
    let page = written(&ended(vec![broken()], 1)).0;
    assert!(body(&page).contains(text), "{text}\n{}", body(&page));
}

#[test]
fn logs_are_shown_as_text_and_no_link_leads_to_another_file() {
    let dir = folder();
    let logs = dir.join("logs/toy.copy.exact-count");
    fs::create_dir_all(&logs).unwrap();
    let lines: Vec<String> = (0..100).map(|line| format!("line {line} <script>alert(1)</script>")).collect();
    fs::write(logs.join("kernel.txt"), lines.join("\n")).unwrap();
    fs::write(dir.join("secret.txt"), "of another user").unwrap();
    std::os::unix::fs::symlink("../../secret.txt", logs.join("link.txt")).unwrap();
    let file = |name: &str| LogFile { name: name.to_owned(), lines: 100, left_out: 0, bytes: 2 };
    let files =
        ["logs/toy.copy.exact-count/kernel.txt", "logs/toy.copy.exact-count/link.txt", "../secret.txt"].map(file);
    let mut result = broken();
    result.logs = Some(RuleLogs { files: files.to_vec(), nothing: vec![] });
    let page = in_folder(&dir, &ended(vec![result], 1)).0;
    let body = body(&page);
    assert!(body.contains("<a href=\"logs/toy.copy.exact-count/kernel.txt\">"), "{body}");
    assert!(body.contains("line 99 &lt;script&gt;") && !body.contains("line 10 &lt;"), "the end of it:\n{body}");
    assert!(
        !body.contains("of another user")
            && !body.contains("href=\"..")
            && !body.contains("href=\"logs/toy.copy.exact-count/link")
    );
}

#[test]
fn a_page_that_cannot_be_written_is_a_remark_and_the_other_reports_are_written() {
    let dir = folder();
    fs::create_dir_all(dir.join(PAGE_FILE).join("blocked")).unwrap();
    let remarks = write_reports(&dir, &ended(results(), 1), None).unwrap();
    assert!(
        matches!(&remarks[..], [only] if only.contains("report.html: ") && only.contains("run `atlas-cts report")),
        "{remarks:?}"
    );
    assert!(dir.join(JUNIT_FILE).exists() && dir.join(STEP_SUMMARY_FILE).exists());
    let missing = write_reports(&dir.join("missing"), &ended(results(), 1), None).unwrap_err();
    assert!(missing.to_string().contains("then run `atlas-cts report "), "{missing}");
}

/// Rules with long failures.
fn failing(rules: usize, words: &str) -> Vec<RuleResult> {
    let failure = |number: usize| Failure {
        message: words.repeat(20),
        trace: (0..200).map(|call| format!("f({call}) = {words}")).collect(),
        values: (0..20).map(|axis| (format!("axis_{axis}"), words.to_owned())).collect(),
        output: format!("{words}\n").repeat(300),
        program: Some(format!("/* {number} */ {words};\n").repeat(400)),
        ..failure()
    };
    let rule = |number: usize| {
        let mut result = result(&format!("toy.copy.rule-{number:04}"), Verdict::Fail, &words.repeat(5));
        result.failure = Some(Box::new(failure(number)));
        result
    };
    (0..rules).map(rule).collect()
}

#[rstest]
#[case::of_usual_words("toy_dv_copy moved 31 of 32 bytes ")]
#[case::of_escaped_characters("<\"&'>".repeat(8))]
fn a_run_of_many_failures_has_a_small_page_with_each_failure(#[case] words: impl AsRef<str>) {
    let failing = failing(600, words.as_ref());
    let (page, summary) = written(&ended(failing.clone(), 1));
    assert!(page.len() <= LARGEST, "{} bytes", page.len());
    assert!(summary.len() <= 60_000, "{} bytes", summary.len());
    for result in &failing {
        assert_eq!(page.matches(&format!("<h3>{}</h3>", result.id)).count(), 1);
    }
    assert!(page.contains("Omitted to keep the page small"));
}

/// The elements and attributes of pages. No text of a run adds others.
const ELEMENTS: &str = "a article body br button caption code dd details div dl dt figcaption figure form g h1 h2 h3 head header html \
    input label li line main meta nav ol option output p polyline pre rect script section select small span strong style summary svg \
    table tbody td text tfoot th thead time title tr ul";
const ATTRIBUTES: &str = "aria-hidden aria-label aria-labelledby charset class colspan content data-chapter data-copied-word \
    data-copy data-copy-word data-group data-meaning data-rule data-show data-shown data-verdict for height hidden href \
    http-equiv id lang name nonce open points preserveaspectratio role rx scope start tabindex text-anchor type value vector-effect viewbox width \
    x x1 x2 y y1 y2";
/// The elements without an end.
const VOID: [&str; 3] = ["br", "input", "meta"];

/// Reads a page strictly: unclosed, unescaped or unknown markup is an error, and a link leads to a place in the page,
/// to a log or to a file that `may_link` names. Returns the number of rules in its tables.
pub(crate) fn rules_of(page: &str, may_link: impl Fn(&str) -> bool) -> usize {
    // A script is not markup.
    let page = match page.split_once("<script") {
        Some((before, rest)) => format!("{before}{}", rest.split_once("</script>").unwrap().1),
        None => page.to_owned(),
    };
    let (elements, attributes): (Vec<&str>, Vec<&str>) =
        (ELEMENTS.split_whitespace().collect(), ATTRIBUTES.split_whitespace().collect());
    let name_of = |name: &[u8]| String::from_utf8(name.to_vec()).unwrap();
    let check = |element: &BytesStart<'_>| {
        let name = name_of(element.name().as_ref());
        assert!(elements.contains(&name.as_str()), "<{name}>");
        for attribute in element.attributes() {
            let attribute = attribute.unwrap();
            let key = name_of(attribute.key.as_ref()).to_ascii_lowercase();
            let value = attribute.normalized_value(quick_xml::XmlVersion::Explicit1_0).unwrap();
            assert!(attributes.contains(&key.as_str()), "<{name} {key}>");
            let inside = value.starts_with('#') || value.starts_with("logs/");
            assert!(key != "href" || inside || may_link(&value), "a link to {value}");
        }
        usize::from(name == "tr" && element.try_get_attribute("data-rule").unwrap().is_some())
    };
    let (mut reader, mut rules, mut open) = (Reader::from_str(&page), 0, Vec::new());
    reader.config_mut().check_end_names = false;
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => break,
            Event::Start(element) => {
                let name = name_of(element.name().as_ref());
                if !VOID.contains(&name.as_str()) {
                    open.push(name);
                }
                rules += check(&element);
            }
            Event::Empty(element) => rules += check(&element),
            Event::End(element) => assert_eq!(open.pop(), Some(name_of(element.name().as_ref()))),
            Event::Comment(_) | Event::PI(_) | Event::CData(_) => panic!("unexpected markup"),
            Event::GeneralRef(reference) => {
                let known = ["lt", "gt", "amp", "quot", "#39"].map(str::as_bytes);
                assert!(known.contains(&reference.as_ref()), "{reference:?}");
            }
            _ => {}
        }
    }
    assert_eq!(open, Vec::<String>::new());
    rules
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_becomes_markup_of_a_page(texts in prop::collection::vec(text(), 1..9), info in any::<bool>(), over in any::<bool>()) {
        let (header, results, end) = filled(&texts, info);
        let number = results.len();
        let (page, _) = written(&run(header, results, over.then_some(end)));
        prop_assert_eq!(rules_of(&page, |_| false), number);
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        prop_assert!(!page.contains(control));
    }

    #[test]
    fn no_text_becomes_markup_of_a_summary(texts in prop::collection::vec(text(), 1..9), info in any::<bool>(), over in any::<bool>()) {
        let (header, results, end) = filled(&texts, info);
        let (_, summary) = written(&run(header, results, over.then_some(end)));
        prop_assert!(!summary.contains(|c: char| c.is_control() && c != '\n'));
        let mut before = ' ';
        for c in summary.chars() {
            prop_assert!(!matches!(c, '<' | '>'), "{}", summary);
            prop_assert!(!matches!(c, '@' | '[' | '!') || before == '\\', "{}", summary);
            before = if before == '\\' && c == '\\' { ' ' } else { c };
        }
    }
}

#[test]
fn only_plain_addresses_of_trackers_become_links() {
    let mut whole = ended(results(), 1);
    let mut expected = sample::expected();
    for (sorted, tracker) in expected.results.iter_mut().zip(["https://tracker.example/3", "javascript:alert(1)//<b>"])
    {
        sorted.entry.as_mut().unwrap().tracker = tracker.to_owned();
    }
    if let Some(end) = &mut whole.end {
        end.expectations = Some(expected);
    }
    let summary = written(&whole).1;
    assert!(
        summary.contains("<https://tracker.example/3>") && summary.contains("javascript:alert(1)//&lt;b&gt;"),
        "{summary}"
    );
}

#[test]
fn a_page_says_what_is_new_since_the_run_before() {
    let dir = folder();
    let before = [("toy.copy.a", Verdict::Pass), ("toy.copy.b", Verdict::Fail), ("toy.copy.c", Verdict::Fail)];
    let now = [("toy.copy.a", Verdict::Fail), ("toy.copy.b", Verdict::Pass), ("toy.copy.c", Verdict::Fail)];
    let of = |verdicts: [(&str, Verdict); 3]| ended(verdicts.map(|(id, verdict)| result(id, verdict, "")).to_vec(), 1);
    let mut previous = of(before);
    write_reports(&dir, &of(now), Some(&previous)).unwrap();
    let page = fs::read_to_string(dir.join(PAGE_FILE)).unwrap();
    assert!(page.contains("1 rule is newly broken, 1 holds again, 1 is still broken."), "{page}");
    assert!(page.contains("Newly broken: <a href=\"#rule-toy.copy.a\">"), "{page}");
    assert_eq!(page.matches("was pass").count(), 2, "in the entry and in the tree: {page}");
    // Another product says nothing about this one.
    previous.header.product = "other".to_owned();
    write_reports(&dir, &of(now), Some(&previous)).unwrap();
    assert!(!fs::read_to_string(dir.join(PAGE_FILE)).unwrap().contains("newly broken"));
}

#[test]
fn a_lane_shows_the_time_of_each_device() {
    let mut both = result("toy.copy.both", Verdict::Pass, "");
    (both.devices, both.nanoseconds) = (vec!["0".to_owned(), "1".to_owned()], 2_000_000_000);
    let mut one = result("toy.copy.one", Verdict::Fail, "");
    (one.devices, one.nanoseconds) = (vec!["1".to_owned()], 1_000_000_000);
    let page = written(&ended(vec![both, one], 1)).0;
    assert!(page.contains("device 0: 1 rule, 2.000 s"), "{page}");
    assert!(page.contains("device 1: 2 rules, 3.000 s"), "{page}");
}
