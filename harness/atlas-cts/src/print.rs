//! `atlas-cts print`.

use atlas_cts::CommandError;
use catalog::{self, Rules};
use clap::Args;
use engine::case::{LEAST_PATIENCE, Scope, cases_from_json, parse_json};
use engine::print_c::{Sheet, print_c};
use engine::run::{CatalogOptions, Waiting};

/// What a rule is printed with.
#[derive(Debug, Args)]
pub(crate) struct PrintOptions {
    #[command(flatten)]
    pub(crate) catalog: CatalogOptions,
    /// The values of this case, as a failure prints them, or of several cases in their order.
    #[arg(long, value_name = "JSON")]
    case: Option<String>,
    /// Number of devices.
    #[arg(long, env = "ATLAS_CTS_DEVICES", value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1024))]
    devices: u32,
    /// Milliseconds that the program waits for what is expected to happen, or `auto`: as few as a run waits.
    #[arg(long, env = "ATLAS_CTS_PATIENCE", value_name = "MS", default_value = "auto")]
    patience: Waiting,
}

/// A rule as a C program, with the values of `--case` if they are given.
pub(crate) fn print_as_c(rules: &Rules, id: &str, options: &PrintOptions) -> Result<String, CommandError> {
    let rule = catalog::rule(rules, id)?;
    let product = catalog::product(rules, options.catalog.named_product().unwrap_or(&rules.default_product))?;
    let devices = options.devices;
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
