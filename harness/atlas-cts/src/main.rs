//! The command `atlas-cts`.

mod clauses;
mod coverage;
mod diff;
mod expect;
mod explain;
mod first_screen;
mod history;
mod lint;
mod list;
mod manual;
mod merge;
mod mustpass;
mod print;
mod proof;
mod report;
mod schema;
mod simulator;
mod welcome;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use atlas_cts::choice::named_or_all;
use atlas_cts::help::wants_all;
use atlas_cts::hints::parse;
use atlas_cts::language::choose_language;
use atlas_cts::runtimes::RUNTIMES;
use atlas_cts::{CommandError, choose_width, conclude, expect_stack, say, say_file, say_line};
use atlas_cts::{doctor, draft, interface, reproducer, run};
use catalog::proof::ProofTable;
use clap::{FromArgMatches, Parser, Subcommand};
use engine::run::{
    CatalogOptions, ConditionOptions, EffortOptions, ExitStatus, Options, SimulatorOptions, choose_runtime, load_rules,
};
use engine::runtime::Runtime;

/// Test whether an accelerator's memory runtime does what its documents say.
#[derive(Parser)]
#[command(name = "atlas-cts")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run rules, like `cargo test -- …`.
    Run(Box<run::RunArguments>),
    /// Explain a rule: statement, reasons, products, defects, steps.
    Explain {
        /// Id of the rule.
        #[arg(value_name = "RULE")]
        rule: String,
        /// Quote the sentences in the documents in this folder.
        #[arg(long, value_name = "DIR")]
        documents: Option<PathBuf>,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Check whether this machine can run the suite; open a device only with --probe.
    Doctor(doctor::DoctorArguments),
    #[command(about = report::about())]
    Report {
        /// Folder of the run, its name below reports/out, or `latest`.
        #[arg(value_name = "RUN")]
        run: PathBuf,
        /// The earlier run with which the page compares; default: the run before in reports/out.
        #[arg(long, value_name = "RUN")]
        since: Option<PathBuf>,
        /// Quote the sentences in the documents in this folder in failures.
        #[arg(long, value_name = "DIR")]
        documents: Option<PathBuf>,
        /// Write what rules observed to this file, as `run --record` does.
        #[arg(long, value_name = "FILE")]
        record: Option<PathBuf>,
    },
    /// Compare two runs: what broke, what was fixed, what drifted.
    Diff(diff::DiffArguments),
    /// Show many runs: changed verdicts, flake rates, times.
    History(history::HistoryArguments),
    /// Draft known failures from a run's failures.
    Expect(expect::ExpectArguments),
    /// Write a failure as a C program with a Makefile and a README.
    Reproducer {
        #[command(flatten)]
        wanted: reproducer::Wanted,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Merge a run's shards into one journal and one report.
    Merge(merge::MergeArguments),
    /// List rules.
    List {
        #[command(flatten)]
        filter: list::ListFilter,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Print a rule as a stand-alone program in C.
    Print {
        /// Id of the rule, or a query with a case's values: RULE:axis=value;axis=value.
        #[arg(value_name = "RULE")]
        rule: String,
        #[command(flatten)]
        options: print::PrintOptions,
    },
    /// Write the simulated device's library, list its defects, or run a program on it.
    #[command(args_conflicts_with_subcommands = true)]
    Simulator {
        #[command(subcommand)]
        action: Option<SimulatorAction>,
        /// Write the library into this folder and print its path.
        ///
        /// If the file already exists there, it must be identical.
        #[arg(long, value_name = "DIR")]
        print_path: Option<PathBuf>,
        /// List seeded defects, bad devices and legal variants.
        #[arg(long)]
        list: bool,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Print completions for a shell.
    Completions {
        /// The shell: for example, bash, zsh or fish.
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Write and prove rules; look at documents, libraries and schemas.
    #[command(subcommand)]
    Catalog(Box<CatalogCommand>),
}

/// The commands of authors of rules and runtimes.
#[derive(Subcommand)]
enum CatalogCommand {
    /// Write a skeleton of a new rule into its chapter.
    ///
    /// The skeleton contains calls to the functions, the sentences about them, and the defects that they reach. `lint`
    /// then lists the parts that remain to be written.
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
    /// Check the catalog and report each mistake with its place.
    Lint(lint::LintOptions),
    /// Prove that rules catch their defects and raise no false alarms.
    Prove(Box<proof::ProveArguments>),
    /// Count the sentences that rules rest on, and look them up in their documents.
    Clauses {
        #[command(flatten)]
        filter: clauses::ClauseFilter,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Count the sentences in the documents that are judged.
    Coverage {
        #[command(flatten)]
        coverage: coverage::CoverageOptions,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// List the rules that a conformant device holds, or compare a run with them.
    Mustpass {
        #[command(flatten)]
        wanted: mustpass::MustPassOptions,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Compare a library with the catalog's header or with another library.
    Abi {
        #[command(flatten)]
        compared: interface::Compared,
        #[command(flatten)]
        catalog: CatalogOptions,
    },
    /// Write the JSON Schemas for the catalog, the journal and printed JSON.
    Schema {
        /// Folder for the catalog's schemas.
        #[arg(default_value = "specs/schema", value_name = "DIR")]
        folder: PathBuf,
        /// Folder for the schemas of the journal and printed JSON.
        #[arg(long, default_value = "reports/schema", value_name = "DIR")]
        reports: PathBuf,
    },
    /// Write the manual pages, or print the page of all options.
    Man(manual::ManualOptions),
}

/// Other work with the simulated device.
#[derive(Subcommand)]
enum SimulatorAction {
    /// Run a program on a simulated machine, with the simulated device's library in place of the runtime's.
    Run(Box<simulator::ProgramArguments>),
}

fn main() -> ExitCode {
    match expect_stack() {
        Ok(()) => command(),
        Err(status) => status,
    }
}

/// Runs the command in a separate stack frame, so that `main`'s frame fits on any stack.
#[inline(never)]
fn command() -> ExitCode {
    engine::worker::run_if_asked(RUNTIMES);
    engine::questions::answer_if_asked(RUNTIMES);
    let mut words: Vec<OsString> = std::env::args_os().collect();
    // Accepts `atlas-cts help run`, as other programs do.
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    choose_width();
    conclude(|| {
        let grammar = first_screen::grammar(wants_all(&words));
        let given = parse(&grammar, &words);
        choose_language(&given);
        match Cli::from_arg_matches(&given).unwrap_or_else(|error| error.exit()).command {
            Some(Command::Run(mut arguments)) => {
                arguments.note_sources(run::on_command_line(&grammar, &given));
                run::run(*arguments)
            }
            Some(command) => dispatch(command),
            None => welcome::welcome(),
        }
    })
}

fn dispatch(command: Command) -> Result<ExitStatus, CommandError> {
    match command {
        Command::List { mut catalog, filter } => {
            if filter.products {
                for runtime in named_or_all(&mut catalog)? {
                    say(&list::products(&load_rules(&catalog, runtime)?))?;
                }
                return Ok(ExitStatus::Success);
            }
            let runtime = choose_runtime(RUNTIMES, &mut catalog, &filter.text)?;
            let rules = load_rules(&catalog, runtime)?;
            if filter.support {
                say(&list::support(&rules, filter.library.as_deref())?)?;
                return Ok(ExitStatus::Success);
            }
            say(&list::list(&rules, &filter, catalog.named_product())?)?;
            Ok(ExitStatus::Success)
        }
        Command::Explain { rule, documents, mut catalog } => {
            let runtime = runtime_of(&mut catalog, Some(&rule))?;
            let rules = load_rules(&catalog, runtime)?;
            let table = ProofTable::of(&catalog.specs(runtime), runtime.name()).map_err(CommandError::ProofTable)?;
            say(&explain::explain(&rules, &table, runtime, &rule, documents.as_deref())?)?;
            Ok(ExitStatus::Success)
        }
        Command::Print { rule, mut options } => {
            let runtime = runtime_of(&mut options.catalog, Some(&rule))?;
            say_file(&print::print_program(&load_rules(&options.catalog, runtime)?, &rule, &options)?)?;
            Ok(ExitStatus::Success)
        }
        Command::Reproducer { wanted, mut catalog } => {
            let runtime = runtime_of(&mut catalog, Some(&wanted.rule))?;
            let rules = load_rules(&catalog, runtime)?;
            let folder = reproducer::reproducer(&rules, &catalog.specs(runtime), &wanted)?;
            say_line(folder.display())?;
            Ok(ExitStatus::Success)
        }
        Command::Run(arguments) => run::run(*arguments),
        Command::Merge(arguments) => merge::merge(&arguments),
        Command::Report { run, since, documents, record } => {
            report::report(&run, since.as_deref(), documents.as_deref(), record.as_deref())
        }
        Command::Expect(arguments) => expect::expect(&arguments),
        Command::Diff(arguments) => diff::diff(&arguments),
        Command::History(arguments) => history::history(&arguments),
        Command::Doctor(arguments) => doctor::doctor(arguments),
        Command::Simulator { action: Some(SimulatorAction::Run(mut arguments)), .. } => {
            let runtime = runtime_of(&mut arguments.catalog, None)?;
            // The program's own exit status, which may be any.
            std::process::exit(simulator::run_program(runtime, &arguments)?)
        }
        Command::Simulator { action: None, print_path, list, mut catalog } => {
            simulator::simulator(runtime_of(&mut catalog, None)?, print_path.as_deref(), list)
        }
        Command::Completions { shell } => manual::completions(shell),
        Command::Catalog(command) => author(*command),
    }
}

/// Runs a command of the catalog's authors.
fn author(command: CatalogCommand) -> Result<ExitStatus, CommandError> {
    match command {
        CatalogCommand::Lint(options) => lint::lint(options),
        CatalogCommand::New { wanted, mut catalog, conditions, effort, simulator } => {
            let runtime = runtime_of(&mut catalog, Some(&wanted.id))?;
            let options = Options::of_rules(&catalog, &conditions, &effort, &simulator);
            say(&draft::draft(&options, runtime, &wanted).map_err(|error| CommandError::Draft(Box::new(error)))?)?;
            Ok(ExitStatus::Success)
        }
        CatalogCommand::Prove(arguments) => proof::prove(&arguments),
        CatalogCommand::Clauses { mut catalog, filter } => {
            let runtime = runtime_of(&mut catalog, None)?;
            clauses::clauses(&load_rules(&catalog, runtime)?, &filter)
        }
        CatalogCommand::Coverage { mut catalog, coverage: wanted } => {
            let runtime = runtime_of(&mut catalog, None)?;
            coverage::coverage(&load_rules(&catalog, runtime)?, &catalog.specs(runtime), &wanted)
        }
        CatalogCommand::Mustpass { catalog, wanted } => mustpass::must_pass(catalog, &wanted),
        CatalogCommand::Abi { compared, mut catalog } => {
            let runtime = runtime_of(&mut catalog, None)?;
            let rules = load_rules(&catalog, runtime)?;
            let (page, differs) = interface::compare(&rules, &compared).map_err(CommandError::Interface)?;
            say(&page)?;
            Ok(if differs { ExitStatus::Broken } else { ExitStatus::Success })
        }
        CatalogCommand::Schema { folder, reports } => schema::schema(&folder, &reports),
        CatalogCommand::Man(options) => manual::manual(&options),
    }
}

/// The runtime that the options and a rule's id or query name.
fn runtime_of(catalog: &mut CatalogOptions, rule: Option<&String>) -> Result<&'static Runtime, CommandError> {
    let id = rule.map(|query| query.split(':').next().unwrap_or_default().to_owned());
    Ok(choose_runtime(RUNTIMES, catalog, id.as_slice())?)
}
