//! Checks parsed files and returns rules. Each part of a catalog is checked against the parts before it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use steps::Environment;
use steps::suggest::hint;
use steps::types::Declarations;

use crate::diagnostic::{CatalogError, Mistakes};
use crate::histories::History;
use crate::ids::{ID, is_id};
use crate::product_names::ProductNames;
use crate::read::{CatalogFiles, read_catalog};
use crate::rules::{CatalogPlace, Rules};
use crate::{layouts, libraries, life_cycle, products};

mod api;
mod axioms;
mod chapters;
mod clauses;
mod families;
mod histories;
mod pages;
mod policy;
mod python;
mod results;
mod rule;
mod subjects;
mod support;
mod vocabulary;

/// Reads and checks a catalog. All mistakes are reported together.
///
/// # Errors
/// Fails if the catalog cannot be read or has mistakes.
pub fn load(place: &CatalogPlace) -> Result<Rules, CatalogError> {
    let files = read_catalog(&place.specs, place.bindings.runtime)?;
    let mut mistakes = Mistakes::default();
    let rules = check(place, files, &mut mistakes);
    mistakes.result(rules)
}

fn check(place: &CatalogPlace, mut files: CatalogFiles, mistakes: &mut Mistakes) -> Option<Rules> {
    mistakes.extend(std::mem::take(&mut files.diagnostics));
    families::check(&files.products, mistakes);
    families::resolve_all(&mut files);
    let api = &files.api;
    let products = products::check(&files.products, &api.value.run_modes, mistakes);
    let default_product = products::default_product(&files.products, &products, mistakes);
    let unknown_product = products::of_unknown(&files.products, &products, mistakes);
    let facts: BTreeSet<String> = products.iter().flat_map(|product| product.facts.keys().cloned()).collect();
    let declarations = Declarations::new(place.bindings);
    if api.value.runtime.value != place.bindings.runtime {
        let message = format!("this folder belongs to `{}`; name that runtime here", place.bindings.runtime);
        mistakes.at(&api.source, &api.value.runtime, message);
    }
    for mode in api.value.run_modes.iter().filter(|mode| !is_id(mode)) {
        mistakes.at(&api.source, &api.value.runtime, format!("`{mode}` cannot be a run mode; {ID}"));
    }
    let results = results::check(api, &declarations, mistakes);
    let libraries = libraries::check(api, &declarations, mistakes);
    if let Some(part) = api.value.edition.mistake() {
        let message =
            format!("`{}` is not a valid part: each is smaller than the one before it, and none is 0", part.value);
        mistakes.at(&api.source, part, message);
    }
    let (resources, mut spaces) = api::resources(api, &declarations, mistakes);
    api::descriptors(api, &declarations, &mut spaces, mistakes);
    for function in api.value.process.iter().chain(&api.value.waits) {
        if declarations.function(&function.value).is_none() {
            let hint = hint(&function.value, declarations.function_names());
            mistakes.at(&api.source, function, format!("`{}` is not in the header{hint}", function.value));
        }
    }
    let time_outs = api::time_outs(api, &declarations, mistakes);
    let limits = api::limits(api, &declarations, mistakes);
    let process_functions = api.value.process.iter().map(|function| function.value.clone()).collect();
    let mut vocabulary = vocabulary::check(api, &declarations, &resources, mistakes);
    let histories = histories::check(api, &declarations, mistakes);
    vocabulary.histories = histories.iter().map(History::functions).collect();
    let environment = Environment { declarations, facts, results, spaces, process_functions, vocabulary };
    let life_cycle = life_cycle::check(api, &environment, &products, &libraries, mistakes);
    for life_cycle in life_cycle.iter().flat_map(life_cycle::LifeCycles::all) {
        libraries::expect_there(api, &libraries, life_cycle, mistakes);
    }
    let layouts = layouts::check(api, &environment.declarations, life_cycle.as_ref(), &libraries, mistakes);
    let (support, values, support_source) = support::check(files.support.as_ref(), &products, &environment, mistakes);
    support::trials(api, files.support.as_ref(), mistakes);
    let documents = &files.documents.value.documents;
    let files_of_clauses = &files.clauses;
    let inventory = files.inventory.as_ref();
    let modes = &api.value.run_modes;
    let declarations = &environment.declarations;
    let mut book = clauses::check(files_of_clauses, documents, &products, declarations, modes, inventory, mistakes);
    book.clauses.iter_mut().for_each(|clause| clause.library = libraries.home_of(&clause.section));
    let may_block = api::may_block(api, declarations, &book, mistakes);
    let axioms = axioms::check(files.axioms.as_ref(), mistakes);
    let python = files.python.as_ref().map(|file| python::check(file, declarations, &book, mistakes));
    let mut rules = Rules {
        runtime: api.value.runtime.value.clone(),
        title: api.value.title.clone(),
        libraries,
        run_modes: api.value.run_modes.clone(),
        header: "abi.h",
        environment,
        documents: documents.clone(),
        products,
        default_product,
        unknown_product,
        product_names: ProductNames::of(&files.products.value),
        life_cycle: life_cycle?,
        resources,
        histories,
        edition: api.value.edition.clone(),
        layouts,
        support,
        outside: files.support.iter().flat_map(|file| file.value.outside.clone()).collect(),
        values,
        support_source,
        book,
        axioms,
        chapters: Vec::new(),
        rules: Vec::new(),
        subjects: Vec::new(),
        positions: HashMap::new(),
        owners: BTreeMap::new(),
        waits: api.value.waits.iter().map(|function| function.value.clone()).collect(),
        time_outs,
        limits,
        undrawn: api.value.undrawn.as_ref().map(api::undrawn),
        python,
        visible: api.value.visible.clone(),
        variables: api::variables(api, mistakes),
        may_block,
        digest: files.digest,
    };
    chapters::check(files.chapters, place, &mut rules, mistakes);
    support::outside(files.support.as_ref(), &rules, mistakes);
    if let Some(file) = files.subjects {
        rules.subjects = subjects::check(&file, &rules, mistakes);
    }
    clauses::noticed(files_of_clauses, &rules, mistakes);
    pages::check(&files.documents, files_of_clauses, &rules, mistakes);
    Some(rules)
}
