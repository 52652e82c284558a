//! Function calls with arguments chosen by type, and the statements that the calls need first.

use std::collections::BTreeSet;

use abi::{Function, Parameter, Type};
use catalog::{Rules, TimeUnit};
use steps::types::c_name;

use super::uses::{ArgumentKind, Use, most, uses};

/// The maximum depth of calls that need other calls. Deeper calls form a cycle.
const DEEPEST: usize = 6;
/// The name of the size axis.
pub(super) const SIZE: &str = "size";

/// The steps of a skeleton.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The statements that the calls need.
    pub setup: Vec<String>,
    /// The calls, and the statements that need the calls' results.
    pub wanted: Vec<String>,
    /// The functions (with parameters) for which no call can be written.
    pub open: Vec<String>,
}

impl Calls {
    /// True if a parameter is a size.
    pub(super) fn draws(&self) -> bool {
        let word = regex_lite::Regex::new(&format!(r"\b{SIZE}\b")).expect("the expression is a constant");
        self.setup.iter().chain(&self.wanted).any(|line| word.is_match(line))
    }
}

/// Writes calls to these functions, in this order.
pub(super) fn calls(rules: &Rules, functions: &[&'static Function]) -> Calls {
    let mut writer = Writer { rules, taken: BTreeSet::new(), there: Vec::new(), calls: Calls::default() };
    for function in functions {
        if writer.call(function, true, 0).is_none() {
            let parameters: Vec<&str> = function.parameters.iter().map(|parameter| parameter.name).collect();
            writer.calls.open.push(format!("{}({})", function.name, parameters.join(", ")));
        }
    }
    writer.calls
}

/// A variable that a call writes.
struct There {
    function: &'static str,
    position: usize,
    ty: Type,
    name: String,
    /// True if the call was requested or depends on a requested call.
    wanted: bool,
}

struct Writer<'a> {
    rules: &'a Rules,
    /// The names of variables in use.
    taken: BTreeSet<String>,
    there: Vec<There>,
    calls: Calls,
}

/// An argument, and true if the argument comes from a requested call.
type Passed = (String, bool);

impl Writer<'_> {
    /// Writes a call and the statements that the call needs. Returns `None` if an argument is unknown.
    fn call(&mut self, function: &'static Function, requested: bool, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let uses = uses(self.rules, function);
        let mut passed: Vec<Passed> = Vec::new();
        let mut written: Vec<There> = Vec::new();
        for (position, parameter) in function.parameters.iter().enumerate() {
            let argument = self.argument(function, position, parameter, &uses, depth)?;
            let name = argument.0.trim_start_matches('&').to_owned();
            let ty = match parameter.ty {
                Type::Pointer { to: Type::Char, constant: false } => Some(parameter.ty),
                Type::Pointer { to, constant: false } if argument.0.starts_with('&') => Some(*to),
                _ => None,
            };
            written.extend(ty.map(|ty| There { function: function.name, position, ty, name, wanted: requested }));
            passed.push(argument);
        }
        let later = requested || passed.iter().any(|(_, wanted)| *wanted);
        let arguments: Vec<String> = passed.into_iter().map(|(text, _)| text).collect();
        let call = format!("{}({});", function.name, arguments.join(", "));
        let line = match function.returns != Type::Void && self.rules.result_of(function.name).is_none() {
            true => format!("{} = {call}", self.fresh("answer")),
            false => call,
        };
        if later {
            self.calls.wanted.push(line)
        } else {
            self.calls.setup.push(line)
        }
        written.iter_mut().for_each(|variable| variable.wanted = later);
        self.there.append(&mut written);
        Some(())
    }

    fn argument(
        &mut self,
        function: &'static Function,
        position: usize,
        parameter: &'static Parameter,
        uses: &[Use],
        depth: usize,
    ) -> Option<Passed> {
        if let Some((_, unit)) = self.rules.time_outs.get(function.name).filter(|(known, _)| *known == position) {
            let text = if *unit == TimeUnit::Seconds { "patience / 1000" } else { "patience" };
            return Some((text.to_owned(), false));
        }
        let usual =
            most(uses.iter().map(|given| &given[position])).filter(|given| **given != ArgumentKind::Drawn).cloned();
        let acquires = |resource: &&catalog::Resource| resource.released_by(function.name) == Some(position);
        if let Some(resource) = self.rules.resources.iter().find(acquires)
            && let Some(found) = self.from(&resource.acquire, resource.parameter, depth)
        {
            return Some(found);
        }
        match parameter.ty {
            Type::Pointer { to, constant } => self.pointer(parameter, *to, constant, usual, depth),
            Type::Integer { bytes: 8, signed: false } if is_size(parameter.name, uses, position) => {
                Some((SIZE.to_owned(), false))
            }
            _ => self.value(position, parameter, usual, uses, depth),
        }
    }

    fn pointer(
        &mut self,
        parameter: &'static Parameter,
        to: Type,
        constant: bool,
        usual: Option<ArgumentKind>,
        depth: usize,
    ) -> Option<Passed> {
        match (usual, to) {
            (Some(ArgumentKind::From(source, position)), _) if let Some(found) = self.from(source, position, depth) => {
                Some(found)
            }
            (Some(ArgumentKind::Struct(fields, sources)), Type::Struct(_)) => {
                self.structure(parameter.name, to, fields, &sources, depth)
            }
            // Only the library knows the content of an opaque structure.
            (_, Type::Struct(name)) if self.rules.environment.declarations.structure(name).is_none() && constant => {
                Some(("NULL".to_owned(), false))
            }
            (_, Type::Struct(_)) if constant => self.structure(parameter.name, to, "{0}".to_owned(), &[], depth),
            (Some(ArgumentKind::Value(text)), _) => Some((text, false)),
            (Some(ArgumentKind::Pattern), Type::Void) => Some((format!("pattern({SIZE}, 1)"), false)),
            (usual, Type::Void) => match usual {
                None if constant => Some((format!("pattern({SIZE}, 1)"), false)),
                None => self.device_memory(depth),
                Some(_) => {
                    let name = self.fresh(parameter.name);
                    self.calls.setup.push(format!("char *{name} = host({SIZE}, 4096);"));
                    Some((name, false))
                }
            },
            (_, Type::Char) if constant => Some(("\"name\"".to_owned(), false)),
            (_, Type::Char) => {
                let name = self.fresh(parameter.name);
                self.calls.setup.push(format!("char {name}[128];"));
                Some((name, false))
            }
            (None | Some(ArgumentKind::Out), _) if !constant => {
                Some((format!("&{}", self.fresh(parameter.name)), false))
            }
            _ => None,
        }
    }

    /// Declares a struct before the calls.
    fn structure(
        &mut self,
        wanted: &str,
        ty: Type,
        mut fields: String,
        sources: &[(String, &'static str, usize)],
        depth: usize,
    ) -> Option<Passed> {
        let mut later = false;
        for (name, source, position) in sources {
            let (found, wanted) = self.from(source, *position, depth)?;
            let word = regex_lite::Regex::new(&format!(r"\b{name}\b")).ok()?;
            fields = word.replace_all(&fields, found.as_str()).into_owned();
            later |= wanted;
        }
        let name = self.fresh(wanted);
        let line = format!("{} {name} = {fields};", c_name(ty));
        if later {
            self.calls.wanted.push(line)
        } else {
            self.calls.setup.push(line)
        }
        Some((format!("&{name}"), later))
    }

    fn value(
        &mut self,
        position: usize,
        parameter: &'static Parameter,
        usual: Option<ArgumentKind>,
        uses: &[Use],
        depth: usize,
    ) -> Option<Passed> {
        if let Some(ArgumentKind::From(source, position)) = usual
            && let Some(found) = self.from(source, position, depth)
        {
            return Some(found);
        }
        if let Type::Handle(_) = parameter.ty
            && let Some(found) = self.handle(parameter.ty, depth)
        {
            return Some(found);
        }
        if let Some(text) = usual_value(position, uses) {
            return Some((text, false));
        }
        match parameter.ty {
            Type::Enumeration { name, .. } => {
                let known = self.rules.environment.declarations.bindings.enums.iter().find(|known| known.name == name);
                Some((known?.constants.first()?.name.to_owned(), false))
            }
            Type::Integer { .. } | Type::LongLong { .. } | Type::Char | Type::Handle(_) | Type::Callback(_) => {
                Some(("0".to_owned(), false))
            }
            _ => None,
        }
    }

    /// A handle of a type: an existing handle, or a new handle from the first function that acquires this type.
    fn handle(&mut self, ty: Type, depth: usize) -> Option<Passed> {
        if let Some(there) = self.there.iter().rev().find(|there| there.ty == ty) {
            return Some((there.name.clone(), there.wanted));
        }
        let resource = self.rules.resources.iter().find(|resource| resource.handle.ty() == ty)?;
        self.from(&resource.acquire, resource.parameter, depth)
    }

    /// Device memory, from the first function that allocates it.
    fn device_memory(&mut self, depth: usize) -> Option<Passed> {
        let spaces = &self.rules.environment.spaces;
        let gives = |function: &str| {
            spaces.iter().any(|((known, _), space)| known == function && *space == steps::program::Space::Device)
        };
        let resource = self.rules.resources.iter().find(|resource| gives(&resource.acquire))?;
        self.from(&resource.acquire, resource.parameter, depth)
    }

    /// A variable that a function has written. If no such variable exists, a call is added.
    fn from(&mut self, source: &str, position: usize, depth: usize) -> Option<Passed> {
        let written = |there: &&There| there.function == source && there.position == position;
        if let Some(there) = self.there.iter().rev().find(written) {
            return Some((there.name.clone(), there.wanted));
        }
        let function = self.rules.environment.declarations.function(source)?;
        self.call(function, false, depth + 1)?;
        let there = self.there.iter().rev().find(written)?;
        Some((there.name.clone(), there.wanted))
    }

    /// An unused name.
    fn fresh(&mut self, wanted: &str) -> String {
        let declarations = &self.rules.environment.declarations;
        let known =
            |name: &str| name == SIZE || declarations.constant(name).is_some() || declarations.ty(name).is_some();
        let plain = Some(wanted.to_owned()).filter(|name| !known(name));
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let name = plain.into_iter().chain(numbered).find(|name| !self.taken.contains(name));
        let name = name.expect("there is always another number");
        self.taken.insert(name.clone());
        name
    }
}

/// The constant that rules pass most often. Calls that copy from a pattern take precedence, because the skeleton's
/// calls also copy from a pattern.
fn usual_value(position: usize, uses: &[Use]) -> Option<String> {
    let value = |given: &Use| match &given[position] {
        ArgumentKind::Value(text) => Some(text.clone()),
        _ => None,
    };
    let alike = uses.iter().filter(|given| given.contains(&ArgumentKind::Pattern));
    most(alike.filter_map(value)).or_else(|| most(uses.iter().filter_map(value)))
}

/// True if a parameter's name and the arguments in rules suggest a size or a count.
fn is_size(name: &str, uses: &[Use], position: usize) -> bool {
    let name = name.to_ascii_lowercase();
    let named = ["size", "count", "max", "bytes", "len", "width", "pitch"].iter().any(|part| name.contains(part));
    named && (uses.is_empty() || uses.iter().any(|given| given[position] == ArgumentKind::Drawn))
}
