//! A dictionary survives its file, and damaged files are errors.

use dictionary::{Cell, Dictionary, KnownRule, Row, decode, encode};
use proptest::prelude::*;
use record::Verdict;

/// A dictionary with positions that name something.
fn dictionaries() -> impl Strategy<Value = Dictionary> {
    let cell = (0u32..5, 0u32..99, 0u32..99, proptest::option::of(0u32..3));
    let rows = proptest::collection::vec((0u32..2, proptest::collection::vec(cell, 0..5)), 0..6);
    (rows, any::<u64>()).prop_map(|(rows, seed)| {
        let cell = |(rule, cases, failed, text): (u32, u32, u32, Option<u32>)| Cell {
            rule,
            verdict: Verdict::Fail,
            cases,
            failed,
            first: failed,
            check: text,
            code: None,
            shape: text,
        };
        let rows = rows.into_iter().enumerate().map(|(number, (set, cells))| Row {
            defect: format!("area.defect-{number}"),
            set,
            cells: cells.into_iter().map(cell).collect(),
        });
        let rule = |number: u32| KnownRule { id: format!("toy.rule-{number}"), ..KnownRule::default() };
        let mut dictionary = Dictionary {
            format: Dictionary::FORMAT,
            seed,
            rules: (0..5).map(rule).collect(),
            texts: ["a", "b", "c"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            ..Dictionary::default()
        };
        dictionary.add_set(&[0, 1, 4]);
        dictionary.add_set(&[2, 3]);
        dictionary
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_again_and_equal_dictionaries_have_equal_bytes(dictionary in dictionaries()) {
        let bytes = encode(&dictionary)?;
        prop_assert_eq!(&decode(&bytes)?, &dictionary);
        prop_assert_eq!(encode(&dictionary.clone())?, bytes);
    }

    #[test]
    fn any_bytes_give_an_error_or_a_dictionary(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = decode(&bytes) {
            prop_assert!(error.to_string().ends_with("make it again with `atlas-cts prove --dictionary DIR`"));
        }
    }
}

#[test]
fn a_set_is_stored_once_and_gives_its_positions_back() {
    let mut dictionary = Dictionary::default();
    let first = dictionary.add_set(&[3, 4, 9]);
    assert_eq!(dictionary.add_set(&[0]), first + 1);
    assert_eq!(dictionary.add_set(&[3, 4, 9]), first);
    let row = Row { set: first, ..Row::default() };
    assert_eq!(dictionary.reached(&row).collect::<Vec<_>>(), [3, 4, 9]);
}

#[test]
fn a_dictionary_that_names_an_unknown_rule_is_refused() {
    let mut dictionary = Dictionary { format: Dictionary::FORMAT, ..Dictionary::default() };
    dictionary.add_set(&[7]);
    let bytes = encode(&dictionary).unwrap();
    assert!(decode(&bytes).unwrap_err().to_string().starts_with("a set names a rule beyond the 0 rules"));
}
