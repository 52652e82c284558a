//! Embeds each runtime's catalog in executables.

#![allow(clippy::disallowed_methods, reason = "only cargo runs it, in its own folder")]

use std::env;
use std::fmt::Write;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// The crates whose code determines what is read from a catalog.
const READERS: [&str; 4] = ["abi", "catalog", "history", "steps"];

fn main() {
    let specs = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    // Cargo watches everything below the folder, also the catalog of a new runtime.
    println!("cargo:rerun-if-changed={}", specs.display());
    let mut fingerprint = DefaultHasher::new();
    for reader in READERS.map(|name| specs.join("../harness").join(name).join("src")) {
        println!("cargo:rerun-if-changed={}", reader.display());
        files(&reader, &["rs"]).iter().for_each(|file| read(file).hash(&mut fingerprint));
    }
    let mut table = String::new();
    for runtime in entries(&specs).iter().filter(|path| path.join("api.yaml").is_file()) {
        let mut files = files(runtime, &["yaml", "h"]);
        // Readings are evidence for readers of the repository; no run reads them.
        files.retain(|file| !file.starts_with(runtime.join("readings")));
        let name = runtime.file_name().expect("it has been listed").to_string_lossy();
        let _ = writeln!(table, "/// The catalog of `{name}`: paths below `specs/`, with the files' texts.");
        let _ = writeln!(table, "pub static {}: &[(&str, &str)] = &[", name.to_uppercase());
        for file in &files {
            let below = file.strip_prefix(&specs).expect("it lies below").display().to_string();
            (&below, read(file)).hash(&mut fingerprint);
            let _ = writeln!(table, "    ({below:?}, include_str!({file:?})),");
        }
        // The table of the proof changes nothing that is read from the catalog.
        let proof = runtime.join("proof.tsv");
        if proof.is_file() {
            let below = proof.strip_prefix(&specs).expect("it lies below");
            let _ = writeln!(table, "    ({below:?}, include_str!({proof:?})),");
        }
        table.push_str("];\n");
    }
    let _ = writeln!(table, "/// Differs if an embedded file or the code that reads it differs.");
    let _ = writeln!(table, "pub const FINGERPRINT: u64 = {};", fingerprint.finish());
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("catalogs.rs");
    fs::write(&out, table).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

/// The entries of a folder, sorted by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The files with these extensions in a folder and below it, sorted.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let wanted = |path: &Path| path.extension().is_some_and(|known| extensions.iter().any(|one| known == *one));
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path, extensions),
        false => Some(path).filter(|path| wanted(path)).into_iter().collect(),
    };
    entries(folder).into_iter().flat_map(below).collect()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
