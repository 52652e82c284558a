//! A soak on the toy: a descriptor that is left open once in ten cycles is found, and the faithful toy is steady.

use std::path::Path;
use std::sync::Arc;

use engine::run::load_rules;
use engine::soak::{Length, Stop, alone, header, open, soak};
use ledger::soak::judge;
use record::{Quantity, RecordedSoak, SoakFile, read_soak};

use crate::toy::runs::{TOY, library, options};

/// Soaks a rule on the library with these defects. Returns the content of the file, and the cycle alone.
fn soaked(folder: &Path, defects: &[&str], rule: &str, cycles: u64) -> (RecordedSoak, Option<u64>) {
    let options = options(&library(defects), &[]);
    let rules = Arc::new(load_rules(&options.catalog, &TOY).unwrap_or_else(|error| panic!("{error}")));
    let (target, _) = open(&options, &TOY, rules.clone()).unwrap_or_else(|error| panic!("{error}"));
    let rule = rules.rule(rule).expect("the toy has the rule");
    let length = Length { cycles: Some(cycles), time: None };
    let header = header(&target, &options, &[rule], length);
    let mut file = SoakFile::create(folder, &header).unwrap();
    let earlier = read_soak(folder).unwrap();
    let stop = soak(&target, &[rule], length, &earlier, &mut file, &mut |_| {}).unwrap();
    assert_eq!(stop, Stop::Done);
    let rate = alone(&target, 0, rule, header.seed, Quantity::Descriptors);
    (read_soak(folder).unwrap(), rate.and_then(|rate| rate.every))
}

#[test]
fn a_descriptor_that_stays_open_is_found_by_cycles() {
    let folder = tempfile::tempdir().unwrap();
    let (found, every) = soaked(folder.path(), &["WEAR"], "toy.block.aligned", 6000);
    assert_eq!(found.cycles(0), 6000);
    let judged = judge(&found);
    let grows: Vec<Quantity> = judged.rules[0].alarms().map(|course| course.quantity).collect();
    assert!(grows.contains(&Quantity::Descriptors), "{grows:?}");
    assert_eq!(every, Some(10));
}

#[test]
fn a_faithful_library_is_steady_and_its_file_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (found, every) = soaked(folder.path(), &[], "toy.block.aligned", 6000);
    let judged = judge(&found);
    assert_eq!(judged.alarms(), 0, "{judged:?}");
    assert_eq!(every, None);
    let again = SoakFile::create(folder.path(), &found.header).unwrap_err();
    assert!(again.to_string().contains("continue that soak with --resume"), "{again}");
}
