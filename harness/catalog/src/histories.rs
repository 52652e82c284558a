//! Histories of calls that several actors make at once (`histories` in api.yaml).

use abi::{Function, Type};
use history::{Kind, OPERATIONS, Role};

use steps::suggest::hint;
use steps::types::Declarations;

use super::model::HistoryCallSource;

/// A history: calls that are the operations of one model.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct History {
    pub name: String,
    pub kind: Kind,
    pub calls: Vec<HistoryCall>,
}

/// A call that is an operation of a model.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct HistoryCall {
    /// The name of the operation in its model.
    #[serde(deserialize_with = "abi::form::read_name")]
    pub operation: abi::form::Name,
    /// The function's name.
    pub function: String,
    pub roles: Vec<(Role, Origin)>,
}

/// The origin of a value in a recorded call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Origin {
    /// The number of the calling actor.
    Actor,
    /// The number of the calling process in its rule.
    Process,
    Number(u64),
    /// The argument at this position.
    Argument(usize),
    /// The value of this type to which the argument at this position points. If it is an output, it exists only after
    /// success.
    Pointee {
        argument: usize,
        ty: Type,
        output: bool,
    },
    /// The text, or the buffer of this length, to which the argument at this position points. If it is an output, it
    /// exists only after success.
    Text {
        argument: usize,
        bytes: Option<u32>,
        output: bool,
    },
}

/// The part of an entry that has a mistake.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Operation,
    Call,
    Role(Role),
}

impl History {
    /// The name, and the functions whose calls belong to the history.
    pub(super) fn functions(&self) -> (String, Vec<String>) {
        let mut functions: Vec<String> = self.calls.iter().map(|call| call.function.clone()).collect();
        functions.dedup();
        (self.name.clone(), functions)
    }
}

impl HistoryCall {
    /// Reads an entry. The error is the mistake, with its place.
    pub(super) fn of(
        source: &HistoryCallSource,
        (kind, bytes): (Kind, Option<u32>),
        declarations: &Declarations,
    ) -> Result<HistoryCall, (Part, String)> {
        let of_model = || OPERATIONS.iter().filter(|operation| operation.kind == kind);
        let name = &source.operation.value;
        let operation = of_model().find(|operation| operation.name == name).ok_or_else(|| {
            let hint = hint(name, of_model().map(|operation| operation.name));
            let all: Vec<&str> = of_model().map(|operation| operation.name).collect();
            let message = format!("the model has no operation `{name}`{hint}; it has {}", all.join(", "));
            (Part::Operation, message)
        })?;
        let call = &source.call.value;
        let function = declarations.function(call).ok_or_else(|| {
            let hint = hint(call, declarations.function_names());
            (Part::Call, format!("`{call}` is not in the header{hint}"))
        })?;
        let mut roles = Vec::new();
        for (role, given) in source.roles() {
            let known = operation.needs.contains(&role) || operation.may.contains(&role);
            match given {
                Some(_) if !known => {
                    return Err((Part::Role(role), format!("`{name}` of this model does not use this; remove it")));
                }
                Some(text) => {
                    roles.push((role, origin(text, function, bytes).map_err(|message| (Part::Role(role), message))?))
                }
                None if operation.needs.contains(&role) => {
                    let message = format!(
                        "`{name}` needs `{}`: the name of a parameter, `actor`, `process` or a number",
                        role.name()
                    );
                    return Err((Part::Operation, message));
                }
                None => {}
            }
        }
        Ok(HistoryCall { operation: operation.name, function: call.clone(), roles })
    }
}

impl HistoryCallSource {
    /// The roles in a fixed order, with what the entry says.
    fn roles(&self) -> [(Role, Option<&str>); 7] {
        let all = [
            (Role::Key, &self.key),
            (Role::Value, &self.value),
            (Role::From, &self.from),
            (Role::To, &self.to),
            (Role::Amount, &self.amount),
            (Role::Size, &self.size),
            (Role::Block, &self.block),
        ];
        all.map(|(role, given)| (role, given.as_ref().map(|given| given.value.as_str())))
    }
}

/// The origin of a value by the name of a parameter, `actor`, `process` or a number.
fn origin(text: &str, function: &Function, bytes: Option<u32>) -> Result<Origin, String> {
    if let Ok(number) = text.parse() {
        return Ok(Origin::Number(number));
    }
    let Some(argument) = function.parameters.iter().position(|parameter| parameter.name == text) else {
        let words = [("actor", Origin::Actor), ("process", Origin::Process)];
        if let Some((_, origin)) = words.into_iter().find(|(word, _)| *word == text) {
            return Ok(origin);
        }
        let names = function.parameters.iter().map(|parameter| parameter.name);
        let hint = hint(text, names.chain(words.map(|(word, _)| word)));
        return Err(format!("`{}` has no parameter `{text}`{hint}", function.name));
    };
    match function.parameters[argument].ty {
        Type::Pointer { to: Type::Void, .. } => Ok(Origin::Argument(argument)),
        Type::Pointer { to: Type::Char, constant } => Ok(Origin::Text { argument, bytes, output: !constant }),
        Type::Pointer {
            to:
                ty @ (Type::Integer { .. }
                | Type::LongLong { .. }
                | Type::Enumeration { .. }
                | Type::Handle(_)
                | Type::Pointer { .. }),
            constant,
        } => Ok(Origin::Pointee { argument, ty: *ty, output: !constant }),
        Type::Char | Type::Integer { .. } | Type::LongLong { .. } | Type::Enumeration { .. } | Type::Handle(_) => {
            Ok(Origin::Argument(argument))
        }
        _ => Err(format!(
            "the value of `{text}` cannot be recorded; name a parameter that is an integer, a handle, an address or text"
        )),
    }
}
