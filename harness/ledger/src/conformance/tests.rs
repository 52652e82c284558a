use proptest::prelude::*;

use super::*;
use record::{Level, Verdict};

/// The numbers, literals and texts of the example in RFC 8785, appendix and section 3.2.
#[test]
fn the_example_of_the_rfc_has_its_bytes() {
    let example = r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#;
    let value: serde_json::Value = serde_json::from_str(example).unwrap();
    let canonical = serde_json_canonicalizer::to_string(&value).unwrap();
    let expected = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
    assert_eq!(canonical, expected);
}

/// Section 3.2.3: keys are sorted as UTF-16, so a character beyond the first plane comes before U+FB33.
#[test]
fn keys_have_the_order_of_the_rfc() {
    let example = r#"{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"}"#;
    let value: serde_json::Value = serde_json::from_str(example).unwrap();
    let canonical = serde_json_canonicalizer::to_string(&value).unwrap();
    let places: Vec<usize> = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"]
        .map(|name| canonical.find(name).unwrap())
        .into();
    assert!(places.is_sorted(), "{canonical}");
}

fn record() -> ConformanceRecord {
    ConformanceRecord {
        format: ConformanceRecord::FORMAT,
        statement: Statement::Conformant,
        missing: Vec::new(),
        assuming: [("contents-stay".to_owned(), "Memory keeps its contents.".to_owned())].into(),
        suite: "0.2.0".into(),
        runtime: "toy".into(),
        product: "toy-1".into(),
        reported_name: None,
        edition: Some("2.1".into()),
        run_mode: String::new(),
        catalog: CatalogIdentity { digest: "00".repeat(32), rules: 1 },
        libraries: vec![TestedLibrary {
            path: "/lib/libtoy.so".into(),
            sha256: Some("11".repeat(32)),
            build_id: None,
            version: None,
            simulated: false,
        }],
        devices: 1,
        devices_out: Vec::new(),
        fingerprint: None,
        machine: None,
        run: RunIdentity {
            name: "night".into(),
            started: "2027-01-01T00:00:00Z".into(),
            finished: Some("2027-01-01T00:01:00Z".into()),
            journal: "22".repeat(32),
            profile: "smoke".into(),
            seed: u64::MAX.to_string(),
            dedicated: true,
            defects: Vec::new(),
            resumed: Vec::new(),
            merged: Vec::new(),
            redacted: false,
            without_axioms: Vec::new(),
        },
        rules: [("toy.set.byte".to_owned(), holds())].into(),
        expectations: None,
    }
}

fn holds() -> RuleVerdict {
    RuleVerdict { level: Level::Must, required: true, verdict: Some(Verdict::Pass), reason: String::new() }
}

/// The result of reading a record with these bytes.
fn read(bytes: &[u8]) -> Result<ConformanceRecord, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    std::fs::write(&path, bytes).unwrap();
    read_record(&path).map(|(record, _)| record).map_err(|error| error.to_string())
}

#[test]
fn what_is_written_is_read_back_and_written_as_the_same_bytes() {
    let bytes = to_canonical(&record());
    let back = read(&bytes).unwrap();
    assert_eq!((&back, to_canonical(&back)), (&record(), bytes.clone()));
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with(r#"{"assuming":{"contents-stay":"#) && text.ends_with('}'), "{text}");
}

#[test]
fn a_record_with_other_bytes_is_refused() {
    let text = String::from_utf8(to_canonical(&record())).unwrap();
    let spaced = text.replacen(":", ": ", 1);
    assert!(read(spaced.as_bytes()).unwrap_err().contains("not canonical from byte 13 on"));
    assert!(read(format!("{text}\n").as_bytes()).unwrap_err().contains("not canonical"));
    let twice = text.replacen(r#""devices":1"#, r#""devices":2,"devices":1"#, 1);
    assert!(read(twice.as_bytes()).unwrap_err().contains("duplicate field"));
    let newer = text.replacen(r#""format":2"#, r#""format":3"#, 1);
    assert!(read(newer.as_bytes()).unwrap_err().contains("format 3, but this version reads 1 and 2"));
    let unknown = text.replacen(r#""devices":1"#, r#""devices":1,"more":1"#, 1);
    assert!(read(unknown.as_bytes()).unwrap_err().contains("unknown field"));
}

#[test]
fn a_record_of_format_1_which_names_no_axioms_can_still_be_read() {
    let mut old = record();
    old.format = 1;
    old.assuming.clear();
    let bytes = to_canonical(&old);
    assert!(!String::from_utf8_lossy(&bytes).contains("axiom"));
    assert_eq!(read(&bytes), Ok(old));
}

#[test]
fn a_record_of_a_run_without_an_axiom_must_list_it_as_missing() {
    let mut without = record();
    without.run.without_axioms = vec!["contents-stay".to_owned()];
    let reason = read(&to_canonical(&without)).unwrap_err();
    assert!(reason.contains("the run did not assume an axiom, but every axiom is not listed"), "{reason}");
}

fn verdict() -> impl Strategy<Value = Option<Verdict>> {
    let all = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::WrongCode,
        Verdict::Exceeds,
        Verdict::Observed,
        Verdict::Blocked,
        Verdict::Skipped,
        Verdict::Error,
        Verdict::Crash,
        Verdict::Timeout,
        Verdict::Flaky,
        Verdict::DeviceLost,
    ];
    prop::option::of(prop::sample::select(all.to_vec()))
}

prop_compose! {
    fn any_record()(
        verdicts in prop::collection::vec((any::<bool>(), any::<bool>(), verdict()), 1..6),
        lacks in any::<bool>(),
        tells in any::<bool>(),
        simulated in any::<bool>(),
        statement in prop::sample::select(vec![Statement::Conformant, Statement::NotConformant, Statement::NotShown]),
    ) -> ConformanceRecord {
        let rule = |(number, (must, required, verdict)): (usize, &(bool, bool, Option<Verdict>))| {
            let level = if *must { Level::Must } else { Level::Info };
            (format!("toy.rule.{number}"), RuleVerdict { level, required: *required, verdict: *verdict, reason: String::new() })
        };
        let mut record = record();
        record.rules = verdicts.iter().enumerate().map(rule).collect();
        record.libraries[0].simulated = simulated;
        let lack = || Missing { capability: Capability::Devices, why: "one is not enough".into(), rules: Vec::new() };
        let all = || Missing {
            capability: Capability::RealDevice,
            why: "it is simulated".into(),
            rules: record.rules.keys().cloned().collect(),
        };
        record.missing = lacks.then(lack).into_iter().chain(tells.then(all)).collect();
        record.statement = statement;
        record
    }
}

proptest! {
    /// The meaning of the statement, written differently from the code.
    #[test]
    fn a_record_that_claims_conformance_is_read_only_if_every_required_rule_holds(record in any_record()) {
        let read = read(&to_canonical(&record));
        let good = [Verdict::Pass, Verdict::Exceeds, Verdict::Observed];
        let bad = [Verdict::Fail, Verdict::WrongCode, Verdict::Crash, Verdict::Timeout, Verdict::Flaky];
        let all_hold = record.rules.values().all(|rule| !rule.required || rule.verdict.is_some_and(|seen| good.contains(&seen)));
        let broken =
            record.rules.values().any(|rule| rule.level == Level::Must && rule.verdict.is_some_and(|seen| bad.contains(&seen)));
        let open = record.rules.values().any(|rule| rule.required && rule.verdict.is_none());
        let tells = record.missing.iter().any(|missing| missing.capability == Capability::RealDevice);
        let told = tells || !(open || record.libraries[0].simulated);
        let entitled = told && match record.statement {
            Statement::Conformant => all_hold && !broken && record.missing.is_empty() && !record.libraries[0].simulated,
            Statement::NotConformant => broken,
            Statement::NotShown => !broken && !record.missing.is_empty(),
        };
        prop_assert_eq!(read.is_ok(), entitled, "{:?}", read);
    }
}
