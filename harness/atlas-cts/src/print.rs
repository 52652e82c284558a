//! `atlas-cts print`.

use atlas_cts::CommandError;
use catalog::{self, Rules};
use clap::Args;
use engine::case::{LEAST_PATIENCE, Scope, cases_from_json, parse_json, parse_query};
use engine::print_c::{Sheet, print_c};
use engine::run::{CatalogOptions, Given, PRINT, Waiting};

/// The options of `print`.
#[derive(Debug, Args)]
pub(crate) struct PrintOptions {
    #[command(flatten)]
    pub(crate) catalog: CatalogOptions,
    /// Values of one case, or of several cases in order.
    ///
    /// Give the JSON that a failure prints. A query in place of the rule also selects one case.
    #[arg(long, value_name = "JSON")]
    case: Option<String>,
    /// Number of devices that the program uses.
    #[arg(long, env = "ATLAS_CTS_DEVICES", value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1024))]
    devices: u32,
    #[command(flatten)]
    tune: Given<PRINT>,
}

/// Prints a rule as a program, with the values from its query or from `--case`, if given.
pub(crate) fn print_program(rules: &Rules, query: &str, options: &PrintOptions) -> Result<String, CommandError> {
    let (id, queried) = parse_query(query).map_err(|source| CommandError::Query { text: query.to_owned(), source })?;
    let rule = catalog::rule(rules, id)?;
    let product = catalog::product(rules, options.catalog.named_product().unwrap_or(&rules.default_product))?;
    let devices = options.devices;
    let given = match &options.case {
        None => queried.map(|case| (query.to_owned(), case)),
        Some(text) => {
            let json = parse_json(text).map_err(|source| CommandError::CaseText { text: text.clone(), source })?;
            Some((format!("--case {text}"), json))
        }
    };
    let cases = match given {
        None => Vec::new(),
        Some((given, json)) => {
            let scope = Scope::new(product.facts.clone(), devices);
            let cases = cases_from_json(&rule.program, &scope, &json);
            cases.map_err(|error| CommandError::Case { given, error })?
        }
    };
    let patience = match options.tune.patience {
        Waiting::Given(given) => given,
        Waiting::Measured => LEAST_PATIENCE,
    };
    let sheet = Sheet { cases: &cases, patience, ..Sheet::new(product, devices) };
    print_c(rules, rule, &sheet).map_err(CommandError::Print)
}
