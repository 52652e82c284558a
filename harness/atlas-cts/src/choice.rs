//! The runtimes of commands whose options name neither a runtime nor a product.

use catalog::Specs;
use engine::run::{CatalogOptions, choose_runtime, installed_library, load_rules};
use engine::runtime::Runtime;

use crate::conclude::CommandError;
use crate::runtimes::RUNTIMES;

/// The maximum size of an api.yaml, in bytes.
const LARGEST: u64 = 4 << 20;

/// The runtime that the options name or, if they name none, every runtime with a catalog.
///
/// # Errors
/// Fails if the options name an unknown runtime or product.
pub fn named_or_all(options: &mut CatalogOptions) -> Result<Vec<&'static Runtime>, CommandError> {
    let chosen = choose_runtime(RUNTIMES, options, &[])?;
    if is_named(options) {
        return Ok(vec![chosen]);
    }
    let has_catalog = |runtime: &Runtime| {
        let specs: Specs = options.specs(runtime);
        specs.read(&specs.root().join(runtime.name()).join("api.yaml"), LARGEST).is_ok()
    };
    let all: Vec<&'static Runtime> = RUNTIMES.iter().copied().filter(|runtime| has_catalog(runtime)).collect();
    // A mistake in the folder's path is reported when the catalog is read.
    Ok(if all.is_empty() { vec![chosen] } else { all })
}

/// The runtime that the options name or, if they name none, the first one whose library is installed. Without any
/// library, this is the first runtime.
///
/// # Errors
/// Fails if the options name an unknown runtime or product, or if a catalog has a mistake.
pub fn named_or_installed(options: &mut CatalogOptions) -> Result<&'static Runtime, CommandError> {
    let chosen = choose_runtime(RUNTIMES, options, &[])?;
    if is_named(options) || RUNTIMES.len() == 1 {
        return Ok(chosen);
    }
    for runtime in named_or_all(options)? {
        if installed_library(&load_rules(options, runtime)?).is_some() {
            return Ok(runtime);
        }
    }
    Ok(chosen)
}

fn is_named(options: &CatalogOptions) -> bool {
    options.runtime.is_some() || options.named_product().is_some()
}
