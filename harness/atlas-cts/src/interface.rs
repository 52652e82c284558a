//! `atlas-cts catalog abi`: the differences between a library and the catalog's header, or another library.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use catalog::Rules;
use catalog::count;
use clap::Args;
use engine::interface::{
    self, Behind, Difference, InterfaceError, LibraryInterface, NeededLibrary, behind, read_library,
};

/// The maximum number of rules to list for each difference.
const RULES: usize = 4;
/// The maximum number of functions to list for each needed library.
const FUNCTIONS: usize = 4;

/// The options of `abi`.
#[derive(Debug, Args)]
pub struct Compared {
    /// Library to read, without loading it.
    #[arg(id = "compared", value_name = "LIBRARY")]
    pub library: PathBuf,
    /// Compare with this library instead of the catalog's header.
    #[arg(long, value_name = "LIBRARY")]
    pub against: Option<PathBuf>,
    /// Read this file alone, not the libraries that it needs.
    #[arg(long, conflicts_with = "against")]
    pub alone: bool,
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
            let home = home(rules, &compared.library);
            let behind = if compared.alone { Behind::default() } else { behind(&compared.library, &library) };
            describe_behind(&mut page, rules, home, &library, &behind);
            let further = behind.found.iter().map(|needed| &needed.interface);
            let all: Vec<&LibraryInterface> = [&library].into_iter().chain(further).collect();
            interface::missing(rules, home, &all)
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

/// Names the needed libraries that export functions of the header which no earlier library exports, as a lookup in the
/// first library finds them.
fn describe_behind(page: &mut String, rules: &Rules, home: usize, library: &LibraryInterface, behind: &Behind) {
    let mut known: BTreeSet<&str> = interface::offers(rules, home, library).into_iter().collect();
    for NeededLibrary { name, path, interface } in &behind.found {
        let offered = interface::offers(rules, home, interface);
        let new: Vec<&str> = offered.into_iter().filter(|function| known.insert(function)).collect();
        let Some((first, others)) = new.split_first() else { continue };
        let functions = count(new.len(), "function");
        let others: Vec<&str> = others.iter().take(FUNCTIONS - 1).copied().collect();
        let named = [&[*first], &others[..]].concat().join(", ");
        let more = if new.len() > FUNCTIONS { ", …" } else { "" };
        let _ = writeln!(page, "needed by it: {name} ({}) exports {functions} for it: {named}{more}", path.display());
    }
    if !behind.absent.is_empty() {
        let _ =
            writeln!(page, "not found: {}, which it needs; set LD_LIBRARY_PATH as for a run", behind.absent.join(", "));
    }
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
