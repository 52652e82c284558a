//! `atlas-cts diff` on the simulated device: a seeded defect is a regression or drift, a legal variant is never a
//! regression and mostly drift, and two runs of one device with different seeds show no difference.
//!
//! A few of each run with the other tests; `ci/diff-proof.sh` runs all.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread::available_parallelism;

use atlas_cts::runtimes::RUNTIMES;
use catalog::Rules;
use engine::runtime::SimulatedDevice;
use ledger::compare::{Change, CompareOptions, Difference, compare};
use record::{Meaning, Recorded, Verdict, read_run};
use rstest::rstest;
use support::{Bench, catalog, kills};

/// The products, in the order in which one is chosen for a defect.
const PRODUCTS: [&str; 8] = ["a2", "a3", "ascend950", "train", "infer", "200i-500-a2", "200-300-500", "ipv350"];
/// The products to try a variant on: those that differ most.
const VARIANTS_ON: [&str; 4] = ["a2", "ascend950", "infer", "ipv350"];
/// The number of rules that run in addition to those that claim a defect.
const OTHERS: usize = 10;

fn device() -> &'static SimulatedDevice {
    RUNTIMES[0].simulated.as_ref().expect("the runtime has a simulated device")
}

/// Runs, each in a separate folder.
struct Lab {
    bench: Bench,
    runs: u64,
}

impl Lab {
    fn new() -> Lab {
        Lab { bench: Bench::new(), runs: 0 }
    }

    /// Runs a product with a seed; only these rules, if any are given.
    fn run(&mut self, product: &str, seed: u64, rules: &[String], defect: Option<&str>) -> Recorded {
        self.run_with(product, seed, rules, defect, &[])
    }

    /// Like [`Lab::run`], with more words on the command line.
    fn run_with(
        &mut self,
        product: &str,
        seed: u64,
        rules: &[String],
        defect: Option<&str>,
        more: &[&str],
    ) -> Recorded {
        self.runs += 1;
        let folder = format!("run-{}", self.runs);
        let seed = seed.to_string();
        let mut words = vec!["run", "--product", product, "--backend", "simulator", "--seed", &seed];
        words.extend(["--report-dir", &folder]);
        words.extend(defect.iter().flat_map(|defect| ["--defect", defect]));
        words.extend(more);
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
}

/// The state that all comparisons share.
struct Proof {
    rules: &'static Rules,
    /// Complete runs of the faithful device, by product, each made on first use.
    faithful: BTreeMap<&'static str, OnceLock<Recorded>>,
    /// Like `faithful`, for the rules with undefined results.
    undefined: BTreeMap<&'static str, OnceLock<Recorded>>,
}

impl Proof {
    fn new() -> Proof {
        let of_products = || PRODUCTS.into_iter().map(|product| (product, OnceLock::new())).collect();
        Proof { rules: catalog(), faithful: of_products(), undefined: of_products() }
    }

    /// Processes all items, several at a time, because a run waits about as long as it works.
    fn each<T: Sync, R: Send>(&self, items: &[T], look: impl Fn(&mut Lab, usize, &T) -> R + Sync) -> Vec<R> {
        let (next, seen) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
        let lane = || {
            let mut lab = Lab::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(number) else { break };
                let found = look(&mut lab, number, item);
                seen.lock().unwrap().insert(number, found);
            }
        };
        let lanes = from_environment("ATLAS_CTS_DIFF_PROOF_LANES", 2 * available_parallelism().map_or(1, usize::from));
        std::thread::scope(|scope| (0..lanes.max(1)).for_each(|_| _ = scope.spawn(lane)));
        seen.into_inner().unwrap().into_values().collect()
    }

    fn faithful(&self, lab: &mut Lab, product: &'static str) -> &Recorded {
        self.faithful[product].get_or_init(|| lab.run(product, 1, &[], None))
    }

    /// The difference that a variant makes on a product, in the default rules or in those with undefined results.
    fn variant(&self, lab: &mut Lab, product: &'static str, variant: &str, undefined: bool) -> Difference {
        if !undefined {
            let new = lab.run(product, 1, &[], Some(variant));
            return compared(self.faithful(lab, product), &new);
        }
        let rules = self.rules.rules.iter().filter(|rule| rule.hazard.is_some());
        let rules: Vec<String> = rules.map(|rule| rule.id.clone()).collect();
        let mut run = |defect| lab.run_with(product, 1, &rules, defect, &["--hazardous"]);
        let new = run(Some(variant));
        compared(self.undefined[product].get_or_init(|| run(None)), &new)
    }

    /// The first product on which rules that claim the defect run, with these rules and ten others; `None`: unclaimed.
    fn plan(&self, lab: &mut Lab, number: usize, defect: &str) -> Option<(&'static str, Vec<String>)> {
        for product in PRODUCTS {
            let of_rule = self.rules.rules.iter();
            let claiming =
                of_rule.filter(|rule| !rule.cycle && kills().claims_on(&rule.id, product).any(|known| known == defect));
            let mut chosen: Vec<String> = claiming.map(|rule| rule.id.clone()).collect();
            if chosen.is_empty() {
                continue;
            }
            let run = self.faithful(lab, product);
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

/// A comparison on one line.
fn told(found: &Difference) -> String {
    let changes = found.changes.iter().map(|change| {
        let new = change.new.as_ref().map_or(String::new(), |new| format!(" ({}: {})", new.verdict, new.reason));
        format!("{:?} {}{new}", change.change, change.rule)
    });
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
fn two_runs_of_one_device_with_different_seeds_do_not_differ() {
    let mut lab = Lab::new();
    let rules: Vec<String> = ["acl.free", "acl.meminfo", "acl.ptr"].map(str::to_owned).to_vec();
    let (old, new) = (lab.run("a2", 3, &rules, None), lab.run("a2", 4, &rules, None));
    let found = compared(&old, &new);
    assert!(found.changes.is_empty() && found.drift.is_empty(), "{found:#?}");
    assert!(old.results.iter().any(|result| result.answers.is_some()), "nothing was recorded");
}

/// A number from the environment.
fn from_environment(name: &str, otherwise: usize) -> usize {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")))
}

/// The lines of a proof and its last line; they are also written to a folder if one is given.
fn page(name: &str, lines: impl IntoIterator<Item = Option<String>>, last: &str) -> String {
    let page: String = lines.into_iter().flatten().chain([last.to_owned()]).map(|line| line + "\n").collect();
    eprintln!("{last}");
    if let Some(folder) = std::env::var_os("ATLAS_CTS_DIFF_PROOF_PAGES") {
        fs::write(Path::new(&folder).join(format!("{name}.txt")), &page).expect("the page can be written");
    }
    page
}

/// The result of a proof about one device.
struct Seen {
    broke: bool,
    drifted: bool,
    /// It drifted only with `--hazardous`.
    undefined: bool,
    /// A remark about it.
    line: Option<String>,
}

/// Every n-th of these, with n from the environment.
fn sample<T>(all: &[T]) -> Vec<&T> {
    all.iter().step_by(from_environment("ATLAS_CTS_DIFF_PROOF_EVERY", 1).max(1)).collect()
}

/// Prints a line at once, so that the progress of a proof can be followed.
fn said(line: String) -> Option<String> {
    eprintln!("{line}");
    Some(line)
}

#[test]
#[ignore = "hours: ci/diff-proof.sh"]
fn every_defect_shows() {
    let proof = Proof::new();
    let seen = proof.each(&sample(device().defects), |lab, number, defect| {
        let (product, rules) = proof.plan(lab, number, defect.name)?;
        let new = lab.run(product, 2, &rules, Some(defect.name));
        let found = compared(proof.faithful(lab, product), &new);
        let (broke, drifted) = (broke(&found), drifted(&found));
        let verdicts = new.results.iter().filter(|result| result.meaning() != Meaning::Good);
        let verdicts: Vec<String> = verdicts.map(|result| format!("{} {}", result.verdict, result.id)).collect();
        let line = format!("NOT SHOWN  {} on {product}: {} {}", defect.name, verdicts.join(", "), told(&found));
        Some(Seen { broke, drifted, undefined: false, line: if broke || drifted { None } else { said(line) } })
    });
    let seen: Vec<Seen> = seen.into_iter().flatten().collect();
    let (defects, shown) = (seen.len(), seen.iter().filter(|seen| seen.broke || seen.drifted).count());
    let regressions = seen.iter().filter(|seen| seen.broke).count();
    let last = format!("defects: {shown} of {defects} show, {regressions} of them as regressions");
    let page = page("defects", seen.into_iter().map(|seen| seen.line), &last);
    assert!(shown * 100 >= defects * 95, "{page}");
}

#[test]
#[ignore = "an hour: ci/diff-proof.sh"]
fn no_variant_is_a_regression_and_most_are_drift() {
    let proof = Proof::new();
    let seen = proof.each(&sample(device().variants), |lab, _, variant| {
        let (mut lines, mut broke) = (Vec::new(), false);
        // Some variants are about features of a few products, some about actions that no rule does by default.
        let tries = [false, true].into_iter().flat_map(|undefined| VARIANTS_ON.map(|product| (product, undefined)));
        for (product, undefined) in tries {
            let found = proof.variant(lab, product, variant.name, undefined);
            let place = if undefined { format!("{product} with --hazardous") } else { product.to_owned() };
            if self::broke(&found) {
                broke = true;
                lines.extend(said(format!("REGRESSION  {} on {place}: {}", variant.name, told(&found))));
            }
            if drifted(&found) {
                let count = found.drift.len();
                lines.extend(said(format!("drift  {} on {place}: {count} in all, {}", variant.name, told(&found))));
                return Seen { broke, drifted: true, undefined, line: Some(lines.join("\n")) };
            }
        }
        lines.extend(said(format!("NO DRIFT  {}", variant.name)));
        Seen { broke, drifted: false, undefined: false, line: Some(lines.join("\n")) }
    });
    let count = |what: fn(&Seen) -> bool| seen.iter().filter(|seen| what(seen)).count();
    let (variants, alarms, drifts) = (seen.len(), count(|seen| seen.broke), count(|seen| seen.drifted));
    let hazardous = count(|seen| seen.undefined);
    let by_default = drifts - hazardous;
    let last = format!(
        "variants: {by_default} of {variants} drift by default, {hazardous} more with --hazardous; {alarms} are taken for regressions"
    );
    let page = page("variants", seen.into_iter().map(|seen| seen.line), &last);
    assert!(alarms == 0 && drifts * 100 >= variants * 80, "{page}");
}

#[test]
#[ignore = "an hour: ci/diff-proof.sh"]
fn identical_devices_do_not_differ_whatever_the_seed() {
    let pairs: Vec<u64> = (0..from_environment("ATLAS_CTS_DIFF_PROOF_PAIRS", 20) as u64).collect();
    let shown = Proof::new().each(&pairs, |lab, _, pair| {
        let (old, new) = (lab.run("a2", 100 + 2 * pair, &[], None), lab.run("a2", 101 + 2 * pair, &[], None));
        let found = compared(&old, &new);
        if broke(&found) || drifted(&found) { said(format!("pair {pair}: {}", told(&found))) } else { None }
    });
    let nothing = shown.iter().filter(|line| line.is_none()).count();
    let page = page("pairs", shown, &format!("pairs: {nothing} of {} show nothing", pairs.len()));
    assert_eq!(nothing, pairs.len(), "{page}");
}
