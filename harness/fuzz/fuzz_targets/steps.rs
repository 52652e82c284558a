//! The target `steps` for cargo-fuzz; otherwise it tries the inputs in the given files.
#![cfg_attr(fuzzing, no_main)]

fuzz::target!(fuzz::steps::law);
