//! The environment in which users' programs find a simulated machine.

use std::path::Path;

use catalog::Rules;

use super::errors::RunError;
use super::options::Options;
use super::target::{check_simulated, simulated_machine};
use crate::runtime::Runtime;

/// The environment of programs that use a simulated machine, as names and values. Programs with the same folder share
/// the machine: its devices, their memory and the keys of shared blocks.
///
/// # Errors
/// Fails if the options name an unknown product, defect, edition or run mode, or more devices than a machine has.
pub fn program_environment(
    options: &Options,
    runtime: &Runtime,
    rules: &Rules,
    folder: &Path,
) -> Result<Vec<(String, String)>, RunError> {
    check_simulated(options, runtime, rules)?;
    Ok(simulated_machine(options, runtime, rules, true)?.environment(folder))
}
