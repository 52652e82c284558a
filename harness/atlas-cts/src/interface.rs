//! `atlas-cts abi`: the differences between a library and the catalog's header, or another library.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use catalog::Rules;
use catalog::count;
use clap::Args;
use engine::interface::{self, Difference, InterfaceError, LibraryInterface, needed_beside, read_library};

/// The maximum number of rules to list for each difference.
const RULES: usize = 4;

/// The options of `abi`.
#[derive(Debug, Args)]
pub struct Compared {
    /// Library to read, without loading it.
    #[arg(id = "compared", value_name = "LIBRARY")]
    pub library: PathBuf,
    /// Compare with this library instead of the catalog's header.
    #[arg(long, value_name = "LIBRARY")]
    pub against: Option<PathBuf>,
}

/// Compares two interfaces. Returns the page, and true if a program built for the first interface may fail with the
/// second.
///
/// # Errors
/// Fails if a library cannot be read.
pub fn compare(rules: &Rules, compared: &Compared) -> Result<(String, bool), InterfaceError> {
    let library = read_library(&compared.library)?;
    let mut page = format!(
        "{}: {} symbols, {}; needs {}\n",
        compared.library.display(),
        library.exported.len(),
        library.soname.as_deref().unwrap_or("no soname"),
        if library.needed.is_empty() { "nothing".to_owned() } else { library.needed.join(" ") }
    );
    let found = match &compared.against {
        Some(other) => interface::libraries(rules, &read_library(other)?, &library),
        None => {
            let behind = needed_beside(&compared.library, &library);
            for (name, further) in &behind {
                let _ = writeln!(page, "needed by it: {name}, {} symbols", further.exported.len());
            }
            let all: Vec<&LibraryInterface> = behind.iter().map(|(_, further)| further).chain([&library]).collect();
            interface::missing(rules, home(rules, &compared.library), &all)
        }
    };
    page.push_str(
        "not compared: prototypes, enumerators and layouts, which a library does not contain; `bindings-generator \
         compare` reads headers\n",
    );
    found.iter().for_each(|difference| describe(&mut page, difference));
    let breaks = found.iter().filter(|difference| difference.kind.breaks()).count();
    let additions = count(found.len() - breaks, "addition");
    let _ = writeln!(page, "{}, {additions}", count(breaks, "difference"));
    Ok((page, breaks > 0))
}

/// The catalog's library with the file's name, or the catalog's first library if no name matches.
fn home(rules: &Rules, library: &Path) -> usize {
    let name = library.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is = |names: &[String]| names.iter().any(|known| name.starts_with(known.as_str()));
    rules.libraries.all().iter().position(|library| is(&library.names)).unwrap_or(0)
}

fn describe(page: &mut String, difference: &Difference) {
    let Difference { kind, name, text, rules } = difference;
    let _ = writeln!(page, "{:<16} {name}: {text}", kind.name());
    let shown: Vec<&str> = rules.iter().take(RULES).map(String::as_str).collect();
    if let Some(more) = rules.len().checked_sub(RULES).filter(|more| *more > 0) {
        let more = count(more, "more rule");
        let _ = writeln!(page, "{:<16} concerns {} and {more}", "", shown.join(", "));
    } else if !shown.is_empty() {
        let _ = writeln!(page, "{:<16} concerns {}", "", shown.join(", "));
    }
}
