//! A run: the catalog, the library, the devices, the journal.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::bindings::Bindings;
use crate::catalog::CatalogError;
use crate::generate::rule_seed;
use crate::record::{LibraryIdentity, Meaning, RuleResult, RunEnd, RunHeader, RunSettings, Verdict};
use crate::rules::{CatalogPlace, Rules, load};
use crate::select::{Target, applies, product};

use super::child::Deadlines;
use super::choice::{Backend, LibraryChoice, choose_library};
use super::identity::LibraryFile;
use super::options::{Options, Profile};
use super::owners::Outcome;
use super::pool::{Factory, Pool};
use super::quarantine::Quarantine;
use super::simulator::SimulatorOptions;
use super::trial::Trial;

/// The seed of a run that is given none.
pub const DEFAULT_SEED: u64 = 20_260_101;
/// Devices of the simulated machine when their number is not given.
const SIMULATED_DEVICES: u32 = 4;

/// Why a run cannot start.
#[derive(Debug)]
pub enum SessionError {
    /// The catalog has mistakes.
    Catalog(CatalogError),
    /// The command line asks for something that does not exist.
    Usage(String),
    /// The library, a device or the file system is in the way.
    Environment(String),
}

impl SessionError {
    /// The status that the command ends with.
    pub fn exit(&self) -> ExitStatus {
        match self {
            SessionError::Catalog(_) | SessionError::Usage(_) => ExitStatus::Usage,
            SessionError::Environment(_) => ExitStatus::Unknown,
        }
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionError::Catalog(error) => error.fmt(f),
            SessionError::Usage(message) | SessionError::Environment(message) => write!(f, "error: {message}"),
        }
    }
}

impl std::error::Error for SessionError {}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Every rule that applies holds.
    Conformant = 0,
    /// A rule is broken.
    Broken = 1,
    /// The command line or the catalog is wrong.
    Usage = 2,
    /// The environment or a device failed: the answer is not known.
    Unknown = 3,
}

impl ExitStatus {
    /// The status of a number.
    pub fn from_code(code: u8) -> ExitStatus {
        match code {
            0 => ExitStatus::Conformant,
            1 => ExitStatus::Broken,
            2 => ExitStatus::Usage,
            _ => ExitStatus::Unknown,
        }
    }
}

/// Runs a command; what it could not do is printed. A panic, of the suite or because nothing can be printed any more,
/// is no answer.
pub fn conclude(command: impl FnOnce() -> Result<ExitStatus, SessionError>) -> ExitCode {
    let status = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(command)) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => {
            // Where nothing can be printed, the status still tells.
            let _ = writeln!(std::io::stderr(), "{error}");
            error.exit()
        }
        Err(_) => ExitStatus::Unknown,
    };
    ExitCode::from(status as u8)
}

/// Something that a run can execute: a rule of the catalog, or one that is derived from the support table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    pub id: String,
    pub chapter: String,
    /// Position in [`Rules::rules`]; `None`: the derived rule on exported functions.
    pub(super) rule: Option<usize>,
}

/// An open run.
pub struct Session {
    pub rules: Arc<Rules>,
    pub target: Target,
    pub header: RunHeader,
    pub(super) factory: Factory,
    pub(super) profile: Profile,
    /// If there are any: these cases, in this order, and no others.
    pub(super) only_cases: Vec<Json>,
    pub(super) regressions: PathBuf,
    /// Failing cases are run again, alone in a fresh process.
    pub(super) confirms: bool,
    /// Milliseconds that running failures again has taken.
    pub(super) confirming: AtomicU64,
    /// How the next rule runs, in a proof.
    pub(super) trial: Trial,
    /// Files of that folder when the run began.
    pub(super) known: HashSet<OsString>,
    pub(super) pool: Pool,
    /// What each rule of the catalog showed, once it has run.
    pub(super) outcomes: Vec<OnceLock<Outcome>>,
    strict: bool,
    min_executed: Option<u64>,
    begun: Instant,
    results: Mutex<Vec<RuleResult>>,
    /// Held until the run is over: no other run uses these devices.
    pub(super) _locks: Vec<std::fs::File>,
}

/// The folder of the project that this executable was built from.
pub fn project_root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().unwrap_or(root)
}

/// The folder of known counterexamples.
pub(super) fn regressions_folder() -> PathBuf {
    std::env::var_os("ATLAS_CTS_REGRESSIONS").map_or_else(|| project_root().join("fixtures/regressions"), PathBuf::from)
}

/// The catalog of the options, checked.
pub fn load_rules(options: &Options, bindings: &'static Bindings) -> Result<Rules, SessionError> {
    let root = options.specs();
    if !root.join("products.yaml").exists() {
        let message =
            format!("{} holds no catalog (no products.yaml); name its folder with --specs DIR", root.display());
        return Err(SessionError::Usage(message));
    }
    load(&CatalogPlace { root, bindings, defects: crate::defects::names() }, None).map_err(SessionError::Catalog)
}

/// What a run of these rules consists of, in the order of the catalog.
pub fn plan(rules: &Rules) -> Vec<Planned> {
    let mut planned: Vec<Planned> = rules
        .rules
        .iter()
        .enumerate()
        .map(|(index, rule)| Planned {
            id: rule.id.clone(),
            chapter: rules.chapters[rule.chapter].name.clone(),
            rule: Some(index),
        })
        .collect();
    if !rules.support.is_empty() {
        planned.push(Planned {
            id: format!("{}.support.exported", rules.runtime),
            chapter: "support".to_owned(),
            rule: None,
        });
    }
    planned
}

impl Session {
    /// Loads the library in a worker, asks the runtime what it is, and selects the rules that apply.
    pub fn open(options: &Options, rules: Arc<Rules>, specs: PathBuf) -> Result<Session, SessionError> {
        if options.library.is_some() && options.backend == Backend::Simulator {
            let message = "--library and --backend simulator exclude each other; give one of them";
            return Err(SessionError::Usage(message.to_owned()));
        }
        let choice = choose_library(options.library.as_deref(), options.backend, &rules.library)
            .map_err(SessionError::Environment)?;
        if options.product != "auto" {
            product(&rules, &options.product).map_err(SessionError::Usage)?;
        }
        let only_cases = match &options.case {
            None => Vec::new(),
            Some(text) => only_cases(text).map_err(|error| {
                SessionError::Usage(format!("--case {text}: {error}; give the JSON that a failure prints"))
            })?,
        };
        for name in &options.defects {
            check_fault_name(name, &rules)?;
        }
        if !options.defects.is_empty() && !choice.embedded {
            let message = "--defect changes the simulated device, but another library is tested; leave one of them out";
            return Err(SessionError::Usage(message.to_owned()));
        }
        let mut session = Session::prepare(options, rules, specs, &choice, only_cases)?;
        session.probe(options, &choice)?;
        Ok(session)
    }

    /// A session without a look at the library: everything is known already.
    fn prepare(
        options: &Options,
        rules: Arc<Rules>,
        specs: PathBuf,
        choice: &LibraryChoice,
        only_cases: Vec<Json>,
    ) -> Result<Session, SessionError> {
        let environment = |error: std::io::Error, what: &str| SessionError::Environment(format!("{what}: {error}"));
        let product = if options.product == "auto" { rules.default_product.clone() } else { options.product.clone() };
        let run_mode = options.run_mode.clone().unwrap_or_else(|| "host".to_owned());
        if !matches!(run_mode.as_str(), "host" | "device") {
            return Err(SessionError::Usage(format!("--run-mode {run_mode}: there are `host` and `device`")));
        }
        let devices = options.devices.unwrap_or(SIMULATED_DEVICES);
        if devices == 0 {
            return Err(SessionError::Usage("--devices 0: a run needs at least one device".to_owned()));
        }
        let simulator = choice.embedded.then(|| SimulatorOptions {
            product: product.clone(),
            devices,
            run_mode: run_mode.clone(),
            defects: options.defects.clone(),
            start_up_ms: options.start_up_ms,
            call_ns: options.call_ns,
            notes_reach: false,
            glitches: false,
        });
        let profile = options.profile.unwrap_or_default();
        let seed = options.seed.unwrap_or(if profile == Profile::Smoke { DEFAULT_SEED } else { random_seed() });
        let library =
            LibraryFile::new(&choice.path).map_err(|error| environment(error, &choice.path.display().to_string()))?;
        let started = OffsetDateTime::now_utc();
        let header = RunHeader {
            format: crate::record::Journal::FORMAT,
            suite: env!("CARGO_PKG_VERSION").to_owned(),
            run: String::new(),
            started: started.format(&Rfc3339).unwrap_or_default(),
            runtime: rules.runtime.clone(),
            product: product.clone(),
            reported_name: None,
            library: LibraryIdentity {
                path: choice.path.display().to_string(),
                sha256: library.sha256.clone(),
                version: None,
                simulated: choice.embedded,
                chosen_by: choice.chosen_by.clone(),
            },
            run_mode: run_mode.clone(),
            devices,
            edition: None,
            seed,
            profile: profile.name().to_owned(),
            catalog_digest: rules.digest.clone(),
            rules: plan(&rules).len(),
            defects: options.defects.clone(),
            settings: RunSettings {
                rules: None,
                case: options.case.as_deref().and_then(|text| serde_json::from_str(text).ok()),
                specs: options
                    .specs
                    .as_deref()
                    .and_then(|specs| Some(std::path::absolute(specs).ok()?.display().to_string())),
                deadline: options.deadline,
                hazardous: options.hazardous,
                dedicated: options.dedicated,
                strict: options.strict,
                min_executed: options.min_executed,
            },
            resumed: Vec::new(),
        };
        let executable = std::env::current_exe().map_err(|error| environment(error, "this executable's own path"))?;
        let step = Duration::from_secs(options.deadline.max(1));
        let factory = Factory {
            runtime: rules.runtime.clone(),
            executable,
            specs,
            digest: rules.digest.clone(),
            library,
            simulator,
            deadlines: Deadlines { step, start: step * 4 },
            only: None,
            started: AtomicU64::new(0),
            start_up: AtomicU64::new(0),
            quarantine: Quarantine::default(),
            remarks: Arc::default(),
        };
        let regressions = regressions_folder();
        Ok(Session {
            target: Target {
                product,
                run_mode,
                devices,
                edition: None,
                // The simulated device runs no code in the kernel.
                kernel: if choice.embedded { None } else { crate::select::kernel() },
                hazardous: options.hazardous,
                dedicated: options.dedicated || choice.embedded,
            },
            outcomes: rules.rules.iter().map(|_| OnceLock::new()).collect(),
            rules,
            header,
            factory,
            profile,
            only_cases,
            known: std::fs::read_dir(&regressions)
                .map(|entries| entries.flatten().map(|entry| entry.file_name()).collect())
                .unwrap_or_default(),
            regressions,
            confirms: true,
            confirming: AtomicU64::new(0),
            trial: Trial::default(),
            pool: Pool::new(super::machines::machines_folder()),
            strict: options.strict,
            min_executed: options.min_executed,
            begun: Instant::now(),
            results: Mutex::new(Vec::new()),
            _locks: Vec::new(),
        })
    }

    /// The same run on a simulated device with these defects: for proofs.
    pub fn with_defects(&self, options: &Options, defects: Vec<String>) -> Result<Session, SessionError> {
        let choice =
            choose_library(None, Backend::Simulator, &self.rules.library).map_err(SessionError::Environment)?;
        let options = Options { defects, product: self.target.product.clone(), ..options.clone() };
        let mut session =
            Session::prepare(&options, self.rules.clone(), self.factory.specs.clone(), &choice, Vec::new())?;
        session.target = self.target.clone();
        // A proof runs thousands of failing cases that nobody reads.
        session.confirms = false;
        session.trial.unread = true;
        // What a proof shows does not rest on cases that earlier runs kept.
        session.known.clear();
        Ok(session)
    }

    /// Why a rule does not apply here; `None`: it does.
    pub fn skip(&self, rule: &crate::rules::Rule) -> Option<String> {
        let devices = rule.program.processes.iter().map(|process| process.device + 1);
        let wanted = devices.max().unwrap_or(1);
        match applies(rule, &self.target, &self.rules) {
            Err(skip) => Some(skip.to_string()),
            Ok(()) if wanted > self.target.devices => {
                Some(crate::select::Skip::Devices { wanted, are: self.target.devices }.to_string())
            }
            Ok(()) => None,
        }
    }

    /// Runs something planned, or says why it does not apply.
    pub fn execute(&self, planned: &Planned) -> RuleResult {
        let result = self.perform(planned);
        self.count(result.clone());
        result
    }

    /// Takes a result into account: in the counts and the exit status.
    pub(super) fn count(&self, result: RuleResult) {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
    }

    /// Whether something planned applies here.
    pub(super) fn runs(&self, planned: &Planned) -> bool {
        planned.rule.is_none_or(|index| self.skip(&self.rules.rules[index]).is_none())
    }

    /// The result of something planned that is not run.
    pub(super) fn unanswered(&self, planned: &Planned, reason: String) -> RuleResult {
        let result = match planned.rule {
            None => self.exported_result(planned),
            Some(index) => {
                let rule = &self.rules.rules[index];
                self.empty_result(rule, rule_seed(self.header.seed, &rule.id))
            }
        };
        RuleResult { verdict: Verdict::Error, reason, ..result }
    }

    pub(super) fn perform(&self, planned: &Planned) -> RuleResult {
        match planned.rule {
            None => self.exported(planned),
            Some(index) => self.judged(index),
        }
    }

    /// The results so far.
    pub fn results(&self) -> Vec<RuleResult> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the workers and sums the run up.
    pub fn finish(&self) -> RunEnd {
        self.pool.close(self.factory.deadlines);
        let results = self.results();
        let mut counts: BTreeMap<Verdict, u64> = BTreeMap::new();
        for result in &results {
            *counts.entry(result.verdict).or_default() += 1;
        }
        RunEnd {
            finished: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(),
            nanoseconds: self.begun.elapsed().as_nanos() as u64,
            counts,
            workers_started: self.factory.started.load(Ordering::Relaxed),
            start_up_nanoseconds: self.factory.start_up.load(Ordering::Relaxed),
            remarks: self.factory.remarks.all(),
            exit: self.exit(&results) as u8,
        }
    }

    /// Whether a result keeps the run from being conformant.
    pub fn breaks(&self, result: &RuleResult) -> bool {
        match result.meaning() {
            Meaning::Broken | Meaning::Unknown => true,
            Meaning::Finding => self.strict,
            Meaning::Good | Meaning::Skipped => false,
        }
    }

    fn exit(&self, results: &[RuleResult]) -> ExitStatus {
        let any = |meaning: Meaning| results.iter().any(|result| result.meaning() == meaning);
        let executed = results.iter().filter(|result| result.verdict != Verdict::Skipped).count() as u64;
        if any(Meaning::Broken) || (self.strict && any(Meaning::Finding)) {
            ExitStatus::Broken
        } else if any(Meaning::Unknown) || self.min_executed.is_some_and(|least| executed < least) {
            ExitStatus::Unknown
        } else {
            ExitStatus::Conformant
        }
    }

    /// The fewest rules that the run must execute, if that was asked for.
    pub fn min_executed(&self) -> Option<u64> {
        self.min_executed
    }

    /// The folder of known counterexamples.
    pub fn regressions(&self) -> &Path {
        &self.regressions
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.pool.close(self.factory.deadlines);
    }
}

fn check_fault_name(name: &str, rules: &Rules) -> Result<(), SessionError> {
    use crate::defects::{BAD_DEVICES, DEFECTS, DENY, VARIANTS};
    if let Some(function) = name.strip_prefix(DENY) {
        let declarations = &rules.environment.declarations;
        if let Some(found) = declarations.function(function) {
            if Some(found.returns) == rules.environment.result {
                return Ok(());
            }
            let message =
                format!("--defect {name}: `{function}` does not answer with a code, so that it cannot refuse");
            return Err(SessionError::Usage(message));
        }
        let hint = crate::lang::suggest::hint(function, declarations.function_names());
        return Err(SessionError::Usage(format!("--defect {name}: `{function}` is not in the header{hint}")));
    }
    let known: Vec<&str> = DEFECTS.iter().chain(BAD_DEVICES).chain(VARIANTS).map(|defect| defect.name).collect();
    if known.contains(&name) {
        return Ok(());
    }
    let hint = crate::lang::suggest::hint(name, known.iter().copied());
    Err(SessionError::Usage(format!(
        "--defect {name}: there is no such defect{hint}; `atlas-cts simulator --list` names all"
    )))
}

/// One case, or a list of cases.
fn only_cases(text: &str) -> Result<Vec<Json>, String> {
    match serde_json::from_str(text).map_err(|error| error.to_string())? {
        Json::Array(cases) if cases.is_empty() => Err("the list has no case".to_owned()),
        Json::Array(cases) => Ok(cases),
        case => Ok(vec![case]),
    }
}

fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library seeds this from the operating system.
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
