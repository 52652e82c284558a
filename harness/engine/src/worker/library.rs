//! The loaded libraries under test. No other code calls into these libraries.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abi::Function;
use simulator_contract::symbol;

use catalog::Libraries;

use super::python::{Entry, Imported};
use super::selections::Selections;

/// A loaded library. The library is never closed, because vendor libraries do not survive closing.
#[derive(Debug)]
struct Library {
    handle: Opened,
    addresses: HashMap<&'static str, Option<usize>>,
    /// A simulated device's function that says which functions to treat as not exported.
    lacks: Option<Lacks>,
}

/// See [`symbol::LACKS`].
type Lacks = unsafe extern "C" fn(*const c_char) -> c_int;

/// An opened library. The library is never closed, because vendor libraries do not survive closing.
pub type Opened = std::mem::ManuallyDrop<libloading::os::unix::Library>;

/// Opens a library and all its dependencies, so that a missing dependency is reported here and not at some later
/// call. Only a process that exists to run the library's code may call this function: the library's initializers
/// can do anything.
///
/// # Errors
/// Fails with the loader's message.
pub fn open(path: &Path) -> Result<Opened, String> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: this process exists to run the library's code. The library's initializers can harm only this process.
    let opened = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    opened.map(std::mem::ManuallyDrop::new).map_err(|error| {
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(inner) = cause {
            text = format!("{text}: {inner}");
            cause = inner.source();
        }
        text
    })
}

impl Library {
    /// Opens a library and all its dependencies, so that a missing dependency is reported here and not at some
    /// later call.
    fn open(path: &Path) -> Result<Library, String> {
        let handle = open(path)?;
        // SAFETY: only a simulated device exports this symbol, with this type.
        let lacks = unsafe { handle.get::<Lacks>(symbol::LACKS) }.ok().map(|lacks| *lacks);
        Ok(Library { handle, addresses: HashMap::new(), lacks })
    }

    /// The address of a function; `None` if this library does not export the function.
    fn address(&mut self, function: &'static Function) -> Option<*const c_void> {
        let (handle, lacks) = (&self.handle, self.lacks);
        let address = *self.addresses.entry(function.name).or_insert_with(|| {
            let name = CString::new(function.symbol()).ok()?;
            // SAFETY: the name is null-terminated.
            if lacks.is_some_and(|lacks| unsafe { lacks(name.as_ptr()) } != 0) {
                return None;
            }
            // SAFETY: the symbol is only used as an address here.
            let symbol = unsafe { handle.get::<*const c_void>(function.symbol()) }.ok()?;
            Some(symbol.into_raw() as usize)
        });
        address.map(|address| address as *const c_void)
    }

    /// True if the library exports a symbol.
    fn exports(&self, symbol: &str) -> bool {
        // SAFETY: the symbol is only looked up.
        unsafe { self.handle.get::<*const c_void>(symbol) }.is_ok()
    }
}

/// A runtime's loaded libraries.
#[derive(Debug)]
pub(super) struct Loaded<'a> {
    libraries: &'a Libraries,
    /// In catalog order; `None` for an optional library that is missing or cannot be loaded.
    loaded: Vec<Option<Library>>,
    /// The reasons why available optional libraries were not loaded.
    pub unloaded: Vec<String>,
    /// The Python module through which calls are made, if any.
    pub python: Option<Imported>,
    /// The devices selected with these libraries.
    pub selections: Arc<Selections>,
}

impl<'a> Loaded<'a> {
    /// Opens the files of a runtime's libraries, in catalog order.
    pub(super) fn open(libraries: &'a Libraries, files: &[Option<PathBuf>]) -> Result<Loaded<'a>, String> {
        let mut loaded =
            Loaded { libraries, loaded: Vec::new(), unloaded: Vec::new(), python: None, selections: Arc::default() };
        for (position, file) in files.iter().enumerate() {
            let optional = libraries.all().get(position).is_some_and(|library| library.optional);
            let library = match file.as_deref().map(Library::open).transpose() {
                Err(message) if optional => {
                    loaded.unloaded.push(message);
                    None
                }
                opened => opened?,
            };
            loaded.loaded.push(library);
        }
        Ok(loaded)
    }

    /// The address of a function in the function's library, or else in the first library, because a single file may
    /// contain all libraries. `None` if neither library exports the function.
    fn address(&mut self, function: &'static Function) -> Option<*const c_void> {
        let home = self.libraries.home(function.name);
        let mut address = |position: usize| self.loaded.get_mut(position)?.as_mut()?.address(function);
        address(home).or_else(|| address(0))
    }

    /// The place at which a function is called: in the Python module, if calls go through it and the catalog lists the
    /// function's form there. `None` if the library, or the module, does not offer the function.
    pub(super) fn entry(&mut self, function: &'static Function) -> Option<Entry> {
        let address = self.address(function)?;
        match self.python.as_ref().and_then(|python| python.entry(function.name)) {
            Some(entry) => entry,
            None => Some(Entry::Direct(address)),
        }
    }

    /// True if one of these libraries exports a function.
    pub(super) fn exports(&mut self, function: &'static Function) -> bool {
        self.address(function).is_some()
    }

    /// True if the first library has a symbol that no header declares.
    pub(super) fn has_symbol(&self, symbol: &str) -> bool {
        self.loaded.first().and_then(Option::as_ref).is_some_and(|library| library.exports(symbol))
    }
}
