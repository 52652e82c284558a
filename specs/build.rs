//! Lists the files of each runtime's catalog, so that executables carry what was built and nothing that came later.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let specs = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut runtimes = entries(&specs);
    runtimes.retain(|path| path.join("api.yaml").is_file());
    let mut table = String::new();
    for runtime in &runtimes {
        // Cargo looks at everything below a folder.
        println!("cargo:rerun-if-changed={}", runtime.display());
        let mut files = Vec::new();
        collect(runtime, &mut files);
        // What a second reader found is evidence for a checkout: no run reads it.
        files.retain(|file| !file.starts_with(runtime.join("readings")));
        let name = runtime.file_name().expect("it has been listed").to_string_lossy();
        let _ = writeln!(table, "/// The catalog of `{name}`: paths below `specs/`, with the files' texts.");
        let _ = writeln!(table, "pub static {}: &[(&str, &str)] = &[", name.to_uppercase());
        for file in &files {
            let below = file.strip_prefix(&specs).expect("it lies below").display();
            let _ = writeln!(table, "    ({:?}, include_str!({file:?})),", below.to_string());
        }
        table.push_str("];\n");
    }
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("catalogs.rs");
    fs::write(&out, table).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
    println!("cargo:rerun-if-changed=build.rs");
}

/// What lies in a folder, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "h") {
            files.push(path);
        }
    }
}
