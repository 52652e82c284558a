//! Clauses: the documents' normative sentences, as data (docs/catalog/evidence.md).

use std::collections::HashMap;

use super::edition::Span;
use super::editions::Editions;
use super::model::Modality;

/// A chapter of clauses, for which coverage is counted.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct ClauseChapter {
    pub name: String,
    /// The pages that were read for the chapter.
    pub pages: Vec<String>,
    /// True if the chapter's pages have not been read yet.
    pub open: bool,
}

/// The prefix of a reason that refers to an equivalent clause.
pub(crate) const DUPLICATE: &str = "duplicate of ";

/// A checked clause.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Clause {
    pub id: String,
    /// Position in [`ClauseBook::chapters`].
    pub chapter: usize,
    /// The id of the clause's document.
    pub document: String,
    pub section: String,
    /// The source as printed in reports: `title (edition), section`.
    #[serde(skip)]
    pub source: String,
    pub modality: Modality,
    pub digest: String,
    /// The first [`SENTENCE`](super::SENTENCE) digits of the SHA-256 of the normalized sentence.
    pub sentence: String,
    /// The products that the sentence applies to; empty: all.
    pub products: Vec<String>,
    /// The editions in which the sentence holds.
    pub span: Span,
    /// The position of the library that the section belongs to: its edition counts.
    pub library: usize,
    /// The run modes in which the sentence holds; empty: all.
    pub run_modes: Vec<String>,
    /// Functions whose bare calls may fail in the run modes where the sentence holds.
    pub leaves_open: Vec<String>,
    /// The error codes that the sentence names.
    pub codes: Vec<i128>,
    #[serde(skip)]
    pub reason: Option<String>,
    /// Ids of rules that fail if a device breaks the sentence, although their checks name other sentences.
    #[serde(skip)]
    pub noticed_by: Vec<String>,
    /// Names of seeded defects that break the sentence.
    #[serde(skip)]
    pub broken_by: Vec<String>,
    /// The reason why no device can break the sentence.
    #[serde(skip)]
    pub no_device: Option<String>,
    /// The reason why no rule can judge or observe the sentence.
    #[serde(skip)]
    pub untestable: Option<String>,
    /// The clause's place, as `file:line`.
    #[serde(skip)]
    pub place: String,
}

impl Clause {
    /// True if the sentence holds in the edition of its library or, if that edition is unknown, in all editions.
    pub fn holds_in(&self, editions: &Editions) -> bool {
        match editions.of(self.library) {
            None => self.span.is_always(),
            Some(edition) => self.span.contains(edition),
        }
    }

    /// True if the sentence holds in a run mode, or if the run mode is unknown.
    pub fn holds_in_mode(&self, mode: Option<&str>) -> bool {
        mode.is_none_or(|mode| self.run_modes.is_empty() || self.run_modes.iter().any(|known| known == mode))
    }

    /// True if the sentence names this run mode explicitly.
    pub fn is_about(&self, mode: &str) -> bool {
        self.run_modes.iter().any(|known| known == mode)
    }

    /// True if the sentence applies to a product.
    pub fn speaks_of(&self, product: &str) -> bool {
        self.products.is_empty() || self.products.iter().any(|known| known == product)
    }

    /// The editions and run modes in which the sentence holds, in words; empty: everywhere.
    pub fn bounds(&self) -> String {
        let bounds = [self.editions(), self.modes()];
        bounds.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// The run modes in which the sentence holds, in words; empty: all.
    pub fn modes(&self) -> String {
        match self.run_modes.as_slice() {
            [] => String::new(),
            modes => format!("in run mode {}", modes.join(" and ")),
        }
    }

    /// The editions in which the sentence holds, in words; empty: all.
    pub fn editions(&self) -> String {
        match (&self.span.since, &self.span.until) {
            (None, None) => String::new(),
            (Some(since), None) => format!("from edition {since} on"),
            (None, Some(until)) => format!("up to edition {until}"),
            (Some(since), Some(until)) => format!("from edition {since} to {until}"),
        }
    }
}

impl Clause {
    /// The clause as printed in a failure message. The document is named by its id; the library's edition is named if
    /// the sentence does not hold in all editions.
    pub fn line(&self, editions: &Editions) -> String {
        let is = editions
            .of(self.library)
            .map_or_else(|| "of unknown edition".to_owned(), |edition| format!("of edition {edition}"));
        let bounds = match (self.bounds(), self.span.is_always()) {
            (text, _) if text.is_empty() => String::new(),
            (text, true) => format!("; holds {text}"),
            (text, false) => format!("; holds {text}; this library is {is}"),
        };
        format!("{}: {} ([{}] {}{bounds})", self.id, self.digest, self.document, self.section)
    }
}

/// A runtime's clauses.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ClauseBook {
    pub chapters: Vec<ClauseChapter>,
    pub clauses: Vec<Clause>,
    /// The positions in `clauses`, by id. Sentences that only coverage counts are left out.
    #[serde(skip)]
    pub positions: HashMap<String, usize>,
    /// True if `clauses` contains the sentences that only coverage counts. Executables do not contain them.
    pub whole: bool,
}

impl ClauseBook {
    /// The clause with an id. Clauses that only coverage counts are included.
    pub fn clause(&self, id: &str) -> Option<&Clause> {
        let known = self.positions.get(id).map(|position| &self.clauses[*position]);
        known.or_else(|| self.clauses.iter().rev().find(|clause| clause.id == id))
    }

    /// True if a document has a clause in this section.
    pub fn describes(&self, document: &str, section: &str) -> bool {
        self.clauses.iter().any(|clause| clause.document == document && clause.section == section)
    }

    /// Returns the position of a chapter, which is added if it is missing.
    pub(super) fn chapter(&mut self, name: &str) -> usize {
        let found = self.chapters.iter().position(|chapter| chapter.name == name);
        if found.is_none() {
            self.chapters.push(ClauseChapter { name: name.to_owned(), ..ClauseChapter::default() });
        }
        found.unwrap_or(self.chapters.len() - 1)
    }
}
