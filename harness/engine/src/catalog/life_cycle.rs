//! The life cycle and the queries of api.yaml as one program: each section is a block of it, and all share variables.

use serde_yaml::Spanned;

use steps::program::State;
use steps::{Environment, Part, Program, RuleText, Span, check};

use super::check::Checker;
use super::edition::EditionForm;
use super::model::{ApiFile, Queries, QuerySource, VersionSource};
use super::read::ParsedFile;

/// A part of the life cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    InitUp,
    DeviceUp,
    Restore,
    Health,
    DeviceDown,
    InitDown,
    /// The steps of a query, by its position.
    Query(usize),
}

/// A question to the runtime, with the state that it needs.
#[derive(Debug, Clone)]
pub struct Query {
    pub name: &'static str,
    pub state: State,
    /// Of a question for the version: what answers.
    pub by: String,
    /// Of a question for the version: how the number of an interface is read, which is no edition.
    pub interface: Option<EditionForm>,
}

/// The name of the questions for the version, of which there may be several.
pub const VERSION: &str = "version";

/// A question as api.yaml asks it.
struct Asked<'a> {
    query: Query,
    steps: Option<&'a Spanned<String>>,
    value: &'a Spanned<String>,
}

fn asked(queries: &Queries) -> Vec<Asked<'_>> {
    let single =
        [("device_count", &queries.device_count), ("product", &queries.product), ("run_mode", &queries.run_mode)];
    let single = single.into_iter().filter_map(|(name, source)| {
        let QuerySource { state, steps, value } = source.as_ref()?;
        let query = Query { name, state: *state, by: String::new(), interface: None };
        Some(Asked { query, steps: steps.as_ref(), value })
    });
    let versions = queries.version.iter().map(|source| {
        let VersionSource { by, state, steps, value, interface } = source;
        let query = Query { name: VERSION, state: *state, by: by.clone(), interface: interface.clone() };
        Asked { query, steps: steps.as_ref(), value }
    });
    single.chain(versions).collect()
}

/// The compiled life cycle. The answers of queries are the program's observations, in the same order.
#[derive(Debug)]
pub struct LifeCycleProgram {
    pub program: Program,
    sections: Vec<Section>,
    pub queries: Vec<Query>,
}

impl LifeCycleProgram {
    /// Position of a section's block among the program's statements; `None` when api.yaml leaves it out.
    pub fn block(&self, section: Section) -> Option<usize> {
        self.sections.iter().position(|known| *known == section)
    }
}

impl Checker<'_> {
    /// Compiles the sections of api.yaml.
    pub(super) fn life_cycle(
        &mut self,
        file: &ParsedFile<ApiFile>,
        environment: &Environment,
    ) -> Option<LifeCycleProgram> {
        let (cycle, queries) = (&file.value.life_cycle, asked(&file.value.queries));
        let mut sections: Vec<(Section, &Spanned<String>)> =
            vec![(Section::InitUp, &cycle.init.up), (Section::DeviceUp, &cycle.device.up)];
        sections.extend(cycle.restore.iter().map(|text| (Section::Restore, text)));
        sections.extend(cycle.health.iter().map(|text| (Section::Health, text)));
        sections.push((Section::DeviceDown, &cycle.device.down));
        sections.push((Section::InitDown, &cycle.init.down));
        for (index, asked) in queries.iter().enumerate() {
            sections.extend(asked.steps.map(|text| (Section::Query(index), text)));
        }
        let mut steps = String::new();
        let mut starts = Vec::new();
        for (_, text) in &sections {
            steps.push_str("{ ");
            starts.push(steps.len());
            steps.push_str(&text.value);
            steps.push_str("\n}\n");
        }
        let text = RuleText {
            steps: &steps,
            observe: queries.iter().map(|asked| (asked.query.name, asked.value.value.as_str())).collect(),
            life_cycle: true,
            ..RuleText::default()
        };
        match check(&text, environment) {
            Ok(program) => Some(LifeCycleProgram {
                program,
                sections: sections.iter().map(|(section, _)| *section).collect(),
                queries: queries.into_iter().map(|asked| asked.query).collect(),
            }),
            Err(problems) => {
                for problem in problems {
                    let (scalar, offset) = match problem.part {
                        Part::Observe(index) => (queries[index].value, problem.span.start),
                        _ => {
                            let index = starts.iter().rposition(|start| *start <= problem.span.start).unwrap_or(0);
                            (sections[index].1, problem.span.start - starts[index].min(problem.span.start))
                        }
                    };
                    let span = Span { start: offset, end: offset };
                    self.inside(&file.source, scalar, span, problem.message);
                }
                None
            }
        }
    }
}
