//! Checks that each function on the pages that were read has a clause, or a reason for having none
//! (docs/catalog/evidence.md).

use std::collections::BTreeSet;
use std::sync::Arc;

use steps::suggest::hint;

use crate::clauses::ClauseBook;
use crate::diagnostic::{Mistakes, Source};
use crate::model::{ClausesFile, DocumentsFile, Level, PageEntry};
use crate::parse::ParsedFile;
use crate::rules::{Rule, Rules};

/// Checks that every function on a listed page has a clause or is listed as open, and that documents.yaml lists every
/// page that a chapter lists without a restriction.
pub(super) fn check(
    documents: &ParsedFile<DocumentsFile>,
    files: &[ParsedFile<ClausesFile>],
    rules: &Rules,
    mistakes: &mut Mistakes,
) {
    if !rules.book.whole {
        return;
    }
    let mut seen = BTreeSet::new();
    for document in &documents.value.documents {
        for page in &document.pages {
            functions_of_a_page(&documents.source, &document.id.value, page, &rules.book, &mut seen, mistakes);
        }
    }
    let pages: Vec<&str> = rules.documents.iter().flat_map(|one| &one.pages).map(|page| page.page.as_str()).collect();
    let folders: BTreeSet<&str> = pages.iter().filter_map(|page| folder(page)).collect();
    for file in files {
        let whole = file.value.pages.iter().filter(|page| !page.value.contains(',') && !file.value.open);
        let counted = whole.filter(|page| folder(&page.value).is_some_and(|folder| folders.contains(folder)));
        for page in counted.filter(|page| !pages.contains(&page.value.as_str())) {
            let hint = hint(&page.value, pages.iter().copied());
            let message = format!(
                "`{}` is listed as read, but documents.yaml does not say which functions it describes; name them \
                 there under `pages`, or write after a comma what was read{hint}",
                page.value
            );
            mistakes.at(&file.source, page, message);
        }
    }
}

fn functions_of_a_page(
    source: &Arc<Source>,
    document: &str,
    page: &PageEntry,
    book: &ClauseBook,
    seen: &mut BTreeSet<String>,
    mistakes: &mut Mistakes,
) {
    for function in &page.functions {
        if !seen.insert(function.value.clone()) {
            mistakes.at(source, function, format!("`{}` is listed twice under `pages`; remove one", function.value));
        } else if !book.describes(document, &function.value) {
            let message = format!(
                "no clause has the section `{}`, which {} describes; write its sentences as clauses, or name it \
                 under `open` with the reason",
                function.value, page.page
            );
            mistakes.at(source, function, message);
        }
    }
    for (function, reason) in &page.open {
        if !seen.insert(function.clone()) {
            mistakes.at(source, reason, format!("`{function}` is listed twice under `pages`; remove one"));
        } else if book.describes(document, function) {
            let message = format!("`{function}` has clauses; move it to `functions`, where it is counted");
            mistakes.at(source, reason, message);
        } else if reason.value.trim().is_empty() {
            mistakes.at(source, reason, format!("write why `{function}` has no clause"));
        }
    }
}

/// Checks that each function owned by a judged rule has a clause, if documents.yaml lists the functions on each page.
pub(super) fn owned_functions(source: &Arc<Source>, rule: &Rule, rules: &Rules, mistakes: &mut Mistakes) {
    let pages = || rules.documents.iter().flat_map(|document| &document.pages);
    if rule.level != Level::Must || rule.hazard.is_some() || pages().next().is_none() || !rules.book.whole {
        return;
    }
    for function in &rule.in_file().source.owns {
        let read = rules.book.clauses.iter().any(|clause| clause.section == function.value);
        if !read && !pages().any(|page| page.is_open(&function.value)) {
            let message = format!(
                "the rule owns `{}`, but no clause has that section: write the sentences of its page as clauses, \
                 or name it in documents.yaml under `open` with the reason",
                function.value
            );
            mistakes.at(source, function, message);
        }
    }
}

/// The folder that contains a page.
fn folder(page: &str) -> Option<&str> {
    page.rsplit_once('/').map(|(folder, _)| folder)
}
