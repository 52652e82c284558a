//! The options of `soak`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::BoolishValueParser;
use engine::run::headings::{DEVICE, RESULTS, SELECTION, SIMULATOR, WORK};
use engine::run::{Backend, WorkerOptions};
use engine::run::{CatalogOptions, ConditionOptions, EffortOptions, MachineOptions, Options, SimulatorOptions};
use engine::soak::Length;
use record::RecordedSoak;

use super::USUAL;

/// The options of `soak`.
#[derive(Args)]
pub struct SoakArguments {
    /// Rules whose id equals, contains or matches this; default: all cycles of the catalog.
    #[arg(value_name = "RULE", help_heading = SELECTION)]
    pub(super) filter: Vec<String>,
    /// Hours to repeat the cycles.
    #[arg(long, env = "ATLAS_CTS_HOURS", value_name = "H", value_parser = hours, conflicts_with = "cycles", help_heading = WORK)]
    hours: Option<Duration>,
    /// Minutes to repeat the cycles; default: 10.
    #[arg(long, value_name = "M", value_parser = minutes, conflicts_with_all = ["hours", "cycles"], help_heading = WORK)]
    minutes: Option<Duration>,
    /// Cycles of each rule, however long they take.
    ///
    /// A cycle that starts processes counts as 50.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = WORK)]
    cycles: Option<u64>,
    /// Continue the soak in this folder, which was killed or interrupted.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["filter", "status"], help_heading = RESULTS)]
    pub(super) resume: Option<PathBuf>,
    /// Print the state of the soak in this folder, which may be running.
    #[arg(long, value_name = "FOLDER", conflicts_with = "filter", help_heading = RESULTS)]
    pub(super) status: Option<PathBuf>,
    #[command(flatten)]
    catalog: CatalogOptions,
    #[command(flatten)]
    machine: MachineOptions,
    #[command(flatten)]
    conditions: ConditionOptions,
    #[command(flatten)]
    effort: EffortOptions,
    #[command(flatten)]
    simulator: SimulatorOptions,
    /// Source of the library: auto, device or simulator.
    #[arg(long, env = "ATLAS_CTS_BACKEND", value_enum, default_value_t, help_heading = DEVICE)]
    backend: Backend,
    /// Skip the check that the device works before the soak.
    #[arg(long, env = "ATLAS_CTS_SKIP_GATE", value_parser = BoolishValueParser::new(), help_heading = DEVICE, hide_short_help = true)]
    skip_gate: bool,
    /// Defect of the simulated device; may be repeated.
    #[arg(long = "defect", value_name = "NAME", help_heading = SIMULATOR)]
    defects: Vec<String>,
}

fn hours(text: &str) -> Result<Duration, String> {
    number(text, 3600.0, 24.0 * 366.0)
}

fn minutes(text: &str) -> Result<Duration, String> {
    number(text, 60.0, 60.0 * 24.0 * 366.0)
}

/// A positive number of units of this many seconds.
fn number(text: &str, unit: f64, most: f64) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= most => Ok(Duration::from_secs_f64(number * unit)),
        _ => Err(format!("write a number above 0 and at most {most}, such as 1.5")),
    }
}

impl SoakArguments {
    /// The options of the target.
    pub(super) fn options(&self) -> Options {
        let mut options = Options::of_rules(&self.catalog, &self.conditions, &self.effort, &self.simulator);
        options.machine = self.machine.clone();
        options.workers =
            WorkerOptions { backend: self.backend, skip_gate: self.skip_gate, ..WorkerOptions::default() };
        options.run.defects.clone_from(&self.defects);
        options
    }

    /// Takes what the command line leaves open from an earlier soak.
    pub(super) fn continues(&mut self, soak: &RecordedSoak) {
        let header = &soak.header;
        self.catalog.product.clone_from(&header.product);
        self.effort.seed = Some(header.seed);
        self.defects.clone_from(&header.defects);
        if header.simulated && self.machine.library.is_none() {
            self.backend = Backend::Simulator;
        }
    }

    /// The length of the soak: the given one, that of the earlier soak, or ten minutes.
    pub(super) fn length(&self, earlier: Option<&RecordedSoak>) -> Length {
        let time = self.hours.or(self.minutes);
        if time.is_some() || self.cycles.is_some() {
            return Length { cycles: self.cycles, time };
        }
        match earlier {
            Some(soak) => Length { cycles: soak.header.cycles, time: soak.header.seconds.map(Duration::from_secs) },
            None => Length { cycles: None, time: Some(USUAL) },
        }
    }

    /// The folder for the soak's files, if the command line gives one.
    pub(super) fn report_dir(&self) -> Option<&Path> {
        self.machine.report_dir.as_deref()
    }
}
