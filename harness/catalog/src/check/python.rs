//! The functions of a Python module.

use std::collections::BTreeMap;

use abi::{Function, Type};
use steps::suggest::hint;
use steps::types::{Declarations, is_address, plain};

use crate::clauses::ClauseBook;
use crate::diagnostic::Mistakes;
use crate::model::{PythonFile, PythonFunction};
use crate::parse::ParsedFile;
use crate::python::{PythonForm, PythonModule, Returned, Taken};

/// The result that is what the C function returns.
const CODE: &str = "code";

/// Checks python.yaml. `book` has the clauses; `None` if the catalog was not read whole.
pub(super) fn check(
    file: &ParsedFile<PythonFile>,
    declarations: &Declarations,
    book: &ClauseBook,
    mistakes: &mut Mistakes,
) -> PythonModule {
    let table = &file.value;
    let cited = table.functions.values().flat_map(|function| &function.clauses).chain(&table.conventions);
    for clause in cited.filter(|clause| book.clause(&clause.value).is_none()) {
        mistakes.at(&file.source, clause, format!("there is no clause `{}`", clause.value));
    }
    let mut functions = BTreeMap::new();
    let mut called = BTreeMap::new();
    for (name, written) in &table.functions {
        let Some(function) = declarations.function(name) else {
            let hint = hint(name, declarations.function_names());
            mistakes.at(&file.source, &written.call, format!("`{name}` is not in the header{hint}"));
            continue;
        };
        if let Some(other) = called.insert(written.call.value.as_str(), function.name) {
            let message = format!("`{}` is already the form of {other}", written.call.value);
            mistakes.at(&file.source, &written.call, message);
        }
        match form(function, written, declarations) {
            Ok(form) => {
                functions.insert(function.name, form);
            }
            Err(message) => mistakes.at(&file.source, &written.call, format!("{name}: {message}")),
        }
    }
    PythonModule { name: table.name.value.clone(), module: table.module.clone(), functions }
}

/// Derives a function's form from its declaration.
fn form(function: &Function, written: &PythonFunction, declarations: &Declarations) -> Result<PythonForm, String> {
    let position = |name: &String| {
        let found = function.parameters.iter().position(|parameter| parameter.name == name);
        found.ok_or_else(|| format!("there is no parameter `{name}`"))
    };
    let pair = |(from, to): (&String, &String)| Ok::<_, String>((position(from)?, position(to)?));
    let counts = written.lists.iter().map(pair).collect::<Result<BTreeMap<usize, usize>, _>>()?;
    let rooms = written.texts.iter().map(pair).collect::<Result<BTreeMap<usize, usize>, _>>()?;
    let none = written.none.iter().map(position).collect::<Result<Vec<usize>, _>>()?;
    let mut returns = Vec::new();
    for name in &written.returns {
        let at = if name == CODE { None } else { Some(position(name)?) };
        let room = at.and_then(|at| rooms.get(&at).copied());
        let result = returned(function, at, room, declarations);
        returns.push(result.ok_or_else(|| format!("nothing is returned through `{name}` that has a form in Python"))?);
    }
    if !matches!(function.returns, Type::Void) && !returns.iter().any(|returned| returned.at().is_none()) {
        return Err(format!("the C function returns a value; list `{CODE}` among the results"));
    }
    let mut takes = Vec::new();
    for (at, parameter) in function.parameters.iter().enumerate() {
        if returns.iter().any(|returned| returned.at() == Some(at)) || counts.values().any(|count| *count == at) {
            continue;
        }
        let taken = taken(at, parameter.ty, counts.get(&at).copied(), none.contains(&at), declarations);
        takes.push(taken.ok_or_else(|| format!("the type of `{}` has no form in Python", parameter.name))?);
    }
    let parameters = function.parameters.iter().map(|parameter| parameter.name.to_owned()).collect();
    Ok(PythonForm { call: written.call.value.clone(), takes, returns, parameters })
}

fn taken(at: usize, ty: Type, count: Option<usize>, none: bool, declarations: &Declarations) -> Option<Taken> {
    match (ty, count) {
        (Type::Pointer { to, .. }, Some(count)) => {
            let (bytes, signed) = integer(*to, declarations)?;
            Some(Taken::List { at, count, bytes, signed })
        }
        (Type::Pointer { to: Type::Char, .. }, None) => Some(Taken::Text { at, none }),
        (
            Type::Pointer { to: Type::Void, .. }
            | Type::Handle(_)
            | Type::Integer { .. }
            | Type::LongLong { .. }
            | Type::Enumeration { .. },
            None,
        ) => {
            let (bytes, signed) = integer(ty, declarations)?;
            Some(Taken::Integer { at, bytes, signed })
        }
        _ => None,
    }
}

fn returned(
    function: &Function,
    at: Option<usize>,
    room: Option<usize>,
    declarations: &Declarations,
) -> Option<Returned> {
    let ty = match at.map(|at| function.parameters[at].ty) {
        None => function.returns,
        Some(Type::Pointer { to: Type::Char, constant: false }) if room.is_some() => {
            return Some(Returned::Text { at, room });
        }
        Some(Type::Pointer { to, constant: false }) => *to,
        Some(_) => return None,
    };
    match ty {
        Type::Float { bytes } => Some(Returned::Real { at, bytes: bytes.into() }),
        Type::Pointer { to: Type::Char, .. } if at.is_none() => Some(Returned::Text { at, room: None }),
        _ => integer(ty, declarations).map(|(bytes, signed)| Returned::Integer { at, bytes, signed }),
    }
}

/// The size of a value that is an integer in Python, and true if it is signed.
fn integer(ty: Type, declarations: &Declarations) -> Option<(usize, bool)> {
    match plain(ty) {
        Type::Integer { bytes, signed } => Some((bytes.into(), signed)),
        Type::Enumeration { signed, .. } => Some((declarations.size(ty), signed)),
        Type::Pointer { .. } | Type::Handle(_) if is_address(ty) => Some((declarations.size(ty), false)),
        _ => None,
    }
}
