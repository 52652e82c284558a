//! The life cycle and the queries in api.yaml as one program. Each section is a block, and all blocks share variables.

use std::collections::BTreeMap;

use abi::Type;
use serde_yaml::Spanned;
use steps::program::{Readiness, Statement};
use steps::suggest::hint;
use steps::types::c_name;
use steps::walk::Node;
use steps::{Environment, Program, RulePart, RuleText, Span};

use super::capabilities::Capability;
use super::diagnostic::Mistakes;
use super::edition::EditionForm;
use super::ids::{ID, is_id};
use super::libraries::Libraries;
use super::model::{
    ApiFile, CapabilitySource, LifeCycle, LifeCycleDifference, Queries, QuerySource, TrialSource, UpDown, VersionSource,
};
use super::parse::ParsedFile;
use super::products::{Product, unknown_product};
use super::specs::short;

/// A part of the life cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Section {
    InitUp,
    DeviceUp,
    /// The steps of the warm-up at a position.
    WarmUp(usize),
    Restore,
    Health,
    Gate,
    Pace,
    DeviceDown,
    InitDown,
    /// The steps of the query at a position.
    Query(usize),
    /// The steps of the trial at a position.
    Trial(usize),
}

/// A trial, in which a device demonstrates a capability that no document promises.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Trial {
    pub id: String,
    /// The capability's name in skip messages.
    pub means: String,
    /// The number of devices that the steps use.
    pub devices: u32,
}

impl Trial {
    fn of(source: &TrialSource) -> Trial {
        let TrialSource { id, means, devices, .. } = source;
        Trial { id: id.value.clone(), means: means.clone(), devices: *devices }
    }
}

/// A query to the runtime, with the readiness that it requires.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Query {
    pub name: String,
    pub state: Readiness,
    /// For a version query: the source of the answer.
    pub by: String,
    /// For a version query: the position of the library whose version it is.
    pub library: usize,
    /// For a version query that returns an interface number instead of an edition: the format of that number.
    #[serde(with = "crate::book::stored::interface")]
    pub interface: Option<EditionForm>,
}

/// The name shared by all queries for the version of the first library.
const VERSION: &str = "version";

/// The name shared by all queries for the version of a library, which is given by its position.
pub fn version_of(library: usize) -> String {
    if library == 0 { VERSION.to_owned() } else { format!("{VERSION} {library}") }
}

/// The name of the query for the device's free memory in bytes.
pub const FREE_MEMORY: &str = "free_memory";

/// The name of the query for the runtime's text about an error.
pub const RECENT_ERROR: &str = "recent_error";

/// A query with its texts from api.yaml.
struct QueryText<'a> {
    query: Query,
    steps: Option<&'a Spanned<String>>,
    value: &'a Spanned<String>,
}

fn query_texts<'a>(queries: &'a Queries, libraries: &Libraries) -> Vec<QueryText<'a>> {
    let single = [
        ("device_count", &queries.device_count),
        ("product", &queries.product),
        ("kind", &queries.kind),
        ("run_mode", &queries.run_mode),
        (FREE_MEMORY, &queries.free_memory),
    ];
    let single = single.into_iter().filter_map(|(name, source)| {
        let QuerySource { state, steps, value } = source.as_ref()?;
        let query = Query { name: name.to_owned(), state: *state, by: String::new(), library: 0, interface: None };
        Some(QueryText { query, steps: steps.as_ref(), value })
    });
    let versions = queries.version.iter().map(|source| {
        let VersionSource { by, library, state, steps, value, interface } = source;
        let library = library.as_ref().and_then(|id| libraries.position(&id.value)).unwrap_or(0);
        let (name, by, interface) = (version_of(library), by.clone(), interface.clone());
        let query = Query { name, state: *state, by, library, interface };
        QueryText { query, steps: steps.as_ref(), value }
    });
    let recent = queries.recent_error.as_ref().map(|QuerySource { state, steps, value }| {
        let query =
            Query { name: RECENT_ERROR.to_owned(), state: *state, by: String::new(), library: 0, interface: None };
        QueryText { query, steps: steps.as_ref(), value }
    });
    single.chain(versions).chain(recent).collect()
}

fn capability_texts(api: &ApiFile) -> impl Iterator<Item = QueryText<'_>> {
    api.capabilities.iter().map(|(name, source)| {
        let CapabilitySource { state, steps, value, .. } = source;
        let query =
            Query { name: Capability::query(name), state: *state, by: String::new(), library: 0, interface: None };
        QueryText { query, steps: steps.as_ref(), value }
    })
}

/// The compiled life cycle. The answers to queries are the program's observations, in the same order.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct LifeCycleProgram {
    pub program: Program,
    sections: Vec<Section>,
    pub queries: Vec<Query>,
    pub capabilities: Vec<Capability>,
    pub trials: Vec<Trial>,
}

impl LifeCycleProgram {
    /// The queries about the runtime itself, which are not those for capabilities, each with its position.
    pub fn facts(&self) -> impl Iterator<Item = (usize, &Query)> {
        let capability = |position: &usize| self.capabilities.iter().any(|known| known.query == *position);
        self.queries.iter().enumerate().filter(move |(position, _)| !capability(position))
    }

    /// The functions that a query calls, by the query's position.
    fn called(&self, query: usize) -> Vec<&'static str> {
        let block = self.block(Section::Query(query));
        self.called_by(block.into_iter().map(|block| &self.program.statements[block]).collect(), [query])
    }

    /// The functions that are called with every installation: not those that only a query for a capability or for the
    /// version of a further library calls.
    pub(super) fn always_called(&self) -> Vec<&'static str> {
        let always = |query: &usize| {
            self.queries[*query].library == 0 && !self.capabilities.iter().any(|known| known.query == *query)
        };
        let blocks = self.sections.iter().zip(&self.program.statements).filter(|(section, _)| match section {
            Section::Query(query) => always(query),
            // A call of a warm-up may fail.
            Section::WarmUp(_) => false,
            _ => true,
        });
        let mut called =
            self.called_by(blocks.map(|(_, block)| block).collect(), (0..self.queries.len()).filter(always));
        called.sort_unstable();
        called.dedup();
        called
    }

    /// The functions that blocks and the values of queries call.
    fn called_by(&self, mut open: Vec<&Statement>, queries: impl IntoIterator<Item = usize>) -> Vec<&'static str> {
        let mut found = Vec::new();
        let mut note = |node: Node<'_>| {
            if let Node::Call(call) = node {
                found.push(self.program.functions[call.function].name);
            }
        };
        while let Some(statement) = open.pop() {
            statement.kind.walk(&mut note);
            open.extend(statement.kind.blocks().into_iter().flatten());
        }
        queries.into_iter().for_each(|query| self.program.observe[query].1.walk(&mut note));
        found
    }

    /// The number of texts that warm a process up.
    pub fn warm_ups(&self) -> usize {
        self.sections.iter().filter(|section| matches!(section, Section::WarmUp(_))).count()
    }

    /// The position of a section's block among the program's statements; `None` if api.yaml does not have the section.
    pub fn block(&self, section: Section) -> Option<usize> {
        self.sections.iter().position(|known| *known == section)
    }
}

/// The life cycles of a runtime's products.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct LifeCycles {
    /// The life cycle shared by all products that are not listed in `own`.
    usual: LifeCycleProgram,
    /// Product-specific life cycles, by product id.
    own: BTreeMap<String, LifeCycleProgram>,
}

impl LifeCycles {
    /// The life cycle of a product.
    pub fn of(&self, product: &str) -> &LifeCycleProgram {
        self.own.get(product).unwrap_or(&self.usual)
    }

    /// True if two products have the same life cycle.
    pub fn same(&self, product: &str, other: &str) -> bool {
        std::ptr::eq(self.of(product), self.of(other))
    }

    /// The shared life cycle, followed by the product-specific life cycles.
    pub fn all(&self) -> impl Iterator<Item = &LifeCycleProgram> {
        std::iter::once(&self.usual).chain(self.own.values())
    }
}

/// The texts of one life cycle.
struct Texts<'a> {
    sections: Vec<(Section, &'a Spanned<String>)>,
    queries: Vec<QueryText<'a>>,
    trials: &'a [TrialSource],
}

impl<'a> Texts<'a> {
    /// The texts in api.yaml, with one product's differences applied.
    fn of(api: &'a ApiFile, own: Option<&'a LifeCycleDifference>, libraries: &Libraries) -> Texts<'a> {
        let LifeCycle { init, device, warm_up, restore, health, gate, pace, .. } = &api.life_cycle;
        let device = own.and_then(|own| own.device.as_ref()).unwrap_or(device);
        let restore = own.and_then(|own| own.restore.as_ref()).or(restore.as_ref());
        let health = own.and_then(|own| own.health.as_ref()).or(health.as_ref());
        let gate = own.and_then(|own| own.gate.as_ref()).or(gate.as_ref());
        let pace = own.and_then(|own| own.pace.as_ref()).or(pace.as_ref());
        let supported = |name: &str| own.is_none_or(|own| !own.unasked.iter().any(|query| query.value == name));
        let mut queries = query_texts(&api.queries, libraries);
        queries.retain(|text| supported(&text.query.name));
        queries.extend(capability_texts(api));
        let UpDown { up, down } = device;
        let mut sections = vec![(Section::InitUp, &init.up), (Section::DeviceUp, up)];
        sections.extend(warm_up.iter().enumerate().map(|(index, text)| (Section::WarmUp(index), text)));
        sections.extend(restore.map(|text| (Section::Restore, text)));
        sections.extend(health.map(|text| (Section::Health, text)));
        sections.extend(gate.map(|text| (Section::Gate, text)));
        sections.extend(pace.map(|text| (Section::Pace, text)));
        sections.extend([(Section::DeviceDown, down), (Section::InitDown, &init.down)]);
        for (index, text) in queries.iter().enumerate() {
            sections.extend(text.steps.map(|steps| (Section::Query(index), steps)));
        }
        let trials = api.trials.iter().enumerate();
        sections.extend(trials.map(|(index, trial)| (Section::Trial(index), &trial.steps)));
        Texts { sections, queries, trials: &api.trials }
    }
}

/// Compiles the life cycle in api.yaml, and the life cycles of products that differ from it.
pub(super) fn check(
    file: &ParsedFile<ApiFile>,
    environment: &Environment,
    products: &[Product],
    libraries: &Libraries,
    mistakes: &mut Mistakes,
) -> Option<LifeCycles> {
    let usual = life_cycle(file, &Texts::of(&file.value, None, libraries), environment, mistakes);
    let mut own = BTreeMap::new();
    for (product, difference) in &file.value.life_cycle.differing {
        if let Some(message) = unknown_product(product, products) {
            mistakes.at(&file.source, &file.value.life_cycle.init.up, format!("life_cycle.for: {message}"));
        }
        let names: Vec<String> =
            query_texts(&file.value.queries, libraries).into_iter().map(|text| text.query.name).collect();
        for query in difference.unasked.iter().filter(|query| !names.contains(&query.value)) {
            let hint = hint(&query.value, names.iter().map(String::as_str));
            mistakes.at(&file.source, query, format!("unknown query `{}`: not in api.yaml{hint}", query.value));
        }
        let texts = Texts::of(&file.value, Some(difference), libraries);
        // A mistake in the shared part is reported only once.
        let compiled = usual.as_ref().and_then(|_| life_cycle(file, &texts, environment, mistakes));
        own.extend(compiled.map(|compiled| (product.clone(), compiled)));
    }
    Some(LifeCycles { usual: usual?, own })
}

fn life_cycle(
    file: &ParsedFile<ApiFile>,
    texts: &Texts<'_>,
    environment: &Environment,
    mistakes: &mut Mistakes,
) -> Option<LifeCycleProgram> {
    let Texts { sections, queries, trials } = texts;
    let mut steps = String::new();
    let mut starts = Vec::new();
    for (_, text) in sections {
        steps.push_str("{ ");
        starts.push(steps.len());
        steps.push_str(&text.value);
        steps.push_str("\n}\n");
    }
    let text = RuleText {
        steps: &steps,
        observe: queries.iter().map(|text| (text.query.name.as_str(), text.value.value.as_str())).collect(),
        life_cycle: true,
        ..RuleText::default()
    };
    match steps::check(&text, environment) {
        Ok(program) => {
            let mut life_cycle = LifeCycleProgram {
                program,
                sections: sections.iter().map(|(section, _)| *section).collect(),
                queries: queries.iter().map(|text| text.query.clone()).collect(),
                capabilities: Vec::new(),
                trials: trials.iter().map(Trial::of).collect(),
            };
            life_cycle.capabilities = capabilities(file, &life_cycle, mistakes);
            Some(life_cycle)
        }
        Err(problems) => {
            for problem in problems {
                let (scalar, offset) = match problem.part {
                    RulePart::Observe(index) => (queries[index].value, problem.span.start),
                    _ => {
                        let index = starts.iter().rposition(|start| *start <= problem.span.start).unwrap_or(0);
                        (sections[index].1, problem.span.start - starts[index].min(problem.span.start))
                    }
                };
                let span = Span { start: offset, end: offset };
                mistakes.inside(&file.source, scalar, span, problem.message);
            }
            None
        }
    }
}

/// The capabilities in api.yaml, in the order of their queries.
fn capabilities(file: &ParsedFile<ApiFile>, compiled: &LifeCycleProgram, mistakes: &mut Mistakes) -> Vec<Capability> {
    let mut found = Vec::new();
    for (name, source) in &file.value.capabilities {
        let wanted = Capability::query(name);
        let Some(query) = compiled.queries.iter().position(|query| query.name == wanted) else { continue };
        if !is_id(name) {
            mistakes.at(&file.source, &source.value, format!("`{name}` cannot be the name of a capability; {ID}"));
        }
        let (_, _, ty) = &compiled.program.observe[query];
        if !matches!(ty, Type::Integer { .. }) {
            let message = format!(
                "the answer for the capability `{name}` is a number, which is 0 if the device lacks it; this is {}",
                c_name(*ty)
            );
            mistakes.at(&file.source, &source.value, message);
        }
        found.push(Capability {
            name: name.clone(),
            title: source.title.trim().to_owned(),
            query,
            functions: compiled.called(query),
            place: format!("{}:{}", short(&file.source.path), source.value.referenced.line()),
        });
    }
    found
}
