//! A run's options, from the command line and the environment.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{BoolishValueParser, RangedU64ValueParser};
use serde_json::Value as Json;

use crate::case::{CaseError, Effort, parse_json, parse_query};
use crate::pool::Debugger;
use crate::runtime::Runtime;
use crate::soak::Length;
use catalog::Specs;

use super::errors::{RunError, SelectionError};
use super::expectation_options::ExpectationOptions;
use super::headings::{DEVICE, PRODUCT, RESULTS, SELECTION, SIMULATOR, WORK};
use super::library::Backend;
use super::profile::Profile;
use super::tuning::{Given, MachineVariables, RUN, SimulatorOptions};

/// The minimum default memory limit for a worker, in bytes: a worker that uses less memory than this is not
/// suspicious.
const LEAST_LIMIT: u64 = 16 << 30;

/// The maximum value for `--repeat`.
const MOST_ROUNDS: u64 = 1_000_000;

/// The catalog that a command reads, and the product under test.
#[derive(Debug, Clone, Args)]
pub struct CatalogOptions {
    /// Product family under test; `auto` asks the device.
    #[arg(long, env = "ATLAS_CTS_PRODUCT", default_value = AUTO, value_name = "ID", help_heading = PRODUCT)]
    pub product: String,
    /// Read the catalog from this folder, not from the executable.
    #[arg(long, env = "ATLAS_CTS_SPECS", value_name = "DIR", help_heading = PRODUCT)]
    pub specs: Option<PathBuf>,
    /// Runtime to test; default: the runtime with the given product or rules.
    #[arg(long, env = "ATLAS_CTS_RUNTIME", value_name = "NAME", help_heading = PRODUCT, hide_short_help = true)]
    pub runtime: Option<String>,
}

/// The default product: the device reports which product it is.
const AUTO: &str = "auto";

impl Default for CatalogOptions {
    fn default() -> CatalogOptions {
        CatalogOptions { product: AUTO.to_owned(), specs: None, runtime: None }
    }
}

impl CatalogOptions {
    /// The catalog in the folder that `--specs` names or, without `--specs`, the embedded catalog.
    pub fn specs(&self, runtime: &Runtime) -> Specs {
        Specs::choose(self.specs.as_deref(), runtime.specs)
    }

    /// The given product; `None` if the device reports which product it is.
    pub fn named_product(&self) -> Option<&str> {
        Some(&*self.product).filter(|product| *product != AUTO)
    }
}

/// The machine that rules run on, and the folder for reports.
#[derive(Debug, Clone, Default, Args)]
pub struct MachineOptions {
    /// Path of the runtime's shared library.
    #[arg(long, env = "ATLAS_CTS_LIBRARY", value_name = "PATH", help_heading = DEVICE)]
    pub library: Option<PathBuf>,
    /// Folder for the reports [default: reports/out/<run>].
    #[arg(long, env = "ATLAS_CTS_REPORT_DIR", value_name = "DIR", help_heading = RESULTS)]
    pub report_dir: Option<PathBuf>,
    #[command(flatten)]
    pub variables: MachineVariables,
}

/// The conditions under which rules run.
#[derive(Debug, Clone, Default, Args)]
pub struct ConditionOptions {
    /// Number of devices to use; the simulated machine has four.
    #[arg(long, env = "ATLAS_CTS_DEVICES", value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024), help_heading = DEVICE)]
    pub devices: Option<u32>,
    /// Also provoke documented undefined behavior, isolated and not judged.
    #[arg(long, value_parser = BoolishValueParser::new(), help_heading = SELECTION, hide_short_help = true)]
    pub hazardous: bool,
    /// Nothing else uses the devices: also take all of their memory.
    #[arg(long, env = "ATLAS_CTS_DEDICATED", value_parser = BoolishValueParser::new(), help_heading = DEVICE)]
    pub dedicated: bool,
    /// Make the calls through this Python interface of the runtime.
    ///
    /// Its name is in python.yaml. ATLAS_CTS_PYTHON names the interpreter, which runs in each worker. Rules whose calls have no form there are skipped.
    #[arg(long, value_name = "NAME", help_heading = DEVICE, hide_short_help = true)]
    pub through: Option<String>,
}

/// The amount of work per rule.
#[derive(Debug, Clone, Default, Args)]
pub struct EffortOptions {
    /// Amount of work: smoke (the default), nightly, validation or soak.
    ///
    /// Every rule runs.
    #[arg(long, env = "ATLAS_CTS_PROFILE", value_enum, help_heading = WORK)]
    pub profile: Option<Profile>,
    /// Repeat cycles for this time, such as 8h or 30m, or this often each, such as 6000x; with --profile soak.
    ///
    /// A cycle acquires, uses and releases something. The run looks at what grows: memory, descriptors, threads,
    /// mappings, latency. Without a filter it repeats the catalog's cycles, with one the rules that the filter selects.
    #[arg(long = "for", value_name = "DURATION", help_heading = WORK, hide_short_help = true)]
    pub length: Option<Length>,
    /// Seed for the run; by default, profiles other than smoke draw one.
    #[arg(long, value_name = "N", help_heading = WORK)]
    pub seed: Option<u64>,
}

/// The device that rules run on, and the number of rules to run in parallel.
#[derive(Debug, Clone, Default, Args)]
pub struct WorkerOptions {
    /// Source of the library: auto, device or simulator.
    #[arg(long, env = "ATLAS_CTS_BACKEND", value_enum, default_value_t, help_heading = DEVICE)]
    pub backend: Backend,
    /// Number of rules to run in parallel.
    ///
    /// In a proof, the number of simulated devices. Default on real devices: one rule per device, which is also the
    /// maximum. Default on a simulated device: twice the number of processors, or four times in a proof.
    #[arg(long, env = "ATLAS_CTS_JOBS", value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024), help_heading = WORK)]
    pub jobs: Option<usize>,
}

/// The additional work that a run does, and the conditions under which it fails.
#[derive(Debug, Clone, Default, Args)]
pub struct RunOptions {
    /// Run exactly this case of the selected rule, or a list of cases.
    ///
    /// A list runs in order in one process. Alternatively, give `RULE:axis=value;axis=value` in place of the rule's
    /// id.
    #[arg(long, value_name = "JSON", help_heading = SELECTION, hide_short_help = true)]
    pub case: Option<String>,
    /// The query that gave the case, for messages.
    #[arg(skip)]
    pub query: Option<String>,
    /// Stop the run after this many broken rules.
    ///
    /// The other rules have no result; `--resume` runs them. Known failures do not count.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = WORK)]
    pub max_fail: Option<u64>,
    /// Run each rule this many times, each time with another seed.
    ///
    /// The result is that of the worst round, with the number of rounds that do not hold. A case, if given, runs
    /// unchanged in each round.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_ROUNDS), help_heading = WORK, hide_short_help = true)]
    pub repeat: Option<u64>,
    /// Also fail the run if a rule of level `info` is broken.
    #[arg(long, value_parser = BoolishValueParser::new(), help_heading = RESULTS)]
    pub strict: bool,
    /// Switch on a seeded defect, a bad device or a legal variant.
    #[arg(long = "defect", value_name = "NAME", value_delimiter = ',', help_heading = SIMULATOR)]
    pub defects: Vec<String>,
}

/// The options for a run. Each option can also be set with an environment variable, because some test runners pass no
/// arguments. Other commands offer only the groups of options that they read.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    pub catalog: CatalogOptions,
    #[command(flatten)]
    pub workers: WorkerOptions,
    #[command(flatten)]
    pub machine: MachineOptions,
    #[command(flatten)]
    pub conditions: ConditionOptions,
    #[command(flatten)]
    pub effort: EffortOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub tune: Given<RUN>,
    #[command(flatten)]
    pub known: ExpectationOptions,
    #[command(flatten)]
    pub simulator: SimulatorOptions,
    /// Finish the interrupted run in this folder, or `latest`.
    ///
    /// The folder may also be given as a name in reports/out. Rules that have a result are not run again. Other options
    /// on the command line must match those of the run, which replace those of the environment.
    #[arg(long, value_name = "DIR", help_heading = SELECTION)]
    pub resume: Option<PathBuf>,
    /// Run one rule in the foreground under this debugger.
    ///
    /// For example gdb, lldb, or 'gdb -tui'. Nothing has a deadline, and a failure is not confirmed or shrunk.
    #[arg(long, value_name = "COMMAND", help_heading = SELECTION, hide_short_help = true)]
    pub debugger: Option<Debugger>,
    /// The long names of the options on the command line; `None` if unknown.
    #[arg(skip)]
    pub on_command_line: Option<BTreeSet<String>>,
    /// Devices that were unusable when the resumed run started, by their names in the visibility variable.
    #[arg(skip)]
    pub devices_out: Vec<String>,
}

impl RunOptions {
    /// The error for a case, given as this JSON or as a query, that cannot run.
    pub(super) fn wrong_case(&self, json: &str, reason: String) -> RunError {
        match &self.query {
            Some(query) => RunError::Case { given: query.clone(), reason, form: "query" },
            None => RunError::Case { given: format!("--case {json}"), reason, form: "JSON" },
        }
    }
}

impl Options {
    /// The profile.
    pub(super) fn profile(&self) -> Profile {
        self.effort.profile.unwrap_or_default()
    }

    /// The amount of work per rule.
    pub(super) fn work(&self) -> Effort {
        // A run that repeats rules tries each as in smoke before.
        let profile = if self.effort.length.is_some() { Profile::Smoke } else { self.profile() };
        let mut work = profile.work(self.tune.rule_limit);
        for budget in [&mut work.single, &mut work.group, &mut work.apart, &mut work.fresh] {
            budget.exhaustive = self.tune.exhaustive;
        }
        work
    }

    /// The options for a run that only tries rules, on any device.
    pub fn of_rules(
        catalog: &CatalogOptions,
        conditions: &ConditionOptions,
        effort: &EffortOptions,
        simulator: &SimulatorOptions,
    ) -> Options {
        Options {
            catalog: catalog.clone(),
            machine: MachineOptions::default(),
            conditions: conditions.clone(),
            effort: effort.clone(),
            workers: WorkerOptions::default(),
            simulator: simulator.clone(),
            run: RunOptions::default(),
            tune: Given::default(),
            known: ExpectationOptions::default(),
            resume: None,
            debugger: None,
            on_command_line: None,
            devices_out: Vec::new(),
        }
    }

    /// Takes the case out of a query, `RULE:axis=value;…`, as if `--case` had given it. Returns true if there was a
    /// query. The query names its rule by the complete id.
    ///
    /// # Errors
    /// Fails if the text is not a query, or if it gives a case together with other rules or cases.
    pub fn take_query(&mut self, wanted: &mut [String]) -> Result<bool, SelectionError> {
        let Some(at) = wanted.iter().position(|text| text.contains(':')) else { return Ok(false) };
        let text = wanted[at].clone();
        let more = wanted.iter().enumerate().find(|(other, _)| *other != at).map(|(_, text)| text.clone());
        if let Some(other) = more.or_else(|| self.run.case.as_ref().map(|case| format!("--case {case}"))) {
            return Err(SelectionError::QueryAndMore { text, other });
        }
        let failed = |source| SelectionError::Query { text: text.clone(), source };
        let (rule, case) = parse_query(&text).map_err(failed)?;
        self.run.case = case.map(|case| case.to_string());
        self.run.query = Some(text.clone());
        wanted[at] = rule.to_owned();
        Ok(true)
    }

    /// True if single-device rules run on every device.
    pub(super) fn everywhere(&self) -> bool {
        self.tune.on_every_device.unwrap_or(self.profile() != Profile::Smoke)
    }

    /// A worker's memory limit, in bytes; `None` if there is no limit.
    pub(super) fn memory_of_workers(&self, simulated: bool) -> Option<u64> {
        match self.tune.worker_memory {
            Some(mebibytes) => (mebibytes > 0).then_some(mebibytes << 20),
            None if simulated => None,
            None => Some(LEAST_LIMIT.max(memory_of_machine() / 2)),
        }
    }

    /// The cases given by `--case`: a single case, or a list that runs in order in one process. Empty if no case
    /// was given.
    pub(super) fn only_cases(&self) -> Result<Vec<Json>, RunError> {
        let Some(text) = &self.run.case else { return Ok(Vec::new()) };
        let failed = |reason: String| self.run.wrong_case(text, reason);
        match parse_json(text).map_err(|error| failed(error.to_string()))? {
            Json::Array(cases) if cases.is_empty() => Err(failed(CaseError::NoCases.to_string())),
            Json::Array(cases) => Ok(cases),
            case => Ok(vec![case]),
        }
    }
}

/// The machine's memory, in bytes; 0 if the system does not report it.
fn memory_of_machine() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse().ok());
    total.map_or(0, |kibibytes: u64| kibibytes << 10)
}
