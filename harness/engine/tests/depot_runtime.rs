//! The engine on a third runtime, which has what the other two lack: handles that are integers, releases with a size,
//! two libraries of which one is optional, two types of codes with different successes, an alias, no run mode, versions
//! that are integers, and a struct whose layout depends on the edition. It runs, and it is proven, on a simulated
//! device of its own.
//!
//! The workers of the runs are this executable, so it has a `main` of its own.

#[rustfmt::skip]
#[path = "depot/bindings.rs"]
mod bindings;
#[path = "depot/catalog.rs"]
mod catalog;
#[path = "depot/device.rs"]
mod device;
mod pairs;
#[path = "depot/programs.rs"]
mod programs;
#[path = "depot/proof.rs"]
mod proof;
#[path = "depot/registry.rs"]
mod registry;
#[path = "depot/runs.rs"]
mod runs;
#[rustfmt::skip]
#[path = "toy/bindings.rs"]
mod toy;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// Tests by name.
type Trials = &'static [(&'static str, fn())];

fn main() -> ExitCode {
    engine::worker::run_if_asked(&[&device::WITHOUT_DEVICE]);
    let arguments = Arguments::from_args();
    let groups: [(&str, Trials); 5] = [
        ("runs", runs::TRIALS),
        ("proof", proof::TRIALS),
        ("catalog", catalog::TRIALS),
        ("registry", registry::TRIALS),
        ("programs", programs::TRIALS),
    ];
    let trial = |kind: &str, name: &str, run: fn()| {
        let run = move || {
            run();
            Ok(())
        };
        Trial::test(name, run).with_kind(kind)
    };
    let trials =
        groups.into_iter().flat_map(|(kind, tests)| tests.iter().map(move |(name, run)| trial(kind, name, *run)));
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    // Nothing depends on it: another run builds into a folder of its own.
    let _ = std::fs::remove_dir_all(device::workshop());
    conclusion.exit_code()
}
