//! The rules that touch only memory which they allocate, found by their calls.

use abi::{Function, Type};
use catalog::{Rule, Rules};

use crate::pool::Home;

/// The reason why a rule does not run in bursts; `None` if it does.
///
/// A rule qualifies if it runs in one process that other rules use too, on one device, and if each function that it
/// calls works on something that is passed by address or handle. A function with numbers alone changes or waits for
/// the device or the process as a whole.
pub(super) fn unfit(rule: &Rule, rules: &Rules, product: &str) -> Option<String> {
    if rule.hazard.is_some() {
        return Some("the documents leave the result undefined".to_owned());
    }
    if Home::of(rule) != Home::Worker {
        return Some("it needs several processes, or a process of which nothing else remains usable".to_owned());
    }
    if rule.devices() > 1 {
        return Some("it needs several devices".to_owned());
    }
    let life_cycle: Vec<&str> = rules.life_cycle.of(product).program.function_names().collect();
    let queries = |name: &str| life_cycle.contains(&name) && !rules.environment.process_functions.contains(name);
    for function in &rule.program.functions {
        let name = function.name;
        if rules.environment.process_functions.contains(name) {
            return Some(format!("{name} changes the whole process"));
        }
        if rules.visible.is_some() && selects(function) {
            return Some(format!("{name} selects or resets a device"));
        }
        if !(has_object(function) || queries(name)) {
            return Some(format!("{name} is about the device or the process as a whole"));
        }
    }
    None
}

/// True if a function takes nothing but numbers.
fn selects(function: &Function) -> bool {
    !function.parameters.is_empty() && !has_object(function)
}

/// True if a function takes an address, a handle or a callback.
fn has_object(function: &Function) -> bool {
    let object = |ty: &Type| matches!(ty, Type::Pointer { .. } | Type::Handle(_) | Type::Callback(_));
    function.parameters.iter().any(|parameter| object(&parameter.ty))
}
