//! Facts from the header's text that are missing from bindgen's output: identifiers and macros.

use std::collections::{BTreeMap, BTreeSet};

fn in_identifier(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// The identifiers in a text.
pub(crate) fn words(text: &str) -> BTreeSet<&str> {
    text.split(|character: char| !in_identifier(character)).filter(|word| !word.is_empty()).collect()
}

/// The object-like macros with a value, as defined at the header's end.
pub(crate) fn macros(text: &str) -> BTreeMap<&str, &str> {
    let mut macros = BTreeMap::new();
    for line in text.lines() {
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
            continue;
        };
        if let Some(name) = directive.strip_prefix("undef") {
            macros.remove(before_comment(name));
        } else if let Some(definition) = directive.strip_prefix("define").map(str::trim_start)
            && let Some(end) = definition.find(|character| !in_identifier(character))
            && !definition[end..].starts_with('(')
            && !before_comment(&definition[end..]).is_empty()
        {
            macros.insert(&definition[..end], before_comment(&definition[end..]));
        }
    }
    macros
}

fn before_comment(text: &str) -> &str {
    let end = [text.find("/*"), text.find("//")].into_iter().flatten().min();
    text[..end.unwrap_or(text.len())].trim()
}

/// The name that the compiler sees if C source contains `name`.
pub(crate) fn expanded<'a>(name: &'a str, macros: &BTreeMap<&'a str, &'a str>) -> &'a str {
    let (mut seen, mut at) = (BTreeSet::new(), name);
    while seen.insert(at) {
        match macros.get(at) {
            Some(value) if value.chars().all(in_identifier) => at = value,
            _ => break,
        }
    }
    at
}

/// The names by which C source can use the declaration `declared`: the macros that expand to its name or, if there are
/// none, its own name, unless a macro redefines that name.
pub(crate) fn written<'a>(declared: &'a str, macros: &BTreeMap<&'a str, &'a str>) -> Vec<&'a str> {
    let others: Vec<&str> =
        macros.keys().copied().filter(|name| *name != declared && expanded(name, macros) == declared).collect();
    if others.is_empty() && expanded(declared, macros) == declared { vec![declared] } else { others }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::own_name("", "open", &["open"])]
    #[case::another_version("#define open open_v2", "open_v2", &["open"])]
    #[case::with_a_comment("#  define open open_v2 /* since 2 */", "open_v2", &["open"])]
    #[case::hidden("#define open open_v2", "open", &[])]
    #[case::two_names("#define open open_v2\n#define start open_v2", "open_v2", &["open", "start"])]
    #[case::through_another("#define start open\n#define open open_v2", "open_v2", &["open", "start"])]
    #[case::undone("#define open open_v2\n#undef open // for later", "open_v2", &["open_v2"])]
    #[case::redefined("#define open open_v2\n#undef open\n#define open open_v3", "open_v3", &["open"])]
    #[case::itself("#define open open", "open", &["open"])]
    #[case::a_value("#define open (open_v2)", "open_v2", &["open_v2"])]
    #[case::function_like("#define open(x) open_v2", "open_v2", &["open_v2"])]
    fn a_function_is_called_by_the_names_that_macros_give_it(
        #[case] header: &str,
        #[case] declared: &str,
        #[case] expected: &[&str],
    ) {
        assert_eq!(written(declared, &macros(header)), expected);
    }
}
