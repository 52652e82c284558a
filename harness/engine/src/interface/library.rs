//! The dynamic symbols of a shared library, their versions, and the libraries that it needs.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn, FileHeader, Sym};
use thiserror::Error;

use catalog::files;

/// The largest library that is read, in bytes.
const LARGEST: u64 = 2 << 30;
/// The most libraries that are read behind one.
const MOST_NEEDED: usize = 64;

/// What a library says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LibraryInterface {
    /// The name that programs are linked against, if it has one.
    pub soname: Option<String>,
    /// The libraries that it needs, in its order.
    pub needed: Vec<String>,
    /// The functions and variables that it exports, each with its version; an empty one: none.
    pub exported: BTreeMap<String, String>,
}

/// Why a library cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InterfaceError {
    #[error("cannot read {path}: {source}; give a shared library")]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{path} is no 64-bit ELF library ({source}); give the library itself, not a linker script or a link that leads nowhere"
    )]
    NotALibrary { path: PathBuf, source: object::read::Error },
}

/// Reads a library's dynamic symbols. Nothing of it is loaded.
///
/// # Errors
/// It cannot be read, or is no 64-bit ELF file.
pub fn read_library(path: &Path) -> Result<LibraryInterface, InterfaceError> {
    let bytes = files::read(path, LARGEST).map_err(|source| InterfaceError::Read { path: path.to_owned(), source })?;
    parse(&bytes).map_err(|source| InterfaceError::NotALibrary { path: path.to_owned(), source })
}

/// The libraries that one needs, and those that these need, as far as they are in its folder: a library that forwards
/// offers what it forwards to. Nothing of them is loaded. Libraries elsewhere, such as the system's, are left out.
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
        // Versions have symbols of their own, which have no place in the library.
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
