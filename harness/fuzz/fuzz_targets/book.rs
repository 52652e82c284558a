//! The target `book` for cargo-fuzz; otherwise it tries the inputs in the given files.
#![cfg_attr(fuzzing, no_main)]

fuzz::target!(fuzz::book::law);
