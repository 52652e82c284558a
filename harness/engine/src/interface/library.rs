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

/// A library's dynamic section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LibraryInterface {
    /// The name with which programs are linked against the library, if any.
    pub soname: Option<String>,
    /// The needed libraries, in the order in which the library lists them.
    pub needed: Vec<String>,
    /// The exported functions and variables, each with its version. A version may be empty.
    pub exported: BTreeMap<String, String>,
    /// The number of the processor's architecture.
    pub machine: u16,
    /// Lists of folders in which the loader first looks for needed libraries (`DT_RPATH`).
    pub rpath: Vec<String>,
    /// Lists of folders in which the loader looks for needed libraries after `LD_LIBRARY_PATH` (`DT_RUNPATH`).
    pub runpath: Vec<String>,
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

fn parse(bytes: &[u8]) -> Result<LibraryInterface, object::read::Error> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let mut library = LibraryInterface { machine: header.e_machine(endian), ..LibraryInterface::default() };
    let mut soname = Vec::new();
    if let Some((entries, strings)) = sections.dynamic(endian, bytes)? {
        let strings = sections.strings(endian, bytes, strings)?;
        for entry in entries {
            let tag = entry.tag32(endian);
            let list = match tag {
                Some(elf::DT_NEEDED) => &mut library.needed,
                Some(elf::DT_RPATH) => &mut library.rpath,
                Some(elf::DT_RUNPATH) => &mut library.runpath,
                Some(elf::DT_SONAME) => &mut soname,
                _ => continue,
            };
            list.push(String::from_utf8_lossy(entry.string(endian, strings)?).into_owned());
        }
    }
    library.soname = soname.pop();
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
