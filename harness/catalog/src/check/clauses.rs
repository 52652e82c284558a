//! Checks clauses against documents, products and the header.

use std::collections::HashMap;
use std::sync::Arc;

use serde_yaml::Spanned;
use steps::suggest::hint;
use steps::types::Declarations;

use crate::clauses::{Clause, ClauseBook, DUPLICATE};
use crate::diagnostic::{Mistakes, Source};
use crate::edition::Span;
use crate::ids::{ID, is_clause_id};
use crate::inventory::Inventory;
use crate::model::{ClauseEntry, ClausesFile, DocumentEntry};
use crate::parse::ParsedFile;
use crate::products::{Product, unknown_product, unknown_run_mode};
use crate::rules::Rules;
use crate::sentence::{SENTENCE, names_a_sentence};
use crate::specs::short;

/// The reasons why a clause cannot be judged or observed, except `duplicate of ID`.
const UNTESTABLE: [&str; 5] = ["needs a kernel", "needs hardware state", "not reachable from C", "timing", "advice"];
/// The reasons why no device can break a judged clause, except `restates ID`.
const NO_DEVICE: [&str; 2] = ["about a prototype", "either answer is legal"];
/// The prefix of a reason that refers to the clause that names the defect.
const RESTATES: &str = "restates ";

/// Checks the clauses and adds the sentences in the inventory.
pub(super) fn check(
    files: &[ParsedFile<ClausesFile>],
    documents: &[DocumentEntry],
    products: &[Product],
    declarations: &Declarations,
    run_modes: &[String],
    inventory: Option<&Inventory>,
    mistakes: &mut Mistakes,
) -> ClauseBook {
    let mut book = ClauseBook::default();
    for file in files {
        let stem = file.source.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let chapter = book.chapter(&stem);
        book.chapters[chapter].pages = file.value.pages.iter().map(|page| page.value.clone()).collect();
        book.chapters[chapter].open = file.value.open;
        for entry in file.value.entries() {
            let mut clause = clause(&file.source, &entry, documents, products, declarations, mistakes);
            run_modes_of(&file.source, &entry, run_modes, declarations, mistakes);
            clause.chapter = chapter;
            if book.positions.insert(clause.id.clone(), book.clauses.len()).is_some() {
                mistakes.at(&file.source, &entry.id, format!("`{}` is defined twice; remove one", clause.id));
            }
            book.clauses.push(clause);
        }
    }
    for file in files {
        for entry in file.value.entries() {
            untestable(&file.source, &entry, &book.positions, mistakes);
            no_device(&file.source, &entry, &book.positions, mistakes);
        }
    }
    if let Some(inventory) = inventory {
        add_inventory(&mut book, inventory, documents);
    }
    book
}

/// Checks that a clause's run modes exist, and that `leaves_open` names functions.
fn run_modes_of(
    source: &Arc<Source>,
    entry: &ClauseEntry,
    known: &[String],
    declarations: &Declarations,
    mistakes: &mut Mistakes,
) {
    let details = &entry.details;
    for mode in details.run_modes.iter().filter(|mode| !known.contains(&mode.value)) {
        mistakes.at(source, mode, unknown_run_mode(&mode.value, known));
    }
    for function in details.leaves_open.iter().filter(|name| declarations.function(&name.value).is_none()) {
        let hint = hint(&function.value, declarations.function_names());
        mistakes.at(source, function, format!("`{}` is not in the header{hint}", function.value));
    }
    if let Some(function) = details.leaves_open.first().filter(|_| details.run_modes.is_empty()) {
        let message = "`leaves_open` applies to specific run modes; name them under `run_modes`".to_owned();
        mistakes.at(source, function, message);
    }
}

/// Checks that the reason why a clause cannot be judged is from a closed list.
fn untestable(source: &Arc<Source>, entry: &ClauseEntry, positions: &HashMap<String, usize>, mistakes: &mut Mistakes) {
    let Some(reason) = &entry.details.untestable else { return };
    let what = "is not a reason why a clause cannot be tested";
    closed(source, (&entry.id.value, reason), positions, (&UNTESTABLE, DUPLICATE, what), mistakes);
}

/// Checks that the reason why no device can break a judged clause is from a closed list.
fn no_device(source: &Arc<Source>, entry: &ClauseEntry, positions: &HashMap<String, usize>, mistakes: &mut Mistakes) {
    let Some(reason) = &entry.details.no_device else { return };
    if !entry.details.broken_by.is_empty() {
        let message = "`broken_by` names a defect, but `no_device` says that no device can break it; remove one";
        return mistakes.at(source, reason, message);
    }
    let what = "is not a reason why no device can break a clause";
    closed(source, (&entry.id.value, reason), positions, (&NO_DEVICE, RESTATES, what), mistakes);
}

/// Checks that a reason is from a closed list, or consists of the prefix and the id of another clause.
fn closed(
    source: &Arc<Source>,
    (own, reason): (&str, &Spanned<String>),
    positions: &HashMap<String, usize>,
    (known, prefix, what): (&[&str], &str, &str),
    mistakes: &mut Mistakes,
) {
    let message = match reason.value.strip_prefix(prefix) {
        Some(id) if id == own => "a clause cannot refer to itself".to_owned(),
        Some(id) if positions.contains_key(id) => return,
        Some(id) => format!("there is no clause `{id}`{}", hint(id, positions.keys().map(String::as_str))),
        None if known.contains(&&*reason.value) => return,
        None => format!("`{}` {what}: {}, or `{prefix}ID`", reason.value, known.join(", ")),
    };
    mistakes.at(source, reason, message);
}

fn clause(
    source: &Arc<Source>,
    entry: &ClauseEntry,
    documents: &[DocumentEntry],
    products: &[Product],
    declarations: &Declarations,
    mistakes: &mut Mistakes,
) -> Clause {
    if !is_clause_id(&entry.id.value) {
        let message = format!("`{}` cannot be the id of a clause, which is `<area>.<name>`; {ID}", entry.id.value);
        mistakes.at(source, &entry.id, message);
    }
    let document = document(source, &entry.id, &entry.document, documents, mistakes);
    if let Some(document) = document {
        section(source, &entry.id, &entry.section, document, declarations, mistakes);
        if !document.promises && entry.modality.promises() {
            let message = format!(
                "`{}` promises nothing (documents.yaml), so its sentences cannot have modality {}",
                document.id.value,
                entry.modality.name()
            );
            mistakes.at(source, &entry.id, message);
        }
    }
    digest_of_a_sentence(source, entry, mistakes);
    let details = &entry.details;
    for product in &details.products {
        if let Some(message) = unknown_product(&product.value, products) {
            mistakes.at(source, product, message);
        }
    }
    let mut codes = Vec::new();
    for code in &details.codes {
        match declarations.constant(&code.value) {
            Some((value, _)) => codes.push(value),
            None => {
                let hint = hint(&code.value, declarations.constant_names());
                mistakes.at(source, code, format!("`{}` is not a constant in the header{hint}", code.value));
            }
        }
    }
    Clause {
        id: entry.id.value.clone(),
        chapter: 0,
        document: entry.document.clone(),
        section: entry.section.clone(),
        source: source_of(document, &entry.section),
        modality: entry.modality,
        digest: entry.digest.clone(),
        sentence: entry.sentence.clone(),
        products: details.products.iter().map(|product| product.value.clone()).collect(),
        span: Span { since: details.since.clone(), until: details.until.clone() },
        library: 0,
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

/// Checks that the rules under `noticed_by` exist, and that no untestable clause has such rules.
pub(super) fn noticed(files: &[ParsedFile<ClausesFile>], rules: &Rules, mistakes: &mut Mistakes) {
    for file in files {
        for details in file.value.entries().map(|entry| entry.details) {
            for rule in details.noticed_by.iter().filter(|rule| rules.rule(&rule.value).is_none()) {
                let hint = hint(&rule.value, rules.rules.iter().map(|rule| rule.id.as_str()));
                mistakes.at(&file.source, rule, format!("there is no rule `{}`{hint}", rule.value));
            }
            if let Some(reason) = details.untestable.as_ref().filter(|_| !details.noticed_by.is_empty()) {
                let message =
                    "a clause is not untestable if a rule notices its violation; remove `untestable` or `noticed_by`";
                mistakes.at(&file.source, reason, message);
            }
        }
    }
}

/// Checks that the text of a clause begins with the digest of its sentence.
fn digest_of_a_sentence(source: &Arc<Source>, entry: &ClauseEntry, mistakes: &mut Mistakes) {
    if !names_a_sentence(&entry.sentence) {
        let message = format!(
            "the text of a clause must begin with the first {SENTENCE} digits of the SHA-256 of its sentence; \
             `atlas-cts catalog clauses --documents DIR` prints them"
        );
        mistakes.at(source, &entry.id, message);
    } else if entry.digest.is_empty() {
        mistakes.at(source, &entry.id, "write what the sentence says after the digits, in your own words");
    }
}

/// Finds a document by its id.
pub(super) fn document<'d, T>(
    source: &Arc<Source>,
    place: &Spanned<T>,
    name: &str,
    documents: &'d [DocumentEntry],
    mistakes: &mut Mistakes,
) -> Option<&'d DocumentEntry> {
    let found = documents.iter().find(|document| document.id.value == name);
    if found.is_none() {
        let hint = hint(name, documents.iter().map(|document| document.id.value.as_str()));
        mistakes.at(source, place, format!("unknown document `{name}`: not in documents.yaml{hint}"));
    }
    found
}

/// Checks that a section is a name in the header or in the document's list of sections. If the document has no such
/// list, any section is accepted.
pub(super) fn section<T>(
    source: &Arc<Source>,
    place: &Spanned<T>,
    section: &str,
    document: &DocumentEntry,
    declarations: &Declarations,
    mistakes: &mut Mistakes,
) {
    let of_header = declarations.function(section).is_some() || declarations.ty(section).is_some();
    let listed = document.sections.iter().any(|known| known == section) || document.describes(section);
    if document.sections.is_empty() || of_header || listed {
        return;
    }
    let mut known: Vec<&str> = declarations.function_names().collect();
    known.extend(document.sections.iter().map(String::as_str));
    let hint = hint(section, known);
    let message = format!(
        "unknown section `{section}` of {}, which lists its sections in documents.yaml{hint}",
        document.id.value
    );
    mistakes.at(source, place, message);
}

/// Adds the inventory's sentences, which only coverage counts.
fn add_inventory(book: &mut ClauseBook, inventory: &Inventory, documents: &[DocumentEntry]) {
    book.whole = true;
    for line in &inventory.lines {
        let chapter = book.chapter(&line.chapter);
        let document = documents.iter().find(|document| document.id.value == line.document);
        book.clauses.push(Clause {
            id: line.id.clone(),
            chapter,
            document: line.document.clone(),
            section: line.section.clone(),
            source: source_of(document, &line.section),
            modality: line.modality,
            digest: line.digest.clone(),
            sentence: line.sentence.clone(),
            place: line.place.clone(),
            ..Clause::default()
        });
    }
}

/// Formats `title (edition), section`. The title of an unknown document is empty; the document is reported elsewhere.
fn source_of(document: Option<&DocumentEntry>, section: &str) -> String {
    document.map_or_else(|| format!(", {section}"), |known| known.place(section))
}
