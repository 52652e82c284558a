//! The place of a result in the catalog, for tools that open files.

use super::text::one_line;
use record::{RuleResult, RunHeader};

/// A place in the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The rule's file: `specs/…/file.yaml`.
    pub(super) file: String,
    /// The failed statement's line, counted from 1; `None` if no statement failed.
    pub(super) line: Option<u32>,
    /// The failed statement's column, counted from 1.
    pub(super) column: Option<u32>,
}

/// The place of a rule's failed statement. If no statement failed, the rule's chapter, which is named after its file.
pub(super) fn place_of(rule: &RuleResult, header: &RunHeader) -> Place {
    let failed = rule.failure.as_ref().map(|failure| one_line(&failure.place)).filter(|place| !place.is_empty());
    let Some(place) = failed else {
        let chapter = one_line(&rule.chapter).replace('.', "/");
        let file = format!("specs/{}/rules/{chapter}.yaml", one_line(&header.runtime));
        return Place { file, line: None, column: None };
    };
    // The file may contain colons; the last two numbers are line and column.
    let number = |text: &str| text.parse().ok().filter(|number: &u32| *number > 0);
    let parts: Vec<&str> = place.rsplitn(3, ':').collect();
    match parts[..] {
        [column, line, file] if number(line).is_some() && number(column).is_some() => {
            Place { file: file.to_owned(), line: number(line), column: number(column) }
        }
        _ => Place { file: place, line: None, column: None },
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// A result with a failure at this place, as a journal has it.
    fn result(place: Option<&str>) -> RuleResult {
        let failure = place.map(|place| {
            serde_json::json!({
                "statement": "", "place": place, "message": "", "rule_statement": "", "sources": [], "values": [],
                "replay_values": null, "case": 1, "shrinks": 0, "trace": [], "output": "", "replay": "",
            })
        });
        let result = serde_json::json!({
            "id": "toy.copy.tail", "chapter": "copy.async", "title": "", "level": "must", "verdict": "fail",
            "reason": "", "nanoseconds": 0, "cases": 1, "checks": 1, "seed": 1, "failure": failure, "findings": [],
            "observations": {}, "interrupted": 0, "doubt": null,
        });
        serde_json::from_value(result).unwrap()
    }

    #[rstest]
    #[case::a_statement(Some("specs/toy/rules/copy.yaml:41:7"), ("specs/toy/rules/copy.yaml", Some(41), Some(7)))]
    #[case::a_colon_in_a_name(Some("a:b/copy.yaml:41:7"), ("a:b/copy.yaml", Some(41), Some(7)))]
    #[case::no_numbers(Some("copy.yaml:x:7"), ("copy.yaml:x:7", None, None))]
    #[case::no_line_zero(Some("copy.yaml:0:7"), ("copy.yaml:0:7", None, None))]
    #[case::control_characters(Some("copy\n.yaml:4:7"), ("copy .yaml", Some(4), Some(7)))]
    #[case::no_failure(None, ("specs/toy/rules/copy/async.yaml", None, None))]
    #[case::an_empty_place(Some(""), ("specs/toy/rules/copy/async.yaml", None, None))]
    fn a_result_has_a_place(
        #[case] place: Option<&str>,
        #[case] (file, line, column): (&str, Option<u32>, Option<u32>),
    ) {
        let header = serde_json::from_str(HEADER).unwrap();
        assert_eq!(place_of(&result(place), &header), Place { file: file.to_owned(), line, column });
    }

    const HEADER: &str = r#"{"format": 5, "suite": "", "run": "", "started": "", "runtime": "toy", "product": "",
        "settings": {"deadline": 5, "hazardous": false, "dedicated": false, "strict": false},
        "reported_name": null, "library": {"path": "", "sha256": "", "version": null, "simulated": true,
        "chosen_by": ""}, "run_mode": "", "devices": 1, "edition": null, "seed": 1, "profile": "",
        "catalog_digest": "", "rules": 1, "selected": [], "subjects": [], "defects": []}"#;
}
