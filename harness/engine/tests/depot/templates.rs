//! Rules from templates that the toy shares: what a rule becomes, and the places in reports.

use std::path::Path;

use catalog::{CatalogPlace, Rules, SpecFile, Specs, load};
use engine::run::plan;

use crate::depot::catalog::changed;
use crate::depot::device::{DEFECTS, folder};
use crate::depot::{bindings, runs};
use crate::toy;

const STORE: &str = "templates/store.yaml";

fn depot_in(specs: impl Into<Specs>) -> Rules {
    let place = CatalogPlace { specs: specs.into(), bindings: &bindings::BINDINGS, defects: Some(DEFECTS) };
    load(&place, None).unwrap_or_else(|error| panic!("{error}"))
}

fn depot() -> Rules {
    depot_in(folder().join("specs"))
}

fn toy() -> Rules {
    let specs = toy::runs::folder().join("specs").into();
    let place = CatalogPlace { specs, bindings: &toy::bindings::BINDINGS, defects: None };
    load(&place, None).unwrap_or_else(|error| panic!("{error}"))
}

/// A line of the file of templates, by its number from 1.
fn line(number: usize) -> String {
    let text = std::fs::read_to_string(folder().join("specs").join(STORE)).expect("the templates can be read");
    text.lines().nth(number - 1).unwrap_or_default().to_owned()
}

#[test]
fn a_rule_from_a_template_reads_as_a_rule_of_its_runtime() {
    let (depot, toy) = (depot(), toy());
    let (lot, block) = (depot.rule("depot.goods.round-trip").unwrap(), toy.rule("toy.block.kept").unwrap());
    assert_eq!(lot.title, "What is put into a lot is taken out of it");
    assert_eq!(block.title, "What is put into a small block is taken out of it", "the rule has another name for it");
    assert_eq!(lot.statement, "depot_take gives the bytes that depot_put was given.", "the rule has a statement");
    assert_eq!(block.statement, "A small block gives the bytes that it was given.");
    let steps = &lot.source.steps.value;
    assert!(steps.contains("depot_put(block, 0, pattern(size, 1), size);"), "{steps}");
    assert!(steps.contains("// a lot has its size in bytes"), "{steps}");
    let steps = &block.source.steps.value;
    assert!(steps.contains("toy_copy(back, (char *)block + 0, size, TOY_OUT);"), "{steps}");
    let axes = |rules: &Rules, id: &str| format!("{:?}", rules.rule(id).unwrap().source.forall["size"].value);
    assert!(axes(&depot, "depot.goods.round-trip").contains("1..product.largest"));
    assert!(axes(&toy, "toy.block.kept").contains("1..4KiB"), "the rule has another axis");
    assert!(lot.calls("depot_reserve") && block.calls("toy_alloc"));
    assert_eq!(depot.owners["depot_put"], "depot.goods.round-trip");
}

/// Two rules of one template have their checks in the same order, with the same texts.
#[test]
fn both_runtimes_judge_the_same() {
    let judged = |rules: &Rules, id: &str| -> Vec<String> {
        let rule = rules.rule(id).unwrap();
        let all = steps::judgment::judgments(&rule.program);
        let checks = all.iter().map(|judged| rule.program.judged(judged));
        checks.filter(|text| text.starts_with("same(")).collect()
    };
    let expected = ["same(back, expected, size)"];
    assert_eq!(judged(&depot(), "depot.goods.part"), expected);
    assert_eq!(judged(&toy(), "toy.block.part"), expected);
}

#[test]
fn a_rule_names_its_template_and_the_place_of_its_steps() {
    let depot = depot();
    let rule = depot.rule("depot.goods.part").unwrap();
    let (template, place) = rule.template().unwrap();
    assert_eq!(template, "store/part");
    let number: usize = place.strip_prefix("specs/templates/store.yaml:").unwrap().parse().unwrap();
    assert_eq!(line(number).trim(), "$make(block, size);");
    assert_eq!(line(number - 1).trim(), "steps: |");
    assert_eq!(rule.steps_line(), number);
    assert_eq!(depot.rule("depot.goods.outside").unwrap().template(), None);
}

#[test]
fn a_failure_has_the_place_in_the_template() {
    let failed = |id: &str, defect: &str| {
        let campaign = runs::open(&["--backend", "simulator", "--defect", defect, "--seed", "1"]);
        let campaign = campaign.unwrap_or_else(|error| panic!("{error}"));
        let planned = plan(&campaign.target.rules);
        let result = campaign.execute(planned.iter().find(|planned| planned.id == id).expect("the rule exists"));
        campaign.finish();
        result.failure.unwrap_or_else(|| panic!("{id} passes with {defect}"))
    };
    let failure = failed("depot.goods.part", "put.spills");
    let [file, number, column] = *failure.place.split(':').collect::<Vec<_>>() else { panic!("{}", failure.place) };
    let (number, column): (usize, usize) = (number.parse().unwrap(), column.parse().unwrap());
    assert_eq!(file, "specs/templates/store.yaml");
    assert!(line(number)[column - 1..].starts_with("same(back, expected, size);"), "{}", failure.place);
    let steps = failure.steps.expect("the failure has a place in the steps");
    let shown: Vec<&str> = steps.text.lines().collect();
    for (index, shown) in shown.iter().enumerate() {
        let written = line(steps.first as usize + index);
        assert!(written.contains('$') || written.trim() == shown.trim(), "{written}\n{shown}");
    }
    assert!(shown.iter().any(|line| line.contains("depot_put(block, at, expected + at, 8);")), "{shown:?}");
    let puts = steps.calls.iter().filter(|number| **number > 0).map(|number| line(*number as usize));
    assert_eq!(puts.filter(|line| line.contains("$put(")).count(), 2, "{:?}", steps.calls);
}

#[test]
fn the_template_is_part_of_the_digest() {
    let before = depot_in(changed(&[]).path().to_owned()).digest;
    assert_eq!(before, depot_in(changed(&[]).path().to_owned()).digest, "it does not depend on the folder");
    let after = changed(&[(STORE, "poison(back, size);\n", "\n")]);
    assert_ne!(before, depot_in(after.path().to_owned()).digest);
}

#[test]
fn a_template_has_the_defects_that_all_its_rules_notice() {
    let specs = changed(&[
        (STORE, "    observe: {at_end", "    kills: [put.spills]\n    observe: {at_end"),
        ("rules/goods.yaml", "[put.spills, put.start-rounded]", "[put.start-rounded]"),
    ]);
    let depot = depot_in(specs.path().to_owned());
    let kills = depot.rule("depot.goods.part").unwrap().kills.iter().map(|kill| kill.defect.as_str());
    assert_eq!(kills.collect::<Vec<_>>(), ["put.spills", "put.start-rounded"]);
}

#[test]
fn an_executable_carries_the_templates() {
    let mut files: Vec<SpecFile> = Vec::new();
    let mut folders = vec![folder().join("specs/depot"), folder().join("specs/templates")];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let below = path.strip_prefix(folder().join("specs")).ok().and_then(Path::to_str).expect("it is text");
            let text = std::fs::read_to_string(&path).expect("the file can be read");
            files.push((below.to_owned().leak(), text.leak()));
        }
    }
    let embedded = depot_in(Specs::Embedded(files.leak()));
    let folder = depot();
    assert_eq!(embedded.digest, folder.digest);
    assert_eq!(
        embedded.rule("depot.goods.part").unwrap().template(),
        folder.rule("depot.goods.part").unwrap().template()
    );
}
