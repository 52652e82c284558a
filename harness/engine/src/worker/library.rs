//! The libraries under test, loaded: the only place that calls into them.

use std::collections::HashMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};

use abi::Function;

use crate::catalog::Libraries;

/// A loaded library. It is never closed: vendor libraries do not survive that.
#[derive(Debug)]
struct Library {
    handle: std::mem::ManuallyDrop<libloading::os::unix::Library>,
    addresses: HashMap<&'static str, Option<usize>>,
}

impl Library {
    /// Opens a library with all its dependencies, so that a missing one shows here and not at some call.
    fn open(path: &Path) -> Result<Library, String> {
        use libloading::os::unix::{Library as Handle, RTLD_LOCAL, RTLD_NOW};
        // SAFETY: this process exists to run the library's code; its initialisers may do anything, which ends at most
        // this process.
        let handle = unsafe { Handle::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| {
            let mut text = error.to_string();
            let mut cause = std::error::Error::source(&error);
            while let Some(inner) = cause {
                text = format!("{text}: {inner}");
                cause = inner.source();
            }
            text
        })?;
        Ok(Library { handle: std::mem::ManuallyDrop::new(handle), addresses: HashMap::new() })
    }

    /// The address of a function; `None`: this library does not export it.
    fn address(&mut self, function: &'static Function) -> Option<*const c_void> {
        let handle = &self.handle;
        let address = *self.addresses.entry(function.name).or_insert_with(|| {
            // SAFETY: the symbol is only used as an address here.
            let symbol = unsafe { handle.get::<*const c_void>(function.symbol()) }.ok()?;
            Some(symbol.into_raw() as usize)
        });
        address.map(|address| address as *const c_void)
    }

    /// Whether the library exports a symbol.
    fn exports(&self, symbol: &str) -> bool {
        // SAFETY: the symbol is only looked at.
        unsafe { self.handle.get::<*const c_void>(symbol) }.is_ok()
    }
}

/// The libraries of a runtime, loaded.
#[derive(Debug)]
pub(super) struct Loaded<'a> {
    libraries: &'a Libraries,
    /// In the order of the catalog; `None`: an optional one that is not there.
    loaded: Vec<Option<Library>>,
}

impl<'a> Loaded<'a> {
    /// Opens the files of a runtime's libraries, in the order of the catalog.
    pub(super) fn open(libraries: &'a Libraries, files: &[Option<PathBuf>]) -> Result<Loaded<'a>, String> {
        let open = |file: &Option<PathBuf>| file.as_deref().map(Library::open).transpose();
        Ok(Loaded { libraries, loaded: files.iter().map(open).collect::<Result<_, _>>()? })
    }

    /// The address of a function; `None`: the library that it lives in does not export it, or is not there.
    pub(super) fn address(&mut self, function: &'static Function) -> Option<*const c_void> {
        self.loaded.get_mut(self.libraries.home(function.name))?.as_mut()?.address(function)
    }

    /// Whether the library that a function lives in exports it.
    pub(super) fn exports(&mut self, function: &'static Function) -> bool {
        self.address(function).is_some()
    }

    /// Whether the first library has a symbol that no header declares.
    pub(super) fn has_symbol(&self, symbol: &str) -> bool {
        self.loaded.first().and_then(Option::as_ref).is_some_and(|library| library.exports(symbol))
    }
}
