//! The arguments that the catalog's rules pass to a function. These arguments show more about a parameter than the
//! header does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use abi::{Function, Parameter, Type};
use catalog::{Rule, Rules};
use regex_lite::Regex;

/// A parameter's argument in a call, by kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArgumentKind {
    /// A value that another function writes through its parameter at this position.
    From(&'static str, usize),
    /// A struct declared with these fields. The list gives the source of each name in the fields that the header does
    /// not define.
    Struct(String, Vec<(String, &'static str, usize)>),
    /// Host memory that belongs to the case.
    Host,
    /// Bytes that differ by position.
    Pattern,
    /// A header constant, a number or a hook.
    Value(String),
    /// A separate variable that the call writes.
    Out,
    /// A drawn value, or a value computed from a drawn value.
    Drawn,
}

/// The arguments in a call in the catalog, by parameter.
pub(super) type Use = Vec<ArgumentKind>;

/// The calls to a function in the catalog.
pub(super) fn uses(rules: &Rules, function: &'static Function) -> Vec<Use> {
    let callers = rules.rules.iter().filter(|rule| rule.function_names().any(|name| name == function.name));
    callers.flat_map(|rule| uses_in(rules, rule, function)).collect()
}

/// The most frequent item, or the first of several equally frequent items.
pub(super) fn most<T: Ord>(given: impl IntoIterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for one in given {
        *counts.entry(one).or_default() += 1;
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(one, _)| one)
}

/// A call as written.
struct Written {
    function: &'static Function,
    arguments: Vec<String>,
}

fn uses_in(rules: &Rules, rule: &Rule, function: &'static Function) -> Vec<Use> {
    let calls = written(rule);
    let named = |call: &&Written| call.function.name == function.name;
    let given = |call: &Written| {
        let pairs = call.arguments.iter().zip(function.parameters);
        pairs
            .map(|(text, parameter)| CallReader { rules, rule, calls: &calls, function }.kind(text, parameter))
            .collect()
    };
    calls.iter().filter(named).map(given).collect()
}

/// The calls in a rule's own text, without the calls in the catalog's macros.
fn written(rule: &Rule) -> Vec<Written> {
    let program = &rule.program;
    let call = |call: &steps::program::Call| {
        let function = program.functions[call.function];
        let text = program.text(call.span);
        let inside = text.strip_prefix(function.name)?.trim_start().strip_prefix('(')?;
        let arguments = arguments(inside);
        (arguments.len() == function.parameters.len()).then_some(Written { function, arguments })
    };
    program.sites().into_iter().flatten().filter_map(call).collect()
}

/// The arguments before a call's closing bracket.
fn arguments(text: &str) -> Vec<String> {
    let (mut depth, mut found) = (0usize, vec![String::new()]);
    for char in text.chars() {
        match char {
            ')' | ']' | '}' if depth == 0 => break,
            ',' if depth == 0 => {
                found.push(String::new());
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        found.last_mut().expect("the list is never empty").push(char);
    }
    let found: Vec<String> = found.iter().map(|text| text.trim().to_owned()).collect();
    if found == [""] { Vec::new() } else { found }
}

/// A reader for the arguments in a rule's call.
struct CallReader<'a> {
    rules: &'a Rules,
    rule: &'a Rule,
    calls: &'a [Written],
    function: &'static Function,
}

impl CallReader<'_> {
    fn kind(&self, text: &str, parameter: &Parameter) -> ArgumentKind {
        let bare = without_cast(text);
        if let Some(name) = bare.strip_prefix('&') {
            let declared = structure(parameter.ty).and_then(|structure| self.fields(structure, name));
            return declared.unwrap_or(ArgumentKind::Out);
        }
        let name = self.without_actor(bare);
        let declared = self.declared(leading_name(name)).unwrap_or_default();
        let begins = |start: &str| bare.starts_with(start) || declared.starts_with(start);
        if begins("pattern(") {
            ArgumentKind::Pattern
        } else if begins("host(") {
            ArgumentKind::Host
        } else if self.is_constant(bare) {
            ArgumentKind::Value(bare.to_owned())
        } else {
            self.source(leading_name(name)).unwrap_or(ArgumentKind::Drawn)
        }
    }

    /// The call that writes a variable.
    fn source(&self, name: &str) -> Option<ArgumentKind> {
        let address = format!("&{name}");
        let mut others = self.calls.iter().filter(|call| call.function.name != self.function.name);
        others.find_map(|call| {
            let writes = |(text, parameter): (&String, &Parameter)| match parameter.ty {
                Type::Pointer { to: Type::Char, constant: false } => text == name,
                _ => *text == address,
            };
            let position = call.arguments.iter().zip(call.function.parameters).position(writes)?;
            Some(ArgumentKind::From(call.function.name, position))
        })
    }

    /// A pointer's initial value in the steps.
    fn declared(&self, name: &str) -> Option<&str> {
        let text = &self.rule.program.source;
        let found = Regex::new(&format!(r"\*\s*{}\s*=\s*", regex_lite::escape(name))).ok()?.find(text)?;
        text.get(found.end()..)
    }

    /// A variable's name without its actor.
    fn without_actor<'t>(&self, text: &'t str) -> &'t str {
        let of_actor = |(before, _): &(&str, &str)| self.rule.program.actors.iter().any(|actor| actor.name == *before);
        text.split_once('.').filter(of_actor).map_or(text, |(_, name)| name)
    }

    /// A struct's initial fields in the steps; `None` if the fields use something that only this rule has.
    fn fields(&self, structure: &str, name: &str) -> Option<ArgumentKind> {
        let (structure, name) = (regex_lite::escape(structure), regex_lite::escape(name));
        let declaration = Regex::new(&format!(r"{structure}\s+{name}\s*=\s*(\{{[^;]*\}});")).ok()?;
        let fields = declaration.captures(&self.rule.program.source)?.get(1)?.as_str();
        let fields = fields.split_whitespace().collect::<Vec<_>>().join(" ");
        let unknown: BTreeSet<&str> = names(&fields).filter(|name| !self.is_known(name)).collect();
        let source = |name: &str| match self.source(name)? {
            ArgumentKind::From(function, position) => Some((name.to_owned(), function, position)),
            _ => None,
        };
        let sources: Vec<_> = unknown.into_iter().map(source).collect::<Option<_>>()?;
        Some(ArgumentKind::Struct(fields, sources))
    }

    /// True if the header defines all names in a text.
    fn is_constant(&self, text: &str) -> bool {
        names(text).all(|name| self.is_known(name))
    }

    fn is_known(&self, name: &str) -> bool {
        let declarations = &self.rules.environment.declarations;
        name == "hook" || declarations.constant(name).is_some() || declarations.ty(name).is_some()
    }
}

/// The names in an expression, without names of fields.
fn names(text: &str) -> impl Iterator<Item = &str> {
    static NAME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:^|[^.\w])([A-Za-z_]\w*)").expect("the expression is a constant"));
    NAME.captures_iter(text).filter_map(|found| found.get(1)).map(|name| name.as_str())
}

/// The struct that a parameter points to.
fn structure(ty: Type) -> Option<&'static str> {
    match ty {
        Type::Pointer { to: Type::Struct(name), .. } => Some(name),
        _ => None,
    }
}

fn without_cast(text: &str) -> &str {
    match text.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, rest)) if !rest.trim().is_empty() => rest.trim(),
        _ => text,
    }
}

fn leading_name(text: &str) -> &str {
    let end = text.find(|char: char| !(char.is_ascii_alphanumeric() || char == '_')).unwrap_or(text.len());
    &text[..end]
}
