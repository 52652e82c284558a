//! Laws of the engine for all inputs: texts, domains, cases, patterns. They need no library.

use std::collections::BTreeMap;

use crate::toy::environment::{environment, vocabulary};
use engine::case::{
    Budget, Case, CaseReport, CaseTree, Plan, Ran, Scope, Search, Trace, Value, calls_of_a_case, case_from_json,
    case_to_json, rule_seed,
};
use engine::worker::{is_poisoned, write_pattern, write_poison};
use proptest::collection::vec;
use proptest::prelude::*;
use record::{Coverage, Cut};
use steps::domain::{Choices, DomainSource};
use steps::parse::{Names, parse_expression, parse_steps};
use steps::program::Program;
use steps::{RuleText, check};

fn scope() -> Scope {
    Scope::new(BTreeMap::from([("page".to_owned(), 4096)]), 3)
}

/// Checks a rule with these axes; the steps read none of them.
fn program(axes: &[(&str, DomainSource)], condition: Option<&str>, steps: &str) -> Program {
    let axes = axes.iter().map(|(name, domain)| (*name, domain)).collect();
    let text = RuleText { axes, condition, steps, ..RuleText::default() };
    check(&text, &environment()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn budget(cases: u32) -> Budget {
    Budget {
        cases,
        repeats: 3,
        calls: 2_000,
        sequences: cases,
        sequence_calls: 2_000_000,
        limit_milliseconds: 600_000,
        shrinks: 100,
        shrink_milliseconds: 60_000,
        ..Budget::default()
    }
}

fn cases(program: &Program, seed: u64, count: u32) -> Vec<Case> {
    let scope = scope();
    let mut plan = Plan::new(program, &scope, seed, &budget(count)).unwrap_or_else(|message| panic!("{message}"));
    std::iter::from_fn(|| plan.next_case()).map(|case| case.unwrap_or_else(|message| panic!("{message}"))).collect()
}

fn domain(set: impl FnOnce(&mut DomainSource)) -> DomainSource {
    let mut source = DomainSource::default();
    set(&mut source);
    source
}

fn names(text: &str) -> bool {
    matches!(text, "int" | "char" | "uint64_t" | "toyPlace" | "unsigned")
}

/// Texts that look like steps more often than random ones.
fn steps() -> impl Strategy<Value = String> {
    let words = [
        "for",
        "if",
        "else",
        "choose",
        "control",
        "setup",
        "refuse",
        "until",
        "unless",
        "fails",
        "usually",
        "exit",
        "in",
        "A",
        "B",
        "toy_alloc",
        "p",
        "&",
        "*",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        ":",
        "=",
        "==",
        "<",
        "+=",
        "-",
        "~",
        "!",
        "?",
        ".",
        "0",
        "0x",
        "08",
        "9KiB",
        "'a'",
        "'",
        "\"",
        "\"t\"",
        "\\",
        "int",
        "char",
        "sizeof",
        "\n---\n",
        "[info]",
        "//",
        "/*",
        "*/",
        "\n",
        "misuse",
        "holds",
        "given",
        "filled(",
        "given filled(p, 1);",
        "99999999999999999999999999999999999999999",
        "é",
        "\u{0}",
    ];
    let word = prop_oneof![3 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    vec(word, 0..40).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    /// Reading any catalog ends with a program, or with problems at places inside the text.
    #[test]
    fn no_text_makes_the_checker_panic(text in prop_oneof![steps(), any::<String>()]) {
        let actors = ["A".to_owned(), "B".to_owned()];
        let vocabulary = vocabulary();
        let known = Names { is_type: &names, actors: &actors, vocabulary: &vocabulary };
        if let Err(error) = parse_steps(&text, &known) {
            prop_assert!(error.span.start <= text.len() && !error.message.is_empty());
        }
        let _ = parse_expression(&text, &known, true);
        let rule = RuleText { actors: Some(&text), condition: Some(&text), steps: &text, ..RuleText::default() };
        let _ = check(&rule, &environment());
        let rule = RuleText { steps: &text, observe: vec![("seen", &text)], ..RuleText::default() };
        for problem in check(&rule, &environment()).err().unwrap_or_default() {
            prop_assert!(problem.span.start <= text.len() + 1 && !problem.message.is_empty());
        }
        let texts = [domain(|source| source.bytes = Some(text.clone())), domain(|source| source.offset = Some(text.clone()))];
        let axes = texts.iter().map(|source| ("axis", source)).collect();
        let _ = check(&RuleText { axes, steps: "toy_wait();", ..RuleText::default() }, &environment());
    }

    /// Numbers lie inside their bounds and are multiples of their step.
    #[test]
    fn numbers_stay_in_their_domains(low in 0u64..5000, room in 0u64..100_000, step in 1u64..200, seed: u64) {
        let high = low + room + step;
        let range = format!("{low}..{high}");
        let program = program(
            &[
                ("size", domain(|source| { source.bytes = Some(range.clone()); source.multiple_of = Some(step.to_string()); })),
                ("number", domain(|source| source.int = Some(format!("-{low}..{room}")))),
                ("start", domain(|source| { source.offset = Some("size + 1".to_owned()); source.multiple_of = Some("7".to_owned()); })),
                ("page", domain(|source| source.bytes = Some("1..product.page * devices".to_owned()))),
            ],
            None,
            "toy_wait();",
        );
        for case in cases(&program, seed, 20) {
            let value = |axis: usize| case.values[axis].integer();
            prop_assert!(value(0) >= i128::from(low) && value(0) <= i128::from(high) && value(0) % i128::from(step) == 0);
            prop_assert!(value(1) >= -i128::from(low) && value(1) <= i128::from(room));
            prop_assert!(value(2) >= 0 && value(2) <= value(0) && value(2) % 7 == 0);
            prop_assert!(value(3) >= 1 && value(3) <= 4096 * 3);
        }
    }

    /// Lists have their lengths, permutations are permutations, and dependent values follow.
    #[test]
    fn lists_stay_in_their_domains(least in 1u64..5, more in 0u64..20, seed: u64) {
        let lengths = format!("{least}..{}", least + more);
        let program = program(
            &[
                ("list", domain(|source| {
                    source.list_of = Some(Box::new(domain(|item| item.int = Some("-9..9".to_owned()))));
                    source.length = Some(lengths.clone());
                })),
                ("order", domain(|source| source.permutation = Some(lengths.clone()))),
                ("n", domain(|source| source.length_of = Some("order".to_owned()))),
                ("at", domain(|source| source.index_of = Some("list".to_owned()))),
            ],
            None,
            "toy_wait();",
        );
        for case in cases(&program, seed, 20) {
            let (Value::List(list), Value::List(order)) = (&case.values[0], &case.values[1]) else {
                return Err(TestCaseError::fail("lists were drawn"));
            };
            let allowed = least as usize..=(least + more) as usize;
            prop_assert!(allowed.contains(&list.len()) && list.iter().all(|item| (-9..=9).contains(item)));
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert!(allowed.contains(&order.len()) && sorted.iter().copied().eq(0..order.len() as i128));
            prop_assert_eq!(case.values[2].integer(), order.len() as i128);
            prop_assert!(case.values[3].integer() >= 0 && case.values[3].integer() < list.len() as i128);
        }
    }

    /// Every case, and every smaller one that shrinking tries and `where` accepts, satisfies `where` and its domains.
    #[test]
    fn smaller_cases_stay_in_their_domains(seed: u64, threshold in 0i128..900, path in vec(any::<bool>(), 60)) {
        let program = program(
            &[
                ("low", domain(|source| source.int = Some("0..1000".to_owned()))),
                ("high", domain(|source| source.int = Some("low..2000".to_owned()))),
                ("list", domain(|source| {
                    source.list_of = Some(Box::new(domain(|item| item.bytes = Some("1..64KiB".to_owned()))));
                    source.length = Some("2..9".to_owned());
                })),
            ],
            Some("high > low + 3"),
            "toy_wait();",
        );
        let scope = scope();
        for case in cases(&program, seed, 10) {
            prop_assert!(case.values[1].integer() > case.values[0].integer() + 3);
            let Some(mut tree) = case.tree else { return Err(TestCaseError::fail("a drawn case has a tree")) };
            let mut smaller = tree.next(false);
            for failed in &path {
                if !smaller {
                    break;
                }
                let values = tree.values(&program, &scope).map_err(|error| TestCaseError::fail(error.to_string()))?;
                let (low, high) = (values[0].integer(), values[1].integer());
                prop_assert!((0..=1000).contains(&low) && (low..=2000).contains(&high));
                let Value::List(list) = &values[2] else { return Err(TestCaseError::fail("a list was drawn")) };
                prop_assert!((2..=9).contains(&list.len()) && list.iter().all(|item| (1..=65536).contains(item)));
                smaller = tree.next(*failed && high >= threshold);
            }
        }
    }

    /// A tree made from values has these values, wherever shrinking has led, and every smaller case that it tries stays
    /// in its domains.
    #[test]
    fn a_tree_made_from_values_has_these_values(seed: u64, path in vec(any::<bool>(), 0..60)) {
        let program = program(
            &[
                ("low", domain(|source| source.int = Some("-7..1000".to_owned()))),
                ("size", domain(|source| { source.bytes = Some("1..64KiB".to_owned()); source.multiple_of = Some("3".to_owned()); })),
                ("one", domain(|source| source.one_of = Some(vec!["64".to_owned(), "size + 1".to_owned(), "8".to_owned()]))),
                ("text", domain(|source| source.text = Some(vec!["a".to_owned(), "b".to_owned(), String::new()]))),
                ("list", domain(|source| {
                    source.list_of = Some(Box::new(domain(|item| item.bytes = Some("2..low + 4000".to_owned()))));
                    source.length = Some("2..9".to_owned());
                })),
                ("order", domain(|source| source.permutation = Some("1..6".to_owned()))),
                ("at", domain(|source| source.index_of = Some("list".to_owned()))),
                ("n", domain(|source| source.length_of = Some("order".to_owned()))),
            ],
            Some("size > low"),
            "choose { one: toy_wait(); other: toy_stop(); }",
        );
        let scope = scope();
        let inside = |values: &[Value]| -> Result<(), TestCaseError> {
            // Values with a position in every domain can be read back.
            let tree = CaseTree::of(&program, &scope, values).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(tree.values(&program, &scope).map_err(|error| TestCaseError::fail(error.to_string()))?, values);
            let (low, size, one) = (values[0].integer(), values[1].integer(), values[2].integer());
            prop_assert!((-7..=1000).contains(&low) && (3..=65535).contains(&size) && size % 3 == 0);
            prop_assert!([64, size + 1, 8].contains(&one) && (0..3).contains(&values[3].integer()));
            let (Value::List(list), Value::List(order)) = (&values[4], &values[5]) else {
                return Err(TestCaseError::fail("lists were drawn"));
            };
            prop_assert!((2..=9).contains(&list.len()) && list.iter().all(|item| (2..=low + 4000).contains(item)));
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert!((1..=6).contains(&order.len()) && sorted.iter().copied().eq(0..order.len() as i128));
            prop_assert!((0..list.len() as i128).contains(&values[6].integer()));
            prop_assert_eq!(values[7].integer(), order.len() as i128);
            Ok(())
        };
        for case in cases(&program, seed, 4) {
            inside(&case.values)?;
            let mut tree = CaseTree::of(&program, &scope, &case.values).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let mut values = case.values;
            let mut smaller = tree.next(false);
            for failed in &path {
                if !smaller {
                    break;
                }
                values = tree.values(&program, &scope).map_err(|error| TestCaseError::fail(error.to_string()))?;
                inside(&values)?;
                smaller = tree.next(*failed);
            }
            prop_assert!(CaseTree::of(&program, &scope, &values[1..]).is_err());
            values[1] = Value::Integer(values[1].integer() + 1);
            prop_assert!(CaseTree::of(&program, &scope, &values).is_err(), "not a multiple of 3");
        }
    }

    /// A tree made from values shrinks as far as a drawn one.
    #[test]
    fn a_tree_made_from_values_finds_the_threshold(start in 5000i128..=65536, threshold in 1i128..5000) {
        let program = program(&[("size", domain(|source| source.bytes = Some("1..64KiB".to_owned())))], None, "toy_wait();");
        let scope = scope();
        let mut tree = CaseTree::of(&program, &scope, &[Value::Integer(start)]).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let (mut best, mut runs) = (start, 0);
        let mut smaller = tree.next(false);
        while smaller {
            runs += 1;
            let value = tree.values(&program, &scope).map_err(|error| TestCaseError::fail(error.to_string()))?[0].integer();
            let failed = value >= threshold && value != best;
            if failed {
                best = value;
            }
            smaller = tree.next(failed);
        }
        prop_assert_eq!(best, threshold);
        prop_assert!(runs < 60, "{} runs", runs);
    }

    /// A failure from some value on shrinks to that value, whatever the other values are.
    #[test]
    fn shrinking_finds_the_threshold(seed: u64, threshold in 1i128..60_000) {
        let program = program(
            &[
                ("size", domain(|source| source.bytes = Some("1..64KiB".to_owned()))),
                ("rest", domain(|source| source.offset = Some("size".to_owned()))),
                ("list", domain(|source| {
                    source.list_of = Some(Box::new(domain(|item| item.bytes = Some("1..64KiB".to_owned()))));
                    source.length = Some("0..9".to_owned());
                })),
            ],
            None,
            "toy_wait();",
        );
        let fails = |values: &[Value]| {
            let Value::List(list) = &values[2] else { return false };
            values[0].integer() - values[1].integer() >= threshold && list.iter().any(|item| *item >= threshold)
        };
        let scope = scope();
        let Some(case) = cases(&program, seed, 100).into_iter().find(|case| fails(&case.values)) else { return Ok(()) };
        let (mut best, Some(mut tree)) = (case.values, case.tree) else {
            return Err(TestCaseError::fail("a drawn case has a tree"));
        };
        let mut smaller = tree.next(false);
        for _ in 0..10_000 {
            if !smaller {
                break;
            }
            let values = tree.values(&program, &scope).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let failed = values != best && fails(&values);
            if failed {
                best = values;
            }
            smaller = tree.next(failed);
        }
        prop_assert!(!smaller, "shrinking does not end");
        prop_assert_eq!(best, vec![Value::Integer(threshold), Value::Integer(0), Value::List(vec![threshold])]);
    }

    /// A case survives its JSON form.
    #[test]
    fn cases_survive_their_json(seed: u64) {
        let program = program(
            &[
                ("size", domain(|source| source.bytes = Some("1..64GiB".to_owned()))),
                ("number", domain(|source| source.int = Some("-5..5".to_owned()))),
                ("text", domain(|source| source.text = Some(vec!["a \"b\"".to_owned(), "é".to_owned(), String::new()]))),
                ("order", domain(|source| source.permutation = Some("1..6".to_owned()))),
            ],
            None,
            "choose { one: toy_wait(); other: toy_stop(); }",
        );
        for case in cases(&program, seed, 10) {
            let json = case_to_json(&program, &case.values, case.salt).to_string();
            let json = serde_json::from_str(&json).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let back = case_from_json(&program, &json).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!((back.values, back.salt), (case.values, case.salt));
        }
    }

    /// The same seed gives the same cases; the seed of a rule depends only on the run's seed and its id.
    #[test]
    fn seeds_decide(run: u64, other: u64, id in "[a-z.]{1,20}", another in "[a-z.]{1,20}") {
        let program = program(&[("size", domain(|source| source.bytes = Some("1..64GiB".to_owned())))], None, "toy_wait();");
        let drawn = |seed: u64| -> Vec<_> { cases(&program, seed, 8).into_iter().map(|case| (case.values, case.salt)).collect() };
        let seed = rule_seed(run, &id);
        prop_assert_eq!(seed, rule_seed(run, &id));
        prop_assert_eq!(drawn(seed), drawn(seed));
        if id != another {
            prop_assert_ne!(seed, rule_seed(run, &another));
            prop_assert_ne!(drawn(seed), drawn(rule_seed(run, &another)));
        }
        if run != other {
            prop_assert_ne!(seed, rule_seed(other, &id));
        }
    }

    /// Poison differs from every pattern at every position, and is distinguished from other content.
    #[test]
    fn poison_is_no_pattern(salt: u64, tag in -1000i128..1000, length in 1usize..300, at: prop::sample::Index, flip in 1u8..) {
        let (mut pattern, mut poison) = (vec![0; length], vec![0; length]);
        write_pattern(&mut pattern, salt, tag);
        write_poison(&mut poison, salt);
        prop_assert!(pattern.iter().zip(&poison).all(|(pattern, poison)| pattern != poison));
        prop_assert!(is_poisoned(&poison, salt) && !is_poisoned(&pattern, salt));
        poison[at.index(length)] ^= flip;
        prop_assert!(!is_poisoned(&poison, salt));
        // A prefix of a longer pattern is the shorter pattern, so pieces can be compared.
        let mut longer = vec![0; length + 9];
        write_pattern(&mut longer, salt, tag);
        prop_assert_eq!(&longer[..length], &pattern[..]);
    }
}

/// The coverage of a search whose cases run nothing, with a watchdog of this many milliseconds.
fn coverage(axes: &[(&str, DomainSource)], condition: Option<&str>, limit_milliseconds: u64) -> (u64, Coverage) {
    let (program, scope) = (program(axes, condition, "toy_wait();"), scope());
    let budget = Budget { limit_milliseconds, ..budget(100) };
    let search = Search { program: &program, scope: &scope, seed: 1, budget, known: &[], only: &[], counts: false };
    let report = CaseReport { checks: 1, ..CaseReport::default() };
    let result = search.run(&mut |_, _, _| Ran { report: report.clone(), trace: Trace::default(), last: false });
    (result.cases, result.coverage.expect("cases ran"))
}

/// A result reports its number of distinct cases, and the reason if they are fewer than planned although more exist.
#[test]
fn a_search_says_what_it_left_out() {
    const HOUR: u64 = 3_600_000;
    let wide = || [("n", domain(|source| source.int = Some("0..1000000".to_owned())))];
    let narrow = || [("n", domain(|source| source.int = Some("1..4".to_owned())))];
    let (cases, all) = coverage(&wide(), None, HOUR);
    assert_eq!((cases, &all.remark, all.cut), (100, &None, None));
    assert!(all.distinct > 90 && all.distinct <= 100, "{all:?}");
    let whole = |distinct| Coverage { distinct, remark: None, cut: None };
    assert_eq!(coverage(&narrow(), None, HOUR), (100, whole(4)));
    assert_eq!(coverage(&[], None, HOUR), (3, whole(1)));
    let (cases, tried) = coverage(&wide(), Some("n % 50 == 7"), HOUR);
    assert!(cases < 50 && tried.distinct <= cases && tried.cut.is_none(), "{cases}, {tried:?}");
    let remark = tried.remark.expect("`where` left most of the plan without a case");
    assert!(remark.starts_with(&format!("{cases} of 100 cases were tried: `where` discarded ")), "{remark}");
    let (_, tried) = coverage(&narrow(), Some("n % 4 == 3"), HOUR);
    assert_eq!(tried, whole(1), "no other case exists");
    // An edge that `where` excludes on purpose is not worth a remark.
    let (_, tried) = coverage(&wide(), Some("n > 0"), HOUR);
    assert!(tried.distinct > 90 && tried.remark.is_none(), "{tried:?}");
}

/// The cost of an `if` is that of the block that runs; if only the case decides, that of the one with more calls.
#[test]
fn the_calls_of_a_case_follow_its_conditions() {
    let kind = || [("kind", domain(|source| source.every = Some(Choices(vec!["1".to_owned(), "2".to_owned()]))))];
    for (steps, calls) in [
        ("if (kind > 0) { toy_wait(); toy_wait(); } else { toy_wait(); }", 2),
        ("toy_wait(); if (kind > 2) { toy_wait(); toy_wait(); }", 1),
        ("if (kind > 2) { toy_wait(); toy_wait(); } else { toy_wait(); }", 1),
        ("r = toy_wait(); if (r == 0) { toy_wait(); } else { toy_wait(); toy_wait(); }", 3),
        ("r = toy_wait(); for (i < 3) { if (r == 0) { toy_wait(); } }", 4),
    ] {
        let program = program(&kind(), None, steps);
        assert_eq!(calls_of_a_case(&program, &scope()), Ok(calls), "{steps}");
    }
}

/// A plan that the watchdog ends is reported as cut, with or without edges, and however small the domain is.
#[test]
fn a_plan_that_is_cut_says_how_much_ran() {
    let wide = [("n", domain(|source| source.int = Some("0..1000000".to_owned())))];
    let cut = |planned, edges_left| Some(Cut { ran: 1, planned, edges_left, limit_milliseconds: 0 });
    assert_eq!(coverage(&wide, None, 0), (1, Coverage { distinct: 1, remark: None, cut: cut(100, 1) }));
    assert_eq!(coverage(&[], None, 0), (1, Coverage { distinct: 1, remark: None, cut: cut(3, 0) }));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    /// The number of cases follows from rule and budget alone. It includes every edge and stays within the budget, and
    /// the cases beyond the edges make no more calls than it allows.
    #[test]
    fn the_number_of_cases_is_fixed(
        seeds: (u64, u64), most in 1u32..300, calls in 0u64..3_000, rounds in 1u64..90, values in 1usize..20,
    ) {
        let every: Vec<String> = (0..values).map(|value| value.to_string()).collect();
        let axes = [
            ("kind", domain(|source| source.every = Some(Choices(every)))),
            ("n", domain(|source| source.int = Some("0..1000000".to_owned()))),
        ];
        let program = program(&axes, None, &format!("for (i < {rounds}) {{ toy_wait(); toy_wait(); }}"));
        let scope = scope();
        let budget = Budget { calls, ..budget(most) };
        let planned = |seed| Plan::new(&program, &scope, seed, &budget).expect("the domains have values").planned();
        let plan = Plan::new(&program, &scope, seeds.0, &budget).expect("the domains have values");
        prop_assert_eq!(planned(seeds.0), planned(seeds.1));
        prop_assert_eq!(calls_of_a_case(&program, &scope).expect("the domains have values"), 2 * rounds);
        let (edges, all) = (plan.edges_left(), plan.planned());
        prop_assert!(edges == values as u64 + 2 && all >= edges && all <= edges.max(u64::from(most)));
        prop_assert!((all - edges) * 2 * rounds <= calls, "{all} cases, {edges} edges");
    }
}
