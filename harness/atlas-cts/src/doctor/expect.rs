//! The number of rules that a run on this machine would execute.

use catalog::{Conditions, Edition, Rules, applies, product};
use engine::doctor::{Examination, Finding, Patient, Severity};
use messages::message;

use super::surroundings::Surroundings;

/// Counts the catalog's rules that apply to the product.
pub(super) fn look(patient: &Patient<'_>, options: &Surroundings, found: &mut Examination) {
    if let Some(named) = &patient.product {
        if let Some(recognized) = found.product.as_ref().filter(|recognized| *recognized != named) {
            let title = message!("product-contradicts", recognized = recognized.as_str(), given = named.as_str());
            let next = message!("product-contradicts-next", recognized = recognized.as_str());
            found.find(Finding::new("product.contradicts", Severity::Blocker, title, next));
        }
        found.product = Some(named.clone());
    }
    let Some(id) = found.product.clone() else { return };
    let count = count(patient.rules, &id, options, found);
    found.rules_to_expect = count;
    let all = patient.rules.rules.len();
    let said =
        count.map_or(message!("label-unknown").to_owned(), |count| message!("rules-apply", count = count, all = all));
    found.looked(message!("look-rules"), id, said);
}

fn count(rules: &Rules, id: &str, options: &Surroundings, found: &Examination) -> Option<usize> {
    let product = product(rules, id).ok()?;
    let of = |name: &str| found.versions.iter().find(|version| version.of == name);
    let devices = u32::try_from(found.devices.len()).unwrap_or(u32::MAX);
    let given = &options.conditions;
    let conditions = Conditions {
        product: id.to_owned(),
        run_mode: std::env::var("ATLAS_CTS_RUN_MODE")
            .ok()
            .or_else(|| product.run_modes.first().cloned())
            .unwrap_or_default(),
        devices: given.devices.unwrap_or(devices.max(1)),
        lacking: Default::default(),
        editions: of("runtime").or_else(|| of("toolkit")).and_then(|version| Edition::read(&version.version)).into(),
        kernel: None,
        virtual_machine: options.machine.variables.bare_metal.then_some(false),
        capabilities: Default::default(),
        trials: Default::default(),
        locked_memory: None,
        hazardous: given.hazardous,
        dedicated: given.dedicated,
        through: given.through.is_some(),
    };
    // The rule for exported functions is derived from the support table.
    let derived = usize::from(rules.support_rule().is_some());
    Some(rules.rules.iter().filter(|rule| applies(rule, &conditions, rules).is_ok()).count() + derived)
}
