//! `atlas-cts print`.

use crate::generate::case_from_json;
use crate::lang::print_c::{Target, print_c};
use crate::rules::Rules;
use crate::run::Options;

/// A rule as a C program, with the values of `--case` if they are given.
pub fn print_as_c(rules: &Rules, id: &str, options: &Options) -> Result<String, String> {
    let rule = crate::select::rule(rules, id)?;
    let product = if options.product == "auto" { &rules.default_product } else { &options.product };
    let product = crate::select::product(rules, product)?;
    let case = match &options.case {
        None => None,
        Some(text) => {
            let json: serde_json::Value =
                serde_json::from_str(text).map_err(|error| format!("--case {text}: {error}"))?;
            if json.is_array() {
                return Err(format!(
                    "--case {text}: a program is printed for one case; give the last one, and know that it fails only \
                     after the others, or run them all with `atlas-cts run {id} --case …`"
                ));
            }
            Some(case_from_json(&rule.program, &json).map_err(|error| format!("--case {text}: {error}"))?)
        }
    };
    let target = Target {
        product,
        devices: options.devices.unwrap_or(4),
        values: case.as_ref().map(|case| case.values.as_slice()),
        salt: case.as_ref().map_or(1, |case| case.salt),
    };
    print_c(rules, rule, &target)
}
