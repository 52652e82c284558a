//! Result codes of calls. A header may have several types of codes, each with its own value for success.

use abi::Type;

/// A type of codes.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct ResultType {
    /// The type's name in the header.
    pub name: String,
    pub ty: Type,
    /// The value that means success.
    pub success: i128,
    /// The name of that value in C source.
    pub success_name: String,
    /// The codes, as pairs of value and name.
    #[serde(deserialize_with = "abi::form::read_pairs")]
    pub codes: Vec<(i128, &'static str)>,
    /// Codes that leave a process unusable.
    pub fatal: Vec<i128>,
}

impl ResultType {
    /// True if a call that returned this value succeeded.
    #[inline]
    pub fn succeeded(&self, value: i128) -> bool {
        value == self.success
    }

    /// The name of a code, if it has one.
    pub fn code_name(&self, code: i128) -> Option<&'static str> {
        self.codes.iter().find(|(value, _)| *value == code).map(|(_, name)| *name)
    }

    /// A code with its name, for reports.
    pub fn shown(&self, code: i128) -> String {
        match self.code_name(code) {
            _ if self.succeeded(code) => "success".to_owned(),
            Some(name) => format!("{code} ({name})"),
            None => code.to_string(),
        }
    }
}

/// The types of codes in a header. Each type of codes is a different C type.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Results(pub Vec<ResultType>);

impl Results {
    /// The type of codes for functions with this return type; `None` if their return value does not indicate success.
    pub fn of(&self, returns: Type) -> Option<&ResultType> {
        self.position(returns).map(|position| &self.0[position])
    }

    /// The position, in the list, of the type of codes for functions with this return type.
    pub fn position(&self, returns: Type) -> Option<usize> {
        self.0.iter().position(|known| known.ty == returns)
    }
}
