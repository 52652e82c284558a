//! The results of a run as data: the journal's lines. Reports are made from these and from nothing else.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod answers;
pub mod books;
mod confirmation;
mod device;
mod expected;
mod fingerprint;
mod incident;
mod journal;
mod logs;
mod memory_limit;
mod part;
mod retry;
mod starts;
mod symptom;
pub mod text;

pub use answers::{Answer, Answers, Asked, Question};
pub use confirmation::{Conclusion, Confirmation, Repeats};
pub use device::{OnDevice, on_which, worst};
pub use expected::{AppliedExpectations, EntryReference, ExpectationFiles, Sort, SortedResult};
pub use fingerprint::{DeviceIdentity, Fingerprint, Installed};
pub use incident::{Happened, Incident, Leaked, device_name};
pub use journal::{Journal, JournalError, Recorded, read_journal, read_run};
pub use logs::{LogFile, RuleLogs};
pub use memory_limit::MemoryLimit;
pub use part::{MOST_PARTS, MergedRun, Part};
pub use retry::{Retry, RetryCause};
pub use starts::{StartReason, Starts, sum_of};
pub use symptom::write_symptom;
pub use symptom::{Code, Symptom};

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use catalog::{Level, Word};

/// One line of the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first line: what was tested, and how.
    Run(Box<RunHeader>),
    /// A rule begins, written before it starts. Without a result after it, the run ended while the rule ran.
    Begin(RuleBegin),
    /// One rule's result, written before the next rule starts.
    Result(Box<RuleResult>),
    /// What was killed goes on from here.
    Resume(RunResume),
    /// The run was asked to end, and did: no rule that was in flight is to blame.
    Stop(RunStop),
    /// The last line of a run that reached its end.
    End(Box<RunEnd>),
}

/// What was tested, and how: enough to repeat the run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunHeader {
    /// Version of the journal's format.
    pub format: u32,
    /// Version of the suite.
    pub suite: String,
    /// Name of the run's folder below `reports/out`, or the path that `--report-dir` gave.
    pub run: String,
    /// Start, RFC 3339 in UTC.
    pub started: String,
    /// The runtime's name, for example the folder below `specs/`.
    pub runtime: String,
    /// Product id that the rules were selected for.
    pub product: String,
    /// The name that the runtime reported for the device, if it reported one.
    pub reported_name: Option<String>,
    /// The library under test.
    pub library: LibraryIdentity,
    /// The runtime's further libraries that were there, if it has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_libraries: Vec<FurtherLibrary>,
    /// What was mapped besides the system's base once the runtime was set up, by path: the libraries under test, and
    /// those of runtime and driver that they brought. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mapped: Vec<MappedLibrary>,
    /// The machine that the run was made on; `None`: a simulated device, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// Where programs run: `host` or `device`. Empty where the runtime knows no difference.
    pub run_mode: String,
    /// Number of devices.
    pub devices: u32,
    /// Devices that were not used, because they did not work before the run began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices_out: Vec<DeviceOut>,
    /// What identifies the devices; `None`: each rule has a simulated machine, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// Edition of the runtime, if it is known.
    pub edition: Option<String>,
    /// The run's seed; each rule's seed is derived from it and the rule's id.
    pub seed: u64,
    /// Name of the work budget.
    pub profile: String,
    /// SHA-256 over the catalog's files, lower-case hex.
    pub catalog_digest: String,
    /// Number of rules in the catalog.
    pub rules: usize,
    /// What the suite was asked for, and which rules are about it. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<Subject>,
    /// Seeded defects that were switched on in the simulated device.
    pub defects: Vec<String>,
    /// What else was asked for.
    #[serde(default)]
    pub settings: RunSettings,
    /// The runs that this one was put together from, in the order of their parts. Empty: it ran by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedRun>,
    /// When the run was resumed, RFC 3339 in UTC. In the journal these are lines of their own.
    #[serde(skip)]
    pub resumed: Vec<String>,
}

/// What the command line asked for and the rest of the header does not say: enough to resume the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// Ids of the rules that were selected; `None`: all.
    pub rules: Option<Vec<String>>,
    /// The only case to run, or a list of cases.
    pub case: Option<serde_json::Value>,
    /// Folder of the catalog, if one was given.
    pub specs: Option<String>,
    /// The edition that the simulated device was to play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sim_edition: Option<String>,
    /// Mebibytes of memory that each simulated device was to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sim_memory: Option<u64>,
    /// Seconds without progress that are a hang.
    pub deadline: u64,
    /// Milliseconds that rules waited for what was expected to happen. Older journals do not know it: 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// Seconds after which no further case of a rule was started, where they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_limit: Option<u64>,
    /// Undefined behaviour was observed.
    pub hazardous: bool,
    /// Nobody else used the devices.
    #[serde(default)]
    pub dedicated: bool,
    /// Rules of one device ran on each. Older journals do not know it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_every_device: bool,
    /// Ids of the axioms that the run did without: checks that assume them were only observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_axioms: Vec<String>,
    /// Findings break the run.
    pub strict: bool,
    /// The fewest rules that must be executed; of a part: in all parts together.
    pub min_executed: Option<u64>,
    /// What names a machine, a site or a person was taken out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redact: bool,
    /// The part that this is of a run; `None`: the whole. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The known failures that the run began with; `None`: there were none. Older journals do not know them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<ExpectationFiles>,
}

/// A device that a run does not use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceOut {
    /// The device as the runtime counts.
    pub device: String,
    /// What it did not do.
    pub reason: String,
}

/// A rule that begins.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RuleBegin {
    /// The rule's id.
    pub id: String,
}

/// A run that ends before its end, because it was asked to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunStop {
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// The signal that asked.
    pub signal: String,
}

/// A run that goes on after it was killed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunResume {
    /// When, RFC 3339 in UTC.
    pub started: String,
}

/// Which library was loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryIdentity {
    /// Path as it was opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex.
    pub sha256: String,
    /// Version that the runtime reports, if it reports one.
    pub version: Option<String>,
    /// Who answered instead of the first that was asked for it, or why nobody did. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_note: Option<String>,
    /// Whether this is the simulated device of the suite.
    pub simulated: bool,
    /// How the library was chosen, for example `--library` or `simulator (no toolkit found)`.
    pub chosen_by: String,
}

/// A library that was loaded besides the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FurtherLibrary {
    /// Its id in the catalog.
    pub id: String,
    /// Path as it was opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex.
    pub sha256: String,
}

/// A shared library in the process under test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappedLibrary {
    /// Path as the system names it; `embedded`: what the suite carries.
    pub path: String,
    /// SHA-256 of the file, lower-case hex; `None`: it cannot be read, for example because it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The id that its linker gave it, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
}

/// The machine that a run was made on. What is absent is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Release of the kernel.
    pub kernel: Option<String>,
    /// Size of a page of the kernel, in bytes.
    pub page_size: Option<u64>,
    /// Whether it is a virtual machine, as the system shows it.
    pub virtual_machine: Option<bool>,
    /// It was to be taken for a physical one, whatever it shows. Older journals do not know it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed_bare: bool,
    /// What its devices were asked for, because the documents do not speak of such a machine. Older journals do not know
    /// it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<CapabilityAnswer>,
    /// Rules that do not run because of what the machine is or allows: why, and how many. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// What made the container that the process is in; `None`: none that is known of.
    pub container: Option<String>,
    /// Whether the process may administrate the machine (CAP_SYS_ADMIN).
    pub privileged: Option<bool>,
    /// Bytes that the process may lock; `None`: nothing limits them.
    pub locked_memory: Option<u64>,
}

impl Host {
    /// Whether it counts as a virtual machine; `None`: it is not known.
    pub fn counts_as_virtual(&self) -> Option<bool> {
        if self.assumed_bare { Some(false) } else { self.virtual_machine }
    }

    /// What the devices answered, by the id of the capability.
    pub fn answers(&self) -> BTreeMap<String, Result<(), String>> {
        let answer = |asked: &CapabilityAnswer| asked.lacks.clone().map_or(Ok(()), Err);
        self.capabilities.iter().map(|asked| (asked.id.clone(), answer(asked))).collect()
    }

    /// Ids of the capabilities that the devices have shown.
    pub fn shown(&self) -> BTreeSet<String> {
        self.capabilities.iter().filter(|asked| asked.lacks.is_none()).map(|asked| asked.id.clone()).collect()
    }
}

/// What the devices of a machine answered when they were asked for a capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapabilityAnswer {
    /// Its id in the catalog.
    pub id: String,
    /// What it is.
    pub means: String,
    /// What did not go; `None`: the devices can do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
}

/// Rules that a machine leaves out for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Why.
    pub reason: String,
    /// How many rules of the catalog.
    pub rules: u64,
}

/// The result of one rule.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RuleResult {
    /// The rule's id.
    pub id: String,
    /// The chapter that the rule belongs to.
    pub chapter: String,
    /// The rule's title.
    pub title: String,
    /// Whether a document promises what the rule says.
    pub level: Level,
    /// What happened.
    pub verdict: Verdict,
    /// Why: the reason of a skip, the message of a failure, empty for a pass.
    pub reason: String,
    /// Wall time in nanoseconds.
    pub nanoseconds: u64,
    /// Cases executed.
    pub cases: u64,
    /// Verdict statements (calls under test and checks) executed over all cases.
    pub checks: u64,
    /// The rule's seed.
    pub seed: u64,
    /// Where and with what the rule failed.
    pub failure: Option<Box<Failure>>,
    /// Statements marked `[info]` that did not hold, and other remarks.
    pub findings: Vec<String>,
    /// What `observe` saw: name → class → number of cases.
    pub observations: BTreeMap<String, BTreeMap<String, u64>>,
    /// What was answered where no document says what has to be: two runs are compared by it. `None`: nothing was, or an
    /// older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Box<Answers>>,
    /// An unresolved contradiction in the documents, from the catalog.
    pub doubt: Option<String>,
    /// How often the run ended while this rule ran, before it got this result. Never changes the verdict.
    #[serde(default)]
    pub interrupted: u32,
    /// How much of the domain was tried; `None`: there is none, or no case ran. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Checks that were only observed with this library, each with why. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed_only: Vec<String>,
    /// Alternatives of `choose` and values of axes that did not run, because the product or the edition lacks what they
    /// use. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The word of the user without which the rule was skipped; `None`: it ran, or no word is enough. Older journals do not
    /// know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_without: Option<Word>,
    /// The devices that the rule ran on, as the machine numbers them; of a rule that ran on each, that of this answer.
    /// Empty: all that there are, a simulated machine, or an older journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// The answers of a rule of one device that ran on each, in their order; empty: it ran on one, or an older journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub each: Vec<OnDevice>,
    /// A process reached the limit of its memory; `None`: none did. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<MemoryLimit>,
    /// What was kept of the logs of driver and runtime; `None`: nothing was looked for. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<RuleLogs>,
    /// The class of its test case in JUnit's report; `None`: it is called as the chapter, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
}

/// Something that the suite was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    pub name: String,
    /// Ids of the rules that are about it.
    pub rules: Vec<String>,
}

/// How much of a rule's domain its cases were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Distinct cases among those executed; more than a million are not told apart.
    pub distinct: u64,
    /// Why the cases are fewer than planned, although the domain has more. Never changes the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// What the guard against hangs left of the plan; `None`: all of it ran. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// A plan that did not come to its end in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Cases that ran.
    pub ran: u64,
    /// Cases that were planned.
    pub planned: u64,
    /// The guard, in milliseconds.
    pub limit_milliseconds: u64,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let limit = std::time::Duration::from_millis(self.limit_milliseconds);
        write!(
            f,
            "{} of {} planned cases ran within the limit of {limit:?}; set a longer --rule-limit",
            self.ran, self.planned
        )
    }
}

/// What happened to a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every case held.
    Pass,
    /// A statement of the rule did not hold.
    Fail,
    /// A call failed as it must, with a code that the documents do not name.
    WrongCode,
    /// A call that is documented as unsupported did its work.
    Exceeds,
    /// Undefined by the documents: what was seen is recorded, not judged.
    Observed,
    /// Set-up failed in a function that another rule owns.
    Blocked,
    /// The rule does not apply; the reason says why.
    Skipped,
    /// The suite or its environment could not give an answer.
    Error,
    /// The library ended the process.
    Crash,
    /// A call did not return before its deadline.
    Timeout,
    /// A case failed in some runs and passed in others that were the same.
    Flaky,
    /// The device is of no further use.
    DeviceLost,
    /// The cases that ran held, and the guard against hangs kept the others from running.
    Cut,
}

impl Verdict {
    /// Whether the rule said that the device is wrong: in a proof, that it noticed the defect.
    pub fn kills(self) -> bool {
        matches!(self, Verdict::Fail | Verdict::WrongCode)
    }

    /// Whether the rule found nothing wrong.
    pub fn passes(self) -> bool {
        matches!(self, Verdict::Pass | Verdict::Exceeds | Verdict::Observed)
    }

    /// What it means for a run, of a rule of this level.
    pub fn meaning(self, level: Level) -> Meaning {
        match self {
            Verdict::Pass | Verdict::Observed | Verdict::Exceeds => Meaning::Good,
            Verdict::Skipped => Meaning::Skipped,
            // A promise that is kept sometimes is broken: `flaky` means what the failure means.
            Verdict::Fail | Verdict::WrongCode | Verdict::Crash | Verdict::Timeout | Verdict::Flaky => match level {
                Level::Must => Meaning::Broken,
                Level::Info => Meaning::Finding,
            },
            Verdict::Blocked | Verdict::Error | Verdict::DeviceLost | Verdict::Cut => Meaning::Unknown,
        }
    }

    /// Whether it makes the answer of a run unknown: that cases were cut does where somebody wants to know it exactly.
    pub fn hides(self, level: Level, strict: bool) -> bool {
        self.meaning(level) == Meaning::Unknown && (strict || self != Verdict::Cut)
    }

    /// The name used in every report.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::WrongCode => "wrong-code",
            Verdict::Exceeds => "exceeds",
            Verdict::Observed => "observed",
            Verdict::Blocked => "blocked",
            Verdict::Skipped => "skipped",
            Verdict::Error => "error",
            Verdict::Crash => "crash",
            Verdict::Timeout => "timeout",
            Verdict::Flaky => "flaky",
            Verdict::DeviceLost => "device-lost",
            Verdict::Cut => "cut",
        }
    }
}

/// What a result means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// The rule holds, or what was seen is only recorded.
    Good,
    /// A rule is broken.
    Broken,
    /// A rule of level `info` is broken: reported, does not break the run.
    Finding,
    /// The rule did not apply.
    Skipped,
    /// The answer is not known.
    Unknown,
}

/// A failing case, as small as it could be made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Failure {
    /// The statement that failed, as written in the catalog.
    pub statement: String,
    /// Its place: `specs/…/file.yaml:line:column`.
    pub place: String,
    /// What was seen, for example `f(…) returned 107000 (SOME_ERROR_NAME), expected success`.
    pub message: String,
    /// The rule's statement, from the catalog.
    pub rule_statement: String,
    /// The documents that the rule cites: `title (edition), section`.
    pub sources: Vec<String>,
    /// What the failed statement rests on: for each clause its id, what it says, where, and in which editions. Older
    /// journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// The failing values by name, in the order of `forall`, as text.
    pub values: Vec<(String, String)>,
    /// The same values in the form in which a case can be replayed. A list, if cases before this one are needed: they
    /// run in this order in one process, and this case is the last.
    pub replay_values: serde_json::Value,
    /// The devices that the rule's processes saw, as the machine numbers them; empty: all that there were, or an older
    /// journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// Number of the failing case, counted from 1, before shrinking.
    pub case: u64,
    /// How many times the case was made smaller.
    pub shrinks: u64,
    /// The budget was used up before there was nothing smaller to try. Older journals do not know it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The calls of the minimal case in order, one line each, with their arguments and results.
    pub trace: Vec<String>,
    /// The end of what the library printed, if it printed anything.
    pub output: String,
    /// What the runtime said of the thread's last errors right after the case had failed; empty: nothing, or it was not
    /// asked. Older journals do not know it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recent_error: String,
    /// A command that runs exactly this case again.
    pub replay: String,
    /// The case, or the cases that fail only together, as a C program, without the prelude that `atlas-cts reproducer`
    /// writes beside it. `None`: it cannot be printed as one, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What running the case again showed; `None`: it was not run again. Older journals do not know it.
    #[serde(default)]
    pub confirmation: Option<Confirmation>,
}

/// The end of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunEnd {
    /// End, RFC 3339 in UTC.
    pub finished: String,
    /// Wall time of the run in nanoseconds; of a resumed run, since it was resumed for the last time.
    pub nanoseconds: u64,
    /// Number of results by verdict.
    pub counts: BTreeMap<Verdict, u64>,
    /// Worker processes started, and the time that their start-up took together, in nanoseconds; of a resumed run,
    /// since it was resumed for the last time.
    pub workers_started: u64,
    /// The same by reason; older journals do not know it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub starts: BTreeMap<StartReason, Starts>,
    /// See `workers_started`.
    pub start_up_nanoseconds: u64,
    /// What happened to devices and processes; of a resumed run, since it was resumed for the last time. Journals before
    /// format 4 say it in `remarks`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Happened>,
    /// What the library did where no rule ran: while it was set up, when its process ended. It changes no verdict.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// Kept counterexamples that could not be tried because their file is broken: with `strict` the answer is not known.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unusable_cases: u64,
    /// What was done once more, for reasons of the infrastructure; of a resumed run, since it was resumed for the last
    /// time. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<Retry>,
    /// How known failures sort the results; `None`: there were none. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<AppliedExpectations>,
    /// The exit status: 0 nothing is broken but what is known, 1 a rule is broken, 3 the answer is not known. It follows
    /// from the settings, the results and what was expected, see [`exit_code`]; a journal that says something else is
    /// refused.
    pub exit: u8,
}

impl RunEnd {
    /// What is told about the run as a whole, a sentence each.
    pub fn told(&self) -> impl Iterator<Item = String> + '_ {
        self.events.iter().map(ToString::to_string).chain(self.remarks.iter().cloned())
    }
}

fn is_none(number: &u64) -> bool {
    *number == 0
}

/// The longest wait for a call, in seconds: 30 days.
pub const LONGEST_DEADLINE: u64 = 30 * 24 * 60 * 60;

/// The number of results by verdict.
pub fn counts(results: &[RuleResult]) -> BTreeMap<Verdict, u64> {
    let mut counts = BTreeMap::new();
    results.iter().for_each(|result| *counts.entry(result.verdict).or_default() += 1);
    counts
}

/// The exit status of a run with these results: of one that ends, and of one that is read again.
pub fn exit_code(
    settings: &RunSettings,
    results: &[RuleResult],
    unusable_cases: u64,
    expected: Option<&AppliedExpectations>,
) -> u8 {
    let counts = |result: &&RuleResult| !expected.is_some_and(|expected| expected.excuses(&result.id));
    let any = |meaning: Meaning| results.iter().filter(counts).any(|result| result.meaning() == meaning);
    let executed = results.iter().filter(|result| result.verdict != Verdict::Skipped).count() as u64;
    // Whether all parts together executed enough is known when they are merged.
    let whole = settings.part.is_none();
    let too_few = whole && settings.min_executed.is_some_and(|least| executed < least);
    let unknown = results.iter().filter(counts).any(|result| result.verdict.hides(result.level, settings.strict));
    let found = any(Meaning::Finding) || results.iter().filter(counts).any(|result| !result.findings.is_empty());
    let asked_for = expected.is_some_and(AppliedExpectations::breaks);
    if any(Meaning::Broken) || asked_for || (settings.strict && found) {
        1
    } else if unknown || too_few || (settings.strict && unusable_cases > 0) {
        3
    } else {
        0
    }
}

impl RuleResult {
    /// The runs that were made to see whether a failure comes again, see [`Confirmation::again`].
    pub fn runs_again(&self) -> Repeats {
        let confirmation = self.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
        confirmation.map(Confirmation::again).unwrap_or_default()
    }

    /// What the result means for the run.
    pub fn meaning(&self) -> Meaning {
        self.verdict.meaning(self.level)
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
