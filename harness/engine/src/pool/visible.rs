//! The visibility variable for devices, as set for this process.

/// The devices listed in the variable, in order. Empty if the variable is not set.
pub(crate) fn given(variable: &str) -> Vec<String> {
    named(&std::env::var(variable).unwrap_or_default())
}

/// The devices listed in a value for the variable.
pub(crate) fn named(value: &str) -> Vec<String> {
    value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
