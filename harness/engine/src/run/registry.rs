//! Which runtime of an executable's registry is meant.

use steps::suggest::hint;

use crate::catalog::{UnknownName, product_ids};
use crate::runtime::Runtime;

use super::options::Options;

/// The runtime that is meant: the one that `--runtime` names, else the one that has the product, else the one whose
/// rules are asked for by their ids, else the first.
///
/// # Errors
/// `--runtime` names none of them.
pub fn choose_runtime(
    runtimes: &[&'static Runtime],
    options: &Options,
    rules: &[String],
) -> Result<&'static Runtime, UnknownName> {
    if let Some(name) = &options.runtime {
        return runtimes.iter().copied().find(|runtime| runtime.name() == name).ok_or_else(|| {
            let known: Vec<String> = runtimes.iter().map(|runtime| runtime.name().to_owned()).collect();
            UnknownName::Runtime { name: name.clone(), hint: hint(name, known.iter().map(String::as_str)), known }
        });
    }
    let first = runtimes.first().copied().expect("a registry has a runtime");
    if runtimes.len() == 1 {
        return Ok(first);
    }
    let has_product = |runtime: &&&Runtime| product_ids(&options.specs(), runtime.name()).contains(&options.product);
    let has_rules = |runtime: &&&Runtime| {
        let prefix = format!("{}.", runtime.name());
        !rules.is_empty() && rules.iter().all(|rule| rule.starts_with(&prefix))
    };
    let found = runtimes.iter().find(has_product).or_else(|| runtimes.iter().find(has_rules));
    Ok(found.copied().unwrap_or(first))
}
