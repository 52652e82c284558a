//! The functions that the step language adds to the runtime's own.

use abi::Type;

use super::types::{CHAR_POINTER, INT, SIZE};

/// A built-in function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    Host,
    Edge,
    Pattern,
    Fill,
    SetBytes,
    Poison,
    Same,
    Differ,
    AllBytes,
    Poisoned,
    Disjoint,
    AlignUp,
    IsPowerOfTwo,
    TextMatches,
    Alignment,
    File,
    GetPid,
}

impl Builtin {
    /// Whether doing it twice is the same as doing it once.
    pub fn repeats(self) -> bool {
        use Builtin::{Edge, File, Fill, Host, Poison, SetBytes};
        !matches!(self, Host | Edge | File | Fill | SetBytes | Poison)
    }
}

/// What a parameter of a built-in is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    Integer,
    /// Host memory that is read or written.
    Memory,
    /// An address that is only looked at.
    Address,
    Text,
}

/// What a built-in is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Value,
    /// A statement of its own, without a verdict.
    Action,
    /// A condition.
    Check,
}

/// The signature of a built-in.
pub struct Signature {
    pub name: &'static str,
    pub builtin: Builtin,
    pub parameters: &'static [Parameter],
    pub returns: Type,
    pub used_as: Use,
}

use Parameter::{Address, Integer, Memory, Text};

/// Every built-in.
pub const BUILTINS: &[Signature] = &[
    value("host", Builtin::Host, &[Integer, Integer], CHAR_POINTER),
    value("edge", Builtin::Edge, &[Integer], CHAR_POINTER),
    value("pattern", Builtin::Pattern, &[Integer, Integer], CHAR_POINTER),
    action("fill", Builtin::Fill, &[Memory, Integer, Integer]),
    action("set_bytes", Builtin::SetBytes, &[Memory, Integer, Integer]),
    action("poison", Builtin::Poison, &[Memory, Integer]),
    check("same", Builtin::Same, &[Memory, Memory, Integer]),
    check("differ", Builtin::Differ, &[Memory, Memory, Integer]),
    check("all_bytes", Builtin::AllBytes, &[Memory, Integer, Integer]),
    check("poisoned", Builtin::Poisoned, &[Memory, Integer]),
    check("disjoint", Builtin::Disjoint, &[Address, Integer, Address, Integer]),
    value("ALIGN_UP", Builtin::AlignUp, &[Integer, Integer], SIZE),
    check("is_pow2", Builtin::IsPowerOfTwo, &[Integer]),
    check("text_matches", Builtin::TextMatches, &[Text, Text]),
    value("alignment", Builtin::Alignment, &[Address], SIZE),
    value("file", Builtin::File, &[Text], CHAR_POINTER),
    value("getpid", Builtin::GetPid, &[], INT),
];

const fn value(name: &'static str, builtin: Builtin, parameters: &'static [Parameter], returns: Type) -> Signature {
    Signature { name, builtin, parameters, returns, used_as: Use::Value }
}

const fn action(name: &'static str, builtin: Builtin, parameters: &'static [Parameter]) -> Signature {
    Signature { name, builtin, parameters, returns: Type::Void, used_as: Use::Action }
}

const fn check(name: &'static str, builtin: Builtin, parameters: &'static [Parameter]) -> Signature {
    Signature { name, builtin, parameters, returns: INT, used_as: Use::Check }
}

/// Looks a built-in up by name.
pub fn builtin(name: &str) -> Option<&'static Signature> {
    BUILTINS.iter().find(|signature| signature.name == name)
}
