//! Which product family the devices are of, from the names that tools print and from the PCI bus.

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

/// Decides; the bus is the surest, because names of the tool lack what tells A3 from its elders.
pub(super) fn look(rules: &Rules, names: &[String], hardware: &[String], found: &mut Examination) {
    let by_bus =
        hardware.iter().find_map(|id| BY_BUS.iter().find(|(known, _)| known == id)).map(|(_, product)| *product);
    let by_name = names.iter().find_map(|name| of_name(rules, name));
    let product = by_bus.map(str::to_owned).or(by_name);
    let asked = if names.is_empty() { "names of devices".to_owned() } else { names.join(", ") };
    found.looked("product", asked, product.clone().unwrap_or_else(|| "not recognized".to_owned()));
    if product.is_none() && !names.is_empty() {
        let title = format!("no product family of the catalog has a device called {}", names.join(" or "));
        let next = "give the family with --product; a new name is worth a report";
        let finding = Finding::new("product.unknown", Severity::Warning, title, next);
        found.find(finding.rests_on(Certainty::Code, "hicann/runtime src/platform/platform_config"));
    }
    found.product = product;
}

/// The tool prints 910B3 where the runtime reports Ascend910B3.
fn of_name(rules: &Rules, name: &str) -> Option<String> {
    let bare = name.trim_start_matches("Ascend");
    let names = [format!("Ascend{bare}"), format!("Ascend{bare}_")];
    // A bare Ascend910 is what the tool prints for A3 as well.
    names.iter().filter(|_| bare != "910").find_map(|name| rules.product_of(name)).map(|product| product.id.clone())
}
