//! Metrics of made-up journals, read as Prometheus reads them.

use std::collections::{BTreeMap, BTreeSet};

use ledger::history::{history, prometheus};
use proptest::prelude::*;
use record::{DeviceIdentity, Fingerprint, Installed, Journal, RunHeader, Verdict};
use regex_lite::Regex;

use crate::sample::{Folder, end, folder, header, header_of, result};

/// A sample: the metric's name, its labels, and its value.
type Sample = (String, BTreeMap<String, String>, f64);

/// The samples of a text, read strictly: a metric has its help, its type and all its samples in one block, names are
/// those that Prometheus allows, each escape in a label is known, and no series occurs twice.
fn samples(text: &str) -> Result<Vec<Sample>, String> {
    let name = Regex::new("^[a-zA-Z_:][a-zA-Z0-9_:]*$").unwrap();
    let line_form = Regex::new(r#"^([^{ ]+)\{(.*)\} (\S+)$"#).unwrap();
    let label = Regex::new(r#"^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(?:,|$)"#).unwrap();
    let (mut samples, mut seen, mut block) = (Vec::<Sample>::new(), BTreeSet::new(), String::new());
    if !text.ends_with('\n') {
        return Err("the last line has no end".to_owned());
    }
    let mut lines = text.split_terminator('\n').peekable();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (metric, help) = rest.split_once(' ').ok_or(line)?;
            if lines.next() != Some(&format!("# TYPE {metric} gauge")) || help.contains('\\') || !name.is_match(metric)
            {
                return Err(format!("no type or odd help: {line}"));
            }
            if !seen.insert((metric.to_owned(), None)) || lines.peek().is_none_or(|next| next.starts_with('#')) {
                return Err(format!("twice, or empty: {line}"));
            }
            block = metric.to_owned();
            continue;
        }
        let found = line_form.captures(line).ok_or_else(|| format!("no sample: {line}"))?;
        let (metric, mut rest) = (found[1].to_owned(), found[2].to_owned());
        let value: f64 = found[3].parse().map_err(|error| format!("{line}: {error}"))?;
        let mut labels = BTreeMap::new();
        while !rest.is_empty() {
            let found = label.captures(&rest).ok_or_else(|| format!("no label: {rest}"))?;
            let text =
                found[2].replace("\\\\", "\u{0}").replace("\\\"", "\"").replace("\\n", "\n").replace('\u{0}', "\\");
            if labels.insert(found[1].to_owned(), text).is_some() {
                return Err(format!("a label twice: {line}"));
            }
            rest = rest[found[0].len()..].to_owned();
        }
        if metric != block || !seen.insert((metric.clone(), Some(labels.clone()))) {
            return Err(format!("outside its block, or twice: {line}"));
        }
        samples.push((metric, labels, value));
    }
    Ok(samples)
}

/// The value of the one series with this metric and these labels.
fn value(samples: &[Sample], metric: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let fits = |sample: &&Sample| {
        sample.0 == metric && labels.iter().all(|(name, text)| sample.1.get(*name).is_some_and(|known| known == text))
    };
    let found: Vec<&Sample> = samples.iter().filter(fits).collect();
    assert!(found.len() < 2, "{found:?}");
    found.first().map(|sample| sample.2)
}

/// Writes a run with these results to a separate folder. Without an exit status, it did not finish.
fn write(dir: &Folder, name: &str, header: &RunHeader, verdicts: &[(&str, Verdict)], exit: Option<u8>) {
    let path = dir.join(name);
    std::fs::create_dir_all(&path).unwrap();
    let results: Vec<_> = verdicts.iter().map(|(rule, verdict)| result(rule, *verdict, "")).collect();
    let RunHeader { rules, selected, .. } = header_of(&results);
    let header = RunHeader { rules, selected, subjects: vec![], ..header.clone() };
    let journal = Journal::create(&path, &header).unwrap();
    results.iter().for_each(|result| journal.append(result).unwrap());
    if let Some(exit) = exit {
        journal.finish(end(&results, exit)).unwrap();
    }
}

const GOOD: (&str, Verdict) = ("toy.copy.good", Verdict::Pass);
const BAD: (&str, Verdict) = ("toy.copy.bad", Verdict::Fail);

#[test]
fn the_newest_run_of_each_product_is_in_the_metrics() {
    let dir = folder();
    let mut header = header();
    write(&dir, "one", &header, &[GOOD, ("toy.copy.bad", Verdict::Flaky)], Some(1));
    header.started = "2027-03-02T08:30:00.5Z".to_owned();
    let blocked = ("toy.copy.blocked", Verdict::Blocked);
    write(&dir, "two", &header, &[GOOD, BAD, blocked, ("toy.copy.skipped", Verdict::Skipped)], Some(1));
    header.product = "train".to_owned();
    write(&dir, "three", &header, &[GOOD], None);
    let text = prometheus(&history(&dir).unwrap());
    insta::assert_snapshot!("prometheus", text);
    let samples = samples(&text).unwrap();
    let a2 = |metric: &str| value(&samples, metric, &[("product", "a2"), ("simulated", "true")]);
    let rules = |meaning: &str| value(&samples, "atlas_cts_rules", &[("product", "a2"), ("meaning", meaning)]);
    assert_eq!(["good", "broken", "unknown", "skipped", "finding"].map(rules), [1.0, 1.0, 1.0, 1.0, 0.0].map(Some));
    assert_eq!(a2("atlas_cts_run_exit_status"), Some(1.0));
    assert_eq!(a2("atlas_cts_run_start_timestamp_seconds"), Some(1_803_976_200.0));
    assert_eq!((a2("atlas_cts_rules_flaky"), a2("atlas_cts_history_flaky_rules")), (Some(0.0), Some(1.0)));
    assert_eq!((a2("atlas_cts_rules_changed"), a2("atlas_cts_history_runs")), (Some(1.0), Some(2.0)));
    let unfinished = |metric: &str| value(&samples, metric, &[("product", "train")]);
    assert_eq!(unfinished("atlas_cts_run_finished"), Some(0.0));
    assert_eq!(unfinished("atlas_cts_run_exit_status"), None);
}

#[test]
fn devices_and_drivers_are_labels_of_one_series() {
    let dir = folder();
    let mut header = header();
    let device = |device, model: &str| DeviceIdentity { device, model: Some(model.to_owned()), ..Default::default() };
    let driver =
        |source: &str| Installed { of: "driver".to_owned(), version: "25.5".to_owned(), source: source.to_owned() };
    header.fingerprint = Some(Fingerprint {
        devices: vec![device(0, "910B2"), device(1, "910B1"), device(2, "910B2")],
        installed: vec![driver("a tool"), driver("a file")],
        unknown: vec![],
    });
    write(&dir, "one", &header, &[GOOD], Some(0));
    let samples = samples(&prometheus(&history(&dir).unwrap())).unwrap();
    let info: Vec<&Sample> = samples.iter().filter(|sample| sample.0 == "atlas_cts_run_info").collect();
    let [(_, labels, 1.0)] = info[..] else { panic!("one series has the versions: {info:?}") };
    assert_eq!((&*labels["device"], &*labels["driver"]), ("910B1, 910B2", "25.5"));
}

#[test]
fn the_number_of_series_does_not_depend_on_the_number_of_rules() {
    let series = |rules: usize| {
        let dir = folder();
        let ids: Vec<String> = (0..rules).map(|number| format!("toy.copy.r{number}")).collect();
        let verdicts: Vec<(&str, Verdict)> = ids.iter().map(|id| (id.as_str(), Verdict::Fail)).collect();
        write(&dir, "one", &header(), &verdicts, Some(1));
        let text = prometheus(&history(&dir).unwrap());
        assert!(!text.contains("toy.copy.r0"), "{text}");
        samples(&text).unwrap().len()
    };
    assert_eq!(series(1), series(40));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_label_and_nothing_else(odd in "(\"|\\\\|\\\\n|\n|\r|\\{|\\}|,|=|#| |é|[a-z]|\u{1b}){0,20}") {
        let dir = folder();
        let mut header = header();
        (header.product, header.suite) = (format!("p{odd}p"), format!("s{odd}s"));
        (header.started, header.library.version) = (odd.clone(), Some(format!("v{odd}v")));
        write(&dir, "one", &header, &[GOOD], Some(0));
        let read = samples(&prometheus(&history(&dir).unwrap()));
        let read = read.map_err(TestCaseError::fail)?;
        let shown = ledger::report::clean(&header.product).replace(['\n', '\t'], " ");
        prop_assert!(read.iter().all(|(_, labels, _)| labels["product"] == shown), "{read:?}");
        let named: BTreeSet<&str> = read.iter().flat_map(|(_, labels, _)| labels.keys().map(String::as_str)).collect();
        prop_assert_eq!(named.len(), 3 + 1 + 8, "{:?}", named);
    }
}
