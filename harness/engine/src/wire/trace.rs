//! Recorded calls as text.

use abi::{Function, Type};
use catalog::{LifeCycleProgram, Rules};
use steps::builtins::Builtin;
use steps::program::{Argument, Call, Expression, Place, Program, Root, Space};
use steps::types::{c_name, is_address, wrap};
use steps::{ActorId, Id};

use super::flight::{ARGUMENTS, CallRecord, LIFE_CYCLE, RELEASE};
use crate::case::Trace;

/// The programs from which calls were recorded.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    pub rules: &'a Rules,
    /// The rule's program.
    pub program: &'a Program,
    /// The life cycle of the rule's processes.
    pub life_cycle: &'a LifeCycleProgram,
}

/// A case's calls.
pub fn trace(texts: &Texts<'_>, records: &[CallRecord], dropped: u64) -> Trace {
    let (sites, places) = (texts.program.sites(), texts.program.places_of_calls());
    let mut lines = begin(dropped);
    for record in records {
        let line = line(texts, &sites, record);
        let line = match actor(texts, record) {
            Some(actor) => format!("{actor}: {line}"),
            None => line,
        };
        lines.add(line, place(&places, record));
    }
    lines
}

/// The actor of a call that ran at once with other calls.
pub fn actor<'a>(texts: &Texts<'a>, record: &CallRecord) -> Option<&'a str> {
    let actor = texts.program.actors.get(ActorId::new((record.lane as usize).checked_sub(1)?))?;
    Some(&actor.name)
}

/// The beginning of a trace whose first calls were not kept.
pub fn begin(dropped: u64) -> Trace {
    let mut lines = Trace::default();
    if dropped > 0 {
        lines.add(format!("… {dropped} earlier calls"), None);
    }
    lines
}

/// The place of a recorded call in the program's text; `None` for calls outside the steps.
pub fn place(places: &[Option<usize>], record: &CallRecord) -> Option<usize> {
    // Releases and the life cycle have numbers above those of all call sites.
    places.get(record.site as usize).copied().flatten()
}

/// The called function's name and the origin of the call.
pub fn named(texts: &Texts<'_>, sites: &[Option<&Call>], record: &CallRecord) -> Option<String> {
    let (function, _, note) = called(texts, sites, record);
    Some(format!("{}{}", function?.name, note))
}

/// The name of the function called at a site, and the origin of the call.
pub fn of_site(texts: &Texts<'_>, site: u32) -> Option<String> {
    let record =
        CallRecord { site, state: CallRecord::OPEN, tick: 0, result: 0, arguments: [0; ARGUMENTS], lane: 0, number: 0 };
    named(texts, &texts.program.sites(), &record)
}

/// The called function.
pub fn function(texts: &Texts<'_>, sites: &[Option<&Call>], record: &CallRecord) -> Option<&'static Function> {
    called(texts, sites, record).0
}

/// The function in a record, the call in the steps, and a note for calls outside steps.
fn called<'a>(
    texts: &Texts<'a>,
    sites: &[Option<&'a Call>],
    record: &CallRecord,
) -> (Option<&'static Function>, Option<&'a Call>, &'static str) {
    let Texts { rules, program, life_cycle } = *texts;
    if record.site & RELEASE != 0 {
        let resource = rules.resources.get((record.site & !RELEASE) as usize);
        let function =
            resource.and_then(|resource| rules.environment.declarations.function(&resource.release.function));
        return (function, None, " (automatic release)");
    }
    if record.site & LIFE_CYCLE != 0 {
        let program = &life_cycle.program;
        let call = program.sites().get((record.site & !LIFE_CYCLE) as usize).copied().flatten();
        return (call.map(|call| program.functions[call.function]), None, " (life cycle)");
    }
    let call = sites.get(record.site as usize).copied().flatten();
    (call.map(|call| program.functions[call.function]), call, "")
}

/// A call as text: `f(size=64, policy=X) = 0`.
pub fn line(texts: &Texts<'_>, sites: &[Option<&Call>], record: &CallRecord) -> String {
    let Texts { rules, program, .. } = *texts;
    let (function, call, note) = called(texts, sites, record);
    let Some(function) = function else { return format!("unknown call site {}", record.site) };
    let given = |index: usize| record.arguments.get(index).copied().unwrap_or_default();
    let arguments: Vec<String> = function
        .parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| {
            let shown = match call.and_then(|call| call.arguments.get(index)) {
                Some(Argument::Out { place, .. }) => match &place.root {
                    Root::Variable(variable) => format!("&{}", program.variables[*variable].name),
                    Root::Pointer(_) => address(given(index)),
                },
                Some(Argument::Value { value, ty }) => {
                    let named = built_in(program, value, *ty).or_else(|| written(program, value, parameter.ty));
                    named.unwrap_or_else(|| argument(rules, parameter.ty, given(index)))
                }
                None => argument(rules, parameter.ty, given(index)),
            };
            format!("{}={shown}", parameter.name)
        })
        .collect();
    let result = if record.state == CallRecord::OPEN {
        "did not return".to_owned()
    } else {
        let value = wrap(function.returns, i128::from(record.result));
        if is_address(function.returns) {
            address(record.result)
        } else {
            rules.environment.results.of(function.returns).map_or_else(|| value.to_string(), |codes| codes.shown(value))
        }
    };
    let note = if note.is_empty() { String::new() } else { format!(" {note}") };
    format!("{}({}) = {result}{note}", function.name, arguments.join(", "))
}

/// The text for a hook or a gate, whose address has no meaning for the reader.
fn built_in(program: &Program, value: &Expression, ty: Type) -> Option<String> {
    match value {
        Expression::Cast(_, of) => built_in(program, of, ty),
        Expression::Builtin(Builtin::Hook, _) => Some(format!("hook({})", c_name(ty))),
        Expression::Builtin(Builtin::Gate, _) => Some("gate()".to_owned()),
        Expression::Load { place: Place { root: Root::Variable(variable), .. }, .. } => {
            let variable = &program.variables[*variable];
            (variable.space == Some(Space::Gate)).then(|| format!("gate {}", variable.name))
        }
        _ => None,
    }
}

/// The text for the address of a variable that a function may write through a `void *`.
fn written(program: &Program, value: &Expression, ty: Type) -> Option<String> {
    match value {
        Expression::Cast(_, of) => written(program, of, ty),
        Expression::AddressOf(Place { root: Root::Variable(variable), .. }) => {
            let writable = matches!(ty, Type::Pointer { to: Type::Void, constant: false });
            writable.then(|| format!("&{}", program.variables[*variable].name))
        }
        _ => None,
    }
}

fn argument(rules: &Rules, ty: Type, raw: u64) -> String {
    if is_address(ty) {
        return address(raw);
    }
    let value = wrap(ty, i128::from(raw));
    if let Type::Enumeration { name, .. } = ty {
        let enumeration = rules.environment.declarations.bindings.enums.iter().find(|known| known.name == name);
        let constant = enumeration.and_then(|known| known.constants.iter().find(|constant| constant.value == value));
        if let Some(constant) = constant {
            return constant.name.to_owned();
        }
    }
    value.to_string()
}

fn address(raw: u64) -> String {
    if raw == 0 { "NULL".to_owned() } else { format!("0x{raw:x}") }
}
