//! The run options that an examination reads.

use clap::Args;
use engine::run::{CatalogOptions, ConditionOptions, DOCTOR, Given, MachineOptions};

/// The options that a run on this machine would get.
#[derive(Debug, Args)]
pub(super) struct Surroundings {
    #[command(flatten)]
    pub catalog: CatalogOptions,
    #[command(flatten)]
    pub machine: MachineOptions,
    #[command(flatten)]
    pub conditions: ConditionOptions,
    #[command(flatten)]
    pub tune: Given<DOCTOR>,
}
