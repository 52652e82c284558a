//! The command `atlas-cts`: everything around the suite.

mod clauses;
mod coverage;
mod diff;
mod expect;
mod explain;
mod history;
mod lint;
mod list;
mod merge;
mod mustpass;
mod print;
mod proof;
mod report;
mod schema;
mod simulator;

use std::path::PathBuf;
use std::process::ExitCode;

use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, conclude, expect_stack, say, say_line};
use atlas_cts::{bisect, certify, doctor, draft, interface, reproducer, run};
use clap::{Parser, Subcommand};
use engine::run::{
    CatalogOptions, ConditionOptions, EffortOptions, ExitStatus, MergeOptions, Options, SimulatorOptions,
    choose_runtime, load_rules,
};
use engine::runtime::Runtime;

/// Checks, lists and explains the catalog, proves the rules, and runs them without cargo.
#[derive(Parser)]
#[command(name = "atlas-cts", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the whole catalog; every mistake is reported with its place. With --strict, warnings count as mistakes.
    Lint(lint::LintOptions),
    /// List rules, filtered.
    List {
        #[command(flatten)]
        catalog: CatalogOptions,
        #[command(flatten)]
        filter: list::ListFilter,
    },
    /// Write a skeleton of a new rule into its chapter: calls of its functions, the sentences about them, the defects that they
    /// reach. `lint` says what is to be written.
    New {
        #[command(flatten)]
        wanted: draft::Wanted,
        #[command(flatten)]
        catalog: CatalogOptions,
        #[command(flatten)]
        conditions: ConditionOptions,
        #[command(flatten)]
        effort: EffortOptions,
        #[command(flatten)]
        simulator: SimulatorOptions,
    },
    /// Show a rule: what it says, where that stands, its steps, where it applies, what it catches.
    Explain {
        /// The rule's id.
        rule: String,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Count the sentences that the rules rest on, list what is only reported, look the sentences up in their documents.
    Clauses {
        #[command(flatten)]
        catalog: CatalogOptions,
        #[command(flatten)]
        filter: clauses::ClauseFilter,
    },
    /// Count which sentences of the documents are judged, and list functions, values and products that no rule judges.
    Coverage {
        #[command(flatten)]
        catalog: CatalogOptions,
        #[command(flatten)]
        coverage: coverage::CoverageOptions,
    },
    /// Show which rules a conformant device holds, with their products, conditions and checks; of one with --product.
    Mustpass {
        #[command(flatten)]
        catalog: CatalogOptions,
        #[command(flatten)]
        wanted: mustpass::MustPassOptions,
    },
    /// Print a rule as a stand-alone C program: the reproducer for a vendor. `--case JSON` takes a failure's values.
    Print {
        /// The rule's id.
        rule: String,
        #[command(flatten)]
        options: print::PrintOptions,
    },
    /// Compare a library with the catalog's header or with another one: symbols, versions, needed libraries.
    Abi {
        #[command(flatten)]
        compared: interface::Compared,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Write a folder that shows a failure of a run without the suite: a C program, a Makefile, a README.
    Reproducer {
        #[command(flatten)]
        wanted: reproducer::Wanted,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Run rules; the same as `cargo test -- …` where there is no cargo.
    Run(Box<run::Arguments>),
    /// Put the parts of one run (`run --shard K/N`) together: one journal and one report, every rule accounted for.
    Merge(MergeOptions),
    #[command(about = report::about())]
    Report {
        /// The run: its folder, a name below reports/out, or `latest`.
        #[arg(value_name = "RUN")]
        run: PathBuf,
    },
    /// Write the failures of a run as entries of known failures, for review.
    Expect(expect::Arguments),
    /// Compare two runs: what broke, what got fixed, what became different though nothing broke.
    Diff(diff::Arguments),
    /// Write what a run shows of a device as a conformance record, the same bytes each time, and sign it.
    Certify(certify::Certified),
    /// Say whether a file is a conformance record, and whose signature it has.
    Verify(certify::Verified),
    /// Find the first version of a list, of a driver for example, with which a rule shows a symptom.
    Bisect(Box<bisect::Arguments>),
    /// Show many runs: verdicts that changed, flake rates, times; as a table, or as a page with charts.
    History(history::Arguments),
    /// Prove that every rule catches the defects it claims, passes on no bad device and fails on no good one.
    Prove(proof::Arguments),
    /// Say whether this machine can run the suite, and why not. Reads only; opens a device only with --probe.
    Doctor(doctor::Arguments),
    /// The simulated device's library, for use by other programs.
    Simulator {
        /// Write the library into this folder and print its path; a file that is there already must be the same.
        #[arg(long, value_name = "DIR")]
        print_path: Option<PathBuf>,
        /// List the defects, bad devices and variants that can be switched on.
        #[arg(long)]
        list: bool,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Write the JSON Schemas of the catalog's files, of the journal, and of what commands print as JSON.
    Schema {
        /// The folder to write to.
        #[arg(default_value = "specs/schema", value_name = "DIR")]
        folder: PathBuf,
        /// The folder to write the schemas of the journal and of what is printed to.
        #[arg(long, default_value = "reports/schema", value_name = "DIR")]
        reports: PathBuf,
        /// Compare with the files instead of writing them.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    match expect_stack() {
        Ok(()) => command(),
        Err(status) => status,
    }
}

/// A separate stack frame: that of `main` has to fit on any stack.
#[inline(never)]
fn command() -> ExitCode {
    engine::worker::run_if_asked(RUNTIMES);
    engine::questions::answer_if_asked(RUNTIMES);
    let command = Cli::parse().command;
    conclude(|| dispatch(command))
}

fn dispatch(command: Command) -> Result<ExitStatus, CommandError> {
    match command {
        Command::Lint(options) => lint::lint(&options, runtime_of(&options.catalog, None)?),
        Command::List { catalog, filter } => {
            let runtime = runtime_of(&catalog, None)?;
            say(&list::list(&load_rules(&catalog, runtime)?, &filter.on_product_of(&catalog))?)?;
            Ok(ExitStatus::Conformant)
        }
        Command::New { wanted, catalog, conditions, effort, simulator } => {
            let runtime = runtime_of(&catalog, Some(&wanted.id))?;
            let options = Options::of_rules(&catalog, &conditions, &effort, &simulator);
            say(&draft::draft(&options, runtime, &wanted).map_err(|error| CommandError::Draft(Box::new(error)))?)?;
            Ok(ExitStatus::Conformant)
        }
        Command::Explain { rule, catalog } => {
            let runtime = runtime_of(&catalog, Some(&rule))?;
            say(&explain::explain(&load_rules(&catalog, runtime)?, runtime, &rule)?)?;
            Ok(ExitStatus::Conformant)
        }
        Command::Clauses { catalog, filter } => {
            clauses::clauses(&load_rules(&catalog, runtime_of(&catalog, None)?)?, &filter)
        }
        Command::Coverage { catalog, coverage: wanted } => {
            let runtime = runtime_of(&catalog, None)?;
            coverage::coverage(&load_rules(&catalog, runtime)?, &catalog.specs(runtime), &wanted)
        }
        Command::Mustpass { catalog, wanted } => {
            let runtime = runtime_of(&catalog, None)?;
            mustpass::must_pass(&load_rules(&catalog, runtime)?, &catalog.specs(runtime), &catalog, &wanted)
        }
        Command::Print { rule, options } => {
            let runtime = runtime_of(&options.catalog, Some(&rule))?;
            say(&print::print_as_c(&load_rules(&options.catalog, runtime)?, &rule, &options)?)?;
            Ok(ExitStatus::Conformant)
        }
        Command::Abi { compared, catalog } => {
            let runtime = runtime_of(&catalog, None)?;
            let rules = load_rules(&catalog, runtime)?;
            let (page, differs) = interface::compare(&rules, &compared).map_err(CommandError::Interface)?;
            say(&page)?;
            Ok(if differs { ExitStatus::Broken } else { ExitStatus::Conformant })
        }
        Command::Reproducer { wanted, catalog } => {
            let runtime = runtime_of(&catalog, Some(&wanted.rule))?;
            let rules = load_rules(&catalog, runtime)?;
            let folder = reproducer::reproducer(&rules, &catalog.specs(runtime), &wanted)?;
            say_line(folder.display())?;
            Ok(ExitStatus::Conformant)
        }
        Command::Run(arguments) => run::run(*arguments),
        Command::Merge(options) => merge::merge(&options),
        Command::Report { run } => report::report(&run),
        Command::Expect(arguments) => expect::expect(&arguments),
        Command::Diff(arguments) => diff::diff(&arguments),
        Command::Certify(arguments) => certify::certify(&arguments),
        Command::Verify(arguments) => certify::verify(&arguments),
        Command::Bisect(arguments) => bisect::bisect(*arguments),
        Command::History(arguments) => history::history(&arguments),
        Command::Prove(arguments) => proof::prove(&arguments),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::Simulator { print_path, list, catalog } => {
            simulator::simulator(runtime_of(&catalog, None)?, print_path.as_deref(), list)
        }
        Command::Schema { folder, reports, check } => schema::schema(&folder, &reports, check),
    }
}

/// The runtime that options and a rule's id name.
fn runtime_of(catalog: &CatalogOptions, rule: Option<&String>) -> Result<&'static Runtime, CommandError> {
    Ok(choose_runtime(RUNTIMES, catalog, rule.map_or(&[], std::slice::from_ref))?)
}
