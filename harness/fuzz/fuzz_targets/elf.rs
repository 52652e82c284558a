//! The target `elf` for cargo-fuzz; otherwise it tries the inputs in the given files.
#![cfg_attr(fuzzing, no_main)]

fuzz::target!(fuzz::elf::law);
