//! The command `atlas-cts`: everything around the suite.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use harness::bindings::acl;
use harness::command;
use harness::prove::{ProofOptions, prove, render};
use harness::record::{Recorded, Verdict};
use harness::report::{failure_text, first_line, summary};
use harness::rules::{Rules, claims};
use harness::run::{
    Earlier, ExitStatus, Options, RunFolder, Session, SessionError, conclude, load_rules, plan, project_root,
};

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
        /// Only rules whose id contains one of these. A resumed run has its own.
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
        /// Devices simulated at the same time; twice the cores if it is not given, because rules wait a lot
        #[arg(long)]
        jobs: Option<usize>,
        /// Also run every rule on every legal variant of the simulated device.
        #[arg(long)]
        variants: bool,
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
        /// Fail when a chapter claims fewer defects or needs a smaller share of its checks than this file says.
        #[arg(long, value_name = "FILE")]
        ratchet: Option<PathBuf>,
        /// Raise the numbers of that file to what was reached.
        #[arg(long, requires = "ratchet")]
        raise: bool,
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
    let command = Cli::parse().command;
    conclude(|| dispatch(command))
}

fn dispatch(command: Command) -> Result<ExitStatus, SessionError> {
    match command {
        Command::Lint { options } => {
            let rules = load_rules(&options, &acl::BINDINGS)?;
            let shared = claims(&rules);
            shared.iter().try_for_each(|warning| command::say_line(format_args!("warning: {warning}")))?;
            command::lint_owners(&rules)?;
            command::lint_conditions(&rules)?;
            command::say_line(command::lint_summary(&rules))?;
            Ok(if options.strict && !shared.is_empty() { ExitStatus::Usage } else { ExitStatus::Conformant })
        }
        Command::List { options, mut filter } => {
            let rules = load_rules(&options, &acl::BINDINGS)?;
            if options.product != "auto" {
                filter.on.get_or_insert(options.product);
            }
            command::say(&command::list(&rules, &filter).map_err(SessionError::Usage)?)?;
            Ok(ExitStatus::Conformant)
        }
        Command::Explain { rule, options } => {
            let rules = load_rules(&options, &acl::BINDINGS)?;
            command::say(&command::explain(&rules, &rule).map_err(SessionError::Usage)?)?;
            Ok(ExitStatus::Conformant)
        }
        Command::Print { rule, options } => {
            let rules = load_rules(&options, &acl::BINDINGS)?;
            command::say(&command::print_as_c(&rules, &rule, &options).map_err(SessionError::Usage)?)?;
            Ok(ExitStatus::Conformant)
        }
        Command::Run { filter, options } => run(options, &filter),
        Command::Prove {
            filter,
            options,
            seeds,
            jobs,
            variants,
            weaken,
            glitches,
            matrix,
            ratchet,
            raise,
            verbose,
        } => {
            if ratchet.is_some() && !filter.is_empty() {
                let message = "--ratchet holds whole chapters to their numbers; leave the names of rules out";
                return Err(SessionError::Usage(message.to_owned()));
            }
            options_of_a_proof(&options)?;
            let session = open(&options)?;
            command::say_line(first_line(&session.header))?;
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let jobs = jobs.unwrap_or(2 * cores);
            let weaken = weaken || glitches || ratchet.is_some();
            let proof = ProofOptions { seeds, jobs, filter, variants, weaken, glitches, matrix };
            let proof = prove(&session, &options, &proof)?;
            command::say(&render(&proof, verbose))?;
            if let Some(matrix) = &proof.matrix {
                let folder = options
                    .report_dir
                    .clone()
                    .unwrap_or_else(|| project_root().join("reports/out").join(format!("proof-{}", proof.product)));
                let page = matrix.write(&folder, &proof.product).map_err(SessionError::Environment)?;
                command::say_line(format_args!("  written     {}", page.display()))?;
            }
            let holds = match &ratchet {
                Some(file) => command::ratchet(file, &proof, raise)?,
                None => true,
            };
            Ok(if holds && proof.holds() { ExitStatus::Conformant } else { ExitStatus::Broken })
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

/// Whether a filter lets a rule through: a whole id means that rule, anything else each id that contains it.
fn selects(rules: &Rules, part: &str, id: &str) -> bool {
    if rules.rule(part).is_some() { id == part } else { id.contains(part) }
}

/// A proof chooses devices and cases by itself.
fn options_of_a_proof(options: &Options) -> Result<(), SessionError> {
    let given = [
        ("--case", options.case.is_some()),
        ("--defect", !options.defects.is_empty()),
        ("--keep", options.keep),
        ("--min-executed", options.min_executed.is_some()),
        ("--resume", options.resume.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((name, _)) => {
            let message = "is for `atlas-cts run`, a proof chooses devices and cases by itself";
            Err(SessionError::Usage(format!("{name} {message}; leave it out, or unset its environment variable")))
        }
    }
}

fn run(mut options: Options, filter: &[String]) -> Result<ExitStatus, SessionError> {
    let earlier = Earlier::open(&mut options)?;
    if let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.run.end.is_some()) {
        earlier.report(options.keep)?;
        let folder = earlier.folder.display();
        command::say_line(format_args!("{folder}: this run has reached its end; its reports are written again"))?;
        return closing(&earlier.run);
    }
    let rules = Arc::new(load_rules(&options, &acl::BINDINGS)?);
    let mut planned: Vec<_> = plan(&rules)
        .into_iter()
        .filter(|planned| filter.is_empty() || filter.iter().any(|part| selects(&rules, part, &planned.id)))
        .collect();
    if planned.is_empty() {
        return Err(SessionError::Usage(format!("no rule matches {}; `atlas-cts list` names all", filter.join(" "))));
    }
    let open = || Session::open(&options, rules.clone(), options.specs());
    let mut session = match &earlier {
        None => open()?,
        Some(earlier) => {
            planned = earlier.selection(&rules, planned)?;
            earlier.session(open)?
        }
    };
    let resumed = earlier.is_some();
    let folder = RunFolder::open(&mut session, &options, &planned, earlier)?;
    command::say_line(first_line(&session.header))?;
    if resumed {
        command::say_line(folder.resumed(planned.len()))?;
    }
    for planned in &planned {
        let result = folder.run(&session, planned).map_err(SessionError::Environment)?;
        command::say_line(match result.verdict {
            Verdict::Pass => format!("pass      {}", result.id),
            _ if session.breaks(&result) => failure_text(&result, &session.header),
            verdict if result.reason.is_empty() => format!("{:<9} {}", verdict.name(), result.id),
            verdict => format!("{:<9} {}  ({})", verdict.name(), result.id, result.reason),
        })?;
    }
    let end = session.finish();
    let run = folder.finish(&session, &end).map_err(SessionError::Environment)?;
    closing(&run)
}

/// Prints how a run went; gives its exit status.
fn closing(run: &Recorded) -> Result<ExitStatus, SessionError> {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    command::say(&summary(&run.header, &run.results, run.end.as_ref(), colour))?;
    Ok(run.end.as_ref().map_or(ExitStatus::Unknown, |end| ExitStatus::from_code(end.exit)))
}
