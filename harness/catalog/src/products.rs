//! A runtime's product families, after checking.

use std::collections::BTreeMap;

use serde_yaml::Spanned;

use steps::suggest::hint;

use super::diagnostic::Mistakes;
use super::ids::{ID, is_id};
use super::model::ProductsFile;
use super::parse::ParsedFile;

/// A product family with its documented quantities.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Product {
    pub id: String,
    pub name: String,
    /// Other names that `--product` accepts.
    pub aliases: Vec<String>,
    #[serde(with = "crate::book::stored::patterns")]
    pub reported_names: Vec<regex_lite::Regex>,
    pub run_modes: Vec<String>,
    /// Values of the quantities, in bytes or units.
    pub facts: BTreeMap<String, i128>,
}

/// The product of a device whose name matches none.
pub(super) fn of_unknown(
    file: &ParsedFile<ProductsFile>,
    products: &[Product],
    mistakes: &mut Mistakes,
) -> Option<String> {
    let unknown = file.value.unknown.as_ref()?;
    if let Some(message) = unknown_product(&unknown.value, products) {
        mistakes.at(&file.source, unknown, message);
    }
    Some(unknown.value.clone())
}

/// The product that the simulated device imitates.
pub(super) fn default_product(
    file: &ParsedFile<ProductsFile>,
    products: &[Product],
    mistakes: &mut Mistakes,
) -> String {
    let first = products.first().map(|product| product.id.clone()).unwrap_or_default();
    let Some(default) = &file.value.default else { return first };
    if !products.iter().any(|product| product.id == default.value) {
        let hint = hint(&default.value, products.iter().map(|product| product.id.as_str()));
        mistakes.at(&file.source, default, format!("unknown product `{}`: not in this file{hint}", default.value));
    }
    default.value.clone()
}

/// Checks the products.
pub(super) fn check(file: &ParsedFile<ProductsFile>, run_modes: &[String], mistakes: &mut Mistakes) -> Vec<Product> {
    let mut products: Vec<Product> = Vec::new();
    for entry in &file.value.products {
        let mut facts = BTreeMap::new();
        for (name, value) in &entry.facts {
            match quantity(value) {
                Some(number) => drop(facts.insert(name.clone(), number)),
                None => {
                    let message = format!("`{}` is not a quantity; write, for example, 4KiB or 64", value.value);
                    mistakes.at(&file.source, value, message);
                }
            }
        }
        let id = &entry.id.value;
        let mut report = |message: String| mistakes.at(&file.source, &entry.id, message);
        if !is_id(id) {
            report(format!("`{id}` cannot be the id of a product; {ID}"));
        }
        if let Some(first) = products.first() {
            for name in first.facts.keys().filter(|name| !facts.contains_key(*name)) {
                report(format!("`{id}` lacks the quantity `{name}` that `{}` has; add it", first.id));
            }
            for name in facts.keys().filter(|name| !first.facts.contains_key(*name)) {
                report(format!(
                    "`{id}` has the quantity `{name}` that `{}` lacks; add it there, or remove it here",
                    first.id
                ));
            }
        }
        if products.iter().any(|known| known.id == *id) {
            report(format!("there are two products `{id}`; rename one"));
        }
        let mut reported_names = Vec::new();
        for pattern in &entry.reported_names {
            match regex_lite::Regex::new(pattern) {
                Ok(pattern) => reported_names.push(pattern),
                Err(error) => report(format!("`{pattern}` is not a regular expression: {error}")),
            }
        }
        if entry.run_modes.is_empty() && !run_modes.is_empty() {
            report(format!("`{id}` names no run mode; the modes are {}", quoted(run_modes)));
        }
        for mode in entry.run_modes.iter().filter(|mode| !run_modes.contains(mode)) {
            report(unknown_run_mode(mode, run_modes));
        }
        products.push(Product {
            id: id.clone(),
            name: entry.name.clone(),
            aliases: entry.aliases.iter().map(|alias| alias.value.clone()).collect(),
            reported_names,
            run_modes: entry.run_modes.clone(),
            facts,
        });
    }
    aliases(file, &products, mistakes);
    products
}

/// Checks that each name means one product, and that each ambiguous name means several.
fn aliases(file: &ParsedFile<ProductsFile>, products: &[Product], mistakes: &mut Mistakes) {
    // The owner of each name, by the name in lower case.
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for id in products.iter().map(|product| &product.id) {
        known.insert(id.to_ascii_lowercase(), format!("the id of `{id}`"));
    }
    for name in file.value.families.keys() {
        known.entry(name.to_ascii_lowercase()).or_insert_with(|| "a family".to_owned());
    }
    for entry in &file.value.products {
        let id = &entry.id.value;
        for alias in &entry.aliases {
            let mut report = |what: &str| {
                mistakes.at(&file.source, alias, format!("`{}` is already {what}; remove it here", alias.value));
            };
            let reported = |product: &&Product| product.reported_names.iter().any(|name| name.is_match(&alias.value));
            if let Some(owner) = known.get(&alias.value.to_ascii_lowercase()) {
                report(owner);
            } else if let Some(other) = products.iter().find(reported).filter(|other| other.id != *id) {
                report(&format!("a name that `{}` reports, so it is ambiguous", other.id));
            }
            known.insert(alias.value.to_ascii_lowercase(), format!("an alias of `{id}`"));
        }
    }
    for (name, meant) in &file.value.ambiguous {
        for product in meant.iter().filter_map(|product| Some((product, unknown_product(&product.value, products)?))) {
            mistakes.at(&file.source, product.0, product.1);
        }
        let Some(first) = meant.first() else { continue };
        if let Some(owner) = known.get(&name.to_ascii_lowercase()) {
            mistakes.at(
                &file.source,
                first,
                format!("`{name}` is already {owner}, so it is not ambiguous; remove one"),
            );
        }
        if meant.iter().all(|product| product.value == first.value) {
            let message = format!("`{name}` names one product only; make it an alias of `{}`", first.value);
            mistakes.at(&file.source, first, message);
        }
    }
}

/// The message about an unknown product; `None` if the product is known.
pub(super) fn unknown_product(product: &str, known: &[Product]) -> Option<String> {
    let ids = || known.iter().map(|known| known.id.as_str());
    let unknown = !ids().any(|id| id == product);
    unknown.then(|| format!("unknown product `{product}`: not in products.yaml{}", hint(product, ids())))
}

pub(super) fn unknown_run_mode(mode: &str, known: &[String]) -> String {
    if known.is_empty() {
        return format!("unknown run mode `{mode}`: api.yaml lists none");
    }
    format!("unknown run mode `{mode}`; the modes are {}", quoted(known))
}

fn quoted(modes: &[String]) -> String {
    let modes: Vec<String> = modes.iter().map(|mode| format!("`{mode}`")).collect();
    modes.join(" and ")
}

/// Reads `4KiB` or `64`.
fn quantity(text: &Spanned<String>) -> Option<i128> {
    let digits = text.value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text.value[digits.len()..] {
        "" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return None,
    };
    digits.parse::<i128>().ok()?.checked_mul(factor)
}
