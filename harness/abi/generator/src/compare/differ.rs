//! The differences between two headers that affect a compiled program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::declarations::{Declarations, Layout};

/// The kind of difference for a declaration that only the second header has. No program depends on such a declaration
/// yet.
pub(super) const NEW: &str = "new";

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Difference {
    /// The kind of difference, such as `prototype` or `missing struct`.
    pub kind: &'static str,
    /// The function, constant or struct that differs.
    pub name: String,
    /// A description of the difference.
    pub text: String,
}

/// The differences between two headers. If `only_first`, items that only the second header declares are left out.
pub(super) fn differences(first: &Declarations, second: &Declarations, only_first: bool) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut compare = |kinds: [&'static str; 2],
                       (first, second): (Vec<&String>, Vec<&String>),
                       differ: &dyn Fn(&str) -> Option<String>| {
        let mut note = |kind, name: &str, text| found.push(Difference { kind, name: name.to_owned(), text });
        let names: BTreeSet<&String> = second.into_iter().collect();
        for name in &first {
            if !names.contains(*name) {
                note(kinds[0], name, "no longer declared".to_owned());
            } else if let Some(text) = differ(name) {
                note(kinds[1], name, text);
            }
        }
        let first: BTreeSet<&String> = first.into_iter().collect();
        for name in names.iter().filter(|name| !only_first && !first.contains(**name)) {
            note(NEW, name, "newly declared".to_owned());
        }
    };
    compare(
        ["missing function", "prototype"],
        (first.functions.keys().collect(), second.functions.keys().collect()),
        &|name| became(&first.functions, &second.functions, name),
    );
    compare(
        ["missing constant", "value"],
        (first.constants.keys().collect(), second.constants.keys().collect()),
        &|name| became(&first.constants, &second.constants, name),
    );
    compare(["missing struct", "layout"], (first.layouts.keys().collect(), second.layouts.keys().collect()), &|name| {
        layout(&first.layouts[name], &second.layouts[name])
    });
    found.sort();
    found
}

fn became<T: PartialEq + fmt::Display>(
    first: &BTreeMap<String, T>,
    second: &BTreeMap<String, T>,
    name: &str,
) -> Option<String> {
    let (first, second) = (&first[name], &second[name]);
    (first != second).then(|| format!("{first} became {second}"))
}

/// The first differences between two layouts.
fn layout(first: &Layout, second: &Layout) -> Option<String> {
    let mut parts = Vec::new();
    for (what, first, second) in [("size", first.size, second.size), ("alignment", first.align, second.align)] {
        if first != second {
            parts.push(format!("{what} {first} became {second}"));
        }
    }
    for field in &first.fields {
        match second.fields.iter().find(|other| other.name == field.name) {
            None => parts.push(format!("field {} at {} was removed", field.name, field.offset)),
            Some(other) if other.offset != field.offset => {
                parts.push(format!("field {} moved from {} to {}", field.name, field.offset, other.offset));
            }
            Some(other) if other.ty != field.ty => {
                parts.push(format!("field {}: {} became {}", field.name, field.ty, other.ty));
            }
            Some(_) => {}
        }
    }
    for field in second.fields.iter().filter(|field| first.fields.iter().all(|other| other.name != field.name)) {
        parts.push(format!("field {} at {} is new", field.name, field.offset));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
