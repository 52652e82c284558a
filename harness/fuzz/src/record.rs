//! The target `record`: reads a conformance record's bytes, and returns the record, or an error that names the file.

use ledger::conformance::{Statement, read_record, to_canonical};

use crate::toy;

/// Texts that have a meaning in the format but are missing from the corpus.
pub const WORDS: &[&str] = &[
    "\"statement\":\"conformant\"",
    "\"statement\":\"not-shown\"",
    "\"statement\":\"not-conformant\"",
    "\"missing\":[]",
    "\"simulated\":false",
    "\"dedicated\":true",
    "\"verdict\":\"pass\"",
    "\"verdict\":\"fail\"",
    "\"required\":true",
    "null",
    "{}",
    "[]",
    "\\u202e",
];

/// Checks that an accepted record equals, byte for byte, the one written from it, and that it is called conformant only
/// if no part is missing, no rule is broken and no device is simulated.
pub fn law(bytes: &[u8]) {
    toy::with_file("record.json", bytes, |path| match read_record(path) {
        Err(error) => assert!(error.to_string().contains("record.json"), "an error does not name its file: {error}"),
        Ok((record, read)) => {
            assert_eq!(read, bytes, "the bytes that were read differ from the file's");
            assert_eq!(to_canonical(&record), bytes, "an accepted record is not canonical");
            let conformant = record.statement == Statement::Conformant;
            let simulated = record.libraries.iter().any(|library| library.simulated);
            assert!(!(conformant && simulated), "a simulated device is called conformant");
            assert!(!conformant || record.missing.is_empty(), "a record with missing parts is called conformant");
            assert!(!(conformant && record.broken().next().is_some()), "a broken device is called conformant");
            let open = record.rules.iter().find(|(_, rule)| rule.required && rule.verdict.is_none());
            let told = |id: &String| record.missing.iter().any(|missing| missing.rules.contains(id));
            assert!(open.is_none_or(|(id, _)| told(id)), "a rule without a result is not listed as missing: {open:?}");
        }
    });
}
