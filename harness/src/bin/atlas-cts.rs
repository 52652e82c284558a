//! The command `atlas-cts`: everything around the suite.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use harness::bindings::acl;
use harness::command;
use harness::prove::{ProofOptions, prove, render};
use harness::record::Verdict;
use harness::report::{failure_text, first_line, summary};
use harness::run::{ExitStatus, Options, RunFolder, Session, SessionError, load_rules, plan, project_root};

/// Checks, lists and explains the catalog, proves the rules, and runs them without cargo.
#[derive(Parser)]
#[command(name = "atlas-cts", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the whole catalog; every mistake is reported with its place.
    Lint {
        #[command(flatten)]
        options: Options,
    },
    /// List rules, filtered.
    List {
        #[command(flatten)]
        options: Options,
        #[command(flatten)]
        filter: command::ListFilter,
    },
    /// Show a rule: what it says, where that stands, its steps, where it applies, what it catches.
    Explain {
        /// The rule's id.
        rule: String,
        #[command(flatten)]
        options: Options,
    },
    /// Print a rule as a stand-alone C program: the reproducer for a vendor. `--case JSON` takes a failure's values.
    Print {
        /// The rule's id.
        rule: String,
        #[command(flatten)]
        options: Options,
    },
    /// Run rules; the same as `cargo test -- …` where there is no cargo.
    Run {
        /// Only rules whose id contains one of these.
        filter: Vec<String>,
        #[command(flatten)]
        options: Options,
    },
    /// Prove that every rule catches the defects it claims, passes on no bad device and fails on no good one.
    Prove {
        /// Only rules whose id contains one of these.
        filter: Vec<String>,
        #[command(flatten)]
        options: Options,
        /// Repeat everything with so many seeds.
        #[arg(long, default_value_t = 1)]
        seeds: u64,
        /// Devices simulated at the same time.
        #[arg(long, default_value_t = 2)]
        jobs: usize,
        /// Also run every rule on every legal variant of the simulated device.
        #[arg(long)]
        variants: bool,
        /// List every rule with its defects, not only the gaps.
        #[arg(long, short)]
        verbose: bool,
    },
    /// The simulated device's library, for use by other programs.
    Simulator {
        /// Print the library's path.
        #[arg(long)]
        print_path: bool,
        /// List the defects, bad devices and variants that can be switched on.
        #[arg(long)]
        list: bool,
    },
    /// Write the JSON Schemas of the catalog's files.
    Schema {
        /// Compare with the files instead of writing them.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    harness::worker::run_if_asked(&[&acl::BINDINGS]);
    match dispatch(Cli::parse().command) {
        Ok(status) => ExitCode::from(status as u8),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.exit() as u8)
        }
    }
}

fn dispatch(command: Command) -> Result<ExitStatus, SessionError> {
    match command {
        Command::Lint { options } => {
            let rules = load_rules(&options, &acl::BINDINGS)?;
            println!("{}", command::lint_summary(&rules));
            command::lint_owners(&rules)?;
            Ok(ExitStatus::Conformant)
        }
        Command::List { options, filter } => {
            let rules = load_rules(&options, &acl::BINDINGS)?;
            print!("{}", command::list(&rules, &filter).map_err(SessionError::Usage)?);
            Ok(ExitStatus::Conformant)
        }
        Command::Explain { rule, options } => {
            let rules = load_rules(&options, &acl::BINDINGS)?;
            print!("{}", command::explain(&rules, &rule).map_err(SessionError::Usage)?);
            Ok(ExitStatus::Conformant)
        }
        Command::Print { rule, options } => {
            let rules = load_rules(&options, &acl::BINDINGS)?;
            print!("{}", command::print_as_c(&rules, &rule, &options).map_err(SessionError::Usage)?);
            Ok(ExitStatus::Conformant)
        }
        Command::Run { filter, options } => run(&options, &filter),
        Command::Prove { filter, options, seeds, jobs, variants, verbose } => {
            let session = open(&options)?;
            println!("{}", first_line(&session.header));
            let proof = prove(&session, &options, &ProofOptions { seeds, jobs, filter, variants })?;
            print!("{}", render(&proof, verbose));
            Ok(if proof.holds() { ExitStatus::Conformant } else { ExitStatus::Broken })
        }
        Command::Simulator { print_path, list } => command::simulator(print_path, list),
        Command::Schema { check } => command::schema(&project_root().join("specs/schema"), check),
    }
}

fn open(options: &Options) -> Result<Session, SessionError> {
    let rules = Arc::new(load_rules(options, &acl::BINDINGS)?);
    let specs = options.specs();
    Session::open(options, rules, specs)
}

fn run(options: &Options, filter: &[String]) -> Result<ExitStatus, SessionError> {
    let mut session = open(options)?;
    let planned: Vec<_> = plan(&session.rules)
        .into_iter()
        .filter(|planned| filter.is_empty() || filter.iter().any(|part| planned.id.contains(part.as_str())))
        .collect();
    if planned.is_empty() {
        return Err(SessionError::Usage(format!("no rule matches {}; `atlas-cts list` names all", filter.join(" "))));
    }
    let folder = RunFolder::create(&mut session, options.report_dir.as_deref(), options.keep)?;
    println!("{}", first_line(&session.header));
    for planned in &planned {
        let result = session.execute(planned);
        folder.record(&result).map_err(SessionError::Environment)?;
        match result.verdict {
            Verdict::Pass => println!("pass      {}", result.id),
            _ if session.breaks(&result) => println!("{}", failure_text(&result, &session.header)),
            verdict => println!("{:<9} {}  ({})", verdict.name(), result.id, result.reason),
        }
    }
    let end = session.finish();
    let results = folder.finish(&session, &end).map_err(SessionError::Environment)?;
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    print!("{}", summary(&session.header, &results, Some(&end), colour));
    Ok(ExitStatus::from_code(end.exit))
}
