//! A trial of calls on a faithful device: the point at which the calls stop, and the defects that the calls reach.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use abi::Function;
use catalog::files::replace;
use catalog::{LifeCycleProgram, Product, Rules, Section, Specs, offered};
use engine::prove::look;
use engine::run::{Backend, CatalogOptions, Options, RunError, Target, load_rules};
use engine::runtime::Runtime;
use steps::program::Statement;
use steps::walk::Node;
use tempfile::TempDir;

use super::DraftError;

/// A private copy of a catalog.
pub(super) struct Copy {
    folder: TempDir,
}

/// The result of a trial.
pub(super) struct Tried {
    pub product: String,
    /// The products to which the complete rule applies.
    pub offered: Vec<String>,
    /// The point at which the calls stopped; `None` if all succeeded.
    pub stopped: Option<String>,
    /// The defects that the calls reach.
    pub reached: BTreeSet<&'static str>,
    /// True if defects that the set-up reaches are not counted.
    pub apart: bool,
}

impl Copy {
    /// Copies a runtime's folder.
    pub(super) fn of(specs: &Specs, runtime: &str) -> Result<Copy, DraftError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source: io::Error| DraftError::File { path, source }
        };
        let folder = tempfile::tempdir().map_err(failed(&std::env::temp_dir()))?;
        for path in specs.files(runtime).0 {
            let Ok(below) = path.strip_prefix(specs.root()) else { continue };
            let to = folder.path().join(below);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(failed(parent))?;
            }
            fs::copy(&path, &to).map_err(failed(&path))?;
        }
        Ok(Copy { folder })
    }

    /// Writes a file in the copy. The path is relative to `specs/`.
    pub(super) fn write(&self, below: &str, text: &str) -> Result<(), DraftError> {
        let path = self.folder.path().join(below);
        replace(&path, text).map_err(|source| DraftError::File { path, source })
    }

    /// The options that select this copy of the catalog.
    pub(super) fn catalog(&self, catalog: &CatalogOptions) -> CatalogOptions {
        CatalogOptions { specs: Some(self.folder.path().to_owned()), ..catalog.clone() }
    }

    /// Tries the rules `ID.setup` and `ID.calls` from this copy of the catalog.
    pub(super) fn try_out(
        &self,
        id: &str,
        functions: &[&Function],
        options: &Options,
        runtime: &'static Runtime,
    ) -> Result<Tried, RunError> {
        let mut options = Options { catalog: self.catalog(&options.catalog), ..options.clone() };
        options.workers.backend = Backend::Simulator;
        let rules = load_rules(&options.catalog, runtime)?;
        let id = |name: &str| format!("{id}.{name}");
        let offered = products(&rules, &id("calls"));
        let usual = || offered.iter().find(|product| **product == rules.default_product).or(offered.first()).cloned();
        if options.catalog.named_product().is_none() {
            options.catalog.product = usual().unwrap_or_else(|| rules.default_product.clone());
        }
        let product = options.catalog.product.clone();
        let mut target = Target::open(&options, runtime, Arc::new(rules))?;
        target.set_patience(None, &options);
        let rules = target.rules.clone();
        let seed = target.header(&options).seed;
        let look = |name: &str| {
            let rule = rules.rule(&id(name)).expect("the chapter has both rules");
            match target.skip(rule) {
                Some(skip) => Ok((Some(skip.to_string()), BTreeSet::new())),
                None => look(&target, seed, &options, rule).map(|look| (look.stopped, look.reached)),
            }
        };
        let (_, before) = look("setup")?;
        let (stopped, reached) = look("calls")?;
        // Between cases, the suite makes calls in each process. The rule is not needed to reach these calls' defects.
        let usual = between_cases(rules.life_cycle.of(&product));
        let setup = rules.rule(&id("setup")).into_iter().flat_map(|rule| rule.function_names());
        let elsewhere: BTreeSet<&str> = setup.chain(usual).collect();
        let apart = !functions.iter().any(|function| elsewhere.contains(function.name));
        let reached = if apart { reached.difference(&before).copied().collect() } else { reached };
        Ok(Tried { product, offered, stopped, reached, apart })
    }
}

/// The functions that the suite calls between a rule's cases.
fn between_cases(life_cycle: &LifeCycleProgram) -> Vec<&'static str> {
    let program = &life_cycle.program;
    let blocks = [Section::Restore, Section::Health].into_iter().filter_map(|section| life_cycle.block(section));
    let mut open: Vec<&Statement> = blocks.map(|block| &program.statements[block]).collect();
    let mut found = Vec::new();
    while let Some(statement) = open.pop() {
        statement.kind.walk(&mut |node| {
            if let Node::Call(call) = node {
                found.push(program.functions[call.function].name);
            }
        });
        open.extend(statement.kind.blocks().into_iter().flatten());
    }
    found
}

/// The products that have the functions and values that a rule uses.
fn products(rules: &Rules, id: &str) -> Vec<String> {
    let Some(rule) = rules.rule(id) else { return Vec::new() };
    let offers = |product: &&Product| offered(rule, &product.id, rules).is_ok();
    rules.products.iter().filter(offers).map(|product| product.id.clone()).collect()
}
