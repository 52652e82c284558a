//! Capabilities that no rule names, and capabilities that the simulated device does not prove.

use std::collections::BTreeMap;

use crate::{CapabilityAnswers, Rules};

/// The capabilities that no rule names, those that every product of the simulated device has, those that none has, and
/// those whose query failed. `answers` are those of the simulated device, by product; empty: unknown.
pub fn untested_capabilities(rules: &Rules, answers: &BTreeMap<String, CapabilityAnswers>) -> Vec<String> {
    let mut found = Vec::new();
    for capability in &rules.life_cycle.of("").capabilities {
        let (place, name) = (&capability.place, &capability.name);
        let named = |rule: &crate::Rule| rule.when.capabilities().any(|(named, _)| named.value == *name);
        if !rules.rules.iter().any(named) {
            found.push(format!("{place}: no rule names the capability `{name}`; remove it, or use it under `when`"));
        }
        let given: Vec<_> =
            answers.iter().filter_map(|(product, answers)| Some((product, answers.get(name)?))).collect();
        if let Some((product, answer)) = given.iter().find(|(_, answer)| answer.has().is_none()) {
            found.push(format!("{place}: the capability `{name}` on the simulated {product}: {answer}"));
            continue;
        }
        let having = given.iter().filter(|(_, answer)| answer.has() == Some(true)).count();
        let (who, other) = match having {
            _ if given.is_empty() => continue,
            0 => ("no product", "have"),
            all if all == given.len() => ("every product", "lack"),
            _ => continue,
        };
        found.push(format!(
            "{place}: {who} of the simulated device has the capability `{name}`, so half of its rules' conditions is \
             untested; let one {other} it"
        ));
    }
    found
}
