//! python.yaml: the runtime's functions in a Python module.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `specs/<runtime>/python.yaml`: a Python module that offers the runtime's functions.
///
/// A function's remaining parameters are its arguments, in the header's order. Addresses and handles are integers, 0
/// for null; a C string is a `str`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PythonFile {
    /// The interface's name, for `--through`.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// The name of the module that a program imports.
    pub module: String,
    /// The clauses that give the conventions of all functions: types of arguments and results.
    #[schemars(with = "Vec<String>")]
    #[serde(default)]
    pub conventions: Vec<Spanned<String>>,
    /// Function of the header → its form in the module. Functions that are not listed have none.
    pub functions: IndexMap<String, PythonFunction>,
}

/// A function's form in the module.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PythonFunction {
    /// The function's name in the module, with dots.
    #[schemars(with = "String")]
    pub call: Spanned<String>,
    /// The parameters through which the function returns values, in the order of the results; `code` is what the C
    /// function returns. A single result is not a tuple.
    pub returns: Vec<String>,
    /// Parameters that are arrays of integers: a list in Python, which replaces the parameter with the number of items.
    #[serde(default)]
    pub lists: IndexMap<String, String>,
    /// Result that is a text → the parameter with the room for it in bytes. That parameter is also an argument.
    #[serde(default)]
    pub texts: IndexMap<String, String>,
    /// Text parameters that may be `None`, for a null pointer.
    #[serde(default)]
    pub none: Vec<String>,
    /// The clauses that name this function or give its prototype. Without them, name and order of results follow the
    /// conventions, and no document confirms them.
    #[schemars(with = "Vec<String>")]
    #[serde(default)]
    pub clauses: Vec<Spanned<String>>,
}
