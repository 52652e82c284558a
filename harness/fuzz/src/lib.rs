//! Laws for arbitrary bytes from a file, a command line or a worker, one for each kind of input. Any bytes must give
//! either an error with its place, or a value with the properties that the rest of the suite relies on, without a panic
//! and with bounded work and memory. `docs/engine/parts.md` explains how to run the targets.
#![warn(unreachable_pub)]
#![allow(clippy::disallowed_methods, reason = "a tool of developers, in their own folders")]

#[rustfmt::skip]
#[expect(unreachable_pub, reason = "the tables are generated for the engine's tests")]
#[path = "../../engine/tests/toy/bindings.rs"]
mod bindings;
pub mod book;
pub mod case;
pub mod catalog;
pub mod elf;
pub mod expectations;
pub mod journal;
pub mod parts;
mod program;
pub mod steps;
mod toy;
pub mod wire;

use std::path::{Path, PathBuf};

/// The maximum length of an input in bytes. Longer inputs do not reach new code.
pub const LONGEST_INPUT: usize = 64 << 10;

/// A kind of untrusted input.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The target's name, which is also the name of its corpus and binary.
    pub name: &'static str,
    /// The law, which panics if it does not hold.
    pub law: fn(&[u8]),
    /// Texts that have a meaning for the target but are missing from the corpus.
    pub words: &'static [&'static str],
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "catalog", law: catalog::law, words: catalog::WORDS },
    Target { name: "steps", law: steps::law, words: steps::WORDS },
    Target { name: "journal", law: journal::law, words: journal::WORDS },
    Target { name: "case", law: case::law, words: case::WORDS },
    Target { name: "wire", law: wire::law, words: wire::WORDS },
    Target { name: "parts", law: parts::law, words: parts::WORDS },
    Target { name: "expectations", law: expectations::law, words: expectations::WORDS },
    Target { name: "book", law: book::law, words: book::WORDS },
    Target { name: "elf", law: elf::law, words: elf::WORDS },
];

impl Target {
    /// The entries in the target's corpus, ordered by name: path and content.
    ///
    /// # Errors
    /// Fails if the folder or a file in it cannot be read.
    pub fn corpus(&self) -> std::io::Result<Vec<(PathBuf, Vec<u8>)>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(self.name);
        let mut paths =
            std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
        paths.sort();
        paths.into_iter().map(|path| std::fs::read(&path).map(|content| (path, content))).collect()
    }
}

/// The `main` function of a target: libFuzzer's with cargo-fuzz, otherwise a function that tries the given files.
#[macro_export]
macro_rules! target {
    ($law:path) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $law(bytes));

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            $crate::reproduce($law)
        }
    };
}

/// Tries the inputs in the files named on the command line.
///
/// # Errors
/// Fails if a file cannot be read.
pub fn reproduce(law: fn(&[u8])) -> std::io::Result<()> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        println!("no input given; name the files to try, or search with cargo-fuzz (docs/engine/parts.md)");
    }
    for path in paths {
        law(&std::fs::read(&path)?);
        println!("{}: the law holds", path.display());
    }
    Ok(())
}
