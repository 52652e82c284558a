//! `atlas-cts doctor`: checks if this machine can run the suite, and explains what prevents a run.
//!
//! This module examines the parts that every runtime has: its library, space for reports, and a probe. A vendor's tools
//! and file formats belong to the runtime's registry entry ([`engine::doctor::Doctor`]).

mod expect;
mod library;
mod probe;
mod python;
mod space;
mod surroundings;

use std::path::PathBuf;
use std::time::Duration;

use catalog::product;
use clap::Args;
use engine::doctor::{Examination, HostMachine, Patient, Verdict, page};
use engine::run::{ExitStatus, interrupt, load_rules};
use messages::{Language, use_language};

use crate::choice::named_or_installed;
use crate::conclude::CommandError;
use crate::output::{say, say_json};

use surroundings::Surroundings;

/// The options of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Print JSON; `catalog schema` describes it.
    #[arg(long)]
    json: bool,
    /// Also open a device and run a few rules on it.
    #[arg(long)]
    probe: bool,
    /// Examine the copy of a machine in this folder instead of `/`.
    ///
    /// Libraries in the copy are loaded, and tools that are not in PATH are run from the copy. Give only a copy whose
    /// programs you would run.
    #[arg(long, value_name = "DIR", default_value = "/", hide_short_help = true)]
    root: PathBuf,
    /// Seconds that each query to a tool or a library may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    limit: u64,
    #[command(flatten)]
    options: Surroundings,
}

/// Examines the machine and prints the findings. The exit status follows from the verdict.
///
/// # Errors
/// Fails if the command line or the catalog is wrong, or if printing fails.
pub fn doctor(mut arguments: DoctorArguments) -> Result<ExitStatus, CommandError> {
    if arguments.json {
        // Programs read the same text in every language.
        use_language(Language::English);
    }
    let runtime = named_or_installed(&mut arguments.options.catalog)?;
    let options = &arguments.options;
    let rules = load_rules(&options.catalog, runtime)?;
    if let Some(named) = options.catalog.named_product() {
        product(&rules, named)?;
    }
    if !arguments.root.is_dir() {
        return Err(CommandError::Root { path: arguments.root.clone() });
    }
    // A signal ends this command only after it has ended the tool that is running.
    interrupt::listen(false);
    let machine = HostMachine::new(&arguments.root, Duration::from_secs(arguments.limit))
        .abandoned_where(|| interrupt::requested().is_some());
    let mut found = Examination::new(env!("CARGO_PKG_VERSION"), runtime.name(), &arguments.root.display().to_string());
    let library = library::look(&machine, options, runtime, &rules, &mut found);
    python::look(&machine, options, runtime, &rules, library.as_deref(), &mut found);
    let product = options.catalog.named_product().map(str::to_owned);
    let patient = Patient { rules: &rules, library, product };
    if let Some(doctor) = &runtime.doctor {
        (doctor.examine)(&machine, &patient, &mut found);
    }
    expect::look(&patient, options, &mut found);
    space::look(options, &mut found);
    if arguments.probe {
        let known = found.product.is_some();
        probe::look(&machine, options, runtime, &patient, &mut found);
        if !known && found.product.is_some() {
            expect::look(&patient, options, &mut found);
        }
    }
    if let Some(signal) = interrupt::requested() {
        return Err(CommandError::Interrupted { signal });
    }
    found.conclude();
    if arguments.json {
        let text = serde_json::to_string_pretty(&found).expect("an examination consists of strings and numbers");
        say_json(&text)?;
    } else {
        say(&page(&found))?;
    }
    Ok(if found.verdict == Verdict::Ready { ExitStatus::Success } else { ExitStatus::Unknown })
}
