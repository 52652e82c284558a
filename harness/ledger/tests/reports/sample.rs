//! Made-up runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use record::{
    AnswerCount, Answers, AnswersByQuestion, AppliedExpectations, Bar, Boundary, Conclusion, Confirmation, Content,
    Coverage, Difference, EntryReference, ExpectationFiles, FailingValues, Failure, Journal, Level, LibraryIdentity,
    Picture, QuestionAnswers, Repeats, Retry, RetryCause, RuleResult, RunEnd, RunHeader, RunSettings, SelectedClause,
    SelectedRule, SelectedSteps, Shape, Sort, SortedResult, StartReason, Starts, Steps, Subject, Verdict,
};

/// A folder for one test, removed when the test passes.
pub struct Folder(PathBuf);

pub fn folder() -> Folder {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("reports-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    Folder(path)
}

impl std::ops::Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// The header of a run that selected the rules of all sample results.
pub fn header() -> RunHeader {
    header_of(&results())
}

fn header_without_rules() -> RunHeader {
    RunHeader {
        format: Journal::FORMAT,
        suite: "0.1.0".into(),
        run: "2027-03-01T08-30-00Z".into(),
        started: "2027-03-01T08:30:00Z".into(),
        runtime: "toy".into(),
        product: "a2".into(),
        reported_name: Some("ToyDev910B2".into()),
        library: LibraryIdentity {
            path: "/opt/simulated/libtoytools.so".into(),
            sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into(),
            version: Some("8.2.0".into()),
            version_note: None,
            simulated: true,
            chosen_by: "simulator (no toolkit found)".into(),
        },
        further_libraries: Vec::new(),
        mapped: Vec::new(),
        host: None,
        run_mode: "host".into(),
        devices: 2,
        devices_out: Vec::new(),
        fingerprint: None,
        edition: Some("8.2".into()),
        further_versions: Default::default(),
        capabilities: Default::default(),
        seed: 42,
        profile: "default".into(),
        catalog_digest: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752".into(),
        rules: 9,
        selected: vec![],
        clauses: BTreeMap::new(),
        documents: BTreeMap::from([("toy-reference".to_owned(), "Toy reference (2)".to_owned())]),
        subjects: vec![Subject {
            name: "copies of every byte".to_owned(),
            rules: ["toy.copy.exact-count", "toy.copy.zero-bytes"].map(str::to_owned).to_vec(),
        }],
        defects: vec!["copy.tail-rounded-to-32-above-64KiB".into()],
        settings: RunSettings { deadline: 30, ..RunSettings::default() },
        merged: vec![],
        resumed: vec![],
    }
}

/// The header of a run that selected the rules of these results.
pub fn header_of(results: &[RuleResult]) -> RunHeader {
    let mut header = RunHeader { rules: results.len(), ..header_without_rules() };
    for result in results {
        let failure = result.failure.as_deref();
        header.selected.push(SelectedRule {
            id: result.id.clone(),
            chapter: result.chapter.clone(),
            title: result.title.clone(),
            level: result.level,
            doubt: result.doubt.clone(),
            statement: failure.map(|failure| failure.rule_statement.clone()).unwrap_or_default(),
            sources: failure.map(|failure| failure.sources.clone()).unwrap_or_default(),
            owns: failure.map(|failure| failure.owns.clone()).unwrap_or_default(),
            steps: failure.map(|failure| SelectedSteps {
                file: "specs/toy/copy.yaml".to_owned(),
                line: 41,
                column: 6,
                text: failure.statement.clone(),
            }),
        });
        let clauses = failure.into_iter().flat_map(|failure| failure.clause_ids.iter().zip(&failure.clauses));
        let clause = |text: &String| SelectedClause { text: text.clone(), sentence: None };
        header.clauses.extend(clauses.map(|(id, text)| (id.clone(), clause(text))));
    }
    header
}

/// The header of a run that selected rules with these ids, all of which pass.
pub fn header_of_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> RunHeader {
    let results: Vec<RuleResult> = ids.into_iter().map(|id| result(id.as_ref(), Verdict::Pass, "")).collect();
    header_of(&results)
}

/// The same run on hardware.
pub fn device_header() -> RunHeader {
    let mut header = header();
    header.library = LibraryIdentity {
        path: "/usr/local/ToyDev/latest/lib64/libtoytools.so".into(),
        sha256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae".into(),
        version: None,
        version_note: None,
        simulated: false,
        chosen_by: "--library".into(),
    };
    header.reported_name = None;
    header.edition = None;
    header.devices = 1;
    header.defects.clear();
    header
}

pub fn result(id: &str, verdict: Verdict, reason: &str) -> RuleResult {
    RuleResult {
        id: id.into(),
        chapter: id.split('.').nth(1).unwrap_or("copy").into(),
        ran_in: Vec::new(),
        repetition: None,
        title: "A copy moves every byte and no other".into(),
        level: Level::Must,
        verdict,
        reason: reason.into(),
        nanoseconds: 15_123_400,
        cases: 64,
        checks: 256,
        seed: 1_234_567_890_123_456_789,
        failure: None,
        findings: vec![],
        observations: BTreeMap::new(),
        answers: None,
        doubt: None,
        interrupted: 0,
        coverage: Some(Coverage { distinct: 60, remark: None, cut: None }),
        skipped_without: None,
        devices: vec![],
        each: vec![],
        memory_limit: None,
        logs: None,
        left_out: vec!["choose: cached".to_owned()],
        observed_only: vec!["`p != NULL` rests on alloc.gives (from edition 3 on); the edition is 2.1".to_owned()],
        rounds: None,
    }
}

pub fn failure() -> Failure {
    Failure {
        statement: "same(back, source, size);".into(),
        place: "specs/toy/copy.yaml:41:7".into(),
        message: "the last byte of `back` is 0xa5, expected 0x17".into(),
        rule_statement:
            "A synchronous copy transfers exactly `count` bytes: each of them arrives, and the bytes before \
                         and behind the destination keep their values, whatever the size and the alignment are."
                .into(),
        promised: true,
        span: None,
        calls: vec![],
        clause_ids: vec!["copy.all-bytes".to_owned()],
        clauses: vec![
            "copy.all-bytes: A copy writes every byte of the range (Toy reference (2), toy_copy; this library is of \
             edition 2.1)"
                .to_owned(),
        ],
        sources: vec![
            "ToyDevCL application guide, data transfer (TOYS 6 to 8 era), section \"Copies between host and device\""
                .into(),
            "API reference (8.2), toy_dv_copy".into(),
        ],
        values: vec![("size".into(), "65569".into()), ("host_offset".into(), "3".into())],
        replay_values: serde_json::json!({"size": 65569, "host_offset": 3}),
        devices: Vec::new(),
        case: 17,
        shrinks: 9,
        cut: false,
        steps: None,
        trace: vec![
            "toy_dv_take(&device_memory = 0x7f0000000000, 65569, TOY_MEM_MALLOC_HUGE_FIRST) = 0 (TOY_SUCCESS)".into(),
            "toy_dv_copy(device_memory, 65569, source, 65569, TOY_MEMCPY_HOST_TO_DEVICE) = 0 (TOY_SUCCESS)".into(),
            "toy_dv_copy(back, 65569, device_memory, 65569, TOY_MEMCPY_DEVICE_TO_HOST) = 0 (TOY_SUCCESS)".into(),
        ],
        output: "[INFO] opened device 0\n\u{1b}[31m[ERROR]\u{1b}[0m short copy ]]>\r\n".into(),
        recent_error: String::new(),
        stack: None,
        replay: "atlas-cts replay reports/out/2027-03-01T08-30-00Z toy.copy.exact-count --values \
                 '{\"size\": 65569, \"host_offset\": 3}'"
            .into(),
        program: Some("int main(void) { return toy_dv_copy(0, 0) < 1 && 2 > 1; }\n".into()),
        difference: Some(Difference {
            shape: Shape::Tail,
            content: Content::NeverWritten,
            length: 65569,
            count: 1,
            first: 65568,
            last: 65568,
            step: None,
            shift: None,
        }),
        history: None,
        boundary: vec![
            Boundary {
                axis: "size".into(),
                fails: FailingValues::Range { from: Some(65569), to: None, modulus: None },
                passes: Some("65568".into()),
                tried: 12,
                cut: false,
                untried: None,
            },
            Boundary {
                axis: "host_offset".into(),
                fails: FailingValues::Any,
                passes: None,
                tried: 5,
                cut: false,
                untried: None,
            },
        ],
        owns: vec!["toy_dv_copy".into()],
        confirmation: Some(Confirmation {
            conclusion: Conclusion::Alone,
            alone: Repeats { failed: 2, runs: 2 },
            ..Confirmation::without_rerun(Verdict::Fail, String::new())
        }),
    }
}

/// Two callers that got one block, with a call around them.
pub fn history() -> Picture {
    let bar = |lane, call: &str, answer: Option<&str>, (from, to): (u64, Option<u64>), inconsistent| Bar {
        lane,
        call: call.to_owned(),
        answer: answer.map(str::to_owned),
        from,
        to,
        inconsistent,
    };
    Picture {
        name: "blocks".to_owned(),
        model: "allocator".to_owned(),
        calls: 37,
        lanes: vec!["A".to_owned(), "T".to_owned()],
        before: vec!["no live block".to_owned()],
        bars: vec![
            bar(1, "release(0x20000)", Some("done"), (0, Some(400)), false),
            bar(0, "allocate(64)", Some("0x10000"), (100, Some(900)), true),
            bar(1, "allocate(64)", Some("0x10000"), (500, Some(1200)), true),
            bar(0, "allocate(64)", None, (1000, None), false),
        ],
    }
}

/// The same failure in a journal with the steps.
pub fn failure_with_steps() -> Failure {
    let text = "\
toy_dv_take(&device_memory, size, TOY_MEM_MALLOC_HUGE_FIRST);
---
for (i < 2) {
  toy_dv_copy(device_memory, size, source, size, TOY_MEMCPY_HOST_TO_DEVICE);
  // Through a second path, at a place that no other rule uses, so that the line becomes long.
  toy_dv_copy((char *)back + host_offset, size, (char *)device_memory, size, TOY_MEMCPY_DEVICE_TO_HOST);
}
same(back, source, size);
same(source, old, size);
done();";
    let start = text.find("same(back").unwrap() as u32;
    let copies = ["HOST_TO_DEVICE", "DEVICE_TO_HOST"].map(|way| {
        format!("toy_dv_copy(dst=0x7f0000000000, room=65569, src=0x7f0000020000, count=65569, kind=TOY_MEMCPY_{way}) = success")
    });
    let take = "toy_dv_take(out=&device_memory, size=65569, policy=TOY_MEM_MALLOC_HUGE_FIRST) = success".to_owned();
    let give = "toy_dv_give(p=0x7f0000000000) = success  (automatic release)".to_owned();
    Failure {
        message: "`same(back, source, size)` does not hold: 1 of 65569 bytes differ, the first at 65568".into(),
        clauses: vec![
            "copy.all-bytes: A copy writes every byte of the range. ([toy-reference] toy_copy; holds from edition 2 on; \
             this library is of edition 2.1)"
                .to_owned(),
            "copy.count: The count of a copy is its length in bytes. ([toy-reference] toy_copy)".to_owned(),
            "assuming source-stays: A copy does not change its source.".to_owned(),
        ],
        steps: Some(Steps {
            first: 34,
            text: text.to_owned(),
            start,
            end: start + "same(back, source, size);".len() as u32,
            calls: vec![34, 37, 39, 37, 39, 0],
        }),
        trace: [&[take][..], &copies, &copies, &[give]].concat(),
        ..failure()
    }
}

/// The confirmation of a case that does not always fail.
pub fn confirmation(conclusion: Conclusion) -> Confirmation {
    Confirmation {
        conclusion,
        found: Verdict::Crash,
        alone: Repeats { failed: if conclusion == Conclusion::Flaky { 3 } else { 0 }, runs: 10 },
        rule: Repeats { failed: 2, runs: 4 },
        after: match conclusion {
            Conclusion::After => vec![
                vec![("size".into(), "4096".into()), ("host_offset".into(), "0".into())],
                vec![("size".into(), "8192".into()), ("host_offset".into(), "63".into())],
            ],
            _ => vec![],
        },
        after_rules: match conclusion {
            Conclusion::AfterRules => vec!["toy.copy.first".into(), "toy.copy.second".into()],
            _ => vec![],
        },
        remark: match conclusion {
            Conclusion::Open => "a worker process cannot be started: no more memory".into(),
            _ => String::new(),
        },
    }
}

/// Answers to one question.
pub fn asked(question: &str, answers: &[(&str, u64)]) -> AnswersByQuestion {
    let answer = |cases: u64| AnswerCount { cases, example: Some(serde_json::json!({"size": cases, "salt": 1})) };
    let cases = answers.iter().map(|(_, cases)| cases).sum();
    let answers = answers.iter().map(|(text, cases)| ((*text).to_owned(), answer(*cases))).collect();
    AnswersByQuestion::from([(question.to_owned(), QuestionAnswers { cases, answers })])
}

/// A broken rule with all details.
pub fn broken() -> RuleResult {
    let mut result = result("toy.copy.exact-count", Verdict::Fail, "the last byte of `back` is 0xa5, expected 0x17");
    result.failure = Some(Box::new(failure()));
    result.findings = vec!["[info] toy_dv_copy(…) reports the size that it copied".into()];
    result.observations =
        BTreeMap::from([("surfaces".into(), BTreeMap::from([("call".into(), 60), ("synchronize".into(), 4)]))]);
    result.answers = Some(Box::new(Answers {
        calls: asked("toy_dv_copy(NULL, 0) [to: NULL, size: 0]", &[("7 (TOY_BAD)", 60), ("9 (TOY_NULL)", 4)]),
        checks: asked("left || right", &[("its first alternative", 64)]),
        values: asked("observe surfaces", &[("call", 60), ("synchronize", 4)]),
        exact: true,
        left_out: 3,
    }));
    result.doubt = Some("The guide says 32-byte granularity, the reference says bytes.".into());
    result
}

/// A result of every kind that reports distinguish.
pub fn results() -> Vec<RuleResult> {
    let no_function = "product a2 has no function toy_dv_takePhysical";
    let mut finding = result("toy.memory.usage-counts", Verdict::Fail, "free memory did not shrink");
    finding.level = Level::Info;
    let mut observed = result("toy.copy.async-h2h", Verdict::Observed, "");
    observed.observations = BTreeMap::from([("surfaces".into(), BTreeMap::from([("call".into(), 64)]))]);
    let mut long = result("toy.memory.reserve", Verdict::Timeout, "");
    long.reason =
        "toydvReserveMemAddress(…) did not return within 5 s; the worker was ended and the device was checked, \
                   which took another 2 s"
            .into();
    vec![
        result("toy.copy.zero-bytes", Verdict::Pass, ""),
        broken(),
        observed,
        result("toy.memory.physical-map", Verdict::Skipped, no_function),
        result("toy.memory.physical-share", Verdict::Skipped, no_function),
        result("toy.copy.peer", Verdict::Skipped, "needs 3 devices, 2 are present"),
        finding,
        result("toy.memory.pool", Verdict::Blocked, "set-up failed in toy_dv_take, which toy.memory.malloc owns"),
        long,
    ]
}

/// A rule that ran again.
pub fn retry() -> Retry {
    let reason = "the device did not answer".to_owned();
    Retry { cause: RetryCause::LostDevice, rule: Some("toy.copy.peer".to_owned()), reason }
}

/// A known failure and a fixed one among `results`.
pub fn expected() -> AppliedExpectations {
    let entry = |line: u32| {
        Some(EntryReference {
            place: format!("toy.yaml:{line}"),
            tracker: format!("https://tracker.example/{line}"),
            owner: "copies".to_owned(),
            expires: "2027-03-31".to_owned(),
        })
    };
    let sorted = |rule: &str, sort, why: &str, entry| {
        let (rule, why) = (rule.to_owned(), why.to_owned());
        SortedResult { rule, sort, why, entry }
    };
    let known = "fail, check same(back, source, size);";
    AppliedExpectations {
        files: ExpectationFiles { path: "expectations".to_owned(), digest: "60303ae2".to_owned(), entries: 4 },
        on: "2027-03-01".to_owned(),
        fail_on: vec![],
        results: vec![
            sorted("toy.copy.exact-count", Sort::Known, known, entry(3)),
            sorted(
                "toy.copy.zero-bytes",
                Sort::Fixed,
                "the rule holds, but the entry expects crash; remove the entry",
                entry(9),
            ),
        ],
        open: vec!["toy.yaml:20: the version of driver is unknown; the entry excuses nothing".to_owned()],
    }
}

pub fn end(results: &[RuleResult], exit: u8) -> RunEnd {
    let mut counts = BTreeMap::new();
    for result in results {
        *counts.entry(result.verdict).or_default() += 1;
    }
    RunEnd {
        finished: "2027-03-01T08:30:03Z".into(),
        nanoseconds: 3_210_000_000,
        counts,
        workers_started: 4,
        starts: [(StartReason::FirstUse, 2, 2), (StartReason::Confirmation, 1, 1), (StartReason::Exports, 1, 0)]
            .map(|(reason, processes, runtimes)| (reason, Starts { processes, runtimes }))
            .into(),
        start_up_nanoseconds: 812_000_000,
        events: vec![],
        remarks: vec![],
        unusable_cases: 0,
        retries: vec![],
        expectations: None,
        exit,
    }
}
