//! The capabilities of the simulated device on each product.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::errors::RunError;
use super::library::Backend;
use super::options::{CatalogOptions, ConditionOptions, EffortOptions, Options};
use super::target::Target;
use super::tuning::SimulatorOptions;
use crate::runtime::Runtime;
use catalog::{CapabilityAnswers, Rules};

/// Asks the simulated device for its capabilities, as each product. Empty if the catalog has no capabilities or the
/// runtime no simulated device.
///
/// # Errors
/// Fails if the simulated device cannot be used.
pub fn simulated_capabilities(
    catalog: &CatalogOptions,
    runtime: &'static Runtime,
    rules: &Arc<Rules>,
) -> Result<BTreeMap<String, CapabilityAnswers>, RunError> {
    let mut answers = BTreeMap::new();
    if runtime.simulated.is_none() || rules.life_cycle.of(&rules.default_product).capabilities.is_empty() {
        return Ok(answers);
    }
    let (conditions, effort, simulator) =
        (ConditionOptions::default(), EffortOptions::default(), SimulatorOptions::default());
    for product in &rules.products {
        let catalog = CatalogOptions { product: product.id.clone(), ..catalog.clone() };
        let mut options = Options::of_rules(&catalog, &conditions, &effort, &simulator);
        options.workers.backend = Backend::Simulator;
        let target = Target::open(&options, runtime, rules.clone())?;
        answers.insert(product.id.clone(), target.conditions.capabilities.clone());
    }
    Ok(answers)
}
