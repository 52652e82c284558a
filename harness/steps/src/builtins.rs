//! The functions that the step language provides in addition to the runtime's functions.

use abi::Type;

use super::types::{CHAR_POINTER, INT, SIZE, VOID_POINTER};

/// A built-in function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
    ThreadId,
    Resident,
    PauseFor,
    Gate,
    Hook,
    Open,
    Passed,
    Argument,
    Linear,
    Handed,
    Shut,
}

impl Builtin {
    /// True if calling the built-in again has no further effect.
    pub fn repeats(self) -> bool {
        use Builtin::{
            Argument, Edge, File, Fill, Gate, Handed, Host, Passed, PauseFor, Poison, Resident, SetBytes, Shut,
        };
        !matches!(
            self,
            Host | Edge
                | File
                | Fill
                | SetBytes
                | Poison
                | Gate
                | Passed
                | Argument
                | Resident
                | PauseFor
                | Handed
                | Shut
        )
    }

    /// True if the built-in's value differs from process to process.
    pub(super) fn is_of_its_process(self) -> bool {
        use Builtin::{Alignment, Disjoint, Edge, File, Gate, GetPid, Host, Resident, ThreadId};
        matches!(self, GetPid | ThreadId | Resident | Alignment | Disjoint | Host | Edge | File | Gate)
    }
}

/// The kind of a built-in's parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    Integer,
    /// Host memory that is read or written.
    Memory,
    /// An address whose memory is not accessed.
    Address,
    Text,
    /// A variable that holds a gate.
    Gate,
    /// The name of a callback type, only for `hook`, which may take a gate in addition.
    Callback,
    /// The name of a history, only for `linear`.
    History,
    /// A variable of an actor in another process, only for `handed`.
    Descriptor,
}

/// The contexts in which a built-in can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Value,
    /// A statement that performs an action and gives no verdict.
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
    signature("host", Builtin::Host, &[Integer, Integer], CHAR_POINTER, Use::Value),
    signature("edge", Builtin::Edge, &[Integer], CHAR_POINTER, Use::Value),
    signature("pattern", Builtin::Pattern, &[Integer, Integer], CHAR_POINTER, Use::Value),
    signature("fill", Builtin::Fill, &[Memory, Integer, Integer], Type::Void, Use::Action),
    signature("set_bytes", Builtin::SetBytes, &[Memory, Integer, Integer], Type::Void, Use::Action),
    signature("poison", Builtin::Poison, &[Memory, Integer], Type::Void, Use::Action),
    signature("same", Builtin::Same, &[Memory, Memory, Integer], INT, Use::Check),
    signature("differ", Builtin::Differ, &[Memory, Memory, Integer], INT, Use::Check),
    signature("all_bytes", Builtin::AllBytes, &[Memory, Integer, Integer], INT, Use::Check),
    signature("poisoned", Builtin::Poisoned, &[Memory, Integer], INT, Use::Check),
    signature("disjoint", Builtin::Disjoint, &[Address, Integer, Address, Integer], INT, Use::Check),
    signature("ALIGN_UP", Builtin::AlignUp, &[Integer, Integer], SIZE, Use::Value),
    signature("is_pow2", Builtin::IsPowerOfTwo, &[Integer], INT, Use::Check),
    signature("text_matches", Builtin::TextMatches, &[Text, Text], INT, Use::Check),
    signature("alignment", Builtin::Alignment, &[Address], SIZE, Use::Value),
    signature("file", Builtin::File, &[Text], CHAR_POINTER, Use::Value),
    signature("getpid", Builtin::GetPid, &[], INT, Use::Value),
    signature("thread_id", Builtin::ThreadId, &[], SIZE, Use::Value),
    signature("resident", Builtin::Resident, &[], SIZE, Use::Value),
    signature("pause_for", Builtin::PauseFor, &[Integer], Type::Void, Use::Action),
    signature("gate", Builtin::Gate, &[], VOID_POINTER, Use::Value),
    // The result has the type that the argument names.
    signature("hook", Builtin::Hook, &[Parameter::Callback], VOID_POINTER, Use::Value),
    signature("open", Builtin::Open, &[Parameter::Gate], Type::Void, Use::Action),
    signature("passed", Builtin::Passed, &[Parameter::Gate], SIZE, Use::Value),
    signature("argument", Builtin::Argument, &[Parameter::Gate, Integer], SIZE, Use::Value),
    signature("linear", Builtin::Linear, &[Parameter::History], INT, Use::Check),
    signature("handed", Builtin::Handed, &[Parameter::Descriptor], INT, Use::Value),
    signature("shut", Builtin::Shut, &[Integer], Type::Void, Use::Action),
];

const fn signature(
    name: &'static str,
    builtin: Builtin,
    parameters: &'static [Parameter],
    returns: Type,
    used_as: Use,
) -> Signature {
    Signature { name, builtin, parameters, returns, used_as }
}

/// Looks a built-in up by name.
pub fn builtin(name: &str) -> Option<&'static Signature> {
    BUILTINS.iter().find(|signature| signature.name == name)
}
