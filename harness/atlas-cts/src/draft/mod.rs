//! `atlas-cts catalog new`: the skeleton of a rule, with the suite's data on the functions that the rule calls.

mod calls;
mod page;
mod trial;
mod uses;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;

use abi::Function;
use catalog::count;
use catalog::files::replace;
use catalog::must_pass::{MustPass, MustPassError};
use catalog::proof::{ProofTable, ProofTableError};
use catalog::{Chapter, Clause, Rules, Specs, is_rule_id, name_below, short};
use clap::Args;
use engine::run::{ExitStatus, Options, RunError, load_rules};
use engine::runtime::Runtime;
use simulator_contract::Defect;
use steps::suggest::hint;
use thiserror::Error;

use calls::{Calls, calls};
use page::Page;
use trial::{Copy, Tried};

/// The domains to try for a size, in this order.
const SIZES: [&str; 2] = ["{bytes: 1..64KiB}", "{bytes: 2MiB..16MiB, multiple_of: 2MiB}"];

/// The options of `new`.
#[derive(Debug, Args)]
pub struct Wanted {
    /// Id of the rule, `<runtime>.<area>.<name>`, which never changes.
    #[arg(value_name = "ID")]
    pub id: String,
    /// Functions that the rule calls, in order.
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',', required = true)]
    pub calls: Vec<String>,
    /// Chapter to append the rule to; default: that of its area.
    ///
    /// If the area has several chapters, the default is the chapter with the most rules that call these functions.
    #[arg(long, value_name = "NAME")]
    pub chapter: Option<String>,
}

/// The reasons why no skeleton is written. No file is changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DraftError {
    #[error("`new` writes to a catalog; give its folder with --specs DIR")]
    NoFolder,
    #[error(
        "`{id}` is not a valid rule id; write `{runtime}.<area>.<name>`, with lower-case letters, digits and hyphens"
    )]
    Malformed { id: String, runtime: String },
    #[error("{id} already exists at {place}; choose another name: an id is used only once")]
    Exists { id: String, place: String },
    #[error("{id} is in the must-pass list, so a rule had it; choose another name: an id is used only once")]
    Existed { id: String },
    #[error("`{name}` is not in the header{hint}")]
    Function { name: String, hint: String },
    #[error("there is no chapter `{name}`{hint}; chapters are {}", known.join(", "))]
    Chapter { name: String, hint: String, known: Vec<String> },
    #[error("no rule id begins with {area}{hint}; give one of these chapters with --chapter: {}", known.join(", "))]
    Area { area: String, hint: String, known: Vec<String> },
    #[error("{0}")]
    MustPass(#[source] Box<MustPassError>),
    #[error("{0}")]
    Table(#[source] ProofTableError),
    /// The calls cannot be tried.
    #[error("the calls cannot be tried: {0}")]
    Trial(#[source] Box<RunError>),
    /// The chapter with the skeleton does not load.
    #[error("{path} with the new rule does not load and was not changed: {source}")]
    Broken { path: String, source: Box<RunError> },
    #[error("{path}: {source}; make the file readable and writable")]
    File { path: PathBuf, source: io::Error },
}

impl DraftError {
    /// The command's exit status.
    pub fn exit(&self) -> ExitStatus {
        match self {
            DraftError::File { .. } => ExitStatus::Unknown,
            DraftError::Trial(error) => error.exit(),
            _ => ExitStatus::Usage,
        }
    }
}

/// Writes a skeleton to its chapter and returns a summary.
///
/// # Errors
/// Fails if the id, a function or a chapter is invalid, or if a file cannot be written.
pub fn draft(options: &Options, runtime: &'static Runtime, wanted: &Wanted) -> Result<String, DraftError> {
    let specs = options.catalog.specs(runtime);
    if matches!(specs, Specs::Embedded(_)) {
        return Err(DraftError::NoFolder);
    }
    let rules = load_rules(&options.catalog, runtime).map_err(|error| DraftError::Trial(Box::new(error)))?;
    let table = ProofTable::of(&specs, runtime.name()).map_err(DraftError::Table)?;
    expect_free(&wanted.id, &specs, &rules)?;
    let functions = functions(&rules, &wanted.calls)?;
    let chapter = chapter(&rules, wanted, &functions)?;
    let before =
        fs::read_to_string(&chapter.path).map_err(|source| DraftError::File { path: chapter.path.clone(), source })?;
    let book = Draft { options, runtime, copy: Copy::of(&specs, runtime.name())?, before, specs, chapter };
    let calls = calls(&rules, &functions);
    let source = source(&rules, &functions);
    let (tried, sizes) = book.try_values(&wanted.id, &calls, &functions, &source)?;
    let (free, claimed) = by_claim(&table, runtime, &tried);
    let clauses = clauses(&rules, &functions, &tried.offered);
    let source = Some((source.0.as_str(), source.1.as_str())).filter(|_| clauses.is_empty());
    let page = Page { id: &wanted.id, calls: &calls, sizes, clauses, source, free, claimed };
    let line = book.append(&page.text())?;
    let specs = book.specs.root();
    let hold = format!("--hold {}", specs.join(runtime.name()).display());
    let place = format!("{}:{line}", short(&chapter.path));
    Ok(summary(&page, &tried, &place, [&format!("--specs {}", specs.display()), &hold]))
}

/// A new rule for a chapter.
struct Draft<'a> {
    options: &'a Options,
    runtime: &'static Runtime,
    specs: Specs,
    copy: Copy,
    chapter: &'a Chapter,
    /// The chapter's text.
    before: String,
}

impl Draft<'_> {
    /// Tries the calls on a faithful device, with the first domain of sizes for which the calls succeed. If they never
    /// succeed, the first domain is used.
    fn try_values(
        &self,
        id: &str,
        calls: &Calls,
        functions: &[&Function],
        (document, section): &(String, String),
    ) -> Result<(Tried, &'static str), DraftError> {
        let attempt = |sizes: &'static str| {
            self.write(&page::trial(id, calls, sizes, (document, section)))?;
            let tried = self.copy.try_out(id, functions, self.options, self.runtime);
            tried.map(|tried| (tried, sizes)).map_err(|error| DraftError::Trial(Box::new(error)))
        };
        let first = attempt(SIZES[0])?;
        if first.0.stopped.is_none() || !calls.draws() {
            return Ok(first);
        }
        let second = attempt(SIZES[1])?;
        Ok(if second.0.stopped.is_none() { second } else { first })
    }

    /// Writes the chapter with these rules to the copy and returns its text.
    fn write(&self, rules: &str) -> Result<String, DraftError> {
        let text = format!("{}\n\n{rules}", self.before.trim_end());
        self.copy.write(&name_below(self.specs.root(), &self.chapter.path), &text)?;
        Ok(text)
    }

    /// Appends the skeleton to the chapter if the catalog loads with it, and returns the line number of the skeleton's
    /// id.
    fn append(&self, skeleton: &str) -> Result<usize, DraftError> {
        let path = &self.chapter.path;
        let text = self.write(skeleton)?;
        load_rules(&self.copy.catalog(&self.options.catalog), self.runtime)
            .map_err(|source| DraftError::Broken { path: short(path), source: Box::new(source) })?;
        replace(path, text).map_err(|source| DraftError::File { path: path.clone(), source })?;
        Ok(self.before.trim_end().lines().count() + 2)
    }
}

/// Checks that no rule has or had the id.
fn expect_free(id: &str, specs: &Specs, rules: &Rules) -> Result<(), DraftError> {
    let runtime = rules.runtime.clone();
    if !is_rule_id(id) || id.split('.').next() != Some(&runtime) {
        return Err(DraftError::Malformed { id: id.to_owned(), runtime });
    }
    if let Some(rule) = rules.rule(id) {
        let place = format!("{}:{}", short(&rules.chapters[rule.chapter].path), rule.line);
        return Err(DraftError::Exists { id: id.to_owned(), place });
    }
    let listed = MustPass::kept(specs, &rules.runtime).map_err(|error| DraftError::MustPass(Box::new(error)))?;
    if listed.is_some_and(|list| list.rules.contains_key(id)) || rules.support_rule().as_deref() == Some(id) {
        return Err(DraftError::Existed { id: id.to_owned() });
    }
    Ok(())
}

fn functions(rules: &Rules, names: &[String]) -> Result<Vec<&'static Function>, DraftError> {
    let declarations = &rules.environment.declarations;
    let function = |name: &String| {
        declarations.function(name.trim()).ok_or_else(|| {
            let hint = hint(name, declarations.function_names());
            DraftError::Function { name: name.clone(), hint }
        })
    };
    names.iter().map(function).collect()
}

/// The given chapter, or else the chapter with the most similar rules.
fn chapter<'a>(rules: &'a Rules, wanted: &Wanted, functions: &[&Function]) -> Result<&'a Chapter, DraftError> {
    let names = || rules.chapters.iter().map(|chapter| chapter.name.as_str());
    let known = || names().map(str::to_owned).collect();
    if let Some(name) = &wanted.chapter {
        let found = rules.chapters.iter().find(|chapter| chapter.name == *name);
        let error = || DraftError::Chapter { name: name.clone(), hint: hint(name, names()), known: known() };
        return found.ok_or_else(error);
    }
    let area = area(&wanted.id);
    let alike = |position: usize| {
        let of_area = rules.rules.iter().filter(|rule| rule.chapter == position && self::area(&rule.id) == area);
        let calls = |name: &str| functions.iter().any(|function| function.name == name);
        of_area.fold((0, 0), |(callers, all), rule| (callers + usize::from(rule.function_names().any(calls)), all + 1))
    };
    let best = (0..rules.chapters.len()).rev().max_by_key(|position| alike(*position));
    best.filter(|position| alike(*position).1 > 0).map(|position| &rules.chapters[position]).ok_or_else(|| {
        let areas: BTreeSet<&str> = rules.rules.iter().map(|rule| self::area(&rule.id)).collect();
        DraftError::Area { area: area.to_owned(), hint: hint(area, areas), known: known() }
    })
}

/// The part of an id before the name: runtime and area.
fn area(id: &str) -> &str {
    let end = id.match_indices('.').nth(1).map_or(id.len(), |(end, _)| end);
    &id[..end]
}

/// The document and section to cite, from a clause about one of the functions or from a document that describes the
/// functions.
fn source(rules: &Rules, functions: &[&Function]) -> (String, String) {
    let first = functions.first().map_or("", |function| function.name);
    let clause = rules.book.clauses.iter().find(|clause| functions.iter().any(|known| known.name == clause.section));
    let described = rules.documents.iter().find(|document| document.describes(first));
    let document = described.or_else(|| rules.documents.iter().find(|document| document.promises));
    match (clause, document) {
        (Some(clause), _) => (clause.document.clone(), clause.section.clone()),
        (None, document) => (document.map_or_else(String::new, |known| known.id.value.clone()), first.to_owned()),
    }
}

/// The promises and errors in the functions' sections that hold on every product to which the rule applies.
fn clauses<'a>(rules: &'a Rules, functions: &[&Function], products: &[String]) -> Vec<&'a Clause> {
    let documents = |clause: &&Clause| functions.iter().any(|function| function.name == clause.section);
    let holds = |clause: &&Clause| products.iter().all(|product| clause.speaks_of(product));
    let judged = |clause: &&Clause| clause.modality.promises() && clause.untestable.is_none();
    rules.book.clauses.iter().filter(documents).filter(judged).filter(holds).collect()
}

/// Splits the defects that the calls reach into defects that no rule claims and defects that a rule claims.
fn by_claim(table: &ProofTable, runtime: &Runtime, tried: &Tried) -> (Vec<&'static Defect>, Vec<&'static Defect>) {
    let claimed = table.claimants();
    let reached = runtime.defects().iter().filter(|defect| tried.reached.contains(defect.name));
    reached.partition(|defect| !claimed.contains_key(defect.name))
}

/// A summary of the skeleton, and the next steps.
fn summary(page: &Page<'_>, tried: &Tried, place: &str, [specs, hold]: [&str; 2]) -> String {
    let id = page.id;
    let mut text = format!("{place}: {id}, with {} to choose from\n", count(page.clauses.len(), "sentence"));
    let (free, all) = (page.free.len(), page.free.len() + page.claimed.len());
    let setup = if tried.apart { "not counting the set-up" } else { "including the set-up" };
    let all = count(all, "defect");
    text += &format!("on {}, the calls reach {all}, {setup}; no rule kills {free} of these\n", tried.product);
    if let Some(stopped) = &tried.stopped {
        text += &format!("the calls stop early, so defects after this point are missing: {stopped}\n");
    }
    for open in &page.calls.open {
        text += &format!("the arguments are unknown; write this call: {open}\n");
    }
    text += &format!(
        "next: `atlas-cts catalog lint {specs}` lists the parts to write; `atlas-cts catalog prove {specs} {hold} --raise -v \
         {id}` records the defects that the rule kills\n"
    );
    text
}
