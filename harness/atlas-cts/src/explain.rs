//! `atlas-cts explain`: a readable description of a rule.

use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::path::Path;

use atlas_cts::CommandError;
use catalog::proof::ProofTable;
use catalog::{self, Level, Originals, Rule, Rules, area, offered, short};
use engine::runtime::Runtime;
use ledger::report::wrap;
use record::text::width;

use crate::list::{ListFilter, list};

/// The description of a rule: its statement, reasons, products and conditions, defects, and steps.
pub(crate) fn explain(
    rules: &Rules,
    table: &ProofTable,
    runtime: &Runtime,
    query: &str,
    documents: Option<&Path>,
) -> Result<String, CommandError> {
    let originals = documents.map(Originals::read).transpose().map_err(CommandError::Originals)?;
    // A query pasted from a failure begins with the rule's id.
    let id = query.split(':').next().unwrap_or_default();
    if let Some(page) = several(rules, id)? {
        return Ok(page);
    }
    let rule = catalog::rule(rules, id)?;
    let mut page = Page(format!("{}\n{}\n", rule.id, rule.title));
    what(rule, &mut page);
    why(rules, rule, originals.as_ref(), &mut page);
    where_it_applies(rules, rule, &mut page);
    what_it_catches(rules, table, runtime, rule, &mut page);
    steps(rules, rule, &mut page);
    Ok(page.0)
}

/// The rules that a function, a chapter or a part of ids means; `None` for a rule's id, and for a text without meaning.
fn several(rules: &Rules, given: &str) -> Result<Option<String>, CommandError> {
    if given.is_empty() || rules.rule(given).is_some() {
        return Ok(None);
    }
    let owner = rules.owners.get(given).map(|owner| format!("; {owner} owns it")).unwrap_or_default();
    let below = given.strip_prefix(&format!("{}.", rules.runtime)).unwrap_or(given);
    let chapters = rules.chapters.iter().filter(|chapter| chapter.name == below || area(&chapter.name) == below);
    let chapters: Vec<String> = chapters.map(|chapter| format!("{}: {}", chapter.name, chapter.title)).collect();
    let (heading, filter) = if rules.callers(given).next().is_some() {
        let filter = ListFilter { api: Some(given.to_owned()), ..ListFilter::default() };
        (format!("{given}\nA function{owner}. The rules that call it:"), filter)
    } else if !chapters.is_empty() {
        let filter = ListFilter { chapter: Some(below.to_owned()), ..ListFilter::default() };
        (format!("{given}\n{}", chapters.join("\n")), filter)
    } else if rules.rules.iter().any(|rule| rule.id.contains(given)) {
        let filter = ListFilter { text: vec![given.to_owned()], ..ListFilter::default() };
        (format!("{given}\nA part of the ids of several rules:"), filter)
    } else {
        return Ok(None);
    };
    Ok(Some(format!("{heading}\n\n{}\n`atlas-cts explain RULE` explains one of them.\n", list(rules, &filter, None)?)))
}

fn what(rule: &Rule, page: &mut Page) {
    page.heading("What");
    page.text(&rule.statement);
    page.text(match rule.level {
        Level::Must => "Level must: a document promises it.",
        Level::Info => "Level info: seen in source code or inferred. The rule fails a run only with --strict.",
    });
    if let Some(since) = &rule.texts.since {
        page.text(format_args!("Since version {since} of the suite."));
    }
    if rule.hazard.is_some() {
        page.text("Hazard: the documents leave the result undefined. The rule needs --hazardous and is never judged.");
    }
    if let Some(doubt) = &rule.doubt {
        page.text(format_args!("Doubt: {doubt}"));
    }
}

/// Lists each document once with a number, then each clause with its document's number.
fn why(rules: &Rules, rule: &Rule, originals: Option<&Originals>, page: &mut Page) {
    page.heading("Why");
    let clauses: Vec<_> = rule
        .grounds
        .iter()
        .flat_map(|ground| ground.clauses.iter().map(|clause| (ground.name.as_str(), &rules.book.clauses[*clause])))
        .collect();
    let mut documents: Vec<String> = Vec::new();
    let mut place = |source: &str| {
        let (title, section) = cut(rules, source);
        let at = documents.iter().position(|known| *known == title).unwrap_or_else(|| {
            documents.push(title);
            documents.len() - 1
        });
        format!("[{}] {section}", at + 1)
    };
    let mut entries = Vec::new();
    let uncited = rule.sources.iter().filter(|source| clauses.iter().all(|(_, clause)| clause.source != **source));
    entries.extend(uncited.map(|source| ("", place(source))));
    for (ground, clause) in &clauses {
        let bounds = clause.bounds();
        let bounds = if bounds.is_empty() { String::new() } else { format!("; holds {bounds}") };
        entries.push((*ground, format!("{} ({}{bounds})", clause.digest, place(&clause.source))));
        entries.push(("", format!("{}, {}", clause.id, clause.modality.name())));
        let quoted = |originals: &Originals| match originals.of(clause) {
            Some(original) => format!("original: {original}"),
            None => "original: no document in the folder contains the sentence".to_owned(),
        };
        entries.extend(originals.map(|originals| ("", quoted(originals))));
    }
    for (index, title) in documents.iter().enumerate() {
        page.entry(&format!("[{}]", index + 1), title);
    }
    for (label, text) in entries {
        page.entry(label, text);
    }
    for axiom in rule.all_axioms(rules) {
        page.entry("assuming", format_args!("{} ({})", axiom.says, axiom.id));
    }
}

/// Splits a source, `title (edition), section`, into title and section.
fn cut(rules: &Rules, source: &str) -> (String, String) {
    let titles = rules.documents.iter().map(|document| document.named().1);
    let found = titles.into_iter().find_map(|title| {
        let section = source.strip_prefix(title.as_str())?.strip_prefix(", ")?.to_owned();
        Some((title, section))
    });
    found.unwrap_or_else(|| (source.to_owned(), String::new()))
}

fn where_it_applies(rules: &Rules, rule: &Rule, page: &mut Page) {
    page.heading("Where it applies");
    let (mut on, mut elsewhere) = (Vec::new(), Vec::new());
    for product in &rules.products {
        match offered(rule, &product.id, rules) {
            Ok(()) => on.push(product.id.as_str()),
            Err(skip) => elsewhere.push((product.id.as_str(), skip.to_string())),
        }
    }
    if !on.is_empty() {
        page.entry("on", on.join(", "));
    }
    for (product, reason) in elsewhere {
        page.entry("not on", format_args!("{product}: {reason}"));
    }
    let when = &rule.when;
    let conditions = [
        when.run_mode.as_ref().map(|mode| format!("programs run on the {mode}")),
        when.devices.map(|devices| format!("at least {devices} devices")),
        when.edition.as_ref().map(|edition| format!("edition {}", edition.value)),
        when.kernel.as_ref().map(|version| format!("kernel {version}")),
        when.dedicated.then(|| "the run has the devices to itself (--dedicated), or simulates them".to_owned()),
    ];
    for condition in conditions.into_iter().flatten().chain(rule.capabilities(rules)) {
        page.entry("when", condition);
    }
}

fn what_it_catches(rules: &Rules, table: &ProofTable, runtime: &Runtime, rule: &Rule, page: &mut Page) {
    page.heading("What it catches");
    let offering = rules.products.iter().filter(|product| offered(rule, &product.id, rules).is_ok());
    let everywhere: BTreeSet<&str> = offering.map(|product| product.id.as_str()).collect();
    for (name, row) in table.rows(&rule.id) {
        let defect = runtime.defects().iter().find(|defect| defect.name == name);
        let all = everywhere.iter().all(|product| row.products.contains(*product));
        let products: Vec<&str> = row.products.iter().map(String::as_str).collect();
        let products = if all { String::new() } else { format!(" on {}", products.join(", ")) };
        let subtle = if defect.is_some_and(|defect| defect.subtle) { " (subtle)" } else { "" };
        page.line(format_args!("{name}{products}{subtle}"));
        if let Some(defect) = defect {
            page.entry("", defect.mechanism);
        }
    }
    if table.claims(&rule.id).next().is_none() {
        page.text("No seeded defect.");
    }
}

fn steps(rules: &Rules, rule: &Rule, page: &mut Page) {
    page.heading("Steps");
    page.line(format_args!("{}:{}", short(&rules.chapters[rule.chapter].path), rule.line));
    if let Some(actors) = &rule.texts.actors {
        page.block("actors", actors);
    }
    for (name, domain) in &rule.texts.axes {
        page.entry("forall", format_args!("{name}: {}", domain));
    }
    if let Some(condition) = &rule.texts.condition {
        page.entry("where", condition);
    }
    // The numbers are those of failure blocks.
    let text = rule.steps();
    let numbered = text.trim_end().lines().zip(rule.steps_at().0..);
    numbered.for_each(|(line, number)| page.line(format_args!("{number:>4} | {line}")));
    for (name, expression) in &rule.texts.observe {
        page.entry("observe", format_args!("{name}: {expression}"));
    }
    let functions: Vec<&str> = rule.function_names().collect();
    page.entry("calls", functions.join(", "));
    if !rule.owns.is_empty() {
        let owns = rule.owns.join(", ");
        page.entry("owns", format_args!("{owns}: if one is denied this rule fails, and the other rules are blocked"));
    }
}

/// A page with headings, entries and blocks.
struct Page(String);

impl Page {
    fn heading(&mut self, text: &str) {
        let _ = writeln!(self.0, "\n{text}");
    }

    fn text(&mut self, text: impl fmt::Display) {
        for line in wrap(&text.to_string(), width() - 2) {
            self.line(line);
        }
    }

    fn line(&mut self, text: impl fmt::Display) {
        let _ = writeln!(self.0, "  {text}");
    }

    /// Adds a label, followed by wrapped text.
    fn entry(&mut self, label: &str, text: impl fmt::Display) {
        let column = label.len().max(9);
        for (index, line) in wrap(&text.to_string(), width() - column - 3).iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            self.line(format_args!("{label:<column$} {line}"));
        }
    }

    fn block(&mut self, label: &str, text: &str) {
        if !label.is_empty() {
            self.line(label);
        }
        text.trim_end().lines().for_each(|line| self.line(format_args!("  {line}")));
    }
}
