//! Structs whose layout depends on the edition: the header has one layout, which holds for some editions only.

use std::sync::Arc;

use serde_yaml::Spanned;
use steps::suggest::hint;
use steps::types::Declarations;

use super::diagnostic::{Diagnostic, Source};
use super::edition::EditionCondition;
use super::life_cycle::LifeCycleProgram;
use super::model::ApiFile;

/// A struct and the editions that have the header's layout of it.
#[derive(Debug, Clone)]
pub struct Layout {
    pub structure: &'static str,
    pub editions: EditionCondition,
}

/// Reads the layouts of api.yaml. The life cycle and the queries run before the edition is known: they use none.
pub(super) fn compile(
    source: &Arc<Source>,
    api: &ApiFile,
    declarations: &Declarations,
    life_cycle: Option<&LifeCycleProgram>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Layout> {
    let mut layouts: Vec<Layout> = Vec::new();
    for entry in &api.layouts {
        let name = &entry.structure.value;
        let mut report = |place: &Spanned<String>, message| diagnostics.push(Diagnostic::at(source, place, message));
        let Some(structure) = declarations.structure(name) else {
            let known = declarations.bindings.structs.iter().map(|structure| structure.name);
            report(&entry.structure, format!("`{name}` is not a struct of the header{}", hint(name, known)));
            continue;
        };
        if layouts.iter().any(|known| known.structure == structure.name) {
            report(&entry.structure, format!("the layout of `{name}` is listed twice; remove one of the two"));
        }
        if life_cycle.is_some_and(|life_cycle| life_cycle.program.structs.contains(&structure.name)) {
            let message = format!(
                "the life cycle or a query uses `{name}`, but it runs before the edition is known; write it without `{name}`"
            );
            report(&entry.structure, message);
        }
        layouts.push(Layout { structure: structure.name, editions: entry.editions.clone() });
    }
    layouts
}
