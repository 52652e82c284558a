//! The checklist: sentences of documents about other runtimes, as the questions that a suite should ask. No check rests on
//! them, because they promise nothing about this runtime.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

use steps::suggest::hint;
use steps::types::Declarations;

use super::check::Checker;
use super::clauses::{ClauseBook, ClausesFile, Modality, is_clause_id};
use super::model::DocumentEntry;
use super::products::ID;
use super::read::ParsedFile;

/// A sentence about another runtime.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its name for ever, `<area>.<name>`.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// The document's id in documents.yaml.
    #[schemars(with = "String")]
    pub document: Spanned<String>,
    /// A section of the document.
    #[schemars(with = "String")]
    pub section: Spanned<String>,
    /// What kind of sentence it is.
    pub modality: Modality,
    /// What it says, in our words.
    pub digest: String,
    /// SHA-256 of the sentence, as in a clause.
    #[schemars(with = "String")]
    pub sentence: Spanned<String>,
    /// The clause of this runtime's documents that says the same, if one does.
    #[schemars(with = "Option<String>")]
    pub same: Option<Spanned<String>>,
    /// Page and function that say the same, where they are no clause yet.
    #[serde(default)]
    pub asked_of: Option<String>,
}

impl Checker<'_> {
    /// Adds the questions of a file.
    pub(super) fn checklist(
        &mut self,
        file: &ParsedFile<ClausesFile>,
        documents: &[DocumentEntry],
        declarations: &Declarations,
        book: &mut ClauseBook,
    ) {
        let source = &file.source;
        for question in file.value.checklist.iter().map(|question| &question.value) {
            let id = &question.id.value;
            if !is_clause_id(id) {
                self.at(source, &question.id, format!("`{id}` cannot be the id of a question: `<area>.<name>`; {ID}"));
            }
            if book.positions.contains_key(id) || book.checklist.iter().any(|known| known.id.value == *id) {
                self.at(source, &question.id, format!("`{id}` stands a second time"));
            }
            if let Some(document) = self.document(source, &question.document, &question.document.value, documents) {
                self.section(source, &question.section, &question.section.value, document, declarations);
            }
            self.digest_of_a_sentence(source, &question.sentence);
            if let Some(same) = question.same.as_ref().filter(|same| !book.positions.contains_key(&same.value)) {
                let hint = hint(&same.value, book.positions.keys().map(String::as_str));
                self.at(source, same, format!("there is no clause `{}`{hint}", same.value));
            }
            book.checklist.push(question.clone());
        }
    }
}
