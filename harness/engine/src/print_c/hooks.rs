//! Prints the functions that a program passes to the runtime: one for each callback type.

use std::collections::HashSet;
use std::fmt::Write;

use abi::{Callback, Type};
use steps::syntax::{Expression, ExpressionKind};
use steps::types::{is_address, receives_gate};

use super::prelude::words;
use super::printer::Printer;
use super::text::c_type;

impl Printer<'_> {
    /// The expression for a hook. A hook with a bound gate is the result of the function that binds the gate.
    pub(super) fn hook(&self, arguments: &[Expression]) -> String {
        match arguments {
            [Expression { kind: ExpressionKind::Name(name), .. }] => format!("hook_{name}"),
            [Expression { kind: ExpressionKind::Name(name), .. }, gate] => {
                format!("bind_{name}({})", self.expression(gate))
            }
            _ => self.call("hook", arguments),
        }
    }

    /// The hooks that the printed steps use.
    pub(super) fn hooks(&self, steps: &str) -> String {
        let callbacks = self.rules.environment.declarations.bindings.callbacks;
        let printed: HashSet<&str> = words(steps).collect();
        let is_printed = |callback: &&Callback| {
            ["hook", "bind"].iter().any(|kind| printed.contains(format!("{kind}_{}", callback.name).as_str()))
        };
        self.reads.hooks.iter().filter_map(|at| callbacks.get(*at)).filter(is_printed).map(definition).collect()
    }
}

/// The function of a callback type.
fn definition(callback: &Callback) -> String {
    let Callback { name, parameters, returns } = callback;
    let (mut declared, mut words, mut candidates) = (Vec::new(), Vec::new(), 0u32);
    for (index, ty) in parameters.iter().enumerate() {
        declared.push(c_type(*ty, &format!("a{index}")));
        words.push(format!("(uint64_t){}a{index}", if is_address(*ty) { "(uintptr_t)" } else { "" }));
        candidates |= u32::from(receives_gate(*ty)) << index;
    }
    let bound = candidates == 0;
    let mut out = String::new();
    if bound {
        let _ = writeln!(out, "static void *bound_{name};");
    }
    let declared = if declared.is_empty() { "void".to_owned() } else { declared.join(", ") };
    let _ = writeln!(out, "static {} {{", c_type(*returns, &format!("hook_{name}({declared})")));
    // C has no empty arrays.
    let words = if words.is_empty() { "0".to_owned() } else { words.join(", ") };
    let (candidates, gate) =
        if bound { (1 << parameters.len(), format!("bound_{name}")) } else { (candidates, "NULL".to_owned()) };
    let call = format!("pass({candidates}, {}, (const uint64_t[]){{{words}}}, {gate})", parameters.len());
    let _ = match *returns {
        Type::Void => writeln!(out, "    {call};\n}}"),
        ty if is_address(ty) => writeln!(out, "    return {call};\n}}"),
        _ => writeln!(out, "    {call};\n    return 0;\n}}"),
    };
    if bound {
        let _ = writeln!(
            out,
            "static {name} bind_{name}(void *gate) {{\n    bound_{name} = gate;\n    return hook_{name};\n}}"
        );
    }
    out.push('\n');
    out
}
