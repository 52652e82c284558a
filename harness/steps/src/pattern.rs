//! Patterns of names, such as `audit_*`.

use std::collections::BTreeSet;

use super::suggest;

/// Whether a name matches a pattern, in which `*` stands for any text, also for none.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(end)
}

/// What a pattern that matches nothing may have meant: a name, or what a name begins with.
pub fn hint<'a>(pattern: &str, names: impl Iterator<Item = &'a str>) -> String {
    let Some(length) = pattern.find('*') else { return suggest::hint(pattern, names) };
    let patterns: BTreeSet<String> = names.filter_map(|name| Some(format!("{}*", name.get(..length)?))).collect();
    suggest::hint(pattern, patterns.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text_and_everything_else_for_itself() {
        assert!(matches("audit_*", "audit_open") && matches("audit_*", "audit_") && !matches("audit_*", "audit"));
        assert!(matches("*_ERROR_*", "X_ERROR_Y") && matches("*", "") && matches("a*b*c", "abbc"));
        assert!(matches("audit_open", "audit_open") && !matches("audit_open", "audit_opened"));
        assert!(!matches("ab*ba", "aba") && !matches("*_v2", "audit_v1"));
    }
}
