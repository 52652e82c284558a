//! `atlas-cts print`.

use atlas_cts::CommandError;
use engine::case::{LEAST_PATIENCE, Scope, cases_from_json, parse_json};
use engine::catalog::{self, Rules};
use engine::print_c::{Sheet, print_c};
use engine::run::{Options, Waiting};

/// A rule as a C program, with the values of `--case` if they are given.
pub(crate) fn print_as_c(rules: &Rules, id: &str, options: &Options) -> Result<String, CommandError> {
    let rule = catalog::rule(rules, id)?;
    let product = if options.product == "auto" { &rules.default_product } else { &options.product };
    let product = catalog::product(rules, product)?;
    let devices = options.devices.unwrap_or(4);
    let cases = match &options.case {
        None => Vec::new(),
        Some(text) => {
            let json = parse_json(text).map_err(|source| CommandError::CaseText { text: text.clone(), source })?;
            let scope = Scope::new(product.facts.clone(), devices);
            let cases = cases_from_json(&rule.program, &scope, &json);
            cases.map_err(|error| CommandError::Case { text: text.clone(), error })?
        }
    };
    let patience = match options.patience {
        Waiting::Given(given) => given,
        Waiting::Measured => LEAST_PATIENCE,
    };
    let sheet = Sheet { cases: &cases, patience, ..Sheet::new(product, devices) };
    print_c(rules, rule, &sheet).map_err(CommandError::Print)
}
