//! Structs whose layout depends on the edition. The header shows the layout in some editions only.

use steps::suggest::hint;
use steps::types::Declarations;

use super::diagnostic::Mistakes;
use super::edition::EditionCondition;
use super::libraries::Libraries;
use super::life_cycle::LifeCycles;
use super::model::ApiFile;
use super::parse::ParsedFile;

/// A struct, and the editions in which it has the header's layout.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Layout {
    #[serde(deserialize_with = "abi::form::read_name")]
    pub structure: abi::form::Name,
    /// The position of the library whose edition counts.
    pub library: usize,
    pub editions: EditionCondition,
}

/// Reads the layouts in api.yaml. The life cycle and the queries cannot use structs with a listed layout, because they
/// run before the edition is known.
pub(super) fn check(
    file: &ParsedFile<ApiFile>,
    declarations: &Declarations,
    life_cycle: Option<&LifeCycles>,
    libraries: &Libraries,
    mistakes: &mut Mistakes,
) -> Vec<Layout> {
    let mut layouts: Vec<Layout> = Vec::new();
    for entry in &file.value.layouts {
        let name = &entry.structure.value;
        let mut report = |message| mistakes.at(&file.source, &entry.structure, message);
        let Some(structure) = declarations.structure(name) else {
            let known = declarations.bindings.structs.iter().map(|structure| structure.name);
            report(format!("`{name}` is not a struct in the header{}", hint(name, known)));
            continue;
        };
        if layouts.iter().any(|known| known.structure == structure.name) {
            report(format!("the layout of `{name}` is listed twice; remove one"));
        }
        let mut programs = life_cycle.into_iter().flat_map(LifeCycles::all);
        if programs.any(|life_cycle| life_cycle.program.structs.contains(&structure.name)) {
            report(format!(
                "the life cycle or a query uses `{name}`, but it runs before the edition is known; write it without \
                 `{name}`"
            ));
        }
        let library = libraries.home_of(structure.name);
        layouts.push(Layout { structure: structure.name, library, editions: entry.editions.clone() });
    }
    layouts
}
