//! What a run is asked to do: the command line and the environment.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use clap::builder::{BoolishValueParser, RangedU64ValueParser};
use serde_json::Value as Json;
use simulator_contract::environment;

use crate::case::{CaseError, LEAST_PATIENCE, Work, parse_json};
use crate::runtime::Runtime;
use catalog::Specs;
use record::LONGEST_DEADLINE;

use super::errors::RunError;
use super::expectation_options::ExpectationOptions;
use super::library::Backend;
use super::profile::Profile;

/// Seconds without progress that are a hang.
pub(super) const DEFAULT_DEADLINE: u64 = 30;

/// Where the locks of devices lie. Not below TMPDIR: users who have different ones would not exclude each other.
pub(super) const LOCK_FOLDER: &str = "/tmp/atlas-cts-locks";

/// The longest wait for a device, in seconds: a week.
const LONGEST_WAIT: u64 = 7 * 24 * 3600;

/// The largest limit of a worker's memory, in mebibytes: a pebibyte.
const MOST_MEBIBYTES: u64 = 1 << 30;

/// The least that a worker is limited to if nothing is given: fewer bytes are no sign of a mistake.
const LEAST_LIMIT: u64 = 16 << 30;

/// Kibibytes of logs that are kept for a rule.
const DEFAULT_LOGS: u64 = 64;

/// The most that may be asked for: sixteen mebibytes.
const MOST_LOGS: u64 = 16 << 10;

/// How long rules wait for what is expected to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Waiting {
    /// As long as what the device takes before the run says.
    #[default]
    Measured,
    /// So many milliseconds.
    Given(u32),
}

/// The longest that rules may be made to wait, in milliseconds.
pub(super) const MOST_PATIENCE: u32 = 600_000;

impl FromStr for Waiting {
    type Err = String;

    fn from_str(text: &str) -> Result<Waiting, String> {
        match text.parse() {
            _ if text == "auto" => Ok(Waiting::Measured),
            Ok(given) if (LEAST_PATIENCE..=MOST_PATIENCE).contains(&given) => Ok(Waiting::Given(given)),
            _ => Err(format!("write `auto`, or {LEAST_PATIENCE} to {MOST_PATIENCE} milliseconds")),
        }
    }
}

/// The catalog that a command reads, and the product that it is read for.
#[derive(Debug, Clone, Args)]
pub struct CatalogOptions {
    /// The runtime to test; if it is not given, the one that has the product or the rules.
    #[arg(long, env = "ATLAS_CTS_RUNTIME", value_name = "NAME")]
    pub runtime: Option<String>,
    /// Product family under test, or `auto`: what the device says it is.
    #[arg(long, env = "ATLAS_CTS_PRODUCT", default_value = AUTO, value_name = "ID")]
    pub product: String,
    /// Folder of a catalog to use in place of the one that the executable carries.
    #[arg(long, env = "ATLAS_CTS_SPECS", value_name = "DIR")]
    pub specs: Option<PathBuf>,
}

/// The product that is not given: what the device says it is.
const AUTO: &str = "auto";

impl CatalogOptions {
    /// The catalog: in the folder that was given, or the one that the executable carries.
    pub fn specs(&self, runtime: &Runtime) -> Specs {
        Specs::choose(self.specs.as_deref(), runtime.specs)
    }

    /// The product that was given; `None`: the device says what it is.
    pub fn named_product(&self) -> Option<&str> {
        Some(&*self.product).filter(|product| *product != AUTO)
    }
}

/// The machine that rules run on, and where its reports go.
#[derive(Debug, Clone, Default, Args)]
pub struct MachineOptions {
    /// The runtime's shared library.
    #[arg(long, env = "ATLAS_CTS_LIBRARY", value_name = "PATH")]
    pub library: Option<PathBuf>,
    /// This machine is to be taken for a physical one, although it looks like a virtual one or does not show what it is:
    /// what is documented for physical machines is judged.
    #[arg(long, env = "ATLAS_CTS_ASSUME_BARE_METAL", value_parser = BoolishValueParser::new())]
    pub assume_bare_metal: bool,
    /// Folder of the locks of devices. Runs exclude each other as far as they share it, also those of other users and
    /// containers.
    #[arg(long, env = "ATLAS_CTS_LOCKS", value_name = "DIR", default_value = LOCK_FOLDER)]
    pub lock_dir: PathBuf,
    /// Seconds to wait for a device that another run uses, and for the journal where another process holds its lock (ten
    /// at most).
    #[arg(long, env = "ATLAS_CTS_LOCK_WAIT", value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(..=LONGEST_WAIT))]
    pub lock_wait: u64,
    /// Folder of the reports; default reports/out/<run>.
    #[arg(long, env = "ATLAS_CTS_REPORT_DIR", value_name = "DIR")]
    pub report_dir: Option<PathBuf>,
}

/// The conditions that rules run under.
#[derive(Debug, Clone, Args)]
pub struct ConditionOptions {
    /// How many devices to use; the simulated machine has four.
    #[arg(long, env = "ATLAS_CTS_DEVICES", value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub devices: Option<u32>,
    /// Where programs run on the simulated machine: host or device.
    #[arg(long, env = "ATLAS_CTS_RUN_MODE", value_name = "MODE")]
    pub run_mode: Option<String>,
    /// Seconds after which a call that does not return is a hang.
    #[arg(long, env = "ATLAS_CTS_DEADLINE", value_name = "SECONDS", default_value_t = DEFAULT_DEADLINE, value_parser = clap::value_parser!(u64).range(1..=LONGEST_DEADLINE))]
    pub deadline: u64,
    /// Also run, isolated and only observed, what the documents call undefined.
    #[arg(long, env = "ATLAS_CTS_HAZARDOUS", value_parser = BoolishValueParser::new())]
    pub hazardous: bool,
    /// Nobody else uses the devices: also run what takes all memory of one.
    #[arg(long, env = "ATLAS_CTS_DEDICATED", value_parser = BoolishValueParser::new())]
    pub dedicated: bool,
}

/// The work that a rule may cost, and what it is judged by.
#[derive(Debug, Clone, Args)]
pub struct EffortOptions {
    /// How much work: smoke (if nothing is given), nightly, validation or soak.
    #[arg(long, env = "ATLAS_CTS_PROFILE", value_enum)]
    pub profile: Option<Profile>,
    /// The run's seed; profiles other than smoke draw one.
    #[arg(long, env = "ATLAS_CTS_SEED", value_name = "N")]
    pub seed: Option<u64>,
    /// Seconds after which no further case of a rule is started: a guard against hangs. A rule that it cuts is not known.
    /// Default: 600 in smoke, more in other profiles.
    #[arg(long, env = "ATLAS_CTS_RULE_LIMIT", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=LONGEST_DEADLINE))]
    pub rule_limit: Option<u64>,
    /// Milliseconds that rules wait for what is expected to happen, or `auto`: at least 2000, and more where the device takes
    /// longer, which is measured before the run.
    #[arg(long, env = "ATLAS_CTS_PATIENCE", value_name = "MS", default_value = "auto")]
    pub patience: Waiting,
    /// Mebibytes of memory that a worker may take beside what the runtime holds once it is set up; 0: no limit. Default: on
    /// the simulated device none, elsewhere half of the machine's memory, and no less than 16 GiB.
    #[arg(long, env = "ATLAS_CTS_WORKER_MEMORY", value_name = "MIB", value_parser = clap::value_parser!(u64).range(..=MOST_MEBIBYTES))]
    pub worker_memory: Option<u64>,
    /// Only observe checks that assume this axiom (axioms.yaml; `explain` names those of a rule). May be given several times.
    #[arg(long = "without-axiom", value_name = "ID")]
    pub without_axioms: Vec<String>,
}

/// Where rules run, and how many at a time.
#[derive(Debug, Clone, Default, Args)]
pub struct WorkerOptions {
    /// Where the library may come from.
    #[arg(long, env = "ATLAS_CTS_BACKEND", value_enum, default_value_t)]
    pub backend: Backend,
    /// Use each device, whether it works or not: without the small operation that it has to do before the run.
    #[arg(long, env = "ATLAS_CTS_SKIP_GATE", value_parser = BoolishValueParser::new())]
    pub skip_gate: bool,
    /// How many rules run at the same time, or how many devices in a proof. If nothing is given: on real devices as
    /// many as there are devices, and never more; on a simulated one as many as there are processors, in a proof twice
    /// as many.
    #[arg(long, env = "ATLAS_CTS_JOBS", value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub jobs: Option<usize>,
}

/// The simulated device.
#[derive(Debug, Clone, Args)]
pub struct SimulatorOptions {
    /// The edition of the runtime that the simulated device plays, `none` for a library without a version call; the
    /// newest if nothing is given.
    #[arg(long, env = environment::EDITION, value_name = "EDITION")]
    pub sim_edition: Option<String>,
    /// Mebibytes of memory that each simulated device has; as many as the product has if nothing is given. Less suits
    /// machines on which large reservations are slow or not allowed: emulators, small containers.
    #[arg(long, env = environment::MEMORY, value_name = "MIB", value_parser = clap::value_parser!(u64).range(environment::LEAST_MEMORY..=environment::MOST_MEMORY))]
    pub sim_memory: Option<u64>,
    /// Milliseconds that the simulated runtime takes to start.
    #[arg(long, env = environment::STARTUP_MS, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=3_600_000))]
    pub start_up_ms: u64,
    /// Nanoseconds that each call of the simulated runtime takes.
    #[arg(long, env = environment::CALL_NS, value_name = "NS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=60_000_000_000))]
    pub call_ns: u64,
    /// A seed that decides in which order the streams of the simulated device work, and when; `prove` takes the run's seed.
    /// Without it, and with several processes, the processor decides.
    #[arg(long, env = environment::SCHEDULE, value_name = "SEED")]
    pub sim_schedule: Option<u64>,
}

/// What a run does beside trying rules, and when it is broken.
#[derive(Debug, Clone, Default, Args)]
pub struct RunOptions {
    /// Fail the run (exit status 3) if fewer devices work before it begins.
    #[arg(long, env = "ATLAS_CTS_MIN_DEVICES", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub min_devices: Option<u32>,
    /// Run each rule of one device on each device, and not on one that seed and id choose. Profiles longer than smoke do
    /// it unless this says false.
    #[arg(long, env = "ATLAS_CTS_ON_EVERY_DEVICE", value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub on_every_device: Option<bool>,
    /// A command of the shell that may bring a device back which is out, for example a reset that the site allows. It finds
    /// the device in ATLAS_CTS_DEVICE and the reason in ATLAS_CTS_REASON; twice for a device at most. Without it a device
    /// that is out stays out.
    #[arg(long, env = "ATLAS_CTS_RECOVER_CMD", value_name = "COMMAND")]
    pub recover_cmd: Option<String>,
    /// Seconds that the command may take.
    #[arg(long, env = "ATLAS_CTS_RECOVER_LIMIT", value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub recover_limit: u64,
    /// Run exactly this case of the selected rule, or these, in order and in one process: the JSON that a failure prints.
    #[arg(long, value_name = "JSON")]
    pub case: Option<String>,
    /// Rules of level `info` break the run too.
    #[arg(long, env = "ATLAS_CTS_STRICT", value_parser = BoolishValueParser::new())]
    pub strict: bool,
    /// Fail the run (exit status 3) if fewer rules were executed.
    #[arg(long, env = "ATLAS_CTS_MIN_EXECUTED", value_name = "N")]
    pub min_executed: Option<u64>,
    /// Kibibytes of what driver and runtime logged that are kept for each rule which is broken or without an answer; of the
    /// whole run 64 times as much; 0: nothing. On the embedded simulated device there is nothing.
    #[arg(long, env = "ATLAS_CTS_LOGS", value_name = "KIB", default_value_t = DEFAULT_LOGS, value_parser = clap::value_parser!(u64).range(..=MOST_LOGS))]
    pub logs: u64,
    /// The root of the system whose kernel and devices logged, where it is not this process's own: a host's, mounted into
    /// a container.
    #[arg(long, env = "ATLAS_CTS_LOG_ROOT", value_name = "DIR", default_value = "/")]
    pub log_root: PathBuf,
    /// Replace what names a machine, a site or a person by tokens, in logs and reports: hosts, users, home folders,
    /// addresses, serial numbers, ids of cards and chips.
    #[arg(long, env = "ATLAS_CTS_REDACT", value_parser = BoolishValueParser::new())]
    pub redact: bool,
    /// Copy counterexamples to the folder that ATLAS_CTS_REGRESSIONS names, where every later run tries them first; under
    /// cargo to fixtures/regressions of the checkout.
    #[arg(long)]
    pub keep: bool,
    /// Switch a seeded defect, a bad device or a legal variant of the simulated device on; may be repeated.
    #[arg(long = "defect", env = "ATLAS_CTS_DEFECT", value_name = "NAME", value_delimiter = ',')]
    pub defects: Vec<String>,
}

/// The options of a run, each with an environment variable, for runners that pass no arguments on. A command that does less
/// offers the groups that it reads.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    pub catalog: CatalogOptions,
    #[command(flatten)]
    pub machine: MachineOptions,
    #[command(flatten)]
    pub conditions: ConditionOptions,
    #[command(flatten)]
    pub effort: EffortOptions,
    #[command(flatten)]
    pub workers: WorkerOptions,
    #[command(flatten)]
    pub simulator: SimulatorOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub known: ExpectationOptions,
    /// Finish the run in this folder, which was killed: run what has no result. A name below reports/out, or `latest`,
    /// will do. Whatever else is given must be what that run was started with.
    #[arg(long, env = "ATLAS_CTS_RESUME", value_name = "DIR")]
    pub resume: Option<PathBuf>,
    /// Devices, as the variable names them that shows them, that were out when the run began that is resumed.
    #[arg(skip)]
    pub devices_out: Vec<String>,
}

impl EffortOptions {
    /// The work that a rule may cost.
    pub(super) fn work(&self) -> Work {
        self.profile.unwrap_or_default().work(self.rule_limit)
    }
}

impl Options {
    /// Those of rules that are tried and no more, on any device.
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
            known: ExpectationOptions::default(),
            resume: None,
            devices_out: Vec::new(),
        }
    }

    /// Whether rules of one device run on each.
    pub(super) fn everywhere(&self) -> bool {
        self.run.on_every_device.unwrap_or(self.effort.profile.unwrap_or_default() != Profile::Smoke)
    }

    /// Bytes that a worker may take; `None`: there is no limit.
    pub(super) fn memory_of_workers(&self, simulated: bool) -> Option<u64> {
        match self.effort.worker_memory {
            Some(mebibytes) => (mebibytes > 0).then_some(mebibytes << 20),
            None if simulated => None,
            None => Some(LEAST_LIMIT.max(memory_of_machine() / 2)),
        }
    }

    /// The cases of `--case`: one, or a list that runs in order in one process. Empty: none was given.
    pub(super) fn only_cases(&self) -> Result<Vec<Json>, RunError> {
        let Some(text) = &self.run.case else { return Ok(Vec::new()) };
        let failed = |reason: String| RunError::Case { text: text.clone(), reason };
        match parse_json(text).map_err(|error| failed(error.to_string()))? {
            Json::Array(cases) if cases.is_empty() => Err(failed(CaseError::NoCases.to_string())),
            Json::Array(cases) => Ok(cases),
            case => Ok(vec![case]),
        }
    }
}

/// Bytes of the machine's memory; 0: the system does not say.
fn memory_of_machine() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse().ok());
    total.map_or(0, |kibibytes: u64| kibibytes << 10)
}
