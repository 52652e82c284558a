//! `atlas-cts prove`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, say, say_line};
use clap::Args;
use engine::prove::{Proof, ProofOptions, Ratchet, Unclaimed, prove as run_proof, raise, render};
use engine::run::{
    CatalogOptions, ConditionOptions, EffortOptions, ExitStatus, MachineOptions, Options, SimulatorOptions, Target,
    WorkerOptions, choose_runtime, load_rules, runs_folder,
};
use ledger::report::first_line;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Only rules whose id contains one of these; a whole id means that rule.
    filter: Vec<String>,
    #[command(flatten)]
    catalog: CatalogOptions,
    #[command(flatten)]
    machine: MachineOptions,
    #[command(flatten)]
    conditions: ConditionOptions,
    #[command(flatten)]
    effort: EffortOptions,
    #[command(flatten)]
    workers: WorkerOptions,
    #[command(flatten)]
    simulator: SimulatorOptions,
    /// Repeat everything with this many seeds.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seeds: u64,
    /// Also run every rule on every legal variant of the simulated device that it reaches.
    #[arg(long)]
    variants: bool,
    /// The same on those that it does not reach, as far as one look tells.
    #[arg(long)]
    every_variant: bool,
    /// Also leave out one check at a time: which checks are needed to notice the defects?
    #[arg(long)]
    weaken: bool,
    /// The same, and hold the checks that no defect needs against devices that are right except once; what is still
    /// not needed, and says no reason, fails. Takes minutes
    #[arg(long)]
    glitches: bool,
    /// Also run every rule on every defect that it reaches, and write who notices what to the report folder.
    #[arg(long)]
    matrix: bool,
    /// Only ask which rules notice the defects whose names contain this, of those that reach them; may be repeated.
    /// Nothing else is proven. The matrix is written all the same
    #[arg(long, value_name = "PART", conflicts_with_all = ["variants", "every_variant", "weaken", "glitches", "ratchet"])]
    matrix_of: Vec<String>,
    /// Also try every rule on each defect that it reaches and does not claim, and name those that it kills. Without this, and
    /// with at most eight rules named, only defects that no rule claims are tried
    #[arg(long, conflicts_with_all = ["matrix", "matrix_of"])]
    unclaimed: bool,
    /// Fail when a chapter claims fewer defects or needs a smaller share of its checks than this file says.
    #[arg(long, value_name = "FILE")]
    ratchet: Option<PathBuf>,
    /// Raise the numbers of that file to what was reached.
    #[arg(long, requires = "ratchet")]
    raise: bool,
    /// List every rule with its defects, not only the gaps.
    #[arg(long, short)]
    verbose: bool,
}

impl Arguments {
    /// The options of the runs that a proof makes: it chooses devices, defects and cases by itself.
    fn options(&self) -> Options {
        Options {
            machine: self.machine.clone(),
            workers: self.workers.clone(),
            ..Options::of_rules(&self.catalog, &self.conditions, &self.effort, &self.simulator)
        }
    }
}

/// Proves the rules of a product, prints what was found, and says whether it holds.
pub(crate) fn prove(arguments: &Arguments) -> Result<ExitStatus, CommandError> {
    if arguments.ratchet.is_some() && !arguments.filter.is_empty() {
        return Err(CommandError::PartialRatchet);
    }
    // A proof takes minutes: what it is held to is looked at first.
    if let Some(file) = &arguments.ratchet {
        Ratchet::read(file).map_err(CommandError::Proof)?;
    }
    let options = arguments.options();
    let runtime = choose_runtime(RUNTIMES, &options.catalog, &arguments.filter)?;
    let mut target = Target::open(&options, runtime, Arc::new(load_rules(&options.catalog, runtime)?))?;
    if let Some(said) = target.set_patience(None, &options) {
        say_line(said)?;
    }
    let header = target.header(&options);
    say_line(first_line(&header))?;
    // Rules wait a lot.
    let jobs = options.workers.jobs.unwrap_or_else(|| 2 * std::thread::available_parallelism().map_or(1, usize::from));
    let proof = ProofOptions {
        seeds: arguments.seeds,
        jobs,
        filter: arguments.filter.clone(),
        variants: arguments.variants || arguments.every_variant,
        every_variant: arguments.every_variant,
        weaken: arguments.weaken || arguments.glitches || arguments.ratchet.is_some(),
        glitches: arguments.glitches,
        matrix: arguments.matrix || !arguments.matrix_of.is_empty(),
        matrix_of: arguments.matrix_of.clone(),
        unclaimed: if arguments.unclaimed { Unclaimed::All } else { Unclaimed::Nobodys },
    };
    let proof = run_proof(&target, header.seed, &options, &proof)?;
    let noticed = proof.matrix.as_ref().map(|matrix| matrix.who_notices(&arguments.matrix_of));
    match &noticed {
        Some((text, _)) if !arguments.matrix_of.is_empty() => say(text)?,
        _ => say(&render(&proof, arguments.verbose))?,
    }
    if let Some(matrix) = &proof.matrix {
        let usual = || runs_folder().join(format!("proof-{}", proof.product));
        let folder = options.machine.report_dir.clone().unwrap_or_else(usual);
        let page = matrix.write(&folder, &proof.product).map_err(CommandError::Proof)?;
        say_line(format_args!("  written     {}", page.display()))?;
    }
    if !arguments.matrix_of.is_empty() {
        let all = noticed.is_some_and(|(_, all)| all);
        return Ok(if all { ExitStatus::Conformant } else { ExitStatus::Broken });
    }
    let holds = match &arguments.ratchet {
        Some(file) => ratchet(file, &proof, arguments.raise)?,
        None => true,
    };
    Ok(if holds && proof.holds() { ExitStatus::Conformant } else { ExitStatus::Broken })
}

/// Holds a proof against the numbers that may not fall, or raises them; says whether they hold.
fn ratchet(file: &Path, proof: &Proof, raised: bool) -> Result<bool, CommandError> {
    if raised {
        raise(file, proof).map_err(CommandError::Proof)?;
    }
    let (fallen, risen) = Ratchet::read(file).map_err(CommandError::Proof)?.compare(proof);
    let mut text: String = fallen.iter().map(|what| format!("  FALLEN      {what}\n")).collect();
    if !fallen.is_empty() {
        text += &format!(
            "              claim the defects and needed checks again; a number of {} is lowered by hand, with the reason in \
             the commit\n",
            file.display()
        );
    }
    if !risen.is_empty() {
        text += &format!("  ratchet     {} can be raised (add --raise, or put these lines there):\n", file.display());
        risen.iter().for_each(|line| text += &format!("{line}\n"));
    }
    say(&text)?;
    Ok(fallen.is_empty())
}
