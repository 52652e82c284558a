//! The runtime's additions to the language: named sets of codes, and words and set-ups that stand for several
//! statements.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ParseError;
use super::given::SetUp;
use super::parse::Names;
use super::suggest::hint;
use super::types::Declarations;
use super::word::Word;

/// The names that steps for one runtime may use in addition to the names in its header.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// Name of a set → its constants, in text order.
    pub sets: BTreeMap<String, Vec<String>>,
    /// The words, by name.
    pub words: BTreeMap<String, Word>,
    /// The set-ups, by name; `None` until the set-up is parsed.
    pub set_ups: BTreeMap<String, Option<SetUp>>,
    /// The histories in the catalog's order: the name of each, and the functions whose calls belong to it.
    pub histories: Vec<(String, Vec<String>)>,
}

impl Vocabulary {
    /// An empty vocabulary.
    pub const fn new() -> Vocabulary {
        Vocabulary { sets: BTreeMap::new(), words: BTreeMap::new(), set_ups: BTreeMap::new(), histories: Vec::new() }
    }

    /// True if the runtime defines this name. Set-up names do not count, because they only appear after `given`.
    pub fn defines(&self, name: &str) -> bool {
        self.sets.contains_key(name) || self.words.contains_key(name)
    }

    /// The message about a name that is not a set although a set is expected.
    pub(super) fn no_set(&self, name: &str) -> String {
        let hint = hint(name, self.sets.keys().map(String::as_str));
        format!("`{name}` is not a set of codes{hint}; write `{{CODE, CODE}}`, or define the set in api.yaml, `codes`")
    }
}

/// A vocabulary as it is stored: what steps with expanded set-ups need, without syntax trees.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StoredVocabulary {
    sets: BTreeMap<String, Vec<String>>,
    /// Name of a word → its parameters, and its statements as written.
    words: BTreeMap<String, (Vec<String>, String)>,
    histories: Vec<(String, Vec<String>)>,
}

impl StoredVocabulary {
    /// The stored form of a vocabulary.
    pub fn of(vocabulary: &Vocabulary) -> StoredVocabulary {
        let words = vocabulary.words.iter();
        StoredVocabulary {
            sets: vocabulary.sets.clone(),
            words: words.map(|(name, word)| (name.clone(), (word.parameters.clone(), word.text.clone()))).collect(),
            histories: vocabulary.histories.clone(),
        }
    }

    /// The vocabulary, without set-ups.
    ///
    /// # Errors
    /// Fails if the words are not those of a checked catalog.
    pub fn read(self, declarations: &Declarations) -> Result<Vocabulary, ParseError> {
        let sets = Vocabulary { sets: self.sets, ..Vocabulary::new() };
        let is_type = |name: &str| declarations.ty(name).is_some();
        let names = Names { is_type: &is_type, actors: &[], vocabulary: &sets };
        let words = self.words.into_iter();
        let words = words
            .map(|(name, (parameters, text))| Ok((name, Word::parse(parameters, &text, &names)?)))
            .collect::<Result<_, ParseError>>()?;
        Ok(Vocabulary { words, histories: self.histories, ..sets })
    }
}

/// True if a text can be a name in the steps.
pub fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.chars().next().is_some_and(|first| !first.is_ascii_digit())
}
