//! `atlas-cts catalog coverage`: the sentences in the documents that rules judge, and the sentences that no rule judges.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use atlas_cts::{CommandError, say};
use catalog::count;
use catalog::coverage::{ClauseState, Coverage, CoveredClause, FunctionState, Threshold};
use catalog::must_pass::MustPass;
use catalog::{Agreement, Modality, Rules, Specs, read_documents, readings, waiting};
use clap::{Args, ValueEnum};
use engine::run::{ExitStatus, RunError, read_named};
use ledger::sentences::html;
use messages::{Language, use_language};
use serde_json::json;

/// The options of `coverage`.
#[derive(Debug, Args)]
pub(crate) struct CoverageOptions {
    /// Output format; `csv` prints one line for each clause.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// The folder with the documents that `--format html` shows next to the rules.
    #[arg(long, value_name = "DIR", required_if_eq("format", "html"))]
    documents: Option<PathBuf>,
    /// The run whose results `--format html` shows: a folder, a journal, a name below reports/out, or `latest`.
    #[arg(long, value_name = "RUN", requires = "documents")]
    run: Option<PathBuf>,
    /// List promises, errors and prohibitions that no rule covers.
    #[arg(long)]
    uncovered: bool,
    /// List functions and enumerators that no judged rule uses.
    #[arg(long)]
    unused: bool,
    /// Exit with status 1 if a chapter falls below its share in this file.
    #[arg(long, value_name = "FILE")]
    hold: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Terminal,
    Markdown,
    Csv,
    Json,
    Html,
}

/// Shows the coverage. The exit status is 1 if a threshold is missed.
pub(crate) fn coverage(rules: &Rules, specs: &Specs, options: &CoverageOptions) -> Result<ExitStatus, CommandError> {
    use_language(Language::English);
    if !rules.book.whole {
        return Err(CommandError::NoEvidence);
    }
    let coverage = Coverage::of(rules, readings(specs, rules).map_err(RunError::from)?);
    let waiting = waiting(specs).map_err(RunError::from)?;
    let mut text = match options.format {
        Format::Terminal => terminal(&coverage, &waiting),
        Format::Markdown => markdown(&coverage),
        Format::Csv => csv(&coverage),
        Format::Json => json(&coverage),
        Format::Html => page(&coverage, options)?,
    };
    if options.uncovered {
        list_uncovered(&mut text, &coverage);
    }
    if options.unused {
        list_unused(&mut text, &coverage);
    }
    let mut holds = true;
    if let Some(file) = &options.hold {
        let released =
            MustPass::kept(specs, &rules.runtime).map_err(|error| CommandError::MustPass(Box::new(error)))?;
        let released: Option<BTreeSet<&str>> =
            released.as_ref().map(|list| list.rules.keys().map(String::as_str).collect());
        let (fallen, risen) =
            Threshold::read(file).map_err(CommandError::Threshold)?.compare(&coverage, released.as_ref());
        holds = fallen.is_empty();
        for (rule, check) in coverage.readings.unread(rules) {
            let _ = writeln!(text, "DEBT    {rule}: only its author has read `{check}`");
        }
        for line in fallen {
            let _ = writeln!(text, "FALLEN  {line}");
        }
        if !risen.is_empty() {
            let _ = writeln!(text, "{} can be raised; replace its lines with:\n{}", file.display(), risen.join("\n"));
        }
    }
    say(&text)?;
    Ok(if holds { ExitStatus::Success } else { ExitStatus::Broken })
}

/// The documents next to the rules, with the results of a run.
fn page(coverage: &Coverage<'_>, options: &CoverageOptions) -> Result<String, CommandError> {
    let run = options.run.as_ref().map(|run| read_named(run)).transpose()?.map(|(_, run)| run);
    let documents = options.documents.as_deref().map(read_documents).transpose().map_err(CommandError::Originals)?;
    Ok(html(coverage, &documents.unwrap_or_default(), run.as_ref()))
}

/// A row in a table: a name, the counts, and the covered share of promises and errors.
struct Row {
    name: String,
    states: [usize; ClauseState::ALL.len()],
    clauses: usize,
    covered: usize,
    promises: usize,
}

impl Row {
    fn of<'a>(name: String, clauses: impl Iterator<Item = &'a CoveredClause<'a>>) -> Row {
        let mut row = Row { name, states: [0; ClauseState::ALL.len()], clauses: 0, covered: 0, promises: 0 };
        for covered in clauses {
            row.clauses += 1;
            row.states[ClauseState::ALL.iter().position(|state| *state == covered.state).unwrap_or(0)] += 1;
            row.promises += usize::from(covered.promises());
            row.covered += usize::from(covered.promises() && covered.state != ClauseState::Uncovered);
        }
        row
    }

    fn cells(&self) -> Vec<String> {
        let share = match self.promises {
            0 => "-".to_owned(),
            all => format!("{} %", self.covered * 100 / all),
        };
        let numbers = std::iter::once(self.clauses).chain(self.states).chain([self.promises]);
        numbers.map(|number| number.to_string()).chain([share]).collect()
    }
}

/// The columns after the first one, which all tables share.
fn head() -> Vec<&'static str> {
    let states = ClauseState::ALL.map(ClauseState::name);
    std::iter::once("clauses").chain(states).chain(["promises and errors", "covered"]).collect()
}

/// The tables: the name of the first column, and the rows.
fn tables(coverage: &Coverage<'_>) -> Vec<(&'static str, Vec<Row>)> {
    let all = &coverage.clauses;
    let chapters = coverage.rules.book.chapters.iter().enumerate().filter(|(_, chapter)| !chapter.open);
    let mut by_chapter: Vec<Row> =
        chapters.map(|(position, chapter)| Row::of(chapter.name.clone(), coverage.chapter(position))).collect();
    by_chapter.push(Row::of("all".to_owned(), all.iter()));
    let documents = coverage.rules.documents.iter().map(|document| document.id.value.clone());
    let of_document = |id: String| Row::of(id.clone(), all.iter().filter(move |one| one.clause.document == id));
    let modalities = [
        Modality::Promise,
        Modality::Error,
        Modality::Prohibition,
        Modality::Reserved,
        Modality::Duty,
        Modality::Advice,
        Modality::Fact,
    ];
    let of_modality = |modality: Modality| {
        Row::of(modality.name().to_owned(), all.iter().filter(move |one| one.clause.modality == modality))
    };
    vec![
        ("chapter", by_chapter),
        ("document", documents.map(of_document).filter(|row| row.clauses > 0).collect()),
        ("modality", modalities.into_iter().map(of_modality).collect()),
    ]
}

/// For each product, three numbers: the judged rules, the judged promises and errors, and all promises and errors that
/// apply to the product.
fn products<'a>(coverage: &'a Coverage<'_>) -> Vec<(&'a str, usize, usize, usize)> {
    let of = |(product, rules): (&&'a str, &usize)| {
        let speaks = |one: &&CoveredClause<'_>| one.promises() && one.clause.speaks_of(product);
        let spoken: Vec<_> = coverage.clauses.iter().filter(speaks).collect();
        let judged = spoken.iter().filter(|one| one.products.contains(*product)).count();
        (*product, *rules, judged, spoken.len())
    };
    coverage.products.iter().map(of).collect()
}

/// The number of untestable clauses by reason. All duplicates count as one reason.
fn reasons<'a>(coverage: &'a Coverage<'_>) -> BTreeMap<&'a str, usize> {
    let mut reasons = BTreeMap::new();
    for covered in coverage.clauses.iter().filter(|covered| covered.state == ClauseState::Untestable) {
        let reason = covered.clause.untestable.as_deref().unwrap_or_default();
        *reasons.entry(if reason.starts_with("duplicate") { "duplicate" } else { reason }).or_default() += 1;
    }
    reasons
}

fn open<'a>(coverage: &'a Coverage<'_>) -> Vec<&'a str> {
    coverage.rules.book.chapters.iter().filter(|chapter| chapter.open).map(|chapter| chapter.name.as_str()).collect()
}

fn terminal(coverage: &Coverage<'_>, waiting: &[(String, usize)]) -> String {
    let mut text = String::new();
    for (name, rows) in tables(coverage) {
        let width = rows.iter().map(|row| row.name.len()).chain([name.len()]).max().unwrap_or(0);
        let _ = write!(text, "{name:<width$}");
        for column in head() {
            let _ = write!(text, "  {column:>10}");
        }
        text.push('\n');
        for row in rows {
            let _ = write!(text, "{:<width$}", row.name);
            for (cell, column) in row.cells().iter().zip(head()) {
                let _ = write!(text, "  {cell:>0$}", column.len().max(10));
            }
            text.push('\n');
        }
        text.push('\n');
    }
    for (product, rules, judged, spoken) in products(coverage) {
        let _ = writeln!(text, "{product:<14} {rules} judged rules, {judged} of {spoken} promises and errors judged");
    }
    let reasons: Vec<String> = reasons(coverage).iter().map(|(reason, number)| format!("{number} {reason}")).collect();
    let _ = writeln!(text, "\n{}", read_twice(coverage));
    let _ = writeln!(text, "untestable: {}", reasons.join(", "));
    let _ = writeln!(text, "open: {}", open(coverage).join(", "));
    for (runtime, sentences) in waiting {
        let _ = writeln!(text, "open: {sentences} sentences of {runtime}, which has no api.yaml yet");
    }
    let _ = writeln!(text, "{}", pages_in_a_line(coverage));
    let _ = writeln!(text, "{}", breadth(coverage));
    let (functions, values) = (coverage.functions.len(), coverage.values.len());
    let _ = writeln!(
        text,
        "without a judged rule: {functions} of {} functions on some product that has them, {values} enumerators of the \
         enumerations that rules use (listed by --unused)",
        coverage.rules.support.len()
    );
    text
}

/// A line about the functions of the support table: what rules do with them, and why some are out of scope.
fn breadth(coverage: &Coverage<'_>) -> String {
    let functions = &coverage.support;
    let number = |state: FunctionState| functions.iter().filter(|function| function.state == state).count();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for function in functions.iter().filter(|function| function.state == FunctionState::Outside) {
        *reasons.entry(function.entry.outside.as_deref().unwrap_or_default()).or_default() += 1;
    }
    let reasons: Vec<String> = reasons.iter().map(|(reason, number)| format!("{number} {reason}")).collect();
    let named = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    format!(
        "functions of the documents: {}, {} judged, {} observed, {} out of scope{named}, {} open",
        functions.len(),
        number(FunctionState::Judged),
        number(FunctionState::Observed),
        number(FunctionState::Outside),
        number(FunctionState::Open)
    )
}

/// A line about the functions on the pages that were read in full. The line names the functions without a clause.
fn pages_in_a_line(coverage: &Coverage<'_>) -> String {
    let pages = coverage.pages();
    let functions: usize = pages.iter().map(|page| page.functions).sum();
    let judged: usize = pages.iter().map(|page| page.judged).sum();
    let open: Vec<&str> = pages.iter().flat_map(|page| page.open.iter().copied()).collect();
    let named = if open.is_empty() { String::new() } else { format!(": {}", open.join(", ")) };
    format!(
        "functions of {} read in full: {functions}, {judged} of them with a judged clause, {} without a clause{named}",
        count(pages.len(), "page"),
        open.len()
    )
}

/// A line with the number of checks that a second reader has read, and the agreement with the author.
fn read_twice(coverage: &Coverage<'_>) -> String {
    let readings = &coverage.readings;
    let mut kinds: BTreeMap<Agreement, usize> = BTreeMap::new();
    let mut settled = 0;
    for (agreement, is_settled) in readings.read.values() {
        *kinds.entry(*agreement).or_default() += 1;
        settled += usize::from(*is_settled);
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, number)| format!("{number} {}", kind.name())).collect();
    format!(
        "second reader: {} of {} judged checks; agreement: {}; {} settled",
        readings.read.len(),
        readings.checks,
        kinds.join(", "),
        count(settled, "disagreement")
    )
}

fn list_unused(text: &mut String, coverage: &Coverage<'_>) {
    for function in &coverage.functions {
        let _ = writeln!(text, "{}: {}", function.name, function.products.join(", "));
    }
    for value in &coverage.values {
        let _ = writeln!(text, "{}", value.name);
    }
}

fn markdown(coverage: &Coverage<'_>) -> String {
    let mut text = String::new();
    for (name, rows) in tables(coverage) {
        let _ = writeln!(text, "| {name} | {} |", head().join(" | "));
        let _ = writeln!(text, "| --- |{}", " ---: |".repeat(head().len()));
        for row in rows {
            let _ = writeln!(text, "| {} | {} |", row.name, row.cells().join(" | "));
        }
        text.push('\n');
    }
    text += "| product | judged rules | judged promises and errors | of |\n| --- | ---: | ---: | ---: |\n";
    for (product, rules, judged, spoken) in products(coverage) {
        let _ = writeln!(text, "| {product} | {rules} | {judged} | {spoken} |");
    }
    text += "\n| page | functions | with a judged clause | without a clause |\n| --- | ---: | ---: | --- |\n";
    for page in coverage.pages() {
        let open = if page.open.is_empty() { "-".to_owned() } else { page.open.join(", ") };
        let _ = writeln!(text, "| {} | {} | {} | {open} |", page.page, page.functions, page.judged);
    }
    text += "\n| chapter | pages that were read, sentence by sentence |\n| --- | --- |\n";
    for chapter in coverage.rules.book.chapters.iter().filter(|chapter| !chapter.pages.is_empty()) {
        let name = if chapter.open { format!("{} (open)", chapter.name) } else { chapter.name.clone() };
        let _ = writeln!(text, "| {name} | {} |", chapter.pages.join("<br>"));
    }
    text
}

fn csv(coverage: &Coverage<'_>) -> String {
    let mut text = "id,document,section,chapter,modality,state,untestable,products,rules\n".to_owned();
    for covered in &coverage.clauses {
        let clause = covered.clause;
        let join = |names: &std::collections::BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(" ");
        let cells = [
            clause.id.clone(),
            clause.document.clone(),
            clause.section.clone(),
            coverage.rules.book.chapters[clause.chapter].name.clone(),
            clause.modality.name().to_owned(),
            covered.state.name().to_owned(),
            clause.untestable.clone().unwrap_or_default(),
            join(&covered.products),
            join(&covered.rules),
        ];
        let quoted = |cell: &String| match cell.contains([',', '"']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let _ = writeln!(text, "{}", cells.iter().map(quoted).collect::<Vec<_>>().join(","));
    }
    text
}

fn json(coverage: &Coverage<'_>) -> String {
    let clauses: Vec<_> = coverage
        .clauses
        .iter()
        .map(|covered| {
            let clause = covered.clause;
            json!({
                "id": clause.id, "document": clause.document, "section": clause.section,
                "chapter": coverage.rules.book.chapters[clause.chapter].name, "modality": clause.modality.name(),
                "digest": clause.digest, "state": covered.state.name(), "untestable": clause.untestable,
                "products": covered.products, "rules": covered.rules,
            })
        })
        .collect();
    let functions: BTreeMap<&str, &Vec<&str>> =
        coverage.functions.iter().map(|function| (function.name, &function.products)).collect();
    let values: Vec<&str> = coverage.values.iter().map(|value| value.name).collect();
    let all = json!({
        "clauses": clauses, "products": coverage.products, "functions_without_a_judged_rule": functions,
        "enumerators_without_a_judged_rule": values, "open": open(coverage),
    });
    format!("{all:#}\n")
}

fn list_uncovered(text: &mut String, coverage: &Coverage<'_>) {
    let nothing = coverage.clauses.iter().filter(|covered| covered.state == ClauseState::Uncovered);
    for covered in nothing {
        let clause = covered.clause;
        let _ = writeln!(text, "{} ({}, {}): {}", clause.id, clause.modality.name(), clause.source, clause.digest);
    }
}
