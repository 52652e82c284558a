//! Bytes as a program of a book.

use abi::form::within;
use catalog::book::{StoredProgram, decode};
use steps::Program;

use crate::bindings::BINDINGS;

/// Texts that have a meaning for the target.
pub(crate) const WORDS: &[&str] = &["atlas-cts book 1\n", "toy_alloc"];

/// The longest input in bytes. A book is nested as deeply as its steps, and only this user's processes write one.
const LONGEST: usize = 4 << 10;

/// A program that is read from any bytes is the same after it is stored and read again. No such bytes are a whole book,
/// because its digest would not match.
pub fn law(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    assert!(decode(bytes, &BINDINGS).is_err(), "a book without its digest is read");
    if let Ok(program) = StoredProgram::decode(bytes, &BINDINGS) {
        let again = store(&program);
        let once_more = StoredProgram::decode(&again, &BINDINGS).expect("what was stored is read");
        assert!(store(&once_more) == again, "a program changes when it is stored");
    }
}

fn store(program: &Program) -> Vec<u8> {
    within(&BINDINGS, || postcard::to_extend(program, Vec::new())).expect("a program that was read can be stored")
}
