//! The variable that shows devices to a process, as this process got it.

/// The devices that the variable names, in its order; none: it is not set.
pub(super) fn given(variable: &str) -> Vec<String> {
    named(&std::env::var(variable).unwrap_or_default())
}

/// The devices that a value of the variable names.
pub(super) fn named(value: &str) -> Vec<String> {
    value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
