//! One case of a rule as one word.

use engine::case::{QueryError, parse_query, query};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value as Json, json};

#[rstest]
#[case::a_number_and_a_choice(json!({"choose": "pageable", "size": 4096}), "a.b:choose=pageable;size=4096")]
#[case::a_negative_number(json!({"value": -1}), "a.b:value=-1")]
#[case::a_salt(json!({"size": 1, "salt": 7}), "a.b:salt=7;size=1")]
#[case::a_number_that_json_cannot_hold(json!({"n": "18446744073709551616"}), "a.b:n=18446744073709551616")]
fn a_case_is_printed_as_a_query_that_gives_it_again(#[case] case: Json, #[case] text: &str) {
    assert_eq!(query("a.b", &case).as_deref(), Some(text));
    assert_eq!(parse_query(text), Ok(("a.b", Some(case))));
}

#[rstest]
#[case::several_cases(json!([{"size": 1}]))]
#[case::a_list(json!({"order": [1, 0]}))]
#[case::a_text_with_a_separator(json!({"name": "a;b"}))]
#[case::a_text_that_reads_as_a_number(json!({"name": "12"}))]
#[case::no_value(json!({"salt": 0}))]
#[case::no_case(Json::Null)]
fn what_a_query_cannot_hold_is_left_to_json(#[case] case: Json) {
    assert_eq!(query("a.b", &case), None);
}

#[rstest]
#[case::no_equals_sign("a.b:size", QueryError::NoValue { part: "size".to_owned() })]
#[case::nothing_after_the_colon("a.b:", QueryError::NoValue { part: String::new() })]
#[case::no_name("a.b:=1", QueryError::NoValue { part: "=1".to_owned() })]
#[case::an_axis_twice("a.b:n=1;n=2", QueryError::Twice { name: "n".to_owned() })]
fn a_text_that_is_not_a_query_is_refused(#[case] text: &str, #[case] error: QueryError) {
    assert_eq!(parse_query(text), Err(error));
}

#[test]
fn a_text_without_a_colon_names_a_rule() {
    assert_eq!(parse_query("toy.copy"), Ok(("toy.copy", None)));
}

proptest! {
    #[test]
    fn every_query_that_is_printed_gives_its_case_again(
        numbers in prop::collection::btree_map("[a-z_]{1,8}", any::<i64>(), 1..5),
        texts in prop::collection::btree_map("[A-Z]{1,4}", ".{0,6}", 0..3),
    ) {
        let mut case = json!(numbers);
        for (name, text) in texts {
            case[name] = Json::from(text);
        }
        if let Some(text) = query("a.b", &case) {
            prop_assert_eq!(parse_query(&text), Ok(("a.b", Some(case))));
        }
    }
}
