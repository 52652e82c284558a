//! Calls through a Python module, in an interpreter that this process contains.
//!
//! The interpreter is loaded as a library, so that host memory, threads and the state of the library under test are the
//! same as for calls in C, and a crash ends this process as it does there. `through.py` converts arguments and results.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

use abi::Function;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use serde_json::json;

use crate::wire::message::Through;
use catalog::{PythonModule, Rules};

use super::library::Opened;

/// The program that makes the calls.
const PROGRAM: &str = include_str!("through.py");

/// The room for a message from the interpreter, in bytes.
const MESSAGE: usize = 4096;

/// Makes a call: the function's position, the number of arguments, the arguments, the word for the result, and room for
/// a message. Returns 0 if the call kept to its documented form.
type Dispatch = unsafe extern "C" fn(u32, u32, *const u64, *mut u64, *mut u8, usize) -> c_int;

/// A function's place: an address, or a position in the interpreter.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry {
    Direct(*const c_void),
    Through(Dispatch, u32),
}

impl Entry {
    /// Calls the function with widened arguments, and returns its widened result.
    ///
    /// # Safety
    /// As for [`Function::call`].
    ///
    /// # Errors
    /// Fails if the Python module raised an exception, or returned something that the documents do not allow.
    pub(super) unsafe fn call(self, function: &Function, arguments: &[u64]) -> Result<u64, String> {
        match self {
            // SAFETY: the caller promises that the address is this function's, and that the pointers are valid for it.
            Entry::Direct(address) => Ok(unsafe { (function.call)(address, arguments) }),
            Entry::Through(dispatch, position) => {
                let mut result = 0u64;
                let mut message = [0u8; MESSAGE];
                let (count, words) = (arguments.len() as u32, arguments.as_ptr());
                // SAFETY: the interpreter made this function, which reads `count` words and writes one word and at most
                // the given number of bytes. Other pointers are those that the caller promises.
                let broken =
                    unsafe { dispatch(position, count, words, &raw mut result, message.as_mut_ptr(), message.len()) };
                if broken == 0 { Ok(result) } else { Err(text(&message)) }
            }
        }
    }
}

/// A text that ends with a zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The functions of the interpreter's library.
#[derive(Debug)]
pub(super) struct Interpreter {
    library: Opened,
}

/// A module in the interpreter.
#[derive(Debug)]
pub(super) struct Imported {
    dispatch: Dispatch,
    /// The functions that the catalog lists: each with its position, `None` if the module lacks the function.
    positions: HashMap<&'static str, Option<u32>>,
}

impl Interpreter {
    /// Loads and starts the interpreter.
    pub(super) fn start(path: &Path) -> Result<Interpreter, String> {
        // Modules in C find the interpreter's functions only among global symbols.
        // SAFETY: this process exists to run such code; the library's initializers can harm only this process.
        let opened = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) };
        let library = opened.map_err(|error| format!("cannot load the Python interpreter: {error}"))?;
        let interpreter = Interpreter { library: std::mem::ManuallyDrop::new(library) };
        // SAFETY: this is the function's type in every version of Python 3.
        let initialize = unsafe { interpreter.symbol::<unsafe extern "C" fn(c_int)>(b"Py_InitializeEx\0")? };
        // SAFETY: the interpreter has not been started. With 0 it leaves signals alone.
        unsafe { initialize(0) };
        Ok(interpreter)
    }

    /// # Safety
    /// `T` must be the type of the symbol.
    unsafe fn symbol<T: Copy>(&self, name: &[u8]) -> Result<T, String> {
        // SAFETY: the caller promises the type.
        let found = unsafe { self.library.get::<T>(name) };
        found.map(|symbol| *symbol).map_err(|error| format!("not a Python interpreter: {error}"))
    }

    /// Imports the module and lets other threads use the interpreter.
    pub(super) fn import(&self, module: &PythonModule, through: &Through, rules: &Rules) -> Result<Imported, String> {
        let success = |name: &str| Some(rules.result_of(name)?.success);
        let functions: Vec<_> = module.functions.iter().map(|(name, form)| (form, success(name))).collect();
        let parameters = json!({
            "module": module.module,
            "functions": functions,
            "path": through.path,
            "sources": through.sources,
        });
        let mut dispatch = 0u64;
        let mut offered = vec![0u8; module.functions.len()];
        let mut message = [0u8; MESSAGE];
        let program = format!(
            "import ctypes, json, traceback\n\
             through = {{'__name__': 'through'}}\n\
             try:\n    \
                 exec(compile({program}, '<through>', 'exec'), through)\n    \
                 through['made'], offered = through['start'](json.loads({parameters}))\n    \
                 ctypes.memmove({offered}, offered, {count})\n    \
                 ctypes.c_uint64.from_address({dispatch}).value = \
                 ctypes.cast(through['made'], ctypes.c_void_p).value\n\
             except BaseException:\n    \
                 told = traceback.format_exc().strip().encode('utf-8', 'replace')[-{room}:] + b'\\0'\n    \
                 ctypes.memmove({message}, told, len(told))\n",
            program = json!(PROGRAM),
            parameters = json!(parameters.to_string()),
            offered = offered.as_mut_ptr() as usize,
            count = offered.len(),
            dispatch = &raw mut dispatch as usize,
            room = MESSAGE - 1,
            message = message.as_mut_ptr() as usize,
        );
        let program = CString::new(program).map_err(|_| "a null character in the catalog".to_owned())?;
        // SAFETY: this is the function's type in every version of Python 3.
        let run = unsafe { self.symbol::<unsafe extern "C" fn(*const c_char) -> c_int>(b"PyRun_SimpleString\0")? };
        // SAFETY: as above.
        let save = unsafe { self.symbol::<unsafe extern "C" fn() -> *mut c_void>(b"PyEval_SaveThread\0")? };
        // SAFETY: this thread started the interpreter and still holds its lock. The program writes only into the
        // variables above, which live until it has ended.
        let status = unsafe { run(program.as_ptr()) };
        if status != 0 || dispatch == 0 {
            return Err(format!("cannot import the module {}: {}", module.module, last_lines(&text(&message))));
        }
        // SAFETY: the program stored the address of a C function of this type, which it keeps.
        let dispatch = unsafe { std::mem::transmute::<usize, Dispatch>(dispatch as usize) };
        // SAFETY: this thread holds the interpreter's lock. Calls take the lock again, in any thread.
        unsafe { save() };
        let position = |(position, offered): (usize, &u8)| (*offered != 0).then_some(position as u32);
        let names = module.functions.keys().copied();
        let positions = names.zip(offered.iter().enumerate().map(position)).collect();
        Ok(Imported { dispatch, positions })
    }
}

/// The end of a traceback: the error, and the line that raised it.
fn last_lines(traceback: &str) -> String {
    let lines: Vec<&str> = traceback.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines.as_slice() {
        [] => "the interpreter printed the reason".to_owned(),
        lines => lines[lines.len().saturating_sub(2)..].join(": "),
    }
}

impl Imported {
    /// A function's place in the module: `None` if the catalog lists no form for it, `Some(None)` if the module lacks
    /// it.
    pub(super) fn entry(&self, function: &str) -> Option<Option<Entry>> {
        let position = self.positions.get(function)?;
        Some(position.map(|position| Entry::Through(self.dispatch, position)))
    }
}
