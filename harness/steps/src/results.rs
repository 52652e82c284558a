//! What calls return to say whether they succeeded: a header may have several types of codes, each with a success of its
//! own.

use abi::Type;

/// A type of codes.
#[derive(Debug, Clone)]
pub struct ResultType {
    /// The type's name in the header.
    pub name: String,
    pub ty: Type,
    /// The value that means success.
    pub success: i128,
    /// How a program writes that value.
    pub success_name: String,
    /// The names of codes by their values.
    pub codes: Vec<(i128, &'static str)>,
    /// Codes after which a process is of no further use.
    pub fatal: Vec<i128>,
}

impl ResultType {
    /// Whether a call that returned this value succeeded.
    #[inline]
    pub fn succeeded(&self, value: i128) -> bool {
        value == self.success
    }

    /// The name of a code, if it has one.
    pub fn code_name(&self, code: i128) -> Option<&'static str> {
        self.codes.iter().find(|(value, _)| *value == code).map(|(_, name)| *name)
    }

    /// A code with its name, for a person.
    pub fn shown(&self, code: i128) -> String {
        match self.code_name(code) {
            _ if self.succeeded(code) => "success".to_owned(),
            Some(name) => format!("{code} ({name})"),
            None => code.to_string(),
        }
    }
}

/// The types of codes of a header; no two of them are the same C type.
#[derive(Debug, Clone, Default)]
pub struct Results(pub Vec<ResultType>);

impl Results {
    /// The type of codes that functions with this return type answer with; `None`: what they return says nothing about
    /// success.
    pub fn of(&self, returns: Type) -> Option<&ResultType> {
        self.position(returns).map(|position| &self.0[position])
    }

    /// Its position.
    pub fn position(&self, returns: Type) -> Option<usize> {
        self.0.iter().position(|known| known.ty == returns)
    }
}
