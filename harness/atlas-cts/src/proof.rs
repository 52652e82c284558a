//! `atlas-cts catalog prove`.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, say, say_file, say_line};
use catalog::count;
use catalog::proof::ProofTable;
use clap::Args;
use engine::prove::{Hold, Proof, ProofOptions, Ratchet, Unclaimed, behind, prove as run_proof, raise, render, renew};
use engine::run::{
    CatalogOptions, ConditionOptions, EffortOptions, ExitStatus, Given, MachineOptions, Options, PROVE, Shard,
    SimulatorOptions, Target, WorkerOptions, choose_runtime, load_rules, runs_folder,
};
use ledger::report::first_line;

/// The name of the file with the figures of chapters.
const RATCHET: &str = "ratchet.tsv";

/// The options of `prove`.
#[derive(Args)]
pub(crate) struct ProveArguments {
    /// Only rules whose id contains one of these.
    ///
    /// A complete id selects only that rule.
    #[arg(value_name = "RULE")]
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
    tune: Given<PROVE>,
    #[command(flatten)]
    simulator: SimulatorOptions,
    /// Repeat everything with this many seeds.
    ///
    /// A claim that misses a seed is tried with at least twenty, and survives if it misses another.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seeds: u64,
    /// Also run each rule on the legal variants that it reaches, on part K of N of them, or on all variants.
    ///
    /// One trial run of a rule shows which variants it reaches.
    #[arg(long, value_name = "K/N|all", num_args = 0..=1, require_equals = true, default_missing_value = "1/1")]
    variants: Option<Variants>,
    /// Also remove one check at a time to see which ones are needed.
    #[arg(long, hide_short_help = true)]
    weaken: bool,
    /// Like --weaken, and try unneeded checks on glitches. Slow.
    ///
    /// A glitch makes a device wrong only once. A check that is not needed even then, and has no stated reason, fails
    /// the proof. This takes minutes.
    #[arg(long)]
    glitches: bool,
    /// Also write the kill matrix: each rule against each defect that it reaches.
    ///
    /// With a part of defects' names, nothing else is proven, and the rules that kill these defects are listed. May be
    /// repeated.
    #[arg(long, value_name = "PART", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    matrix: Vec<String>,
    /// Also try each rule on reached defects for which it has no row.
    ///
    /// The defects that it kills are listed. Without this option, and with at most eight selected rules, only defects
    /// that no rule kills are tried.
    #[arg(long, hide_short_help = true, conflicts_with = "matrix")]
    unclaimed: bool,
    /// Fail if the proof falls behind `proof.tsv` and `ratchet.tsv` in this folder.
    ///
    /// The first says which rule kills what; rules that changed since are proven too. The second has a number of killed
    /// defects and a share of needed checks for each chapter, which are compared if no rule is named.
    #[arg(long, value_name = "DIR")]
    hold: Option<PathBuf>,
    /// Write what the rules kill, and the figures that rose, to the files of --hold.
    #[arg(long, hide_short_help = true, requires = "hold")]
    raise: bool,
    /// List each rule with its defects, not only the gaps.
    #[arg(long, short)]
    verbose: bool,
}

/// The legal variants that a proof runs on.
#[derive(Debug, Clone, Copy)]
struct Variants {
    part: Shard,
    /// True if variants that a rule does not reach are included.
    all: bool,
}

impl FromStr for Variants {
    type Err = String;

    fn from_str(text: &str) -> Result<Variants, String> {
        if text == "all" {
            return Ok(Variants { part: Shard { number: 1, of: 1 }, all: true });
        }
        text.parse().map(|part| Variants { part, all: false })
    }
}

impl ProveArguments {
    /// The options for a proof's runs. The proof chooses devices, defects and cases.
    fn options(&self) -> Options {
        Options {
            machine: self.machine.clone(),
            tune: Given(self.tune.0.clone()),
            workers: self.workers.clone(),
            ..Options::of_rules(&self.catalog, &self.conditions, &self.effort, &self.simulator)
        }
    }
}

/// Proves a product's rules and prints the result. The exit status shows if the proof holds.
pub(crate) fn prove(arguments: &ProveArguments) -> Result<ExitStatus, CommandError> {
    let matrix_of: Vec<String> = arguments.matrix.iter().filter(|part| !part.is_empty()).cloned().collect();
    let more = arguments.weaken || arguments.glitches || arguments.variants.is_some() || arguments.hold.is_some();
    if !matrix_of.is_empty() && more {
        return Err(CommandError::MatrixAndMore);
    }
    // A proof takes minutes, so files are checked first.
    let mut held = arguments.hold.as_deref().map(Held::read).transpose()?;
    let mut options = arguments.options();
    let runtime = choose_runtime(RUNTIMES, &mut options.catalog, &arguments.filter)?;
    let table = match &held {
        Some(held) => held.table.clone(),
        None => ProofTable::of(&options.catalog.specs(runtime), runtime.name()).map_err(CommandError::ProofTable)?,
    };
    let mut target = Target::open(&options, runtime, Arc::new(load_rules(&options.catalog, runtime)?))?;
    if let Some(said) = target.set_patience(None, &options) {
        say_line(said)?;
    }
    let header = target.header(&options);
    say_line(first_line(&header))?;
    // Rules spend most of their time waiting, so the proof runs more rules at once than there are processors.
    let jobs = options.workers.jobs.unwrap_or_else(|| 4 * std::thread::available_parallelism().map_or(1, usize::from));
    // Only whole chapters have figures.
    if let Some(held) = &mut held {
        let product = &target.conditions.product;
        held.ratchet = held.ratchet.take().filter(|figures| arguments.filter.is_empty() && figures.holds(product));
    }
    let figures = held.as_ref().is_some_and(|held| held.ratchet.is_some());
    let proof = ProofOptions {
        seeds: arguments.seeds,
        jobs,
        filter: arguments.filter.clone(),
        variants: arguments.variants.map(|variants| variants.part),
        every_variant: arguments.variants.is_some_and(|variants| variants.all),
        weaken: arguments.weaken || arguments.glitches || figures,
        glitches: arguments.glitches,
        matrix: !arguments.matrix.is_empty(),
        matrix_of: matrix_of.clone(),
        unclaimed: if arguments.unclaimed { Unclaimed::All } else { Unclaimed::Nobodys },
        table: Arc::new(table),
        hold: match (&held, arguments.raise) {
            (None, _) => Hold::Claims,
            (Some(_), false) => Hold::Stale,
            (Some(_), true) => Hold::Raise,
        },
    };
    let proof = run_proof(&target, header.seed, &options, &proof)?;
    let noticed = proof.matrix.as_ref().map(|matrix| matrix.who_notices(&matrix_of));
    match &noticed {
        Some((text, _)) if !matrix_of.is_empty() => say(text)?,
        _ => say(&render(&proof, arguments.verbose))?,
    }
    if let Some(matrix) = &proof.matrix {
        let usual = || runs_folder().join(format!("proof-{}", proof.product));
        let folder = options.machine.report_dir.clone().unwrap_or_else(usual);
        let page = matrix.write(&folder, &proof.product).map_err(CommandError::Proof)?;
        say_line(format_args!("  written     {}", page.display()))?;
    }
    if !matrix_of.is_empty() {
        let all = noticed.is_some_and(|(_, all)| all);
        return Ok(if all { ExitStatus::Success } else { ExitStatus::Broken });
    }
    let holds = match held {
        Some(held) => held.compare(&target, &proof, arguments)?,
        None => true,
    };
    Ok(if holds && proof.holds() { ExitStatus::Success } else { ExitStatus::Broken })
}

/// The files that a proof must not fall behind.
struct Held {
    folder: PathBuf,
    table: ProofTable,
    /// `None` if the proof has no figures to compare with.
    ratchet: Option<Ratchet>,
}

impl Held {
    fn read(folder: &Path) -> Result<Held, CommandError> {
        Ok(Held {
            folder: folder.to_owned(),
            table: ProofTable::read(folder).map_err(CommandError::ProofTable)?,
            ratchet: Some(Ratchet::read(&folder.join(RATCHET)).map_err(CommandError::Proof)?),
        })
    }

    /// Compares a proof with the files, or raises them. Returns true if the proof falls behind neither.
    fn compare(self, target: &Target, proof: &Proof, arguments: &ProveArguments) -> Result<bool, CommandError> {
        let Held { folder, mut table, ratchet } = self;
        let mut text = String::new();
        if arguments.raise {
            let changes = renew(&mut table, target, proof, arguments.filter.is_empty());
            table.write().map_err(CommandError::ProofTable)?;
            text.extend(changes.gone.iter().map(|what| format!("  GONE        {what} is no longer killed\n")));
            let (new, gone) = (count(changes.new.len(), "new kill"), changes.gone.len());
            text += &format!("  written     {}: {new}, {gone} gone\n", table.path().display());
        }
        let behind = behind(&table, target, proof);
        text.extend(behind.iter().map(|what| format!("  BEHIND      {what}; prove it again with --raise\n")));
        say_file(&text)?;
        let figures = ratchet.map_or(Ok(true), |_| compare_figures(&folder.join(RATCHET), proof, arguments.raise));
        Ok(figures? && behind.is_empty())
    }
}

/// Compares a proof with the ratchet, or raises the ratchet. Returns true if no figure has fallen.
fn compare_figures(file: &Path, proof: &Proof, raised: bool) -> Result<bool, CommandError> {
    if raised {
        raise(file, proof).map_err(CommandError::Proof)?;
    }
    let (fallen, risen) = Ratchet::read(file).map_err(CommandError::Proof)?.compare(proof);
    let mut text: String = fallen.iter().map(|what| format!("  FALLEN      {what}\n")).collect();
    if !fallen.is_empty() {
        text += &format!(
            "              restore the killed defects and needed checks; to lower a figure in {}, edit the file and \
             give the reason in the commit\n",
            file.display()
        );
    }
    if !risen.is_empty() {
        text +=
            &format!("  ratchet     {} can be raised (--raise, or replace its lines with these):\n", file.display());
        risen.iter().for_each(|line| text += &format!("{line}\n"));
    }
    say_file(&text)?;
    Ok(fallen.is_empty())
}
