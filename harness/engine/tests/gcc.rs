//! The C compiler, for the libraries and programs of the tests.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Seconds after which a printed program counts as hung: a machine that is busy with other tests must not end it.
pub const BUSY: u64 = 120;

/// Builds a file. It gets its name only when it is complete: other threads and processes may use the existing one.
pub fn build<Word: AsRef<OsStr>>(path: &Path, words: impl IntoIterator<Item = Word>) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let partial = path.with_extension(format!("{}-{number}.partial", std::process::id()));
    let mut compiler = Command::new("gcc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-o"]).arg(&partial).args(words);
    let output = compiler.output().unwrap_or_else(|error| panic!("cannot start gcc: {error}"));
    assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    std::fs::rename(&partial, path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
