//! The options of a run that an examination reads.

use clap::Args;
use engine::run::{CatalogOptions, ConditionOptions, MachineOptions};

/// What a run would be given.
#[derive(Debug, Args)]
pub(super) struct Surroundings {
    #[command(flatten)]
    pub catalog: CatalogOptions,
    #[command(flatten)]
    pub machine: MachineOptions,
    #[command(flatten)]
    pub conditions: ConditionOptions,
}
