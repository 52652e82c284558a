//! The devices' product family, from the names that tools print and from the PCI bus.

use catalog::Rules;
use engine::doctor::{Certainty, Examination, Finding, Severity};

/// Product by device id on the PCI bus (hicann/driver install scripts and DCMI manuals).
const BY_BUS: &[(&str, &str)] = &[
    ("d100", "200-300-500"),
    ("d500", "infer"),
    ("d801", "train"),
    ("d802", "a2"),
    ("d803", "a3"),
    ("d804", "a3"),
    ("d805", "a3"),
    ("d806", "ascend950"),
];

/// Determines the product. The PCI bus takes precedence, because the tool's names do not distinguish A3 from its
/// predecessors.
pub(super) fn look(rules: &Rules, names: &[String], hardware: &[String], found: &mut Examination) {
    let by_bus =
        hardware.iter().find_map(|id| BY_BUS.iter().find(|(known, _)| known == id)).map(|(_, product)| *product);
    let by_name = names.iter().find_map(|name| of_name(rules, name));
    let product = by_bus.map(str::to_owned).or(by_name);
    let place = if names.is_empty() { message!("names-of-devices").to_owned() } else { names.join(", ") };
    let said = product.clone().unwrap_or_else(|| message!("not-recognized").to_owned());
    found.looked(message!("look-product"), place, said);
    if product.is_none() && !names.is_empty() {
        let title = message!("product-unknown", count = names.len(), names = names.join(", "));
        let finding = Finding::new("product.unknown", Severity::Warning, title, message!("product-unknown-next"));
        found.find(finding.rests_on(Certainty::Code, "hicann/runtime src/platform/platform_config"));
    }
    found.product = product;
}

/// The product for a chip's name in the tool's output. The tool prints 910B3 where the runtime reports Ascend910B3.
fn of_name(rules: &Rules, name: &str) -> Option<String> {
    let bare = name.trim_start_matches("Ascend");
    let names = [format!("Ascend{bare}"), format!("Ascend{bare}_")];
    // For A3, the tool also prints just Ascend910.
    names.iter().filter(|_| bare != "910").find_map(|name| rules.product_of(name)).map(|product| product.id.clone())
}
