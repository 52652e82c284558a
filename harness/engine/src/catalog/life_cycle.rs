//! The life cycle and the queries of api.yaml as one program: each section is a block of it, and all share variables.

use serde_yaml::Spanned;

use steps::program::State;
use steps::{Environment, Part, Program, RuleText, Span, check};

use super::check::Checker;
use super::model::{ApiFile, QuerySource};
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
        let (cycle, queries) = (&file.value.life_cycle, &file.value.queries);
        let queries: Vec<(&'static str, &QuerySource)> = [
            ("device_count", &queries.device_count),
            ("product", &queries.product),
            ("run_mode", &queries.run_mode),
            ("version", &queries.version),
        ]
        .into_iter()
        .filter_map(|(name, query)| query.as_ref().map(|query| (name, query)))
        .collect();
        let mut sections: Vec<(Section, &Spanned<String>)> =
            vec![(Section::InitUp, &cycle.init.up), (Section::DeviceUp, &cycle.device.up)];
        sections.extend(cycle.restore.iter().map(|text| (Section::Restore, text)));
        sections.extend(cycle.health.iter().map(|text| (Section::Health, text)));
        sections.push((Section::DeviceDown, &cycle.device.down));
        sections.push((Section::InitDown, &cycle.init.down));
        for (index, (_, query)) in queries.iter().enumerate() {
            sections.extend(query.steps.iter().map(|text| (Section::Query(index), text)));
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
            observe: queries.iter().map(|(name, query)| (*name, query.value.value.as_str())).collect(),
            life_cycle: true,
            ..RuleText::default()
        };
        match check(&text, environment) {
            Ok(program) => Some(LifeCycleProgram {
                program,
                sections: sections.iter().map(|(section, _)| *section).collect(),
                queries: queries.iter().map(|(name, query)| Query { name, state: query.state }).collect(),
            }),
            Err(problems) => {
                for problem in problems {
                    let (scalar, offset) = match problem.part {
                        Part::Observe(index) => (&queries[index].1.value, problem.span.start),
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
