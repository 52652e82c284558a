//! The target `parts` for cargo-fuzz; without it, the inputs in the files that are named are tried.
#![cfg_attr(fuzzing, no_main)]

fuzz::target!(fuzz::parts::law);
