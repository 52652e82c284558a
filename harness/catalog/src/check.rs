//! Parsed files → checked rules.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use serde_yaml::Spanned;

use steps::evaluate::Scope;
use steps::judgement::judgements;
use steps::pattern;
use steps::suggest::hint;
use steps::types::Declarations;
use steps::{Environment, Id, Part, Problem, RuleText, Span, check};

use crate::version::Release;

use super::alternatives;
use super::chapters;
use super::diagnostic::{CatalogError, Diagnostic, Source, line_and_column, text_start};
use super::families::Families;
use super::life_cycle::LifeCycles;
use super::limits::Limit;
use super::model::{
    ApiFile, ChapterFile, Reason, RuleSource, SubjectsFile, SupportEntry, SupportFile, TimeOutSource, TimeUnit,
};
use super::parallel::in_parallel;
use super::products::{ID, unknown_run_mode};
use super::read::{CatalogFiles, ParsedFile, name_below, read_catalog};
use super::resource::{self, Field, Resource};
use super::rules::{CatalogPlace, Chapter, Kill, Product, Rule, Rules, is_id, is_rule_id, short};

/// As many devices as a machine can be expected to have, where the amount of work is estimated.
const MOST_DEVICES: u32 = 64;

/// Reads and checks a catalog; with `only`, of the chapters just the one in that file. All mistakes are reported together.
pub fn load(place: &CatalogPlace, only: Option<&str>) -> Result<Rules, CatalogError> {
    let files = read_catalog(&place.specs, place.bindings.runtime, only)?;
    let mut checker = Checker { diagnostics: Vec::new(), place };
    let rules = checker.rules(files);
    match rules {
        Some(rules) if checker.diagnostics.is_empty() => Ok(rules),
        _ => {
            // In the order in which they are mended.
            checker.diagnostics.sort_by_key(|diagnostic| {
                (diagnostic.source.as_ref().map(|source| source.path.clone()), diagnostic.line, diagnostic.column)
            });
            Err(CatalogError { diagnostics: checker.diagnostics })
        }
    }
}

/// What a table of support says, by name.
type Support = BTreeMap<String, SupportEntry>;

pub(super) struct Checker<'a> {
    pub(super) diagnostics: Vec<Diagnostic>,
    place: &'a CatalogPlace,
}

impl Checker<'_> {
    pub(super) fn at<T>(&mut self, source: &Arc<Source>, place: &Spanned<T>, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::at(source, place, message));
    }

    fn rules(&mut self, mut files: CatalogFiles) -> Option<Rules> {
        self.diagnostics.append(&mut files.diagnostics);
        self.families(&files.products);
        Families::of(&files.products.value).resolve_all(&mut files);
        let api = &files.api;
        let products = self.products(&files.products, &api.value.run_modes);
        let default_product = self.default_product(&files.products, &products);
        let facts: BTreeSet<String> = products.iter().flat_map(|product| product.facts.keys().cloned()).collect();
        let declarations = Declarations::new(self.place.bindings);
        if api.value.runtime.value != self.place.bindings.runtime {
            let message = format!("this is the folder of `{}`; name that runtime here", self.place.bindings.runtime);
            self.at(&api.source, &api.value.runtime, message);
        }
        for mode in api.value.run_modes.iter().filter(|mode| !is_id(mode)) {
            self.at(&api.source, &api.value.runtime, format!("`{mode}` cannot be a run mode; {ID}"));
        }
        let results = self.results(api, &declarations);
        let libraries = self.libraries(api, &declarations);
        if let Some(part) = api.value.edition.mistake() {
            let message = format!("each part counts less than the one before it, and 0 counts nothing: {}", part.value);
            self.at(&api.source, part, message);
        }
        let (resources, spaces) = self.resources(api, &declarations);
        for function in api.value.process.iter().chain(&api.value.waits) {
            if declarations.function(&function.value).is_none() {
                let hint = hint(&function.value, declarations.function_names());
                self.at(&api.source, function, format!("`{}` is not in the header{hint}", function.value));
            }
        }
        let time_outs = self.time_outs(api, &declarations);
        let limits = self.limits(api, &declarations);
        let process_functions: HashSet<String> =
            api.value.process.iter().map(|function| function.value.clone()).collect();
        let vocabulary = self.vocabulary(api, &declarations, &resources);
        let environment = Environment { declarations, facts, results, spaces, process_functions, vocabulary };
        let life_cycle = self.life_cycles(api, &environment, &products);
        for life_cycle in life_cycle.iter().flat_map(LifeCycles::all) {
            self.expect_there(api, &libraries, life_cycle);
        }
        let layouts = self.layouts(api, &environment.declarations, life_cycle.as_ref());
        let (support, values, support_source) = self.support(files.support.as_ref(), &products, &environment);
        self.capabilities(api, files.support.as_ref());
        let documents = &files.documents.value.documents;
        let whole = files.clauses.is_some();
        let files_of_clauses = files.clauses.as_deref().unwrap_or_default();
        let inventory = files.inventory.as_ref();
        let modes = &api.value.run_modes;
        let book = self.clauses(files_of_clauses, documents, &products, &environment.declarations, modes, inventory);
        let axioms = self.axioms(files.axioms.as_ref());
        let mut rules = Rules {
            runtime: api.value.runtime.value.clone(),
            title: api.value.title.clone(),
            libraries,
            run_modes: api.value.run_modes.clone(),
            header: "abi.h",
            environment,
            documents: files.documents.value.documents.clone(),
            products,
            default_product,
            life_cycle: life_cycle?,
            resources,
            edition: api.value.edition.clone(),
            layouts,
            support,
            values,
            support_source,
            book,
            axioms,
            chapters: Vec::new(),
            rules: Vec::new(),
            classes: HashMap::new(),
            subjects: Vec::new(),
            positions: HashMap::new(),
            owners: HashMap::new(),
            waits: api.value.waits.iter().map(|function| function.value.clone()).collect(),
            time_outs,
            limits,
            undrawn: api.value.undrawn.as_ref().map(undrawn),
            visible: api.value.visible.clone(),
            digest: files.digest,
        };
        self.chapters(files.chapters, whole, &mut rules);
        if let Some(file) = files.junit.filter(|_| whole) {
            rules.classes = self.junit(&file, &rules);
        }
        if let Some(file) = files.subjects.filter(|_| whole) {
            rules.subjects = self.subjects(&file, &rules);
        }
        self.noticed(files.clauses.as_deref().unwrap_or_default(), &rules);
        if let Some(clauses) = &files.clauses {
            self.pages(&files.documents, clauses, &rules);
        }
        Some(rules)
    }

    /// The parameters that are time-outs.
    fn time_outs(
        &mut self,
        api: &ParsedFile<ApiFile>,
        declarations: &Declarations,
    ) -> BTreeMap<String, (usize, TimeUnit)> {
        let mut found = BTreeMap::new();
        for TimeOutSource { function, parameter, unit } in &api.value.time_outs {
            let Some(declared) = declarations.function(&function.value) else {
                let hint = hint(&function.value, declarations.function_names());
                self.at(&api.source, function, format!("`{}` is not in the header{hint}", function.value));
                continue;
            };
            match declared.parameters.iter().position(|known| known.name == parameter.value) {
                Some(position) => drop(found.insert(function.value.clone(), (position, *unit))),
                None => {
                    let hint = hint(&parameter.value, declared.parameters.iter().map(|known| known.name));
                    let message = format!("`{}` has no parameter `{}`{hint}", function.value, parameter.value);
                    self.at(&api.source, parameter, message);
                }
            }
        }
        found
    }

    /// The documented limits of sizes.
    fn limits(&mut self, api: &ParsedFile<ApiFile>, declarations: &Declarations) -> Vec<Limit> {
        let mut limits = Vec::new();
        for source in &api.value.limits {
            match Limit::of(source, declarations) {
                Ok(limit) => limits.push(limit),
                Err(mistake) => self.at(&api.source, &source.function, mistake),
            }
        }
        limits
    }

    /// What the suite was asked for, with the rules that are about it.
    fn subjects(&mut self, file: &ParsedFile<SubjectsFile>, rules: &Rules) -> Vec<(String, Vec<String>)> {
        let derived = rules.support_rule();
        let ids: Vec<&str> = rules.rules.iter().map(|rule| rule.id.as_str()).chain(derived.as_deref()).collect();
        let mut subjects = Vec::new();
        for entry in &file.value.subjects {
            let mut found = Vec::new();
            for wanted in &entry.rules {
                let before = found.len();
                let matching = ids.iter().filter(|id| pattern::matches(&wanted.value, id));
                found.extend(matching.map(|id| (*id).to_owned()));
                if found.len() == before {
                    let hint = pattern::hint(&wanted.value, ids.iter().copied());
                    self.at(&file.source, wanted, format!("`{}` is no rule{hint}", wanted.value));
                }
            }
            subjects.push((entry.subject.clone(), found));
        }
        subjects
    }

    /// A capability that the table of support names is one of api.yaml, and each of these is named.
    fn capabilities(&mut self, api: &ParsedFile<ApiFile>, support: Option<&ParsedFile<SupportFile>>) {
        let known = &api.value.capabilities;
        let entries = || support.iter().flat_map(|file| &file.value.functions);
        for (function, entry) in entries() {
            let Some(named) = &entry.capability else { continue };
            let hint = hint(named, known.iter().map(|capability| capability.id.value.as_str()));
            let message = match known.iter().any(|capability| capability.id.value == *named) {
                true if entry.not_virtual => continue,
                true => format!("{function}: a capability says what `not_virtual` leaves open; add that, or remove it"),
                false => format!("{function}: `{named}` is no capability of api.yaml{hint}"),
            };
            let source = support.map(|file| file.source.clone());
            self.diagnostics.push(Diagnostic { source, line: 0, column: 0, message });
        }
        for capability in known.iter().filter(|_| support.is_some()) {
            if !entries().any(|(_, entry)| entry.capability.as_ref() == Some(&capability.id.value)) {
                let message = format!("no function of support.yaml depends on `{}`", capability.id.value);
                self.at(&api.source, &capability.id, message);
            }
        }
    }

    /// The table of support, and where it comes from.
    fn support(
        &mut self,
        file: Option<&ParsedFile<SupportFile>>,
        products: &[Product],
        environment: &Environment,
    ) -> (Support, Support, Option<String>) {
        let Some(file) = file else { return Default::default() };
        let table = &file.value;
        let entries = table.functions.values().chain(table.values.values());
        let named = entries.flat_map(|entry| entry.supported.iter().chain(&entry.unsupported));
        let unknown_value = |name: &&String| environment.declarations.constant(name).is_none();
        let unknown = table.values.keys().filter(unknown_value).map(|name| {
            let hint = hint(name, environment.declarations.constant_names());
            format!("`{name}` is no value of the header{hint}")
        });
        for message in named.filter_map(|product| unknown_product(product, products)).chain(unknown) {
            let source = Some(file.source.clone());
            self.diagnostics.push(Diagnostic { source, line: 0, column: 0, message });
        }
        let map = |entries: &IndexMap<String, SupportEntry>| {
            entries.iter().map(|(name, entry)| (name.clone(), entry.clone())).collect()
        };
        let source = format!("{}, {}", table.source.document, table.source.section);
        (map(&table.functions), map(&table.values), Some(source))
    }

    /// Checks the chapters, and adds their rules.
    fn chapters(&mut self, chapters: Vec<ParsedFile<ChapterFile>>, whole: bool, rules: &mut Rules) {
        let chapters: Vec<_> = chapters.into_iter().enumerate().collect();
        let known = &*rules;
        let scope = |product: &Product| Scope::new(product.facts.clone(), MOST_DEVICES);
        let scopes: Vec<Scope> = known.products.iter().map(scope).collect();
        let checked = in_parallel(chapters, |(chapter, file)| {
            let mut checker = Checker { diagnostics: Vec::new(), place: self.place };
            let ParsedFile { source, value } = file;
            let folder = self.place.specs.root().join(self.place.bindings.runtime);
            let name = chapters::name(&folder, &source.path);
            checker.chapter_name(&source, &folder);
            let of_chapter = checker.assumed(&source, &value.assumes, known);
            let check = |mut rule: Spanned<RuleSource>| {
                rule.value.when.get_or_insert_with(|| value.when.clone());
                let id = rule.value.id.clone();
                checker.in_its_area(&source, &id, &name);
                let grounds = if whole { checker.grounds(&source, &rule.value, known) } else { Vec::new() };
                let assumes = checker.assumed(&source, &rule.value.assumes, known);
                let assumes = of_chapter.iter().cloned().chain(assumes).collect();
                let checked = checker.rule(&source, rule.value, chapter, known, &scopes);
                let checked = checked.map(|rule| Rule { assumes, ..rule.resting_on(grounds, known) });
                if let Some(rule) = checked.as_ref().filter(|_| whole) {
                    checker.policy(&source, rule, known);
                    checker.owned_functions(&source, rule, known);
                }
                (id, checked)
            };
            let found: Vec<_> = value.rules.into_iter().map(check).collect();
            let file = name_below(&folder, &source.path);
            let known = Chapter { name, title: value.title, path: source.path.clone(), file };
            (source, known, found, checker.diagnostics)
        });
        let mut places: HashMap<String, (String, usize)> = HashMap::new();
        for (source, chapter, found, diagnostics) in checked {
            self.diagnostics.extend(diagnostics);
            let path = short(&chapter.path);
            rules.chapters.push(chapter);
            for (id, rule) in found {
                let here = (path.clone(), id.referenced.line() as usize);
                if let Some((path, line)) = places.insert(id.value.clone(), here) {
                    let message = format!("`{}` stands a second time; the first is at {path}:{line}", id.value);
                    self.at(&source, &id, message);
                }
                let Some(rule) = rule else { continue };
                for function in &rule.owns {
                    if let Some(other) = rules.owners.insert(function.clone(), rule.id.clone()) {
                        let message = format!("`{function}` has two owners, {other} and {}", rule.id);
                        self.at(&source, &rule.source.id, message);
                    }
                }
                rules.positions.insert(rule.id.clone(), rules.rules.len());
                rules.rules.push(rule);
            }
        }
    }

    fn resources(
        &mut self,
        file: &ParsedFile<ApiFile>,
        declarations: &Declarations,
    ) -> (Vec<Resource>, HashMap<(String, String), steps::program::Space>) {
        let mut resources = Vec::new();
        let mut spaces = HashMap::new();
        for entry in &file.value.resources {
            match resource::check(entry, declarations) {
                Ok(resource) => resources.push(resource),
                Err(mistake) => {
                    let scalar = match mistake.field {
                        Field::Acquire => &entry.acquire,
                        Field::Handle => &entry.handle,
                        Field::Release => &entry.release,
                        Field::Also(index) => &entry.also[index],
                    };
                    self.inside(&file.source, scalar, mistake.span, mistake.kind.to_string());
                }
            }
            if let Some(space) = entry.space {
                spaces.insert((entry.acquire.value.clone(), entry.handle.value.clone()), space);
            }
        }
        (resources, spaces)
    }

    fn rule(
        &mut self,
        source: &Arc<Source>,
        rule: RuleSource,
        chapter: usize,
        rules: &Rules,
        scopes: &[Scope],
    ) -> Option<Rule> {
        self.references(source, &rule, rules);
        let text = RuleText {
            actors: rule.actors.as_ref().map(|text| text.value.as_str()),
            axes: rule.forall.iter().map(|(name, domain)| (name.as_str(), &domain.value)).collect(),
            condition: rule.condition.as_ref().map(|text| text.value.as_str()),
            steps: &rule.steps.value,
            observe: rule.observe.iter().map(|(name, text)| (name.as_str(), text.value.as_str())).collect(),
            life_cycle: false,
        };
        let program = match check(&text, &rules.environment) {
            Ok(program) => program,
            Err(problems) => {
                problems.into_iter().for_each(|problem| self.problem(source, &rule, problem));
                return None;
            }
        };
        let when = rule.when.clone().unwrap_or_default();
        // One product is enough to see it.
        let products = rules.products.iter().zip(scopes).filter(|(product, _)| when.allows(&product.id));
        let excess = products.map(|(_, scope)| program.excess(scope)).find(|excess| !excess.is_empty());
        excess.into_iter().flatten().for_each(|problem| self.problem(source, &rule, problem));
        let not_called = |function: &&Spanned<String>| !program.function_names().any(|name| name == function.value);
        for function in rule.owns.iter().filter(not_called) {
            self.at(source, function, format!("the rule owns `{}` but does not call it", function.value));
        }
        let names_values = alternatives::mentions(&program, &|name| rules.values.contains_key(name));
        let unknown = |name: &&Spanned<String>| {
            not_called(name)
                && !(rules.values.contains_key(&name.value)
                    && alternatives::mentions(&program, &|used| used == name.value))
        };
        for name in rule.unsupported.iter().filter(unknown) {
            self.at(source, name, format!("the rule does not use `{}`; remove it here", name.value));
        }
        for (statement, reason) in &rule.unproven {
            let judged: Vec<String> = judgements(&program).iter().map(|judged| program.judged(judged)).collect();
            if !judged.contains(statement) {
                let hint = hint(statement, judged.iter().map(String::as_str));
                self.at(source, reason, format!("`{statement}` is no check of the steps{hint}"));
            }
        }
        let title = |id: &str| rules.documents.iter().find(|document| document.id.value == *id);
        Some(Rule {
            id: rule.id.value.clone(),
            title: rule.title.clone(),
            statement: rule.statement.trim().to_owned(),
            sources: rule
                .source
                .iter()
                .map(|reference| match title(&reference.value.document) {
                    Some(document) => format!("{} ({}), {}", document.title, document.edition, reference.value.section),
                    None => reference.value.document.clone(),
                })
                .collect(),
            documents: rule.source.iter().map(|reference| reference.value.document.clone()).collect(),
            grounds: Vec::new(),
            assumes: Vec::new(),
            level: rule.level,
            hazard: rule.hazard,
            doubt: rule.doubt.as_ref().map(|doubt| doubt.trim().to_owned()),
            when,
            chapter,
            program,
            unsupported: rule.unsupported.iter().map(|function| function.value.clone()).collect(),
            owns: rule.owns.iter().map(|function| function.value.clone()).collect(),
            kills: rule.kills.iter().map(|kill| Kill::read(&kill.value)).collect(),
            names_values,
            unproven: rule.unproven.iter().map(|(text, reason)| (text.clone(), reason.value.clone())).collect(),
            line: rule.id.referenced.line() as usize,
            steps_at: text_start(source, &rule.steps),
            source: rule,
        })
    }

    /// Names of documents, products, editions and defects that a rule refers to.
    fn references(&mut self, source: &Arc<Source>, rule: &RuleSource, rules: &Rules) {
        let prefix = format!("{}.", rules.runtime);
        if !rule.id.value.starts_with(&prefix) || !is_rule_id(&rule.id.value) {
            let message = format!(
                "a rule's id is `{prefix}<area>.<name>`: lower-case letters, digits and `-` between dots, at most 200 bytes"
            );
            self.at(source, &rule.id, message);
        }
        if let Some(since) = rule.since.as_ref().filter(|since| Release::read_whole(&since.value).is_none()) {
            let message = format!("`{}` is no version of the suite; write for example 0.3.0", since.value);
            self.at(source, since, message);
        }
        if rule.source.is_empty() && rule.clauses.is_empty() {
            self.at(source, &rule.id, "a rule names its clauses, or cites at least one source");
        }
        for reference in &rule.source {
            if let Some(document) = self.document(source, reference, &reference.value.document, &rules.documents) {
                let declarations = &rules.environment.declarations;
                self.section(source, reference, &reference.value.section, document, declarations);
            }
        }
        let unknown = |product: &String| unknown_product(product, &rules.products);
        let when = rule.when.clone().unwrap_or_default();
        for message in when.products.iter().chain(&when.not_products).filter_map(unknown) {
            self.at(source, &rule.id, message);
        }
        if let Some(mode) = &when.run_mode
            && !rules.run_modes.contains(mode)
        {
            self.at(source, &rule.id, unknown_run_mode(mode, &rules.run_modes));
        }
        for kill in &rule.kills {
            let Kill { defect, products } = Kill::read(&kill.value);
            let names = || self.place.defects.into_iter().flatten().map(|known| known.name);
            if self.place.defects.is_some() && !names().any(|known| known == defect) {
                let hint = hint(&defect, names());
                self.at(source, kill, format!("`{defect}` is no seeded defect{hint}"));
            }
            for message in products.iter().filter_map(unknown) {
                self.at(source, kill, message);
            }
        }
    }

    fn problem(&mut self, source: &Arc<Source>, rule: &RuleSource, problem: Problem) {
        let scalar = match problem.part {
            Part::Steps => &rule.steps,
            Part::Actors => rule.actors.as_ref().unwrap_or(&rule.steps),
            Part::Where => rule.condition.as_ref().unwrap_or(&rule.steps),
            Part::Observe(index) => &rule.observe[index],
            Part::Axis(axis) => {
                let (name, domain) = rule.forall.get_index(axis.index()).expect("the axis was read from this map");
                return self.at(source, domain, format!("{name}: {}", problem.message));
            }
        };
        self.inside(source, scalar, problem.span, problem.message);
    }

    /// A mistake at a place inside the text of a scalar.
    pub(super) fn inside(&mut self, source: &Arc<Source>, scalar: &Spanned<String>, span: Span, message: String) {
        let (first_line, indentation) = text_start(source, scalar);
        let (line, column) = line_and_column(&scalar.value, span.start);
        let indentation = if line == 0 || source.line(first_line).is_some() { indentation } else { 0 };
        let (line, column) = source.inside(first_line + line, indentation + column + 1);
        self.diagnostics.push(Diagnostic { source: Some(source.clone()), line, column, message });
    }
}

/// What is wrong with a product that is not one.
pub(super) fn unknown_product(product: &str, known: &[Product]) -> Option<String> {
    let ids = || known.iter().map(|known| known.id.as_str());
    let unknown = !ids().any(|id| id == product);
    unknown.then(|| format!("`{product}` is no product of products.yaml{}", hint(product, ids())))
}

/// The names of sizes and limits by reason, without their places.
fn undrawn(by_reason: &BTreeMap<Reason, Vec<Spanned<String>>>) -> BTreeMap<Reason, Vec<String>> {
    let plain = |names: &Vec<Spanned<String>>| names.iter().map(|name| name.value.clone()).collect();
    by_reason.iter().map(|(reason, names)| (*reason, plain(names))).collect()
}
