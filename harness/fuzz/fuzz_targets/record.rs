//! The target `record` for cargo-fuzz; without it, the inputs in the files that are named are tried.
#![cfg_attr(fuzzing, no_main)]

fuzz::target!(fuzz::record::law);
