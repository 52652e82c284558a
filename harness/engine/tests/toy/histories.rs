//! Histories of calls that actors make at once.

use record::{Picture, RuleResult, Verdict};

use crate::toy::runs;

fn picture(result: &RuleResult) -> &Picture {
    let failure = result.failure.as_deref().unwrap_or_else(|| panic!("{} did not fail: {}", result.id, result.reason));
    failure.history.as_deref().unwrap_or_else(|| panic!("{}: {}", result.id, failure.message))
}

/// Two callers at once get one block.
#[test]
fn a_block_with_two_owners_is_the_smallest_part() {
    for id in ["toy.form.linear", "toy.actor.linear"] {
        let result = runs::run_one(&["COMPANY"], &[], id);
        assert!(matches!(result.verdict, Verdict::Fail | Verdict::Flaky), "{id}: {}", result.reason);
        let picture = picture(&result);
        assert_eq!((picture.name.as_str(), picture.model.as_str()), ("blocks", "allocator"));
        let part: Vec<_> = picture.bars.iter().filter(|bar| bar.inconsistent).collect();
        assert_eq!(part.len(), 2, "{picture:#?}");
        assert!(part.iter().all(|bar| bar.call.starts_with("allocate(")), "{picture:#?}");
        assert_eq!(part[0].answer, part[1].answer, "{picture:#?}");
        let failure = result.failure.as_deref().expect("a failure");
        assert!(failure.message.contains("no order of 2 of"), "{}", failure.message);
        assert!(failure.statement.ends_with("linear(blocks);"), "{}", failure.statement);
    }
}
