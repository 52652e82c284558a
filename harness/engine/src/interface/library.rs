//! The dynamic symbols of a shared library with their versions, and the libraries that it needs.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn, FileHeader, Sym};
use thiserror::Error;

use catalog::files;

/// The maximum size of a library to read, in bytes.
const LARGEST: u64 = 2 << 30;
/// The maximum number of needed libraries to read, direct and indirect.
const MOST_NEEDED: usize = 64;

/// A library's dynamic section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LibraryInterface {
    /// The name with which programs are linked against the library, if any.
    pub soname: Option<String>,
    /// The needed libraries, in the order in which the library lists them.
    pub needed: Vec<String>,
    /// The exported functions and variables, each with its version. A version may be empty.
    pub exported: BTreeMap<String, String>,
}

/// The reason why a library cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InterfaceError {
    #[error("cannot read {path}: {source}; give a shared library")]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{path} is not a 64-bit ELF library ({source}); give the library itself, not a linker script or a dangling link"
    )]
    NotALibrary { path: PathBuf, source: object::read::Error },
}

/// Reads a library's dynamic symbols without loading the library.
///
/// # Errors
/// Fails if the file cannot be read or is not a 64-bit ELF file.
pub fn read_library(path: &Path) -> Result<LibraryInterface, InterfaceError> {
    let bytes = files::read(path, LARGEST).map_err(|source| InterfaceError::Read { path: path.to_owned(), source })?;
    parse(&bytes).map_err(|source| InterfaceError::NotALibrary { path: path.to_owned(), source })
}

/// The libraries in the same folder that a library needs, directly or indirectly, read without loading them. A library
/// that forwards calls offers the functions of the libraries that it needs. Libraries in other folders, such as the
/// system's, are left out.
pub fn needed_beside(path: &Path, library: &LibraryInterface) -> Vec<(String, LibraryInterface)> {
    let folder = path.canonicalize().ok().and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default();
    let mut found: Vec<(String, LibraryInterface)> = Vec::new();
    let mut wanted = library.needed.clone();
    while let Some(name) = wanted.pop() {
        let known = found.iter().any(|(known, _)| *known == name);
        if known || name.contains('/') || found.len() == MOST_NEEDED {
            continue;
        }
        if let Ok(further) = read_library(&folder.join(&name)) {
            wanted.extend(further.needed.iter().cloned());
            found.push((name, further));
        }
    }
    found
}

fn parse(bytes: &[u8]) -> Result<LibraryInterface, object::read::Error> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let mut library = LibraryInterface::default();
    if let Some((entries, strings)) = sections.dynamic(endian, bytes)? {
        let strings = sections.strings(endian, bytes, strings)?;
        for entry in entries {
            let tag = entry.tag32(endian);
            if tag != Some(elf::DT_NEEDED) && tag != Some(elf::DT_SONAME) {
                continue;
            }
            let name = String::from_utf8_lossy(entry.string(endian, strings)?).into_owned();
            match tag {
                Some(elf::DT_NEEDED) => library.needed.push(name),
                _ => library.soname = Some(name),
            }
        }
    }
    let symbols = sections.symbols(endian, bytes, elf::SHT_DYNSYM)?;
    let versions = sections.versions(endian, bytes)?;
    for (index, symbol) in symbols.enumerate() {
        // Version names are symbols too, but have no address in the library.
        let absolute = symbol.st_shndx(endian) == elf::SHN_ABS;
        let exported =
            !symbol.is_undefined(endian) && !absolute && matches!(symbol.st_bind(), elf::STB_GLOBAL | elf::STB_WEAK);
        if !exported || !matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_OBJECT | elf::STT_GNU_IFUNC) {
            continue;
        }
        let name = String::from_utf8_lossy(symbols.symbol_name(endian, symbol)?).into_owned();
        let version = match &versions {
            Some(versions) => versions.version(versions.version_index(endian, index))?,
            None => None,
        };
        let version = version.map_or_else(String::new, |version| String::from_utf8_lossy(version.name()).into_owned());
        library.exported.insert(name, version);
    }
    Ok(library)
}
