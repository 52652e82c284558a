//! Runs on the depot: which rules apply, which are skipped and why, and the entries of the journal.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use clap::Parser;
use engine::run::{Campaign, ExitStatus, Options, RunError, load_rules, plan};
use ledger::report::{Layout, first_line, summary};
use record::{RuleResult, RunHeader, Verdict};
use tempfile::TempDir;

use crate::depot::bindings::BINDINGS;
use crate::depot::catalog::changed;
use crate::depot::device::{built, depot, folder, whole, with_libraries};

/// The command line of a run.
#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

/// The options of a command line.
pub fn options(specs: &Path, words: &[&str]) -> Options {
    let specs = specs.display().to_string();
    let line = ["depot", "--specs", &specs].into_iter().chain(words.iter().copied());
    Line::try_parse_from(line).unwrap_or_else(|error| panic!("{error}")).options
}

/// Opens a run of the depot's own catalog.
pub fn open(words: &[&str]) -> Result<Campaign, RunError> {
    let options = options(&folder().join("specs"), words);
    Campaign::open(&options, depot(), Arc::new(load_rules(&options.catalog, depot())?))
}

/// The rule that a depot with one lift skips.
const NO_LIFTS: (&str, &str) = ("depot.cold.refused", "needs the capability lifts; the device answers 0");

/// The results of a run of everything.
pub struct Run {
    pub header: RunHeader,
    pub results: Vec<RuleResult>,
    pub summary: String,
    exit: u8,
}

impl Run {
    pub fn new(words: &[&str]) -> Run {
        let campaign = open(words).unwrap_or_else(|error| panic!("{error}"));
        for planned in plan(&campaign.target.rules) {
            campaign.execute(&planned);
        }
        let end = campaign.finish();
        let (header, results) = (campaign.header.clone(), campaign.results());
        let summary = summary(&header, &results, Some(&end), Layout::FILE);
        Run { header, results, summary, exit: end.exit }
    }

    /// A run of the libraries in a folder.
    pub fn of(folder: &Path) -> Run {
        Run::new(&["--library", &folder.join("libdepot.so").display().to_string()])
    }

    pub fn result(&self, id: &str) -> &RuleResult {
        self.results.iter().find(|result| result.id == id).unwrap_or_else(|| panic!("unknown rule {id}"))
    }

    /// Checks that every rule passes or is skipped; returns the ids of the skipped ones with their reasons.
    pub fn skipped(&self) -> Vec<(&str, &str)> {
        let mut skipped = Vec::new();
        for result in &self.results {
            match result.verdict {
                Verdict::Skipped => skipped.push((result.id.as_str(), result.reason.as_str())),
                verdict => {
                    assert_eq!(verdict, Verdict::Pass, "{}: {}\n{:#?}", result.id, result.reason, result.failure)
                }
            }
        }
        assert_eq!(self.exit, ExitStatus::Success as u8);
        skipped
    }
}

fn faithful() -> &'static Run {
    static RUN: LazyLock<Run> = LazyLock::new(|| Run::of(&built("faithful", &[])));
    &RUN
}

#[test]
fn every_rule_passes_on_the_faithful_device() {
    let run = faithful();
    assert_eq!(run.skipped(), [NO_LIFTS]);
    assert!(run.results.len() > 15, "{} rules", run.results.len());
    let executed = run.results.iter().filter(|result| result.verdict != Verdict::Skipped);
    assert!(executed.into_iter().all(|result| result.cases > 0 && result.checks > 0));
    assert_eq!(run.header.edition.as_deref(), Some("2.1"), "2010 as the catalog reads it");
    assert_eq!(run.header.library.version.as_deref(), Some("2010"));
    let further: Vec<&str> = run.header.further_libraries.iter().map(|library| library.id.as_str()).collect();
    assert_eq!(further, ["audit"]);
    let ledger = &run.header.further_libraries[0];
    assert!(ledger.path.ends_with("faithful/libaudit.so"), "{}", ledger.path);
    assert_eq!(ledger.sha256, catalog::digest::of_file(Path::new(&ledger.path)).expect("it can be read"));
    assert!(run.summary.contains("audit: "), "{}", run.summary);
}

#[test]
fn a_function_that_a_product_lacks_is_not_called() {
    let run = Run::new(&["--backend", "simulator", "--product", "hillside"]);
    let skipped = [
        ("depot.cold.keeps", "needs the capability cold (cold storage); the device answers 0"),
        ("depot.goods.paint", "depot_paint is documented as not supported on hillside"),
    ];
    assert_eq!(run.skipped(), skipped);
    assert_eq!(run.header.reported_name.as_deref(), Some("Hillside-3"));
}

/// A folder with only some of the libraries.
fn with(libraries: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for name in libraries {
        std::fs::copy(built("faithful", &[]).join(name), folder.path().join(name)).expect("it can be copied");
    }
    folder
}

fn expect_no_ledger(run: &Run) {
    let mut skipped = run.skipped();
    skipped.retain(|skipped| *skipped != NO_LIFTS);
    assert_eq!(skipped.len(), 6, "{skipped:?}");
    for (id, reason) in skipped {
        assert!(id.starts_with("depot.audit."), "{id}: {reason}");
        let expected = "needs the optional library audit (libaudit.so or libaudit.so.2), and nothing exports what it has; put it there";
        assert_eq!(reason, expected);
    }
    assert!(run.header.further_libraries.is_empty());
    let exported = run.result("depot.support.exported");
    let left_out = "not judged, because they belong to the optional library audit (libaudit.so or libaudit.so.2) and \
                    no library exports them: audit_begin, audit_end, audit_seal";
    assert_eq!(exported.findings, [left_out]);
    assert_eq!(exported.checks + 3, faithful().result("depot.support.exported").checks);
    let header = serde_json::to_string(&run.header).expect("a header is JSON");
    assert!(!header.contains("further_libraries"), "{header}");
}

#[test]
fn without_the_optional_library_its_rules_are_skipped() {
    expect_no_ledger(&Run::of(with(&["libdepot.so"]).path()));
}

#[test]
fn functions_of_an_optional_library_may_be_in_the_first_one() {
    let run = Run::of(whole().path());
    assert_eq!(run.skipped(), [NO_LIFTS]);
    assert!(run.header.further_libraries.is_empty());
    let exported = run.result("depot.support.exported");
    assert_eq!(exported.findings.len(), 0, "{:?}", exported.findings);
    assert_eq!(exported.checks, faithful().result("depot.support.exported").checks);
}

#[test]
fn a_simulated_device_may_lack_an_optional_library() {
    let runtime: &'static _ = Box::leak(Box::new(with_libraries(&["depot"])));
    let options = options(&folder().join("specs"), &["--backend", "simulator"]);
    let rules = Arc::new(load_rules(&options.catalog, runtime).unwrap_or_else(|error| panic!("{error}")));
    let campaign = Campaign::open(&options, runtime, rules).unwrap_or_else(|error| panic!("{error}"));
    let lacking: Vec<&str> = campaign.target.conditions.lacking.iter().copied().collect();
    assert!(lacking.contains(&"audit_begin") && lacking.iter().all(|name| name.starts_with("audit_")), "{lacking:?}");
    campaign.finish();
}

#[test]
fn a_worker_reads_no_catalog_because_it_gets_its_rules_as_bytes() {
    let specs = changed(&[]);
    let options = options(specs.path(), &["--backend", "simulator"]);
    let rules = Arc::new(load_rules(&options.catalog, depot()).unwrap_or_else(|error| panic!("{error}")));
    specs.close().expect("the folder can be removed");
    let campaign = Campaign::open(&options, depot(), rules).unwrap_or_else(|error| panic!("{error}"));
    for planned in plan(&campaign.target.rules) {
        campaign.execute(&planned);
    }
    campaign.finish();
    let verdicts: Vec<_> = campaign.results().iter().map(|result| (result.id.clone(), result.verdict)).collect();
    let run = faithful();
    assert!(verdicts.iter().all(|(id, verdict)| run.result(id).verdict == *verdict), "{verdicts:?}");
}

/// Next to the first library, then in the folders of the catalog, then in those of the loader: here under the second
/// name.
#[test]
fn the_optional_library_is_found_in_the_path_too() {
    let (first, lib) = (with(&["libdepot.so"]), with(&["libaudit.so"]));
    let (first, lib) = (first.path(), lib.path());
    std::fs::rename(lib.join("libaudit.so"), lib.join("libaudit.so.2")).expect("it can be renamed");
    let specs = changed(&[(
        "api.yaml",
        "names: [libaudit.so, libaudit.so.2], optional: true",
        &format!("names: [libaudit.so, libaudit.so.2], search: [\"{}\"], optional: true", lib.display()),
    )]);
    let options = options(specs.path(), &["--library", &first.join("libdepot.so").display().to_string()]);
    let rules = Arc::new(load_rules(&options.catalog, depot()).unwrap_or_else(|error| panic!("{error}")));
    let campaign = Campaign::open(&options, depot(), rules).unwrap_or_else(|error| panic!("{error}"));
    campaign.finish();
    let further: Vec<&str> = campaign.header.further_libraries.iter().map(|library| library.path.as_str()).collect();
    assert_eq!(further, [lib.join("libaudit.so.2").display().to_string()]);
}

fn expect_no_labels(run: &Run, is: &str) {
    let reason = format!("uses depot_label, whose layout is known for edition >=2.0; this is {is}");
    for id in ["depot.label.describe", "depot.label.nowhere"] {
        let result = run.result(id);
        assert_eq!((result.verdict, result.reason.as_str()), (Verdict::Skipped, reason.as_str()), "{id}");
    }
}

#[test]
fn another_edition_has_other_layouts() {
    let run = Run::of(&built("old", &["-DVERSION=1090"]));
    assert_eq!(run.header.edition.as_deref(), Some("1.9"));
    expect_no_labels(&run, "1.9");
    let growing = run.result("depot.lot.growing");
    assert_eq!((growing.verdict, growing.reason.as_str()), (Verdict::Skipped, "applies to edition >=2.1; this is 1.9"));
    assert_eq!(run.skipped().len(), 4);
}

#[test]
fn an_unknown_edition_has_no_layout() {
    let run = Run::of(&built("unversioned", &["-DNO_VERSION"]));
    assert_eq!(run.header.edition, None);
    expect_no_labels(&run, "an unknown edition");
    // Rules that depend on the edition in other ways run if the edition is unknown.
    assert_eq!(run.result("depot.lot.growing").verdict, Verdict::Pass);
    assert_eq!(run.skipped().len(), 3);
}

#[test]
fn a_library_that_is_replaced_ends_the_run() {
    let folder = with(&["libdepot.so", "libaudit.so"]);
    let folder = folder.path();
    let campaign = open(&["--library", &folder.join("libdepot.so").display().to_string()]);
    let campaign = campaign.unwrap_or_else(|error| panic!("{error}"));
    std::fs::remove_file(folder.join("libaudit.so")).expect("it can be removed");
    std::fs::copy(built("old", &["-DVERSION=1090"]).join("libdepot.so"), folder.join("libaudit.so"))
        .expect("it can be copied");
    let planned = plan(&campaign.target.rules);
    let exported = planned.iter().find(|planned| planned.id == "depot.support.exported").expect("it is planned");
    let result = campaign.execute(exported);
    assert_eq!(result.verdict, Verdict::Error);
    assert!(result.reason.contains("libaudit.so was replaced during the run"), "{}", result.reason);
    campaign.finish();
}

/// The library also exports the function under its old name, which returns a code that ends the process.
#[test]
fn the_function_behind_the_alias_is_called() {
    let result = faithful().result("depot.lot.reserve");
    assert_eq!(result.verdict, Verdict::Pass);
    let function = BINDINGS.functions.iter().find(|function| function.name == "depot_reserve");
    assert_eq!(function.map(|function| function.symbol()), Some("depot_reserve_v2"));
}

/// The codes in the message of a failed rule: 0 is success of one type, and a failure of the other.
#[test]
fn each_type_of_codes_has_its_own_success() {
    let failed = |defect: &str, id: &str| {
        let campaign = open(&["--backend", "simulator", "--defect", defect]).unwrap_or_else(|error| panic!("{error}"));
        let planned = plan(&campaign.target.rules);
        let result = campaign.execute(planned.iter().find(|planned| planned.id == id).expect("the rule exists"));
        campaign.finish();
        assert_eq!(result.meaning(), record::Meaning::Broken, "{result:#?}");
        (result.reason.clone(), result.failure.map(|failure| failure.trace.join("\n")).unwrap_or_default())
    };
    let (reason, trace) = failed("audit.no-lot-code", "depot.audit.no-lot");
    assert!(reason.contains("audit_begin returned 0 (AUDIT_NO_PAGE), documented is -4 (AUDIT_NO_LOT)"), "{reason}");
    assert!(trace.contains("depot_reserve(lot=&lot, bytes=1) = success"), "{trace}");
    assert!(trace.contains("= 0 (AUDIT_NO_PAGE)"), "{trace}");
    let (reason, trace) = failed("audit.agrees", "depot.audit.begin");
    assert!(reason.contains("audit_agrees returned success, it must fail"), "{reason}");
    assert!(trace.contains("audit_agrees(") && trace.contains(") = success"), "{trace}");
    let (reason, _) = failed("release.twice-code", "depot.lot.release-twice");
    assert!(reason.contains("depot_release returned 1 (DEPOT_BAD_VALUE), documented is 2 (DEPOT_BAD_LOT)"), "{reason}");
}

#[test]
fn there_is_no_run_mode() {
    let run = faithful();
    assert_eq!(run.header.run_mode, "");
    assert!(!run.summary.contains("programs on"), "{}", run.summary);
    assert!(!first_line(&run.header).contains("programs on"));
    let folder = tempfile::tempdir().expect("a folder can be made");
    ledger::report::write_junit(folder.path(), &run.header, &run.results, None).expect("it can be written");
    let junit = std::fs::read_to_string(folder.path().join("junit.xml")).expect("it was written");
    assert!(!junit.contains("run_mode") && junit.contains("library.further"), "{junit}");
    let error = open(&["--backend", "simulator", "--sim", "run-mode=host"]).unwrap_err();
    assert_eq!(error.exit(), ExitStatus::Usage);
    assert_eq!(error.to_string(), "error: --sim run-mode=host: this runtime has no run modes; omit it");
}

#[test]
fn the_product_is_asked() {
    let library = built("faithful", &[]).join("libdepot.so").display().to_string();
    let error = open(&["--library", &library, "--product", "hillside"]).unwrap_err();
    assert!(error.to_string().contains("the device reports `Harbour-1`, which is harbour"), "{error}");
}
