//! The keys of `--tune` and `--sim`, and the environment variables that describe a machine.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::str::FromStr;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use simulator_contract::environment;

use super::headings::{SIMULATOR, WORK};
use super::keys::{Key, Kind, option, read};
use crate::case::LEAST_PATIENCE;
use record::LONGEST_DEADLINE;

/// The default value for the key `deadline`, in seconds.
pub(super) const DEFAULT_DEADLINE: u64 = 30;

/// The default folder for device locks. The folder is not in TMPDIR, because users with different values of TMPDIR
/// would not exclude each other.
pub(super) const LOCK_FOLDER: &str = "/tmp/atlas-cts-locks";

/// The maximum wait for a device, in seconds: one week.
const LONGEST_WAIT: u64 = 7 * 24 * 3600;
/// The maximum memory limit for a worker, in mebibytes: one pebibyte.
const MOST_MEBIBYTES: u64 = 1 << 30;
/// The maximum of the key `logs`, in KiB.
const MOST_LOGS: u64 = 16 << 10;

/// The time that rules wait for an expected event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Waiting {
    /// Derived from the device's measured times before the run.
    #[default]
    Measured,
    /// A given time, in milliseconds.
    Given(u32),
}

/// The maximum of the key `patience`, in milliseconds.
const MOST_PATIENCE: u32 = 600_000;

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

/// The command `run`, as the reader of a key.
pub const RUN: u8 = 1;
/// The command `prove`.
pub const PROVE: u8 = 2;
/// The command `doctor`.
pub const DOCTOR: u8 = 4;
/// The command `print`.
pub const PRINT: u8 = 8;

/// Limits and times that few runs change.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// Seconds after which a call that has not returned counts as a hang.
    pub deadline: u64,
    /// Seconds after which the watchdog starts no further cases for a rule.
    pub rule_limit: Option<u64>,
    /// The time that rules wait for an expected event.
    pub patience: Waiting,
    /// The longest sequences that are run completely.
    pub exhaustive: Option<u32>,
    /// The memory limit of a worker in MiB; 0: none.
    pub worker_memory: Option<u64>,
    /// True if the memory of a case becomes inaccessible when the case has ended.
    pub fenced_memory: bool,
    /// Axioms whose checks are only observed.
    pub without_axioms: Vec<String>,
    /// True if single-device rules run on every device; `None`: in profiles longer than smoke.
    pub on_every_device: Option<bool>,
    /// The number of devices that must work at the start.
    pub min_devices: Option<u32>,
    /// The number of rules that must have run.
    pub min_executed: Option<u64>,
    /// Seconds to wait for a device or a journal that another run uses; ten at most for a journal.
    pub lock_wait: u64,
    /// Seconds that the recovery command may take.
    pub recover_limit: u64,
    /// KiB of logs to keep for each failing rule.
    pub logs: u64,
    /// True if names of machines, sites and people are replaced in logs and reports.
    pub redact: bool,
    /// True if failing cases are kept for later runs.
    pub keep: bool,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            deadline: DEFAULT_DEADLINE,
            rule_limit: None,
            patience: Waiting::Measured,
            exhaustive: None,
            worker_memory: None,
            fenced_memory: false,
            without_axioms: Vec::new(),
            on_every_device: None,
            min_devices: None,
            min_executed: None,
            lock_wait: 30,
            recover_limit: 600,
            logs: 64,
            redact: false,
            keep: false,
        }
    }
}

/// A key of `--tune`.
const fn tune(name: &'static str, of: u8, kind: Kind<Tuning>, help: &'static str) -> Key<Tuning> {
    Key { name, of, variable: None, help, kind }
}

/// The keys of `--tune`.
static TUNE: [Key<Tuning>; 15] = [
    tune(
        "deadline",
        RUN | PROVE | DOCTOR,
        Kind::Number("SECONDS", 1..=LONGEST_DEADLINE, |tune, seconds| tune.deadline = seconds),
        "a longer call is a hang; default 30",
    ),
    tune(
        "rule-limit",
        RUN | PROVE,
        Kind::Number("SECONDS", 1..=LONGEST_DEADLINE, |tune, seconds| tune.rule_limit = Some(seconds)),
        "cuts a rule; default by profile",
    ),
    Key {
        name: "patience",
        of: RUN | PROVE | PRINT,
        variable: Some("ATLAS_CTS_PATIENCE"),
        help: "auto (default) or 2000..600000",
        kind: Kind::Text("MS", |tune, text| text.parse().map(|waiting| tune.patience = waiting)),
    },
    tune(
        "exhaustive",
        RUN | PROVE,
        Kind::Number("N", 1..=8, |tune, steps| tune.exhaustive = u32::try_from(steps).ok()),
        "all sequences of N steps; default none",
    ),
    tune(
        "worker-memory",
        RUN | PROVE,
        Kind::Number("MIB", 0..=MOST_MEBIBYTES, |tune, mebibytes| tune.worker_memory = Some(mebibytes)),
        "0: none; default half of all",
    ),
    tune(
        "fenced-memory",
        RUN | PROVE,
        Kind::Switch(|tune, fenced| tune.fenced_memory = fenced),
        "late use of a case's memory crashes; default no",
    ),
    tune(
        "without-axiom",
        RUN | PROVE,
        Kind::Text("ID", |tune, id| {
            tune.without_axioms.push(id.to_owned());
            Ok(())
        }),
        "only observe checks that assume it",
    ),
    tune(
        "every-device",
        RUN,
        Kind::Switch(|tune, every| tune.on_every_device = Some(every)),
        "run rules on each device; default no in smoke",
    ),
    tune(
        "min-devices",
        RUN,
        Kind::Number("N", 1..=1024, |tune, least| tune.min_devices = u32::try_from(least).ok()),
        "exit status 3 if fewer work; default 1",
    ),
    tune(
        "min-executed",
        RUN,
        Kind::Number("N", 0..=u64::MAX, |tune, least| tune.min_executed = Some(least)),
        "exit status 3 if fewer ran; default 0",
    ),
    tune(
        "lock-wait",
        RUN | PROVE | DOCTOR,
        Kind::Number("SECONDS", 0..=LONGEST_WAIT, |tune, seconds| tune.lock_wait = seconds),
        "for a device in use; default 30",
    ),
    tune(
        "recover-limit",
        RUN,
        Kind::Number("SECONDS", 1..=86_400, |tune, seconds| tune.recover_limit = seconds),
        "for ATLAS_CTS_RECOVER_CMD; default 600",
    ),
    tune(
        "logs",
        RUN,
        Kind::Number("KIB", 0..=MOST_LOGS, |tune, kibibytes| tune.logs = kibibytes),
        "for each failing rule; default 64",
    ),
    tune(
        "redact",
        RUN,
        Kind::Switch(|tune, redact| tune.redact = redact),
        "replace names of machines and people; default no",
    ),
    tune("keep", RUN, Kind::Switch(|tune, keep| tune.keep = keep), "keep failing cases for later runs; default no"),
];

/// The keys of `--tune` that a command reads.
#[derive(Debug, Clone, Default)]
pub struct Given<const OF: u8>(pub Tuning);

impl<const OF: u8> Deref for Given<OF> {
    type Target = Tuning;

    fn deref(&self) -> &Tuning {
        &self.0
    }
}

impl<const OF: u8> DerefMut for Given<OF> {
    fn deref_mut(&mut self) -> &mut Tuning {
        &mut self.0
    }
}

impl<const OF: u8> Given<OF> {
    const NAME: &'static str = "tune";

    fn keys() -> Vec<&'static Key<Tuning>> {
        TUNE.iter().filter(|key| key.of & OF != 0).collect()
    }
}

impl<const OF: u8> FromArgMatches for Given<OF> {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, Error> {
        let mut values = Given::default();
        values.update_from_arg_matches(given)?;
        Ok(values)
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), Error> {
        read(Self::NAME, &Self::keys(), &mut self.0, given)
    }
}

impl<const OF: u8> Args for Given<OF> {
    fn augment_args(command: Command) -> Command {
        command.arg(option(Self::NAME, WORK, "Limits that few runs change", Self::keys()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The simulated device.
#[derive(Debug, Clone, Default)]
pub struct SimulatorOptions {
    /// The edition of the runtime, or of its libraries as `driver=13.0,tools=12.9`; `None`: the newest.
    pub edition: Option<String>,
    /// The memory of each device in MiB; `None`: the product's.
    pub memory: Option<u64>,
    /// The place where programs run; `None`: the runtime's first.
    pub run_mode: Option<String>,
    /// Nanoseconds that each call takes.
    pub call_ns: u64,
    /// The seed for the order in which streams work; `None`: the operating system decides.
    pub schedule: Option<u64>,
}

/// A key of `--sim`.
const fn sim(name: &'static str, kind: Kind<SimulatorOptions>, help: &'static str) -> Key<SimulatorOptions> {
    Key { name, of: RUN, variable: None, help, kind }
}

/// The keys of `--sim`.
static SIM: [Key<SimulatorOptions>; 4] = [
    sim(
        "edition",
        Kind::Text("EDITION", |sim, text| {
            sim.edition = Some(sim.edition.take().map_or_else(|| text.to_owned(), |before| format!("{before},{text}")));
            Ok(())
        }),
        "as 12.9, none, or LIBRARY=12.9; default newest",
    ),
    sim(
        "memory",
        Kind::Number("MIB", environment::LEAST_MEMORY..=environment::MOST_MEMORY, |sim, mebibytes| {
            sim.memory = Some(mebibytes);
        }),
        "of each device; default by product",
    ),
    Key {
        name: "run-mode",
        of: RUN,
        variable: Some("ATLAS_CTS_RUN_MODE"),
        help: "host (default) or device",
        kind: Kind::Text("MODE", |sim, mode| {
            sim.run_mode = Some(mode.to_owned());
            Ok(())
        }),
    },
    sim(
        "call-ns",
        Kind::Number("NS", 0..=60_000_000_000, |sim, time| sim.call_ns = time),
        "duration of each call; default 0",
    ),
];

impl FromArgMatches for SimulatorOptions {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, Error> {
        let mut values = SimulatorOptions::default();
        values.update_from_arg_matches(given)?;
        Ok(values)
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), Error> {
        read("sim", &SIM.iter().collect::<Vec<_>>(), self, given)
    }
}

impl Args for SimulatorOptions {
    fn augment_args(command: Command) -> Command {
        let option = option("sim", SIMULATOR, "Properties of the simulated device", SIM.iter().collect());
        command.arg(option.hide_short_help(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The properties of a machine that only environment variables give.
#[derive(Debug, Clone)]
pub struct MachineVariables {
    /// True if the machine is treated as physical although it looks virtual or cannot be identified.
    pub bare_metal: bool,
    /// True if devices are used without a check.
    pub skip_gate: bool,
    /// The folder for device locks. Runs exclude each other only if they share it.
    pub locks: PathBuf,
    /// The shell command that tries to recover a lost device.
    pub recover: Option<String>,
    /// The root of the file system to read logs from.
    pub log_root: PathBuf,
}

impl Default for MachineVariables {
    fn default() -> MachineVariables {
        MachineVariables {
            bare_metal: false,
            skip_gate: false,
            locks: LOCK_FOLDER.into(),
            recover: None,
            log_root: "/".into(),
        }
    }
}

impl FromArgMatches for MachineVariables {
    fn from_arg_matches(_: &ArgMatches) -> Result<Self, Error> {
        let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let switch =
            |name: &str| match given(name).as_ref().map(|value| value.to_string_lossy().to_lowercase()).as_deref() {
                None | Some("0" | "no" | "n" | "false" | "f" | "off") => Ok(false),
                Some("1" | "yes" | "y" | "true" | "t" | "on") => Ok(true),
                Some(other) => {
                    Err(Error::raw(ErrorKind::ValueValidation, format!("{name}={other}: the value is 1 or 0\n")))
                }
            };
        let usual = MachineVariables::default();
        Ok(MachineVariables {
            bare_metal: switch("ATLAS_CTS_ASSUME_BARE_METAL")?,
            skip_gate: switch("ATLAS_CTS_SKIP_GATE")?,
            locks: given("ATLAS_CTS_LOCKS").map_or(usual.locks, PathBuf::from),
            recover: given("ATLAS_CTS_RECOVER_CMD").map(|command| command.to_string_lossy().into_owned()),
            log_root: given("ATLAS_CTS_LOG_ROOT").map_or(usual.log_root, PathBuf::from),
        })
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), Error> {
        *self = MachineVariables::from_arg_matches(given)?;
        Ok(())
    }
}

impl Args for MachineVariables {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}
