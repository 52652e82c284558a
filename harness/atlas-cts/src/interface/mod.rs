//! `atlas-cts abi`: how a library and its headers differ from what the catalog rests on, or from others.

mod headers;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use engine::catalog::{Rules, Specs};
use engine::interface::{self, Declarations, Difference, InterfaceError, read_library};
use thiserror::Error;

use crate::CommandError;

/// Bytes of the largest header of a catalog.
const LARGEST_HEADER: u64 = 4 << 20;
/// Rules that are named for one difference.
const RULES: usize = 4;

/// What is compared with what.
#[derive(Debug, Args)]
pub struct Compared {
    /// The library to look at. Nothing of it is loaded.
    #[arg(id = "compared", value_name = "LIBRARY")]
    pub library: PathBuf,
    /// Its headers: prototypes, enumerators and layouts are compared too. Needs libclang.
    #[arg(long, value_name = "DIR")]
    pub headers: Option<PathBuf>,
    /// Compare with this library, or with the headers of this folder, instead of with the catalog's header.
    #[arg(long, value_name = "LIBRARY|HEADERS")]
    pub against: Option<PathBuf>,
}

/// Why interfaces cannot be compared.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InterfaceCommandError {
    #[error(transparent)]
    Library(#[from] InterfaceError),
    #[error("libclang is missing ({reason}); install libclang, or leave --headers out and compare symbols only")]
    NoLibclang { reason: String },
    #[error("{folder} has no header that declares what the catalog knows; give the folder of the runtime's headers")]
    NoHeaders { folder: PathBuf },
    #[error("--against {folder} is a folder of headers; give those of the library with --headers")]
    HeadersAlone { folder: PathBuf },
    #[error(
        "the headers are not C, or include what is not there ({source}); give the folder that #include starts from"
    )]
    NotC { source: bindgen::BindgenError },
    #[error("what libclang said of the headers is not understood ({source}); report this with the headers")]
    NotUnderstood { source: syn::Error },
    #[error("cannot read {path}: {source}; give the catalog with --specs")]
    Header { path: PathBuf, source: std::io::Error },
}

/// Compares; gives the page, and whether a program that was built for the first one may fail with the second.
pub fn compare(rules: &Rules, specs: &Specs, compared: &Compared) -> Result<(String, bool), CommandError> {
    compared.differences(rules, specs).map_err(|error| CommandError::Interface(Box::new(error)))
}

impl Compared {
    fn differences(&self, rules: &Rules, specs: &Specs) -> Result<(String, bool), InterfaceCommandError> {
        let library = read_library(&self.library)?;
        let mut page = format!(
            "{}: {} symbols, {}; needs {}\n",
            self.library.display(),
            library.exported.len(),
            library.soname.as_deref().unwrap_or("no name to link against"),
            if library.needed.is_empty() { "nothing".to_owned() } else { library.needed.join(" ") }
        );
        let mut found = Vec::new();
        let folder = self.against.as_ref().filter(|against| against.is_dir());
        match self.against.as_ref().filter(|against| !against.is_dir()) {
            Some(other) => found.extend(interface::libraries(rules, &read_library(other)?, &library)),
            None if folder.is_none() => found.extend(interface::missing(rules, home(rules, &self.library), &library)),
            None => {}
        }
        match (&self.headers, folder) {
            (Some(headers), folder) => {
                let names = names(rules);
                let theirs = headers::declarations(headers, &names)?;
                let first = match folder {
                    Some(folder) => headers::declarations(folder, &names)?,
                    None => own(rules, specs)?,
                };
                found.extend(interface::headers(rules, &first, &theirs, folder.is_none()));
                let _ = writeln!(
                    page,
                    "{}: {} functions, {} constants, {} structs",
                    headers.display(),
                    theirs.functions.len(),
                    theirs.constants.len(),
                    theirs.layouts.len()
                );
            }
            (None, Some(folder)) => return Err(InterfaceCommandError::HeadersAlone { folder: folder.clone() }),
            (None, None) => page.push_str("prototypes, enumerators and layouts: not looked at, give --headers DIR\n"),
        }
        found.iter().for_each(|difference| describe(&mut page, difference));
        let breaks = found.iter().filter(|difference| difference.kind.breaks()).count();
        let _ = writeln!(page, "{breaks} differences, {} additions", found.len() - breaks);
        Ok((page, breaks > 0))
    }
}

/// The library of the catalog that a file is: by its name, else the first one.
fn home(rules: &Rules, library: &Path) -> usize {
    let name = library.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is = |names: &[String]| names.iter().any(|known| name.starts_with(known.as_str()));
    rules.libraries.all().iter().position(|library| is(&library.names)).unwrap_or(0)
}

/// What the catalog's own header declares.
fn own(rules: &Rules, specs: &Specs) -> Result<Declarations, InterfaceCommandError> {
    let path = specs.root().join(&rules.runtime).join(rules.header);
    let text = specs.read(&path, LARGEST_HEADER);
    let text = text.map_err(|source| InterfaceCommandError::Header { path, source })?;
    headers::read(&String::from_utf8_lossy(&text), &[])
}

/// The functions that the catalog's header declares: whoever names one belongs to the interface.
fn names(rules: &Rules) -> BTreeSet<String> {
    rules.environment.declarations.functions().iter().map(|function| function.symbol().to_owned()).collect()
}

fn describe(page: &mut String, difference: &Difference) {
    let Difference { kind, name, text, rules } = difference;
    let _ = writeln!(page, "{:<16} {name}: {text}", kind.name());
    let shown: Vec<&str> = rules.iter().take(RULES).map(String::as_str).collect();
    if let Some(more) = rules.len().checked_sub(RULES).filter(|more| *more > 0) {
        let _ = writeln!(page, "{:<16} concerns {} and {more} more rules", "", shown.join(", "));
    } else if !shown.is_empty() {
        let _ = writeln!(page, "{:<16} concerns {}", "", shown.join(", "));
    }
}
