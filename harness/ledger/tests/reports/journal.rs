//! The journal: reading returns what was written, even after a process is killed.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::Command;

use record::{Journal, JournalError, RunResume, Verdict, read_journal, read_run};
use rstest::rstest;

use crate::sample::{end, folder, header, header_of, header_of_ids, result, results};

const CHILD: &str = "ATLAS_REPORTS_TEST_CHILD";

fn complete(dir: &Path) -> String {
    let journal = Journal::create(dir, &header()).unwrap();
    for result in results() {
        journal.append(&result).unwrap();
    }
    journal.finish(end(&results(), 1)).unwrap();
    fs::read_to_string(dir.join(Journal::FILE)).unwrap()
}

#[test]
fn reading_returns_what_was_written() {
    let dir = folder();
    let text = complete(&dir.join("not/yet/there"));
    assert_eq!(text.lines().count(), results().len() + 2);
    for path in [dir.join("not/yet/there"), dir.join("not/yet/there").join(Journal::FILE)] {
        let (run, read, end) = read_journal(&path).unwrap();
        assert_eq!(format!("{run:?}"), format!("{:?}", header()));
        assert_eq!(format!("{read:?}"), format!("{:?}", results()));
        assert_eq!(end.unwrap().exit, 1);
    }
}

#[test]
fn an_existing_journal_is_kept() {
    let dir = folder();
    let text = complete(&dir);
    let error = Journal::create(&dir, &header()).unwrap_err();
    assert!(matches!(error, JournalError::Exists { .. }));
    assert!(error.to_string().ends_with("choose another folder for this run, or move the old run elsewhere"));
    assert_eq!(fs::read_to_string(dir.join(Journal::FILE)).unwrap(), text);
}

#[test]
fn a_run_killed_at_any_byte_keeps_its_results_and_can_be_resumed() {
    let dir = folder();
    let path = dir.join(Journal::FILE);
    let text = complete(&dir);
    let text = text.as_bytes();
    let first = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for cut in first..text.len() {
        if cut % 7 != 0 && !text[..cut].ends_with(b"\n") && text[cut] != b'\n' {
            continue;
        }
        fs::write(&path, &text[..cut]).unwrap();
        // A line that lacks only its line feed is complete.
        let whole = text[..=cut].iter().filter(|byte| **byte == b'\n').count();
        let (_, read, end) = read_journal(&path).unwrap();
        assert_eq!(1 + read.len() + usize::from(end.is_some()), whole, "cut at byte {cut}");
        if let Some(next) = results().get(read.len()) {
            let journal = Journal::append_to(&dir).unwrap();
            journal.append(next).unwrap();
            let (_, more, _) = read_journal(&path).unwrap();
            assert_eq!(more.len(), read.len() + 1, "cut at byte {cut}");
            assert_eq!(more.last().unwrap().id, next.id);
        }
    }
}

#[test]
fn a_rule_that_began_and_has_no_result_was_in_flight() {
    let dir = folder();
    let flying = || -> Vec<(String, u32)> { read_run(&dir).unwrap().in_flight.into_iter().collect() };
    let journal = Journal::create(&dir, &header_of_ids(["toy.copy.a", "toy.copy.b"])).unwrap();
    journal.begin("toy.copy.a").unwrap();
    journal.begin("toy.copy.b").unwrap();
    assert_eq!(flying(), [("toy.copy.a".into(), 1), ("toy.copy.b".into(), 1)], "threads run several rules");
    journal.append(&result("toy.copy.a", Verdict::Pass, "")).unwrap();
    assert_eq!(flying(), [("toy.copy.b".into(), 1)]);
    let again = Journal::append_to(&dir).unwrap();
    again.resume(&RunResume { started: "2027-03-01T09:00:00Z".into() }).unwrap();
    again.begin("toy.copy.b").unwrap();
    assert_eq!(flying(), [("toy.copy.b".into(), 2)]);
    for handle in [&journal, &again] {
        let error = handle.begin("toy.copy.a").unwrap_err();
        assert!(matches!(error, JournalError::Duplicate { first: 4, .. }), "{error}");
    }
    again.append(&result("toy.copy.b", Verdict::Pass, "")).unwrap();
    assert_eq!(flying(), []);
    assert_eq!(read_run(&dir).unwrap().header.resumed, ["2027-03-01T09:00:00Z"]);
    again.finish(end(&[], 0)).unwrap();
    assert!(matches!(journal.begin("toy.copy.c"), Err(JournalError::Ended { .. })));
}

/// Truncated at any byte, a begin is either complete or ignored.
#[test]
fn a_truncated_begin_is_ignored() {
    let dir = folder();
    let journal = Journal::create(&dir, &header_of_ids(["toy.copy.a", "toy.copy.b"])).unwrap();
    journal.begin("toy.copy.a").unwrap();
    let text = fs::read(journal.path()).unwrap();
    let first = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for cut in first..=text.len() {
        fs::write(dir.join(Journal::FILE), &text[..cut]).unwrap();
        let whole = cut + 1 >= text.len();
        assert_eq!(read_run(&dir).unwrap().in_flight.len(), usize::from(whole), "cut at byte {cut}");
        Journal::append_to(&dir).unwrap().begin("toy.copy.b").unwrap();
        assert_eq!(read_run(&dir).unwrap().in_flight.len(), 1 + usize::from(whole), "cut at byte {cut}");
    }
}

#[rstest]
#[case::empty("", "it is empty")]
#[case::text("hello\n", "its first line is not a JSON object")]
#[case::other_json("{\"a\": 1}\n", "its first line does not describe a run")]
#[case::cut_short("{\"run\": {\"format\": 1", "its first line is not")]
fn another_file_is_refused(#[case] text: &str, #[case] found: &str) {
    let dir = folder();
    fs::write(dir.join(Journal::FILE), text).unwrap();
    for error in [read_journal(&dir).unwrap_err(), Journal::append_to(&dir).unwrap_err()] {
        assert!(matches!(error, JournalError::NotAJournal { .. }), "{error}");
        assert!(error.to_string().contains(found), "{error}");
    }
    assert_eq!(fs::read_to_string(dir.join(Journal::FILE)).unwrap(), text, "unchanged");
}

#[test]
fn another_format_is_named() {
    let dir = folder();
    fs::write(dir.join(Journal::FILE), "{\"run\": {\"format\": 7, \"new\": true}}\n").unwrap();
    let error = read_journal(&dir).unwrap_err();
    assert!(matches!(error, JournalError::Format { format: 7, .. }));
    assert!(error.to_string().ends_with("as a baseline, run the old driver again with this version"), "{error}");
}

#[rstest]
#[case::garbage(2, "{\"result\": oops}", "column 12: expected value")]
#[case::half(3, "{\"result\":{\"id\":\"a", "EOF while parsing a string")]
#[case::unknown_kind(2, "{\"note\":{}}", "unknown variant `note`")]
#[case::field_missing(2, "{\"result\":{\"id\":\"toy.copy.a\"}}", "missing field `verdict`")]
#[case::empty_line(4, "", "EOF while parsing a value")]
#[case::second_run(5, "<first>", "a second run")]
#[case::after_the_end(12, "{\"end\":<none>}", "column")]
fn a_broken_line_is_named(#[case] line: usize, #[case] text: &str, #[case] reason: &str) {
    let dir = folder();
    let whole = complete(&dir);
    let mut lines: Vec<&str> = whole.lines().collect();
    let text = if text == "<first>" { lines[0] } else { text };
    lines.insert(line - 1, text);
    fs::write(dir.join(Journal::FILE), lines.join("\n") + "\n").unwrap();
    let error = read_journal(&dir).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, JournalError::Broken { .. }), "{text}");
    assert!(text.contains(&format!("results.jsonl:{line}: ")) && text.contains(reason), "{text}");
    assert!(text.ends_with("restore it from a copy or run again"), "{text}");
}

#[test]
fn nothing_is_written_after_the_end() {
    let dir = folder();
    let text = complete(&dir);
    let late = result("toy.copy.late", Verdict::Pass, "");
    let error = Journal::append_to(&dir).unwrap().append(&late).unwrap_err();
    assert!(matches!(error, JournalError::Ended { .. }), "{error}");
    let line = serde_json::to_string(&record::Line::Result(Box::new(late))).unwrap();
    fs::write(dir.join(Journal::FILE), format!("{text}{line}\n")).unwrap();
    assert!(read_journal(&dir).unwrap_err().to_string().contains(":12: a line after the end of the run"));
}

#[test]
fn a_second_result_of_a_rule_is_refused() {
    let dir = folder();
    let one = result("toy.copy.twice", Verdict::Pass, "");
    let journal = Journal::create(&dir, &header_of(std::slice::from_ref(&one))).unwrap();
    let other = Journal::append_to(&dir).unwrap();
    journal.append(&one).unwrap();
    for handle in [&journal, &other, &Journal::append_to(&dir).unwrap()] {
        let error = handle.append(&one).unwrap_err();
        assert!(matches!(error, JournalError::Duplicate { first: 2, second: None, .. }), "{error}");
    }
    let path = dir.join(Journal::FILE);
    let line = fs::read_to_string(&path).unwrap().lines().nth(1).unwrap().to_owned();
    writeln!(OpenOptions::new().append(true).open(&path).unwrap(), "{line}").unwrap();
    let error = read_journal(&path).unwrap_err();
    assert!(matches!(error, JournalError::Duplicate { first: 2, second: Some(3), .. }), "{error}");
    assert!(error.to_string().contains("results.jsonl:3: a second result for toy.copy.twice (the first is on line 2)"));
}

#[test]
fn threads_share_a_journal() {
    let dir = folder();
    let rules = (0..8).flat_map(|thread| (0..40).map(move |rule| format!("toy.t{thread}.r{rule}")));
    let journal = Journal::create(&dir, &header_of_ids(rules)).unwrap();
    let other = Journal::append_to(&dir).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let journal = if thread % 2 == 0 { &journal } else { &other };
            scope.spawn(move || {
                for rule in 0..40 {
                    journal.append(&result(&format!("toy.t{thread}.r{rule}"), Verdict::Pass, "")).unwrap();
                }
            });
        }
    });
    finish(&journal, &dir);
    assert_eq!(distinct(&dir), 320);
}

#[test]
fn processes_share_a_journal() {
    let dir = folder();
    let processes = (0..4).map(|number| format!("child{number}")).chain(["parent".to_owned()]);
    let rules = processes.flat_map(|process| (0..50).map(move |rule| format!("toy.{process}.r{rule}")));
    let journal = Journal::create(&dir, &header_of_ids(rules)).unwrap();
    let name = concat!(module_path!(), "::child_that_appends");
    let name = name.split_once("::").unwrap().1;
    let children: Vec<_> = (0..4)
        .map(|number| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", name, "--quiet"]).env(CHILD, format!("{number}:{}", dir.display()));
            command.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for rule in 0..50 {
        journal.append(&result(&format!("toy.parent.r{rule}"), Verdict::Pass, "")).unwrap();
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    finish(&journal, &dir);
    assert_eq!(distinct(&dir), 250);
}

/// Not a test: the code of the processes in the test above.
#[test]
fn child_that_appends() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (number, dir) = task.split_once(':').unwrap();
    let journal = Journal::append_to(Path::new(dir)).unwrap();
    for rule in 0..50 {
        journal.append(&result(&format!("toy.child{number}.r{rule}"), Verdict::Pass, "")).unwrap();
    }
}

fn finish(journal: &Journal, dir: &Path) {
    let (_, results, _) = read_journal(dir).unwrap();
    journal.finish(end(&results, 0)).unwrap();
}

fn distinct(dir: &Path) -> usize {
    let (_, results, end) = read_journal(dir).unwrap();
    assert!(end.is_some());
    results.iter().map(|result| &result.id).collect::<BTreeSet<_>>().len()
}

#[rstest]
#[case(ErrorKind::StorageFull, "free some space, then resume the run")]
#[case(ErrorKind::PermissionDenied, "choose a folder that you may write to")]
#[case(ErrorKind::NotFound, "give the folder of a run that was started")]
#[case(ErrorKind::Unsupported, "choose a folder on a file system that supports file locks")]
fn a_refusal_names_the_next_action(#[case] kind: ErrorKind, #[case] advice: &str) {
    let error = JournalError::Io { attempt: "write", path: "r/results.jsonl".into(), source: kind.into() };
    assert!(error.to_string().starts_with("cannot write r/results.jsonl: "), "{error}");
    assert!(error.to_string().ends_with(advice), "{error}");
}

#[test]
fn a_file_that_blocks_the_folder_is_named() {
    let dir = folder();
    fs::write(dir.join("file"), "").unwrap();
    let error = Journal::create(&dir.join("file/below"), &header()).unwrap_err();
    assert!(error.to_string().contains("cannot create the folder"), "{error}");
    assert!(matches!(Journal::append_to(&dir), Err(JournalError::Io { attempt: "open", .. })));
}
