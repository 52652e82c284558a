//! The target `elf`: reads a library's bytes, and returns its symbols and dependencies, or an error that names the
//! file. The library is not loaded.

use engine::interface::read_library;

use crate::toy;

/// Bytes that have a meaning in the format: section types, tags, versions.
pub const WORDS: &[&str] = &[
    "\u{7f}ELF",
    "\0\0\0\0\0\0\0\0",
    "\u{1}\0\0\0\0\0\0\0",
    "\u{b}\0\0\0",
    "\u{6}\0\0\0",
    "\u{3}\0\0\0",
    "\u{e}\0\0\0",
    "\u{7f}\u{7f}\u{7f}\u{7f}",
    "toy\0",
];

/// Checks that an error names its file, and that an accepted file has no more entries than its bytes can hold.
pub fn law(bytes: &[u8]) {
    toy::with_file("library.so", bytes, |path| match read_library(path) {
        Err(error) => assert!(error.to_string().contains("library.so"), "an error does not name its file: {error}"),
        Ok(library) => {
            // A symbol takes 24 bytes, and an entry in the dynamic section 16.
            assert!(library.exported.len() <= bytes.len() / 24, "more symbols than bytes for them");
            assert!(library.needed.len() <= bytes.len() / 16, "more needed libraries than bytes for them");
        }
    });
}
