//! Libraries that the doctor queries. They are loaded and called only in a separate process with a time limit.
//! Apart from workers and simulated devices, this is the only place with `unsafe`: only the loader knows which
//! functions a library lacks.
//!
//! The caller selects the method by the shape of a function's prototype; the runtime knows each function's shape.

use std::ffi::{CString, c_char, c_int, c_uint};
use std::path::Path;

use crate::worker::{self, Opened};

/// The maximum number of list elements and text bytes that functions may fill: more than any function is documented
/// to write.
const ELEMENTS: usize = 256;
const BYTES: usize = 1024;

/// A loaded library.
#[derive(Debug)]
pub struct Native(Opened);

/// A function's answer: `None` if the library does not export the function, or `Err` with its error code.
pub type Answered<T> = Option<Result<T, i32>>;

impl Native {
    /// Loads a library and all its dependencies.
    ///
    /// # Errors
    /// Fails with the loader's message.
    pub fn open(path: &Path) -> Result<Native, String> {
        worker::open(path).map(Native)
    }

    /// True if the library exports a symbol.
    pub fn exports(&self, symbol: &str) -> bool {
        self.function::<unsafe extern "C" fn()>(symbol).is_some()
    }

    fn function<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: the caller gives the function's documented type, and the library stays loaded.
        unsafe { self.0.get::<F>(name) }.ok().map(|symbol| *symbol)
    }

    /// `int f(void)`
    pub fn call(&self, name: &str) -> Answered<()> {
        let function: unsafe extern "C" fn() -> c_int = self.function(name)?;
        // SAFETY: the prototype is the documented one.
        Some(answered(unsafe { function() }, ()))
    }

    /// `int f(unsigned int flags)` with the flags 0
    pub fn call_plain(&self, name: &str) -> Answered<()> {
        let function: unsafe extern "C" fn(c_uint) -> c_int = self.function(name)?;
        // SAFETY: the prototype is the documented one.
        Some(answered(unsafe { function(0) }, ()))
    }

    /// `int f(char *text, unsigned int length)`
    pub fn text(&self, name: &str) -> Answered<String> {
        let function: unsafe extern "C" fn(*mut c_char, c_uint) -> c_int = self.function(name)?;
        let mut text = [0u8; BYTES];
        // SAFETY: the prototype is the documented one, and a byte is always reserved for the terminator.
        let code = unsafe { function(text.as_mut_ptr().cast(), (BYTES - 1) as c_uint) };
        Some(answered(code, read(&text)))
    }

    /// `int f(char *name, char *text)`
    pub fn text_of(&self, name: &str, key: &str) -> Answered<String> {
        let function: unsafe extern "C" fn(*mut c_char, *mut c_char) -> c_int = self.function(name)?;
        let key = CString::new(key).ok()?;
        let mut text = [0u8; BYTES];
        // SAFETY: the prototype is the documented one, and a version is at most 128 bytes long.
        let code = unsafe { function(key.as_ptr().cast_mut(), text.as_mut_ptr().cast()) };
        Some(answered(code, read(&text)))
    }

    /// `int f(int *, int *, int length)`: one argument is a list and the other argument is the list's length, so both
    /// have room for a list.
    pub fn lists(&self, name: &str) -> Answered<(Vec<i32>, Vec<i32>)> {
        let function: unsafe extern "C" fn(*mut c_int, *mut c_int, c_int) -> c_int = self.function(name)?;
        let (mut first, mut second) = ([0; ELEMENTS], [0; ELEMENTS]);
        // SAFETY: the prototype is the documented one. At most 64 elements are documented, and there is room for
        // more.
        let code = unsafe { function(first.as_mut_ptr(), second.as_mut_ptr(), 64) };
        Some(answered(code, (first.to_vec(), second.to_vec())))
    }

    /// `int f(unsigned int *)`, preceded by one or two numbers
    pub fn number(&self, name: &str, of: &[i32]) -> Answered<u32> {
        let mut number: [c_uint; 8] = [0; 8];
        let out = number.as_mut_ptr();
        // SAFETY: the prototypes are the documented ones, and a signed number has the same size.
        let code = unsafe {
            match *of {
                [] => self.function::<unsafe extern "C" fn(*mut c_uint) -> c_int>(name)?(out),
                [id] => self.function::<unsafe extern "C" fn(c_int, *mut c_uint) -> c_int>(name)?(id, out),
                [card, device, ..] => {
                    self.function::<unsafe extern "C" fn(c_int, c_int, *mut c_uint) -> c_int>(name)?(card, device, out)
                }
            }
        };
        Some(answered(code, number[0]))
    }

    /// `int f(int *count, unsigned int *list, unsigned int length)`, preceded by one or two numbers
    pub fn codes(&self, name: &str, of: &[i32]) -> Answered<Vec<u32>> {
        type Of1 = unsafe extern "C" fn(c_int, *mut c_int, *mut c_uint, c_uint) -> c_int;
        type Of2 = unsafe extern "C" fn(c_int, c_int, *mut c_int, *mut c_uint, c_uint) -> c_int;
        let (mut count, mut list): (c_int, [c_uint; ELEMENTS]) = (0, [0; ELEMENTS]);
        // SAFETY: the prototypes are the documented ones. At most 128 elements are documented, and there is room
        // for more.
        let code = unsafe {
            match *of {
                [] => return None,
                [id] => self.function::<Of1>(name)?(id, &mut count, list.as_mut_ptr(), 128),
                [card, device, ..] => self.function::<Of2>(name)?(card, device, &mut count, list.as_mut_ptr(), 128),
            }
        };
        let count = usize::try_from(count).unwrap_or(0).min(ELEMENTS);
        Some(answered(code, list[..count].to_vec()))
    }
}

fn answered<T>(code: c_int, value: T) -> Result<T, i32> {
    if code == 0 { Ok(value) } else { Err(code) }
}

fn read(text: &[u8]) -> String {
    String::from_utf8_lossy(text.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}
