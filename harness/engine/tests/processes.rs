//! The parts of api.yaml and products.yaml about every process and every call of a run: the warm-up, variables, calls
//! that may wait for what a rule holds, codes that spoil a process, and devices with unknown names.

use engine::run::ExitStatus;
use record::Verdict;
use rstest::rstest;

use crate::bench::{Bench, rule};
use crate::depot::catalog::changed;
use crate::depot::device::{built, depot};
use crate::depot::runs::options;

const ISOLATED: &str = "actors: \"A: process(device 0), isolated;\"";

/// The first case of a process sees the last effect of the warm-up, and nothing that it acquired.
#[rstest]
#[case::one(ISOLATED, "toy_wait() fails;\ntoy_blocks() == 0;")]
#[case::two(
    "actors: \"A: process(device 0), isolated; B: process(device 1), isolated;\"",
    "A: toy_wait() fails;\nB: toy_wait() fails;\nB: toy_blocks() == 0;"
)]
fn each_process_is_warmed_up_before_its_first_case(#[case] actors: &str, #[case] steps: &str) {
    const LATER: &str = "char *there = host(64, 64); toy_copy(there, there, 1, TOY_LATER_BACKWARDS);";
    let warm_up = format!(
        "  warm_up:\n    - \"toy_alloc(&left, 64); toy_alloc(&none, 0); toy_alloc(&never, 64);\"\n    - \"{LATER}\"\n  \
         restore:"
    );
    let bench = Bench::new(&[rule("first", actors, steps)]).change("api.yaml", "  restore:", &warm_up);
    let answer = bench.run("report", &[]);
    assert_eq!(answer.status, ExitStatus::Success, "{}", answer.text);
    let report = bench.report("report");
    let result = report.result("toy.small.first");
    assert_eq!(result.verdict, Verdict::Pass, "{}", result.reason);
}

#[test]
fn processes_have_the_variables_of_the_catalog() {
    let variable = format!("environment: {{{}: lots.one-less}}\nlife_cycle:", simulator_contract::environment::DEFECTS);
    let specs = changed(&[("api.yaml", "life_cycle:", &variable)]);
    let library = built("faithful", &[]).join("libdepot.so").display().to_string();
    let options = options(specs.path(), &["--library", &library]);
    let rules = engine::run::load_rules(&options.catalog, depot()).unwrap_or_else(|error| panic!("{error}"));
    let campaign =
        engine::run::Campaign::open(&options, depot(), rules.into()).unwrap_or_else(|error| panic!("{error}"));
    let planned = engine::run::plan(&campaign.target.rules);
    let planned = planned.iter().find(|planned| planned.id == "depot.lot.reserve").expect("the depot has this rule");
    assert_eq!(campaign.execute(planned).verdict, Verdict::Fail);
}

/// A rule holds a queue, and a call waits for it.
#[rstest]
#[case::free("{by: header.none}", Verdict::Blocked, "the documents let toy_finish wait for it (header.none)")]
#[case::promised("{by: header.none, except: {toy_finish: header.none}}", Verdict::Timeout, "no progress for")]
fn a_call_that_may_wait_for_what_the_rule_holds_is_no_failure(
    #[case] freedom: &str,
    #[case] verdict: Verdict,
    #[case] said: &str,
    #[values("", ISOLATED)] actors: &str,
) {
    let held = "toy_queue(&queue);\nvoid *shut = gate();\ntoy_queue_call(queue, hook(toyCall), shut);\n\
                toy_finish(queue);\nopen(shut);\npassed(shut) == 1;";
    let opened = "toy_queue(&queue);\nvoid *shut = gate();\nopen(shut);\ntoy_queue_call(queue, hook(toyCall), shut);\n\
                  toy_finish(queue);\npassed(shut) == 1;";
    let rules = [rule("held", actors, held), rule("opened", actors, opened)];
    let bench = Bench::new(&rules).change("api.yaml", "resources:", &format!("may_block: {freedom}\nresources:"));
    bench.run("report", &["--tune", "deadline=1"]);
    let report = bench.report("report");
    let result = report.result("toy.small.held");
    assert_eq!(result.verdict, verdict, "{}", result.reason);
    assert!(result.reason.contains(said), "{}", result.reason);
    assert_eq!(report.result("toy.small.opened").verdict, Verdict::Pass, "the other rule is not blocked");
}

/// After a code that spoils the process, the releases of the process fail with it; the rule does not fail.
#[rstest]
#[case::spoiled("toyResult answer = toy_alloc(&thirteen, 13);\nanswer != TOY_OK;", Verdict::Pass)]
#[case::sound("p != NULL;", Verdict::Fail)]
fn releases_after_a_fatal_code_are_not_judged(#[case] check: &str, #[case] verdict: Verdict) {
    let rules =
        [rule("breaks", ISOLATED, &format!("toy_alloc(&p, 64);\n{check}")), rule("next", "", "toy_blocks() == 0;")];
    let bench = Bench::new(&rules);
    let answer = bench.run_with(&["BROKEN", "FREE"], "report", &[]);
    assert_ne!(answer.status, ExitStatus::Usage, "{}", answer.text);
    let report = bench.report("report");
    let result = report.result("toy.small.breaks");
    assert_eq!(result.verdict, verdict, "{}", result.reason);
    assert_eq!(report.result("toy.small.next").verdict, Verdict::Pass);
}

#[test]
fn a_device_with_an_unknown_name_is_tested_as_the_product_for_such_names() {
    let bench = |unknown: &str| {
        let products = format!("{unknown}products:");
        let bench = Bench::new(&[rule("counts", "", "toy_blocks() == 0;")]);
        bench.change("products.yaml", "^Toy-7$", "^Toy-70$").change("products.yaml", "products:", &products)
    };
    let known = bench("unknown: eight\n");
    known.run("report", &[]);
    let report = known.report("report");
    assert_eq!((report.header.product.as_str(), report.header.reported_name.as_deref()), ("eight", Some("Toy-7")));
    let remarks = report.end.remarks.join("; ");
    assert!(remarks.contains("does not have the name `Toy-7`, so the device is tested as eight"), "{remarks}");
    let refused = bench("").run("report", &[]);
    assert!(
        refused.text.contains("matches no product") && refused.text.contains("one of seven, eight"),
        "{}",
        refused.text
    );
}
