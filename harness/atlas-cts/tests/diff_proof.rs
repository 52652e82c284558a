//! What `atlas-cts diff` must show on the simulated device: a seeded defect is a regression or drift, a legal variant is
//! never a regression and mostly drift, and two runs of one device with other seeds show nothing.
//!
//! A few of each run with the other tests; `ci/diff-proof.sh` runs all of them.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use atlas_cts::runtimes::RUNTIMES;
use engine::catalog::{CatalogPlace, Kill, Rules, load};
use engine::compare::{Change, CompareOptions, Difference, compare};
use engine::record::{Meaning, Recorded, Verdict, read_run};
use engine::runtime::SimulatedDevice;
use rstest::rstest;
use support::{Bench, project};

/// The products in the order in which one is chosen for a defect.
const PRODUCTS: [&str; 8] = ["a2", "a3", "ascend950", "train", "infer", "200i-500-a2", "200-300-500", "ipv350"];
/// The products on which a variant may show: those that differ most.
const VARIANTS_ON: [&str; 4] = ["a2", "ascend950", "infer", "ipv350"];
/// Rules that run beside those that claim a defect.
const OTHERS: usize = 10;

fn rules() -> Rules {
    let place = CatalogPlace { specs: project().join("specs").into(), bindings: RUNTIMES[0].bindings, defects: None };
    load(&place, None).unwrap_or_else(|error| panic!("{error}"))
}

fn device() -> &'static SimulatedDevice {
    RUNTIMES[0].simulated.as_ref().expect("the runtime has a simulated device")
}

/// Runs, each in a folder of its own.
struct Lab {
    bench: Bench,
    rules: Rules,
    /// Runs of the faithful device by product.
    faithful: BTreeMap<&'static str, Recorded>,
    runs: u64,
}

impl Lab {
    fn new() -> Lab {
        Lab { bench: Bench::new(), rules: rules(), faithful: BTreeMap::new(), runs: 0 }
    }

    /// A run of a product with a seed; of these rules only, if there are any.
    fn run(&mut self, product: &str, seed: u64, rules: &[String], defect: Option<&str>) -> Recorded {
        self.runs += 1;
        let folder = format!("run-{}", self.runs);
        let specs = project().join("specs");
        let seed = seed.to_string();
        let mut words = vec!["run", "--product", product, "--backend", "simulator", "--seed", &seed];
        words.extend(["--report-dir", &folder, "--specs", specs.to_str().expect("the path is text")]);
        words.extend(defect.iter().flat_map(|defect| ["--defect", defect]));
        let list = self.bench.write("rules.txt", rules.join("\n"));
        if !rules.is_empty() {
            words.extend(["--rules", list.to_str().expect("the path is text")]);
        }
        let answer = self.bench.run(&words);
        let folder = self.bench.path(&folder);
        let run = read_run(&folder).unwrap_or_else(|error| panic!("{defect:?}: {error}\n{}", answer.text));
        assert!(run.end.is_some(), "{defect:?}: {}", answer.text);
        fs::remove_dir_all(folder).expect("the run's folder can be removed");
        run
    }

    /// The faithful device, whole.
    fn faithful(&mut self, product: &'static str) -> &Recorded {
        if !self.faithful.contains_key(product) {
            let run = self.run(product, 1, &[], None);
            self.faithful.insert(product, run);
        }
        &self.faithful[product]
    }

    /// The first product on which rules that claim a defect run, these rules, and ten others; `None`: nobody claims it.
    fn plan(&mut self, number: usize, defect: &str) -> Option<(&'static str, Vec<String>)> {
        let claims = |kill: &Kill, product: &str| {
            kill.defect == defect && (kill.products.is_empty() || kill.products.iter().any(|known| known == product))
        };
        for product in PRODUCTS {
            let of_rule = self.rules.rules.iter();
            let claiming = of_rule.filter(|rule| rule.kills.iter().any(|kill| claims(kill, product)));
            let mut chosen: Vec<String> = claiming.map(|rule| rule.id.clone()).collect();
            if chosen.is_empty() {
                continue;
            }
            let run = self.faithful(product);
            let ran = run.results.iter().filter(|result| result.verdict != Verdict::Skipped);
            let ran: Vec<&String> = ran.map(|result| &result.id).collect();
            chosen.retain(|rule| ran.contains(&rule));
            if chosen.is_empty() {
                continue;
            }
            for other in 0..OTHERS.min(ran.len()) {
                chosen.push(ran[(number * 7 + other * ran.len() / OTHERS) % ran.len()].clone());
            }
            chosen.sort();
            chosen.dedup();
            return Some((product, chosen));
        }
        None
    }
}

fn compared(old: &Recorded, new: &Recorded) -> Difference {
    compare(["old", "new"], old, new, &CompareOptions::default())
}

fn broke(found: &Difference) -> bool {
    found.changes.iter().any(|change| matches!(change.change, Change::Regression | Change::NewFailure))
}

fn drifted(found: &Difference) -> bool {
    !found.drift.is_empty()
}

/// What a comparison shows, on a line.
fn told(found: &Difference) -> String {
    let changes = found.changes.iter().map(|change| format!("{:?} {}", change.change, change.rule));
    let drift = found.drift.iter().map(|drift| format!("drift {} `{}`", drift.rule, drift.what));
    changes.chain(drift).take(4).collect::<Vec<_>>().join("; ")
}

#[rstest]
#[case::wrong_verdict("malloc.aligned-only-from-4KiB", true)]
#[case::wrong_code("device.sync-timeout-wrong-code", true)]
#[case::other_codes("variant.other-misuse-codes", false)]
#[case::lenient("variant.lenient-peers", false)]
fn a_defect_is_a_regression_and_a_legal_variant_is_drift(#[case] name: &str, #[case] regression: bool) {
    let mut lab = Lab::new();
    let rules = ["acl.malloc.align64", "acl.stream.sync-timeout-expire", "acl.p2p.enable-self", "acl.p2p.enable-flags"];
    let rules: Vec<String> =
        rules.iter().chain(&["acl.vmm.address-range-null", "acl.free.null"]).map(ToString::to_string).collect();
    let (old, new) = (lab.run("a2", 1, &rules, None), lab.run("a2", 2, &rules, Some(name)));
    let found = compared(&old, &new);
    assert_eq!((broke(&found), drifted(&found)), (regression, !regression), "{found:#?}");
    let back = compared(&new, &old);
    assert_eq!(back.changes.iter().any(|change| change.change == Change::Fix), regression, "{back:#?}");
}

#[test]
fn two_runs_of_one_device_with_other_seeds_show_nothing() {
    let mut lab = Lab::new();
    let rules: Vec<String> = ["acl.p2p", "acl.free", "acl.meminfo", "acl.ptr"].map(str::to_owned).to_vec();
    let (old, new) = (lab.run("a2", 3, &rules, None), lab.run("a2", 4, &rules, None));
    let found = compared(&old, &new);
    assert!(found.changes.is_empty() && found.drift.is_empty(), "{found:#?}");
    assert!(old.results.iter().any(|result| result.answers.is_some()), "nothing was recorded");
}

/// A number from the environment.
fn asked(name: &str, otherwise: usize) -> usize {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")))
}

/// Appends a line to what is printed in the end, and prints it.
fn say(page: &mut String, line: &str) {
    eprintln!("{line}");
    let _ = writeln!(page, "{line}");
}

/// The last line of a page, which is kept in a folder if one is named.
fn end(page: &mut String, name: &str, line: &str) {
    say(page, line);
    if let Some(folder) = std::env::var_os("ATLAS_CTS_DIFF_PROOF_PAGES") {
        fs::write(Path::new(&folder).join(format!("{name}.txt")), page).expect("the page can be written");
    }
}

#[test]
#[ignore = "hours: ci/diff-proof.sh"]
fn every_defect_shows() {
    let every = asked("ATLAS_CTS_DIFF_PROOF_EVERY", 1).max(1);
    let mut lab = Lab::new();
    let mut page = String::new();
    let (mut defects, mut shown, mut regressions) = (0, 0, 0);
    for (number, defect) in device().defects.iter().enumerate().step_by(every) {
        let Some((product, rules)) = lab.plan(number, defect.name) else { continue };
        let new = lab.run(product, 2, &rules, Some(defect.name));
        let found = compared(lab.faithful(product), &new);
        defects += 1;
        regressions += usize::from(broke(&found));
        if broke(&found) || drifted(&found) {
            shown += 1;
        } else {
            let verdicts = new.results.iter().filter(|result| result.meaning() != Meaning::Good);
            let verdicts: Vec<String> = verdicts.map(|result| format!("{} {}", result.verdict, result.id)).collect();
            say(
                &mut page,
                &format!("NOT SHOWN  {} on {product}: {} {}", defect.name, verdicts.join(", "), told(&found)),
            );
        }
    }
    end(&mut page, "defects", &format!("defects: {shown} of {defects} show, {regressions} of them as regressions"));
    assert!(shown * 100 >= defects * 95, "{page}");
}

#[test]
#[ignore = "an hour: ci/diff-proof.sh"]
fn no_variant_is_a_regression_and_most_are_drift() {
    let every = asked("ATLAS_CTS_DIFF_PROOF_EVERY", 1).max(1);
    let mut lab = Lab::new();
    let mut page = String::new();
    let (mut variants, mut drifts, mut alarms) = (0, 0, 0);
    for variant in device().variants.iter().step_by(every) {
        variants += 1;
        let mut drift = None;
        // Some are about what only some products have.
        for product in VARIANTS_ON {
            let new = lab.run(product, 1, &[], Some(variant.name));
            let found = compared(lab.faithful(product), &new);
            if broke(&found) {
                alarms += 1;
                say(&mut page, &format!("REGRESSION  {} on {product}: {}", variant.name, told(&found)));
            }
            if drifted(&found) {
                drift = Some(format!("on {product}: {} in all, {}", found.drift.len(), told(&found)));
                break;
            }
        }
        drifts += usize::from(drift.is_some());
        match drift {
            Some(drift) => say(&mut page, &format!("drift  {} {drift}", variant.name)),
            None => say(&mut page, &format!("NO DRIFT  {}", variant.name)),
        }
    }
    end(&mut page, "variants", &format!("variants: {drifts} of {variants} drift, {alarms} are taken for regressions"));
    assert!(alarms == 0 && drifts * 100 >= variants * 80, "{page}");
}

#[test]
#[ignore = "an hour: ci/diff-proof.sh"]
fn identical_devices_show_nothing_whatever_the_seed() {
    let pairs = asked("ATLAS_CTS_DIFF_PROOF_PAIRS", 20);
    let mut lab = Lab::new();
    let mut page = String::new();
    for pair in 0..pairs as u64 {
        let (old, new) = (lab.run("a2", 100 + 2 * pair, &[], None), lab.run("a2", 101 + 2 * pair, &[], None));
        let found = compared(&old, &new);
        if broke(&found) || drifted(&found) {
            say(&mut page, &format!("pair {pair}: {}", told(&found)));
        }
    }
    assert!(page.is_empty(), "{page}");
    eprintln!("pairs: {pairs} of {pairs} show nothing");
}
