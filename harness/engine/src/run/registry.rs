//! Chooses the runtime from an executable's registry.

use steps::suggest::hint;

use crate::runtime::Runtime;
use catalog::{ProductNames, UnknownName, product_names};

use super::errors::RegistryError;
use super::options::CatalogOptions;

/// Chooses the runtime that `--runtime` names. Without `--runtime`, chooses the runtime with the given product;
/// without a product, the runtime whose rules are selected by id; otherwise, the first runtime. Another name of the
/// product is replaced by the product's id.
///
/// # Errors
/// Fails if `--runtime` or `--product` is unknown or ambiguous, if the two options contradict each other, or if two runtimes share
/// a name or a product.
pub fn choose_runtime(
    runtimes: &[&'static Runtime],
    options: &mut CatalogOptions,
    rules: &[String],
) -> Result<&'static Runtime, RegistryError> {
    let runtime = choose(runtimes, options, rules)?;
    if let Some(given) = options.named_product() {
        match product_names(&options.specs(runtime), runtime.name()).id_of(given) {
            Ok(id) => options.product = id.to_owned(),
            Err(error @ UnknownName::Ambiguous { .. }) => return Err(RegistryError::Unknown(error)),
            // An unknown product is reported when the runtime's catalog is opened.
            Err(_) => {}
        }
    }
    Ok(runtime)
}

fn choose(
    runtimes: &[&'static Runtime],
    options: &CatalogOptions,
    rules: &[String],
) -> Result<&'static Runtime, RegistryError> {
    let registry = Registry::read(runtimes, options)?;
    let named = options.runtime.as_ref().map(|name| registry.named(name)).transpose()?;
    // If there is only one runtime, an unknown product is reported when the runtime's catalog is opened.
    let product = options.named_product().filter(|_| runtimes.len() > 1);
    let owner = product.map(|product| registry.owner(product)).transpose()?;
    match (named, owner) {
        (Some(named), Some(owner)) if named.name() != owner.name() => Err(RegistryError::Contradiction {
            runtime: named.name(),
            product: options.product.clone(),
            of: owner.name(),
        }),
        (Some(found), _) | (None, Some(found)) => Ok(found),
        (None, None) => Ok(registry.of_rules(rules).unwrap_or_else(|| registry.first())),
    }
}

/// An executable's runtimes, each with its products.
struct Registry(Vec<(&'static Runtime, ProductNames)>);

impl Registry {
    /// Reads the products of each runtime. Fails if two runtimes share a name or a product.
    fn read(runtimes: &[&'static Runtime], options: &CatalogOptions) -> Result<Registry, RegistryError> {
        let mut known: Vec<(&'static Runtime, ProductNames)> = Vec::new();
        for runtime in runtimes {
            let name = runtime.name();
            // With only one runtime, the products do not affect the choice.
            let names = || product_names(&options.specs(runtime), name);
            let products = if runtimes.len() > 1 { names() } else { ProductNames::default() };
            for (earlier, theirs) in &known {
                if earlier.name() == name {
                    return Err(RegistryError::TwoRuntimes { name });
                }
                if let Some(product) = theirs.ids().find(|theirs| products.ids().any(|own| own == *theirs)) {
                    let product = product.to_owned();
                    return Err(RegistryError::TwoProducts { product, first: earlier.name(), second: name });
                }
            }
            known.push((runtime, products));
        }
        Ok(Registry(known))
    }

    fn first(&self) -> &'static Runtime {
        self.0.first().map(|(runtime, _)| *runtime).expect("a registry has a runtime")
    }

    fn named(&self, name: &str) -> Result<&'static Runtime, RegistryError> {
        let found = self.0.iter().map(|(runtime, _)| *runtime).find(|runtime| runtime.name() == name);
        found.ok_or_else(|| {
            let known: Vec<String> = self.0.iter().map(|(runtime, _)| runtime.name().to_owned()).collect();
            let hint = hint(name, known.iter().map(String::as_str));
            RegistryError::Unknown(UnknownName::Runtime { name: name.to_owned(), hint, known })
        })
    }

    fn owner(&self, product: &str) -> Result<&'static Runtime, RegistryError> {
        let mut ambiguous = None;
        for (runtime, names) in &self.0 {
            match names.id_of(product) {
                Ok(_) => return Ok(runtime),
                Err(error @ UnknownName::Ambiguous { .. }) => ambiguous = Some(error),
                Err(_) => {}
            }
        }
        Err(RegistryError::Unknown(ambiguous.unwrap_or_else(|| {
            let known: Vec<String> = self.0.iter().flat_map(|(_, names)| names.ids().map(str::to_owned)).collect();
            let hint = hint(product, self.0.iter().flat_map(|(_, names)| names.written()));
            UnknownName::Product { id: product.to_owned(), hint, known }
        })))
    }

    fn of_rules(&self, rules: &[String]) -> Option<&'static Runtime> {
        let has_all = |runtime: &Runtime| {
            let prefix = format!("{}.", runtime.name());
            !rules.is_empty() && rules.iter().all(|rule| rule.starts_with(&prefix) || rule == runtime.name())
        };
        self.0.iter().map(|(runtime, _)| *runtime).find(|runtime| has_all(runtime))
    }
}
