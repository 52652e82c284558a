//! Ids: how rules, clauses, products, chapters and run modes are named.

/// How what becomes part of paths and commands is written.
pub(crate) const ID: &str = "write lower-case letters, digits and `-`";

/// Bytes of the longest id: ids are names of files.
const LONGEST_ID: usize = 200;

/// Whether a text can be the id of a rule: three or more names with dots between them, each of lower-case letters,
/// digits and hyphens. What is read from a journal is held to the same grammar as the catalog.
pub fn is_rule_id(text: &str) -> bool {
    text.len() <= LONGEST_ID && text.split('.').count() >= 3 && text.split('.').all(is_id)
}

/// Whether a text can be the id of a product, a chapter or a run mode, which become parts of paths, of tables and of the
/// commands that repeat a failure.
pub(crate) fn is_id(text: &str) -> bool {
    let inside = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=LONGEST_ID).contains(&text.len()) && text.bytes().all(inside)
}

/// Whether a text can be the id of a clause: two or more names with dots between them.
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
