//! The visibility variable of the devices, as set for this process.

/// The devices listed in the variable, in its order; empty if it is not set.
pub(super) fn given(variable: &str) -> Vec<String> {
    named(&std::env::var(variable).unwrap_or_default())
}

/// The devices listed in a value of the variable.
pub(super) fn named(value: &str) -> Vec<String> {
    value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
