//! The checked catalog: every rule is compiled and every name is resolved. The rest of the harness uses this form.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use abi::{Bindings, Function};

use steps::Environment;
use steps::judgment::{Judged, judgments};
use steps::results::ResultType;

use super::book::StoredProgram;
use super::capabilities::Capability;
use super::chapters::area;
use super::clauses::ClauseBook;
use super::diagnostic::{Source, line_and_column};
use super::edition::{EditionForm, Span};
use super::editions::Editions;
use super::histories::History;
use super::layouts::Layout;
use super::libraries::Libraries;
use super::life_cycle::LifeCycles;
use super::limits::Limit;
use super::model::{Axiom, DocumentEntry, Hazard, Level, Modality, Reason, RuleSource, SupportEntry, TimeUnit, When};
use super::product_names::ProductNames;
use super::products::Product;
use super::python::PythonModule;
use super::resource::Resource;
use super::specs::Specs;

/// The location of the catalog, and the declarations of its header.
#[derive(Debug, Clone)]
pub struct CatalogPlace {
    /// The catalog's files.
    pub specs: Specs,
    /// The declarations of the runtime whose folder is read.
    pub bindings: &'static Bindings,
}

/// The checked catalog of one runtime.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Rules {
    pub runtime: String,
    pub title: String,
    pub libraries: Libraries,
    /// The modes in which programs for this runtime can run, the default first. Empty: the runtime has no modes.
    pub run_modes: Vec<String>,
    /// The path of the C header below the runtime's folder.
    #[serde(deserialize_with = "abi::form::read_name")]
    pub header: abi::form::Name,
    #[serde(with = "crate::book::stored::environment")]
    pub environment: Environment,
    #[serde(with = "crate::book::stored::documents")]
    pub documents: Vec<DocumentEntry>,
    pub products: Vec<Product>,
    /// The product that the simulated device imitates by default.
    pub default_product: String,
    /// The product of a device whose name matches none; `None` if such a device cannot be tested.
    pub unknown_product: Option<String>,
    /// The names of the products.
    pub product_names: ProductNames,
    pub life_cycle: LifeCycles,
    pub resources: Vec<Resource>,
    /// The histories that `linear` checks.
    pub histories: Vec<History>,
    /// The format in which reported versions are read as editions.
    #[serde(with = "crate::book::stored::edition")]
    pub edition: EditionForm,
    /// Structs whose layout depends on the edition.
    pub layouts: Vec<Layout>,
    /// The products that support each function.
    pub support: BTreeMap<String, SupportEntry>,
    /// The reasons why functions of the support table are out of scope, each with its sentence.
    #[serde(skip)]
    pub outside: BTreeMap<String, String>,
    /// The products that accept each enumerator, for enumerators that not every product accepts.
    pub values: BTreeMap<String, SupportEntry>,
    /// The document and section that the support table comes from.
    pub support_source: Option<String>,
    /// The clauses, by chapter.
    #[serde(skip)]
    pub book: ClauseBook,
    /// The assumptions of judged checks that no sentence states.
    pub axioms: Vec<Axiom>,
    pub chapters: Vec<Chapter>,
    #[serde(skip)]
    pub rules: Vec<Rule>,
    /// The subjects that the suite was built for: names, and ids of their rules.
    pub subjects: Vec<(String, Vec<String>)>,
    /// Id → position in `rules`.
    #[serde(skip)]
    pub positions: HashMap<String, usize>,
    /// The id of the rule that owns each function.
    pub owners: BTreeMap<String, String>,
    /// Functions that wait for the device.
    pub waits: BTreeSet<String>,
    /// The position of each function's timeout parameter, with its unit.
    #[serde(skip)]
    pub time_outs: BTreeMap<String, (usize, TimeUnit)>,
    /// The documented limits on sizes.
    #[serde(skip)]
    pub limits: Vec<Limit>,
    /// Sizes and limits with edges that no rule tries, by reason; `None` if the catalog has no such list.
    #[serde(skip)]
    pub undrawn: Option<BTreeMap<Reason, Vec<String>>>,
    /// The Python module that offers the runtime's functions, if the catalog describes one.
    pub python: Option<PythonModule>,
    /// The environment variable that lists the devices visible to a process.
    pub visible: Option<String>,
    /// Environment variables of each process that loads the library, unless the user has set them.
    pub variables: Vec<(String, String)>,
    /// The freedom of calls to wait for work that a rule holds; `None` if the documents leave none.
    pub may_block: Option<MayBlock>,
    /// SHA-256 over the catalog's files.
    pub digest: String,
}

/// The freedom of calls to wait for work that a rule holds.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct MayBlock {
    /// The clause that leaves the freedom.
    pub clause: String,
    /// The functions that do not wait.
    pub except: BTreeSet<String>,
}

/// A chapter of the catalog.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Chapter {
    /// The chapter's name, taken from its file; the area comes first.
    pub name: String,
    pub title: String,
    pub path: PathBuf,
    /// The chapter's file, relative to the runtime's folder.
    pub file: String,
}

/// A checked rule.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Rule {
    pub id: String,
    pub title: String,
    pub statement: String,
    /// The passages that the rule itself cites: each as printed in reports, and the id of its document.
    pub cited: Vec<(String, String)>,
    /// The rule's sources as printed in reports, `title (edition), section`: what it cites, then its clauses'.
    #[serde(skip)]
    pub sources: Vec<String>,
    /// Ids of the documents of the sources.
    #[serde(skip)]
    pub documents: Vec<String>,
    /// The grounds of the rule's checks. The list is empty if only one chapter was read.
    pub grounds: Vec<Ground>,
    /// Ids of the axioms that a judged check assumes if its ground names no axioms.
    pub assumes: Vec<String>,
    pub level: Level,
    pub hazard: Option<Hazard>,
    /// True if the steps are a cycle for soaks.
    pub cycle: bool,
    pub doubt: Option<String>,
    #[serde(with = "crate::book::stored::when")]
    pub when: When,
    /// Position in [`Rules::chapters`].
    pub chapter: usize,
    /// The functions that the steps call, so that a search among rules decodes no program.
    pub functions: Vec<&'static Function>,
    pub program: StoredProgram,
    pub owns: Vec<String>,
    /// Functions and values that the rule uses although the documents list them as not supported.
    pub unsupported: Vec<String>,
    /// True if the rule's axes or calls name a value that not every product accepts.
    pub names_values: bool,
    /// Checks that are kept although no seeded defect needs them: statement → reason.
    pub unproven: BTreeMap<String, String>,
    /// The line of the id, counted from 1.
    pub line: usize,
    /// The chapter's file as printed, the same on every machine.
    #[serde(skip)]
    pub file: String,
    /// The line in this file where the text of the steps starts, and its indentation in columns.
    pub(crate) steps_at: (usize, usize),
    /// The parts of the rule as written.
    pub texts: RuleTexts,
    /// The rule in its file; `None` if the rule was read from a book.
    #[serde(skip)]
    pub(crate) written: Option<Written>,
}

/// The parts of a rule as written.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct RuleTexts {
    pub since: Option<String>,
    pub actors: Option<String>,
    /// The axes, each with its domain in one line.
    pub axes: Vec<(String, String)>,
    pub condition: Option<String>,
    /// The uses of set-ups in the steps; the other text of the steps is the program's.
    pub uses: Vec<String>,
    pub observe: Vec<(String, String)>,
}

/// A rule in its file.
#[derive(Debug)]
pub(crate) struct Written {
    pub file: Arc<Source>,
    pub source: RuleSource,
}

/// The ground of a check: one clause, or several from which the check is inferred.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Ground {
    /// The name that the rule's steps use.
    pub name: String,
    /// Positions in [`ClauseBook::clauses`](ClauseBook::clauses).
    pub clauses: Vec<usize>,
    /// Ids of the axioms that the checks assume instead of the rule's axioms; empty: the rule's axioms.
    pub axioms: Vec<String>,
}

impl Rules {
    /// Finds the positions of rules and clauses, which a book does not contain.
    pub(crate) fn number(&mut self) {
        self.positions = self.rules.iter().enumerate().map(|(at, rule)| (rule.id.clone(), at)).collect();
        let clauses = self.book.clauses.iter().enumerate();
        self.book.positions = clauses.map(|(at, clause)| (clause.id.clone(), at)).collect();
    }

    /// The rule with an id.
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.positions.get(id).and_then(|position| self.rules.get(*position))
    }

    /// The id of the rule that is derived from the support table; `None` if there is no table.
    pub fn support_rule(&self) -> Option<String> {
        (!self.support.is_empty()).then(|| format!("{}.support.exported", self.runtime))
    }

    /// The rules that call a function.
    pub fn callers<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().filter(move |rule| rule.calls(function))
    }

    /// True if a rule belongs to the given chapter or area. A name that is neither a chapter nor an area is a JUnit
    /// class.
    pub fn in_chapter(&self, rule: &Rule, given: &str) -> bool {
        let named = |name: &str| name == given || area(name) == given;
        named(&self.chapters[rule.chapter].name)
    }

    /// The names that [`Rules::in_chapter`] knows: chapters and areas.
    pub fn chapter_names(&self) -> impl Iterator<Item = &str> {
        self.chapters.iter().flat_map(|chapter| [chapter.name.as_str(), area(&chapter.name)])
    }

    /// The product with an id.
    pub fn product(&self, id: &str) -> Option<&Product> {
        self.products.iter().find(|product| product.id == id)
    }

    /// Functions in the support table that rules call but no rule owns, and functions whose owner is weaker than a rule
    /// that calls them. If such a function were denied, more than one failure would be reported.
    pub fn unowned(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        for function in self.support.keys() {
            let callers = self.rules.iter().filter(|rule| rule.function_names().any(|name| name == function));
            let callers: Vec<&Rule> = callers
                .filter(|rule| !rule.unsupported.contains(function) && !rule.program.only_refused(function))
                .collect();
            let promised = callers.iter().find(|rule| rule.level == Level::Must);
            match self.owners.get(function).and_then(|owner| self.rule(owner)) {
                None if !callers.is_empty() => {
                    gaps.push(format!("{function}: no rule owns it, but {} calls it", callers[0].id));
                }
                Some(owner) if owner.level == Level::Info => gaps.extend(promised.map(|caller| {
                    format!("{function}: its owner {} only informs, but {} needs it", owner.id, caller.id)
                })),
                _ => {}
            }
        }
        gaps
    }

    /// The functions that a rule needs: those that its steps call, and those that release the resources it acquires.
    pub fn needed<'a>(&'a self, rule: &'a Rule) -> impl Iterator<Item = &'static Function> + 'a {
        rule.functions.iter().copied().chain(self.releases(rule))
    }

    /// The functions that rules and queries for capabilities need but that a library may lack: functions in an optional
    /// library, and functions that are missing from some editions.
    pub fn uncertain(&self) -> Vec<&'static Function> {
        let mut names = BTreeMap::new();
        let queries = self.life_cycle.all().flat_map(|life_cycle| &life_cycle.capabilities);
        let queried = queries.flat_map(|capability| &capability.functions);
        let queried = queried.filter_map(|name| self.environment.declarations.function(name));
        for function in self.rules.iter().flat_map(|rule| self.needed(rule)).chain(queried) {
            if self.libraries.optional_home(function.name).is_some() || !self.span(function.name).is_always() {
                names.insert(function.name, function);
            }
        }
        names.into_values().collect()
    }

    /// The editions that have a function.
    pub fn span(&self, function: &str) -> Span {
        self.support.get(function).map(SupportEntry::span).unwrap_or_default()
    }

    /// The functions that release what a rule acquires.
    pub(super) fn releases<'a>(&'a self, rule: &'a Rule) -> impl Iterator<Item = &'static Function> + 'a {
        let acquires = |resource: &&Resource| rule.function_names().any(|name| name == resource.acquire);
        let releases = self.resources.iter().filter(acquires).map(|resource| resource.release.function.as_str());
        releases.filter_map(|name| self.environment.declarations.function(name))
    }

    /// True if a rule uses the layout of a struct, or if releasing a resource that the rule acquires uses that layout.
    pub fn lays_out(&self, rule: &Rule, structure: &str) -> bool {
        let mut released = Vec::new();
        for parameter in self.releases(rule).flat_map(|function| function.parameters) {
            self.environment.declarations.note_structs(parameter.ty, &mut released);
        }
        rule.program.structs.iter().chain(&released).any(|known| *known == structure)
    }

    /// The type of codes that a function returns; `None` if its return value does not indicate success.
    pub fn result_of(&self, function: &str) -> Option<&ResultType> {
        self.environment.results.of(self.environment.declarations.function(function)?.returns)
    }

    /// The product whose name patterns match the reported name.
    pub fn product_of(&self, reported: &str) -> Option<&Product> {
        self.products.iter().find(|product| product.reported_names.iter().any(|name| name.is_match(reported)))
    }
}

impl Rule {
    /// The names of the functions that the steps call.
    pub fn function_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.functions.iter().map(|function| function.name)
    }

    /// True if the rule's steps call this function.
    pub fn calls(&self, function: &str) -> bool {
        self.function_names().any(|name| name == function)
    }

    /// Lists what the rule cites and the places of its clauses as its sources.
    pub(super) fn list_sources(&mut self, book: &ClauseBook) {
        (self.sources, self.documents) = self.cited.iter().cloned().unzip();
        for clause in self.grounds.iter().flat_map(|ground| &ground.clauses).map(|clause| &book.clauses[*clause]) {
            if !self.sources.contains(&clause.source) {
                self.sources.push(clause.source.clone());
                self.documents.push(clause.document.clone());
            }
        }
    }

    /// The text of the steps as written.
    pub fn steps(&self) -> String {
        self.program.written_text(&self.texts.uses)
    }

    /// The ground of a judgment; `None` if the rule names no ground for the judgment.
    pub fn ground(&self, judged: &Judged) -> Option<&Ground> {
        self.ground_of(judged.rests_on)
    }

    pub(super) fn ground_of(&self, named: Option<usize>) -> Option<&Ground> {
        match named {
            Some(named) => self.ground_named(named),
            None => <&[Ground; 1]>::try_from(&*self.grounds).ok().map(|[ground]| ground),
        }
    }

    /// The ground that a marker in the steps names, by its position among the program's grounds.
    pub fn ground_named(&self, named: usize) -> Option<&Ground> {
        let name = &self.program.grounds.get(named)?.name;
        self.grounds.iter().find(|ground| ground.name == *name)
    }

    /// The judged check at a place in the steps.
    pub(super) fn judged_at(&self, span: steps::Span) -> Option<Judged> {
        let at = |judged: &Judged| judged.reported == span || judged.statement == span;
        judgments(&self.program).into_iter().find(at).filter(|_| span != steps::Span::default())
    }

    /// The grounds of the statement at a place. If the statement has no check, returns all of the rule's grounds.
    pub fn grounds_at(&self, span: steps::Span) -> Vec<&Ground> {
        match self.judged_at(span).and_then(|judged| self.ground(&judged)) {
            Some(ground) => vec![ground],
            None => self.grounds.iter().collect(),
        }
    }

    /// True if a clause promises an outcome of the statement at a place, on a product with these editions.
    pub fn promises_at(&self, span: steps::Span, product: &str, editions: &Editions, rules: &Rules) -> bool {
        let grounds = self.grounds_at(span);
        let clauses = grounds.iter().flat_map(|ground| &ground.clauses).map(|clause| &rules.book.clauses[*clause]);
        let mut here = clauses.filter(|clause| {
            let offered = clause.products.is_empty() || clause.products.iter().any(|known| known == product);
            offered && clause.holds_in(editions)
        });
        here.any(|clause| matches!(clause.modality, Modality::Promise | Modality::Error))
    }

    /// The number of devices that the rule's processes use or its conditions require, whichever is larger.
    pub fn devices(&self) -> u32 {
        let processes = self.program.processes.iter().map(|process| process.device.saturating_add(1));
        processes.chain(self.when.devices).max().unwrap_or(1)
    }

    /// The capabilities that the device must have or lack, in words: `the device has cold (cold storage)`.
    pub fn capabilities<'a>(&'a self, rules: &'a Rules) -> impl Iterator<Item = String> + 'a {
        let known = &rules.life_cycle.of("").capabilities;
        self.when.capabilities().map(|(name, has)| {
            let named = known.iter().find(|known| known.name == name.value);
            let named = named.map_or_else(|| name.value.clone(), Capability::shown);
            format!("the device {} {named}", if has { "has" } else { "lacks" })
        })
    }

    /// `file:line:column` of a place in the steps.
    pub fn place(&self, offset: usize) -> String {
        let written = self.program.written(steps::Span { start: offset, end: offset }).start;
        let (line, column) = line_and_column(&self.steps(), written);
        format!("{}:{}:{}", self.file, self.steps_at.0 + line, self.steps_at.1 + column + 1)
    }

    /// The rule in its file.
    pub(crate) fn in_file(&self) -> &Written {
        self.written.as_ref().expect("checks of a catalog read its files, not a book")
    }

    /// The line in its file in which the text of the steps starts, from 1, and the text's indentation in columns.
    pub fn steps_at(&self) -> (usize, usize) {
        self.steps_at
    }
}
