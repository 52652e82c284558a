//! The runtime's functions in a Python module: how each is called there.

use std::collections::BTreeMap;

use abi::{Function, Type};
use serde::{Deserialize, Serialize};
use steps::program::{Argument, Call, Expression};

use super::rules::{Rule, Rules};

/// A Python module that offers the runtime's functions.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct PythonModule {
    /// The interface's name, for `--through`.
    pub name: String,
    /// The name of the module that a program imports.
    pub module: String,
    /// The functions that the module offers, by their names in the header.
    #[serde(with = "crate::book::stored::forms")]
    pub functions: BTreeMap<&'static str, PythonForm>,
}

/// A function's form in the module.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PythonForm {
    /// The function's name in the module, with dots.
    pub call: String,
    /// The arguments, in order.
    pub takes: Vec<Taken>,
    /// The results, in order.
    pub returns: Vec<Returned>,
    /// The name of each parameter in C, for messages.
    pub parameters: Vec<String>,
}

/// An argument. Positions are those of C parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Taken {
    /// An integer, an address or a handle.
    Integer { at: usize, bytes: usize, signed: bool },
    /// A `str` in place of a C string; `none` if null is `None`.
    Text { at: usize, none: bool },
    /// A list of integers in place of an array and its length.
    List { at: usize, count: usize, bytes: usize, signed: bool },
}

/// A result. Positions are those of C parameters; a result without a position is the return value in C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Returned {
    /// An integer, an address or a handle.
    Integer { at: Option<usize>, bytes: usize, signed: bool },
    /// A floating-point number.
    Real { at: Option<usize>, bytes: usize },
    /// A `str` in place of a C string. As a parameter, the buffer has the room that the parameter `room` gives.
    Text { at: Option<usize>, room: Option<usize> },
}

impl Taken {
    /// The parameter that takes the value in C.
    pub fn at(&self) -> usize {
        match self {
            Taken::Integer { at, .. } | Taken::Text { at, .. } | Taken::List { at, .. } => *at,
        }
    }
}

impl Returned {
    /// The parameter through which C returns the value.
    pub fn at(&self) -> Option<usize> {
        match self {
            Returned::Integer { at, .. } | Returned::Real { at, .. } | Returned::Text { at, .. } => *at,
        }
    }
}

/// The reason why a call has no form in the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Formless {
    /// The module does not offer the function.
    Unlisted,
    /// As above, and the function takes a struct by pointer.
    Struct,
    /// The call passes null for a result, for a list, or for a text that cannot be `None`.
    Null,
    /// The call passes an array with a length that no list has.
    Length,
}

impl Formless {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Formless::Unlisted => "python.yaml does not list it",
            Formless::Struct => "it takes a struct by pointer",
            Formless::Null => "the call passes null for a result or a text",
            Formless::Length => "the call passes an array with a length that no list has",
        }
    }
}

impl PythonModule {
    /// Checks that a call has a form in the module.
    pub(super) fn form(&self, function: &Function, call: &Call) -> Result<(), Formless> {
        let Some(form) = self.functions.get(function.name) else { return Err(formless(function)) };
        let null = |at: usize| constant(call, at) == Some(0);
        let result = form.returns.iter().filter_map(Returned::at).any(null);
        let argument =
            |taken: &Taken| matches!(taken, Taken::Text { none: false, .. } | Taken::List { .. }) && null(taken.at());
        let long = |taken: &Taken| match taken {
            Taken::List { count, .. } => constant(call, *count).is_some_and(|length| length > LONGEST_LIST),
            _ => false,
        };
        if result || form.takes.iter().any(argument) {
            return Err(Formless::Null);
        }
        if form.takes.iter().any(long) { Err(Formless::Length) } else { Ok(()) }
    }

    /// The reason why a rule's releases cannot be made through the module.
    pub(super) fn releases(&self, rule: &Rule, rules: &Rules) -> Option<(&'static str, Formless)> {
        let lacks = |function: &&'static Function| !self.functions.contains_key(function.name);
        rules.releases(rule).find(lacks).map(|function| (function.name, formless(function)))
    }
}

/// The reason why an unlisted function has no form.
fn formless(function: &Function) -> Formless {
    let structure = |ty: &Type| matches!(ty, Type::Pointer { to: Type::Struct(_), .. });
    match function.parameters.iter().any(|parameter| structure(&parameter.ty)) {
        true => Formless::Struct,
        false => Formless::Unlisted,
    }
}

/// The length of the longest list that a call passes. A longer array exists only as a claim.
const LONGEST_LIST: i128 = 1 << 20;

/// The value of an argument, if it is the same in every case.
fn constant(call: &Call, at: usize) -> Option<i128> {
    let Argument::Value { value, .. } = call.arguments.get(at)? else { return None };
    let mut value = value;
    while let Expression::Cast(_, inner) = value {
        value = inner;
    }
    match value {
        Expression::Constant(value) => Some(*value),
        _ => None,
    }
}
