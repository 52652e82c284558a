//! Clauses: the normative sentences of documents, as data (docs/policy.md).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use serde_yaml::Spanned;

use steps::suggest::hint;
use steps::types::Declarations;

use super::check::{Checker, unknown_product};
use super::clause_file::{ClauseEntry, ClausesFile, Modality};
use super::diagnostic::Source;
use super::edition::{Edition, Span};
use super::inventory::Inventory;
use super::model::DocumentEntry;
use super::products::{ID, unknown_run_mode};
use super::read::ParsedFile;
use super::rules::{Product, Rules, is_id, short};

/// Clauses that are counted together.
#[derive(Debug, Clone, Default)]
pub struct ClauseChapter {
    pub name: String,
    /// The pages that were read for it.
    pub pages: Vec<String>,
    /// Nobody has read its pages yet.
    pub open: bool,
}

/// Digits of hex by which a sentence is named: two of a hundred thousand sentences have the same ones with a chance of one in
/// fifty thousand.
pub const SENTENCE: usize = 12;

/// Whether a text is the first [`SENTENCE`] digits of a SHA-256.
pub(super) fn names_a_sentence(text: &str) -> bool {
    text.len() == SENTENCE && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Why a clause cannot be judged or observed; `duplicate of ID` is one too.
const UNTESTABLE: [&str; 5] = ["needs a kernel", "needs hardware state", "not reachable from C", "timing", "advice"];
/// Stands before the id of the clause that says the same.
pub(crate) const DUPLICATE: &str = "duplicate of ";
/// Why no device can break a judged clause; `restates ID` is one too.
const NO_DEVICE: [&str; 2] = ["about a prototype", "either answer is legal"];
/// Stands before the id of the clause that names the defect.
const RESTATES: &str = "restates ";

/// A checked clause.
#[derive(Debug, Clone, Default)]
pub struct Clause {
    pub id: String,
    /// Position in [`ClauseBook::chapters`].
    pub chapter: usize,
    /// Id of its document.
    pub document: String,
    pub section: String,
    /// `title (edition), section`, as reports print it.
    pub source: String,
    pub modality: Modality,
    pub digest: String,
    /// The first [`SENTENCE`] digits of the SHA-256 of the normalized sentence.
    pub sentence: String,
    /// The products that it speaks of; none: all.
    pub products: Vec<String>,
    /// The editions in which it holds.
    pub span: Span,
    /// The run modes in which it holds; none: all.
    pub run_modes: Vec<String>,
    /// The functions whose bare calls may be refused where it holds.
    pub leaves_open: Vec<String>,
    /// The codes that it names.
    pub codes: Vec<i128>,
    pub reason: Option<String>,
    /// Ids of rules that notice where a device breaks the sentence, although their checks name others.
    pub noticed_by: Vec<String>,
    /// Names of defects that break the sentence.
    pub broken_by: Vec<String>,
    /// Why no device can break it.
    pub no_device: Option<String>,
    /// Why no rule can judge or observe it.
    pub untestable: Option<String>,
    /// `file:line`.
    pub place: String,
}

impl Clause {
    /// Whether the sentence holds in an edition; where that is unknown, whether it holds in every one.
    pub fn holds_in(&self, edition: Option<&Edition>) -> bool {
        match edition {
            None => self.span.is_always(),
            Some(edition) => self.span.contains(edition),
        }
    }

    /// Whether the sentence holds in a run mode, also where nobody knows which one that is.
    pub fn holds_in_mode(&self, mode: Option<&str>) -> bool {
        mode.is_none_or(|mode| self.run_modes.is_empty() || self.run_modes.iter().any(|known| known == mode))
    }

    /// Whether the sentence is about a run mode, and not about all of them.
    pub fn is_about(&self, mode: &str) -> bool {
        self.run_modes.iter().any(|known| known == mode)
    }

    /// Whether it speaks of a product.
    pub fn speaks_of(&self, product: &str) -> bool {
        self.products.is_empty() || self.products.iter().any(|known| known == product)
    }

    /// Where the sentence holds, in words: in which editions and run modes; empty: everywhere.
    pub fn bounds(&self) -> String {
        let bounds = [self.editions(), self.modes()];
        bounds.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// The run modes in which the sentence holds, in words; empty: in every one.
    pub fn modes(&self) -> String {
        match self.run_modes.as_slice() {
            [] => String::new(),
            modes => format!("in run mode {}", modes.join(" and ")),
        }
    }

    /// The editions in which the sentence holds, in words; empty: in every one.
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
    /// The clause as a failure shows it. The title of its document and the edition of the library stand with the first
    /// clause of each document only.
    fn told(&self, edition: Option<&Edition>, first: bool) -> String {
        let bounds = match self.bounds() {
            text if text.is_empty() => String::new(),
            text => format!("; holds {text}"),
        };
        let is = edition.map_or_else(|| "of unknown edition".to_owned(), |edition| format!("of edition {edition}"));
        match first {
            true => format!("{}: {} ({}{bounds}; this library is {is})", self.id, self.digest, self.source),
            false => format!("{}: {} ({}{bounds})", self.id, self.digest, self.section),
        }
    }

    /// Clauses as a failure shows them: each once.
    pub fn told_together<'a>(clauses: impl Iterator<Item = &'a Clause>, edition: Option<&Edition>) -> Vec<String> {
        let (mut seen, mut documents) = (HashSet::new(), HashSet::new());
        let clauses = clauses.filter(|clause| seen.insert(&*clause.id));
        clauses.map(|clause| clause.told(edition, documents.insert(&*clause.document))).collect()
    }
}

/// What the files of clauses of a runtime hold.
#[derive(Debug, Default)]
pub struct ClauseBook {
    pub chapters: Vec<ClauseChapter>,
    pub clauses: Vec<Clause>,
    /// Id → position in `clauses`; not of sentences that only coverage counts.
    pub positions: HashMap<String, usize>,
    /// Whether the sentences that only coverage counts are among `clauses`: an executable does not carry them.
    pub whole: bool,
}

impl ClauseBook {
    /// The clause of an id, also one that only coverage counts.
    pub fn clause(&self, id: &str) -> Option<&Clause> {
        let known = self.positions.get(id).map(|position| &self.clauses[*position]);
        known.or_else(|| self.clauses.iter().rev().find(|clause| clause.id == id))
    }

    /// The position of a chapter, which is there from now on.
    fn chapter(&mut self, name: &str) -> usize {
        let found = self.chapters.iter().position(|chapter| chapter.name == name);
        if found.is_none() {
            self.chapters.push(ClauseChapter { name: name.to_owned(), ..ClauseChapter::default() });
        }
        found.unwrap_or(self.chapters.len() - 1)
    }

    /// Adds the sentences that only coverage counts.
    fn add_inventory(&mut self, inventory: &Inventory, documents: &[DocumentEntry]) {
        self.whole = true;
        for line in &inventory.lines {
            let chapter = self.chapter(&line.chapter);
            let document = documents.iter().find(|document| document.id.value == line.document);
            self.clauses.push(Clause {
                id: line.id.clone(),
                chapter,
                document: line.document.clone(),
                section: line.section.clone(),
                source: source(document, &line.section),
                modality: line.modality,
                digest: line.digest.clone(),
                sentence: line.sentence.clone(),
                place: line.place.clone(),
                ..Clause::default()
            });
        }
    }
}

/// `title (edition), section`; without a title where the document is not known, which is reported elsewhere.
fn source(document: Option<&DocumentEntry>, section: &str) -> String {
    let title = document.map_or_else(String::new, |known| format!("{} ({})", known.title, known.edition));
    format!("{title}, {section}")
}

/// Whether a text can be the id of a clause: two or more names with dots between them.
pub(super) fn is_clause_id(text: &str) -> bool {
    text.len() <= 200 && text.split('.').count() >= 2 && text.split('.').all(is_id)
}

impl Checker<'_> {
    pub(super) fn clauses(
        &mut self,
        files: &[ParsedFile<ClausesFile>],
        documents: &[DocumentEntry],
        products: &[Product],
        declarations: &Declarations,
        run_modes: &[String],
        inventory: Option<&Inventory>,
    ) -> ClauseBook {
        let mut book = ClauseBook::default();
        for file in files {
            let stem = file.source.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let chapter = book.chapter(&stem);
            book.chapters[chapter].pages = file.value.pages.iter().map(|page| page.value.clone()).collect();
            book.chapters[chapter].open = file.value.open;
            for entry in file.value.entries() {
                let mut clause = self.clause(&file.source, &entry, documents, products, declarations);
                self.run_modes_of(&file.source, &entry, run_modes, declarations);
                clause.chapter = chapter;
                if book.positions.insert(clause.id.clone(), book.clauses.len()).is_some() {
                    self.at(&file.source, &entry.id, format!("`{}` stands a second time", clause.id));
                }
                book.clauses.push(clause);
            }
        }
        for file in files {
            for entry in file.value.entries() {
                self.untestable(&file.source, &entry, &book.positions);
                self.no_device(&file.source, &entry, &book.positions);
            }
        }
        if let Some(inventory) = inventory {
            book.add_inventory(inventory, documents);
        }
        book
    }

    /// The run modes of a clause exist, and what it leaves open there are functions.
    fn run_modes_of(
        &mut self,
        source: &Arc<Source>,
        entry: &ClauseEntry,
        known: &[String],
        declarations: &Declarations,
    ) {
        let details = &entry.details;
        for mode in details.run_modes.iter().filter(|mode| !known.contains(&mode.value)) {
            self.at(source, mode, unknown_run_mode(&mode.value, known));
        }
        for function in details.leaves_open.iter().filter(|name| declarations.function(&name.value).is_none()) {
            let hint = hint(&function.value, declarations.function_names());
            self.at(source, function, format!("`{}` is not in the header{hint}", function.value));
        }
        if let Some(function) = details.leaves_open.first().filter(|_| details.run_modes.is_empty()) {
            let message = "`leaves_open` is about some run modes; name them under `run_modes`".to_owned();
            self.at(source, function, message);
        }
    }

    /// That a clause cannot be judged has a reason of a closed list.
    fn untestable(&mut self, source: &Arc<Source>, entry: &ClauseEntry, positions: &HashMap<String, usize>) {
        let Some(reason) = &entry.details.untestable else { return };
        let what = "is no reason why a clause cannot be tested";
        self.reason(source, (&entry.id.value, reason), positions, (&UNTESTABLE, DUPLICATE, what));
    }

    /// That no device can break a judged clause has a reason of a closed list too.
    fn no_device(&mut self, source: &Arc<Source>, entry: &ClauseEntry, positions: &HashMap<String, usize>) {
        let Some(reason) = &entry.details.no_device else { return };
        if !entry.details.broken_by.is_empty() {
            let message = "a device that breaks the sentence is named: leave out `broken_by` or `no_device`";
            return self.at(source, reason, message);
        }
        let what = "is not a reason why no device breaks a clause";
        self.reason(source, (&entry.id.value, reason), positions, (&NO_DEVICE, RESTATES, what));
    }

    /// A reason of a closed list, or the id of another clause with a prefix.
    fn reason(
        &mut self,
        source: &Arc<Source>,
        (own, reason): (&str, &Spanned<String>),
        positions: &HashMap<String, usize>,
        (known, prefix, what): (&[&str], &str, &str),
    ) {
        let message = match reason.value.strip_prefix(prefix) {
            Some(id) if id == own => "a clause is no duplicate of itself".to_owned(),
            Some(id) if positions.contains_key(id) => return,
            Some(id) => format!("there is no clause `{id}`{}", hint(id, positions.keys().map(String::as_str))),
            None if known.contains(&&*reason.value) => return,
            None => format!("`{}` {what}: {}, or `{prefix}ID`", reason.value, known.join(", ")),
        };
        self.at(source, reason, message);
    }

    fn clause(
        &mut self,
        source: &Arc<Source>,
        entry: &ClauseEntry,
        documents: &[DocumentEntry],
        products: &[Product],
        declarations: &Declarations,
    ) -> Clause {
        if !is_clause_id(&entry.id.value) {
            let message = format!("`{}` cannot be the id of a clause: `<area>.<name>`; {ID}", entry.id.value);
            self.at(source, &entry.id, message);
        }
        let document = self.document(source, &entry.id, &entry.document, documents);
        if let Some(document) = document {
            self.section(source, &entry.id, &entry.section, document, declarations);
            if !document.promises && entry.modality.promises() {
                let message = format!(
                    "`{}` promises nothing (documents.yaml), so none of its sentences is a {}",
                    document.id.value,
                    entry.modality.name()
                );
                self.at(source, &entry.id, message);
            }
        }
        self.digest_of_a_sentence(source, entry);
        let details = &entry.details;
        for product in &details.products {
            if let Some(message) = unknown_product(&product.value, products) {
                self.at(source, product, message);
            }
        }
        let mut codes = Vec::new();
        for code in &details.codes {
            match declarations.constant(&code.value) {
                Some((value, _)) => codes.push(value),
                None => {
                    let hint = hint(&code.value, declarations.constant_names());
                    self.at(source, code, format!("`{}` is no constant of the header{hint}", code.value));
                }
            }
        }
        Clause {
            id: entry.id.value.clone(),
            chapter: 0,
            document: entry.document.clone(),
            section: entry.section.clone(),
            source: self::source(document, &entry.section),
            modality: entry.modality,
            digest: entry.digest.clone(),
            sentence: entry.sentence.clone(),
            products: details.products.iter().map(|product| product.value.clone()).collect(),
            span: Span { since: details.since.clone(), until: details.until.clone() },
            run_modes: details.run_modes.iter().map(|mode| mode.value.clone()).collect(),
            leaves_open: details.leaves_open.iter().map(|function| function.value.clone()).collect(),
            codes,
            reason: details.reason.clone(),
            noticed_by: details.noticed_by.iter().map(|rule| rule.value.clone()).collect(),
            broken_by: details.broken_by.clone(),
            no_device: details.no_device.as_ref().map(|reason| reason.value.clone()),
            untestable: details.untestable.as_ref().map(|reason| reason.value.clone()),
            place: format!("{}:{}", short(&source.path), entry.id.referenced.line()),
        }
    }

    /// The rules that clauses name are there, and nothing is said to be noticed that no rule can judge.
    pub(super) fn noticed(&mut self, files: &[ParsedFile<ClausesFile>], rules: &Rules) {
        for file in files {
            for details in file.value.entries().map(|entry| entry.details) {
                for rule in details.noticed_by.iter().filter(|rule| rules.rule(&rule.value).is_none()) {
                    let hint = hint(&rule.value, rules.rules.iter().map(|rule| rule.id.as_str()));
                    self.at(&file.source, rule, format!("there is no rule `{}`{hint}", rule.value));
                }
                if let Some(reason) = details.untestable.as_ref().filter(|_| !details.noticed_by.is_empty()) {
                    let message = "what a rule notices is not untestable: leave out `untestable` or `noticed_by`";
                    self.at(&file.source, reason, message);
                }
            }
        }
    }

    /// A sentence is named by its digest, before its words.
    fn digest_of_a_sentence(&mut self, source: &Arc<Source>, entry: &ClauseEntry) {
        if !names_a_sentence(&entry.sentence) {
            let message = format!(
                "the text of a clause begins with the first {SENTENCE} digits of the SHA-256 of its sentence; \
                 `atlas-cts clauses --documents DIR` prints them"
            );
            self.at(source, &entry.id, message);
        } else if entry.digest.is_empty() {
            self.at(source, &entry.id, "say behind the digits what the sentence says, in your own words");
        }
    }

    /// A document by its id.
    pub(super) fn document<'d, T>(
        &mut self,
        source: &Arc<Source>,
        place: &Spanned<T>,
        name: &str,
        documents: &'d [DocumentEntry],
    ) -> Option<&'d DocumentEntry> {
        let found = documents.iter().find(|document| document.id.value == name);
        if found.is_none() {
            let hint = hint(name, documents.iter().map(|document| document.id.value.as_str()));
            self.at(source, place, format!("`{name}` is no document of documents.yaml{hint}"));
        }
        found
    }

    /// A section is a name of the header, or one that the document lists; a document that lists none has any.
    pub(super) fn section<T>(
        &mut self,
        source: &Arc<Source>,
        place: &Spanned<T>,
        section: &str,
        document: &DocumentEntry,
        declarations: &Declarations,
    ) {
        let of_header = declarations.function(section).is_some() || declarations.ty(section).is_some();
        let listed = document.sections.iter().any(|known| known == section) || document.describes(section);
        if document.sections.is_empty() || of_header || listed {
            return;
        }
        let mut known: Vec<&str> = declarations.function_names().collect();
        known.extend(document.sections.iter().map(String::as_str));
        let hint = hint(section, known);
        let message =
            format!("`{section}` is no section of {}{hint}; sections are listed in documents.yaml", document.id.value);
        self.at(source, place, message);
    }
}

/// What a rule names under `clauses`: name → ids.
pub(super) type ClauseNames = IndexMap<String, Spanned<steps::domain::Choices>>;
