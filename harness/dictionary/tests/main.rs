//! Laws of the dictionary.

mod chance;
mod file;
mod plan;
