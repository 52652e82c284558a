//! Ids of rules, clauses, products, chapters and run modes.

/// The format of ids that become part of paths and commands.
pub(crate) const ID: &str = "write lower-case letters, digits and `-`";

/// The maximum length of an id in bytes. It is limited because ids become file names.
const LONGEST_ID: usize = 200;

/// True if a text can be a rule's id: three or more names separated by dots, where each name consists of lower-case
/// letters, digits and hyphens. Ids in a journal follow the same grammar as ids in the catalog.
pub fn is_rule_id(text: &str) -> bool {
    text.len() <= LONGEST_ID && text.split('.').count() >= 3 && text.split('.').all(is_id)
}

/// True if a text can be the id of a product, chapter or run mode. Such ids appear in paths, tables and replay
/// commands.
pub(crate) fn is_id(text: &str) -> bool {
    let inside = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=LONGEST_ID).contains(&text.len()) && text.bytes().all(inside)
}

/// True if a text can be a clause's id: two or more names separated by dots.
pub(crate) fn is_clause_id(text: &str) -> bool {
    text.len() <= LONGEST_ID && text.split('.').count() >= 2 && text.split('.').all(is_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_a_rule_is_three_names_or_more() {
        for id in ["toy.set.byte", "toy.copy.sync-roundtrip", "a.b.c.d-1", &format!("a.b.{}", "c".repeat(196))] {
            assert!(is_rule_id(id), "{id}");
        }
        for id in
            ["", "toy", "toy.set", "toy..byte", ".a.b.c", "a.b.c.", "../../x", "a.b.c/d", "a.b.C", "a.b.c\n", "a.b.ü"]
        {
            assert!(!is_rule_id(id), "{id}");
        }
        assert!(!is_rule_id(&format!("a.b.{}", "c".repeat(197))));
    }
}
