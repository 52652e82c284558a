//! Embeds each runtime's catalog in executables: the rules, and only the clauses that rules name.

#![allow(clippy::disallowed_methods, reason = "only cargo runs it, in its own folder")]

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let specs = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    // Cargo watches everything below the folder, also the catalog of a new runtime.
    println!("cargo:rerun-if-changed={}", specs.display());
    let mut runtimes = entries(&specs);
    runtimes.retain(|path| path.join("api.yaml").is_file());
    // Cargo watches everything below a folder that it is given. A folder may be new.
    println!("cargo:rerun-if-changed={}", specs.display());
    let mut table = String::new();
    for runtime in &runtimes {
        let mut files = Vec::new();
        collect(runtime, &mut files);
        // Readings are evidence for readers of the repository; no run reads them.
        files.retain(|file| !file.starts_with(runtime.join("readings")));
        let name = runtime.file_name().expect("it has been listed").to_string_lossy();
        let _ = writeln!(table, "/// The catalog of `{name}`: paths below `specs/`, with the files' texts.");
        let _ = writeln!(table, "pub static {}: &[(&str, &str)] = &[", name.to_uppercase());
        let (clauses, files): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(|file| file.starts_with(runtime.join("clauses")));
        let below = |file: &Path| file.strip_prefix(&specs).expect("it lies below").display().to_string();
        for file in &files {
            let _ = writeln!(table, "    ({:?}, include_str!({file:?})),", below(file));
        }
        let texts: Vec<String> = clauses.iter().map(|file| read(file)).collect();
        let named = named_clauses(files.iter().map(|file| read(file)), &texts);
        for (file, text) in clauses.iter().zip(&texts) {
            if let Some(text) = without_unnamed(text, &named) {
                let _ = writeln!(table, "    ({:?}, {text:?}),", below(file));
            }
        }
        table.push_str("];\n");
    }
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

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "h") {
            files.push(path);
        }
    }
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The ids named in texts, and the ids that their clauses name in turn.
fn named_clauses(texts: impl Iterator<Item = String>, clauses: &[String]) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    texts.for_each(|text| named.extend(dotted(&text)));
    loop {
        let known = named.len();
        for text in clauses {
            let mut keeps = false;
            for line in text.lines() {
                keeps = id_of(line).map_or(keeps, |id| named.contains(id));
                if keeps {
                    named.extend(dotted(line));
                }
            }
        }
        if named.len() == known {
            return named;
        }
    }
}

/// Words that consist of parts with dots between them, like clause ids.
fn dotted(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|char: char| !(char.is_ascii_alphanumeric() || "-_.".contains(char)));
    words.filter(|word| word.trim_matches('.').contains('.')).map(|word| word.trim_matches('.').to_owned())
}

/// The id of the clause that begins in this line of a clauses file. Such a line is indented below a section and a
/// modality.
fn id_of(line: &str) -> Option<&str> {
    let id = line.strip_prefix("      ").filter(|rest| !rest.starts_with([' ', '#']))?;
    Some(id.split_once(':')?.0)
}

/// A clauses file without the clauses that no text names; `None` if no clause remains. Removed lines become empty, so
/// that the remaining lines keep their numbers.
fn without_unnamed(text: &str, named: &BTreeSet<String>) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut kept = vec![""; lines.len()];
    let (mut section, mut modality, mut keeps, mut any) = (0, 0, false, false);
    let below = lines.iter().position(|line| line.starts_with("clauses:")).map_or(lines.len(), |number| number + 1);
    kept[..below].copy_from_slice(&lines[..below]);
    for (number, line) in lines.iter().enumerate().skip(below) {
        match line.len() - line.trim_start().len() {
            2 => section = number,
            4 => modality = number,
            _ => {
                keeps = id_of(line).map_or(keeps, |id| named.contains(id));
                if keeps {
                    any = true;
                    [section, modality, number].into_iter().for_each(|number| kept[number] = lines[number]);
                }
            }
        }
    }
    any.then(|| kept.join("\n"))
}
