//! Laws of the dictionary.

mod file;
mod plan;
