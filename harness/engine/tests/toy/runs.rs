//! Runs on the toy runtime: the library built, the target opened, the results as text.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use clap::Parser;
use engine::run::{Campaign, Options, RunError, load_rules, plan};
use engine::runtime::Runtime;
use record::{Failure, RuleResult, Verdict};

use crate::gcc;
use crate::toy::bindings::BINDINGS;

/// The toy runtime has no simulated device: a library is always given.
pub static TOY: Runtime =
    Runtime { bindings: &BINDINGS, specs: &[], fingerprint: 0, simulated: None, doctor: None, logs: None };

/// The folder of the toy runtime.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy")
}

/// The command line of a run.
#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

/// Options of a run on a library, with more command-line arguments.
pub fn options(library: &Path, words: &[&str]) -> Options {
    let (specs, library) = (folder().join("specs"), library.display().to_string());
    let specs = specs.display().to_string();
    let line = ["toy", "--specs", &specs, "--library", &library].into_iter().chain(words.iter().copied());
    Line::try_parse_from(line).unwrap_or_else(|error| panic!("{error}")).options
}

/// The library with the named defects, built once; a name that starts with `-` is passed to the compiler.
pub fn library(defects: &[&str]) -> PathBuf {
    let name = format!("libtoy{}.so", defects.iter().map(|defect| format!("-{defect}")).collect::<String>());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name);
    // A run that has it open must not see another file in its place.
    static BUILT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !built.insert(path.clone()) {
        return path;
    }
    let source = folder().join("toy.c").display().to_string();
    let words = ["-O1", "-shared", "-fPIC", "-pthread", &source].map(str::to_owned).into_iter();
    let named =
        |defect: &&str| if defect.starts_with('-') { (*defect).to_owned() } else { format!("-DDEFECT_{defect}") };
    gcc::build(&path, words.chain(defects.iter().map(named)));
    path
}

/// Opens a run.
pub fn open(options: &Options) -> Result<Campaign, RunError> {
    Campaign::open(options, &TOY, Arc::new(load_rules(&options.catalog, &TOY)?))
}

/// Runs the wanted rules on a library with defects.
pub fn run(defects: &[&str], words: &[&str], wanted: impl Fn(&str) -> bool) -> Vec<RuleResult> {
    let campaign = open(&options(&library(defects), words)).unwrap_or_else(|error| panic!("{error}"));
    for planned in plan(&campaign.target.rules).iter().filter(|planned| wanted(&planned.id)) {
        campaign.execute(planned);
    }
    campaign.finish();
    campaign.results()
}

/// Runs one rule on a library with defects.
pub fn run_one(defects: &[&str], words: &[&str], id: &str) -> RuleResult {
    run(defects, words, |planned| planned == id).pop().unwrap_or_else(|| panic!("unknown rule {id}"))
}

/// The ids of the rules that hold on the faithful library.
pub fn rules_that_hold() -> Vec<String> {
    let rules = load_rules(&options(Path::new("none"), &[]).catalog, &TOY).unwrap_or_else(|error| panic!("{error}"));
    let planned = plan(&rules).into_iter().filter(|planned| !planned.chapter.starts_with("broken."));
    planned.map(|planned| planned.id).collect()
}

/// The results of all rules on the faithful library.
pub fn all_faithful() -> &'static [RuleResult] {
    static RESULTS: LazyLock<Vec<RuleResult>> = LazyLock::new(|| run(&[], &[], |_| true));
    &RESULTS
}

/// The result of a rule on the faithful library.
pub fn faithful(id: &str) -> &'static RuleResult {
    all_faithful().iter().find(|result| result.id == id).unwrap_or_else(|| panic!("unknown rule {id}"))
}

/// A result as a few lines: verdict, place, statement, message, values.
pub fn describe(result: &RuleResult) -> String {
    // The caller that crashes first, and so the smallest case, differs from run to run if callers act at once.
    let at_once = |failure: &Failure| failure.values.iter().any(|(name, _)| name == "jitter");
    if result.verdict == Verdict::Crash && result.failure.as_deref().is_some_and(at_once) {
        return format!("{}: {}: one of the callers at once\n", result.id, result.verdict);
    }
    let mut text = format!("{}: {}: {}\n", result.id, result.verdict, stable(&result.reason));
    if let Some(failure) = &result.failure {
        text.push_str(&format!("    at {}: {}\n", failure.place, failure.statement));
        if stable(&failure.message) != stable(&result.reason) {
            text.push_str(&format!("    {}\n", stable(&failure.message)));
        }
        if !failure.values.is_empty() {
            let values: Vec<String> = failure.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            text.push_str(&format!("    with {}\n", values.join(", ")));
        }
        // The output of a worker that is still running arrives at any time.
        if result.verdict == Verdict::Crash && !failure.output.is_empty() {
            text.push_str(&format!("    it printed {:?}\n", failure.output.lines().last().unwrap_or_default()));
        }
    }
    // Processes release at the same time, so the order of their findings differs from run to run.
    let findings: BTreeSet<String> = result.findings.iter().map(|finding| stable(finding)).collect();
    for finding in findings {
        text.push_str(&format!("    finding: {finding}\n"));
    }
    text
}

/// A message without the parts that differ between runs: process ids, and bytes that depend on the case's salt.
fn stable(text: &str) -> String {
    static PARTS: LazyLock<[(regex_lite::Regex, &str); 5]> = LazyLock::new(|| {
        [
            (r"left is \d+ \(0x[0-9a-f]+\)", "left is N"),
            (r"(getpid\(\).*left is) \d+", "$1 N"),
            (r"0x[0-9a-f]{2} instead of 0x[0-9a-f]{2}", "0x.. instead of 0x.."),
            (r"^\d+ of (\d+) bytes differ", "N of $1 bytes differ"),
            (r": \d+ of (\d+) bytes differ", ": N of $1 bytes differ"),
        ]
        .map(|(pattern, by)| (regex_lite::Regex::new(pattern).expect("the pattern is valid"), by))
    });
    PARTS.iter().fold(text.to_owned(), |text, (pattern, by)| pattern.replace_all(&text, *by).into_owned())
}
