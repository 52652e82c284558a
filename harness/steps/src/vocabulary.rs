//! What a runtime adds to the language: sets of codes that have a name, and words and set-ups that stand for several
//! statements.

use std::collections::BTreeMap;

use super::given::SetUp;
use super::suggest::hint;
use super::word::Word;

/// The names that the steps of one runtime may use beside those of its header.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// Name of a set → the constants in it, in the order in which they are written.
    pub sets: BTreeMap<String, Vec<String>>,
    /// Name of a word → what it stands for.
    pub words: BTreeMap<String, Word>,
    /// Name of a set-up → what it stands for; nothing as long as that is not read.
    pub set_ups: BTreeMap<String, Option<SetUp>>,
}

impl Vocabulary {
    /// Nothing but what the language and the header have.
    pub const fn new() -> Vocabulary {
        Vocabulary { sets: BTreeMap::new(), words: BTreeMap::new(), set_ups: BTreeMap::new() }
    }

    /// Whether the runtime defines this name. Those of set-ups do not count: behind `given` they mean nothing else.
    pub fn defines(&self, name: &str) -> bool {
        self.sets.contains_key(name) || self.words.contains_key(name)
    }

    /// Why a name that stands where a set is expected is none.
    pub(super) fn no_set(&self, name: &str) -> String {
        let hint = hint(name, self.sets.keys().map(String::as_str));
        format!("`{name}` is not a set of codes{hint}; write `{{CODE, CODE}}`, or define the set in api.yaml, `codes`")
    }
}

/// Whether a text can be a name in the steps.
pub fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.chars().next().is_some_and(|first| !first.is_ascii_digit())
}
