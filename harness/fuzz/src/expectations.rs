//! The target `expectations`: reads a file of known failures, and returns checked entries, or mistakes with their
//! places.

use ledger::expectations::{Expectations, ExpectationsError};

use crate::toy;

/// Texts that have a meaning in the format but are missing from the corpus.
pub const WORDS: &[&str] = &[
    "expectations:\n",
    "  - rule: \"*\"\n",
    "    kind: skip\n",
    "    kind: flake\n",
    "    rate: 0.5\n",
    "    rate: .nan\n",
    "    versions: {driver: \">=1 <2\"}\n",
    "    products: []\n",
    "    danger: x\n",
    "symptom: {verdict: crash}",
    "&anchor ",
    "*anchor",
    "<<: ",
    "!!binary ",
    "---\n",
    "2999-02-30",
    "\u{202e}",
];

/// Checks that mistakes have a text and a place, that an accepted entry names a rule, and that a flake's rate is
/// between 0 and 1.
pub fn law(bytes: &[u8]) {
    toy::with_file("known.yaml", bytes, |path| match Expectations::read(path, toy::rules()) {
        Ok(known) => {
            assert_eq!(known.files.entries, known.entries.len(), "the count is not the number of entries");
            assert_eq!(known.files.digest.len(), 64, "the digest is not valid: {}", known.files.digest);
        }
        Err(ExpectationsError::Mistakes(mistakes)) => {
            assert!(!mistakes.is_empty(), "a file is rejected without a mistake");
            for mistake in &mistakes {
                assert!(!mistake.message.is_empty(), "a mistake has no message: {mistake}");
                let Some(source) = &mistake.source else { panic!("a mistake does not name a file: {mistake}") };
                assert!(
                    mistake.line == 0 || source.line(mistake.line).is_some(),
                    "a mistake is past the end of its file: {mistake}"
                );
            }
        }
        Err(other) => assert!(other.to_string().contains("known.yaml"), "an error does not name its file: {other}"),
    });
}
