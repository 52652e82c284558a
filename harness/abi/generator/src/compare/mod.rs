//! `bindings-generator compare`: compares a runtime's headers with the catalog's header, or with the headers from
//! another release.

mod child;
mod declarations;
mod differ;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::error::Error;
use crate::jobs;

use declarations::Declarations;
use differ::{Difference, NEW, differences};

/// The maximum number of rules that are named for each difference.
const RULES: usize = 4;

/// The headers to compare.
#[derive(Debug, Args)]
pub(crate) struct Compared {
    /// The folder of the runtime's headers.
    #[arg(value_name = "HEADERS")]
    headers: PathBuf,
    /// Compare with the headers in this folder instead of the catalog's header.
    #[arg(long, value_name = "HEADERS")]
    against: Option<PathBuf>,
    /// The folder with `<runtime>/abi.h`, which determines the functions to compare and the rules to name.
    #[arg(long, value_name = "DIR")]
    catalog: Option<PathBuf>,
    /// The runtime, if the folder has several.
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
}

/// The headers that a child process reads, so that a crash affects only the child.
#[derive(Debug, Args)]
pub(crate) struct DeclarationsRequest {
    own: PathBuf,
    folder: Option<PathBuf>,
}

/// Writes the requested declarations to standard output.
pub(crate) fn print_declarations(request: &DeclarationsRequest) -> Result<(), Error> {
    child::limit()?;
    let text = fs::read_to_string(&request.own).map_err(Error::file(&request.own))?;
    let mut declared = read::read(&text, &[])?;
    if let Some(folder) = &request.folder {
        declared = read::declarations(folder, &declared.functions.into_keys().collect())?;
    }
    let text = serde_json::to_string(&declared).map_err(|error| Error::Unknown { form: error.to_string() })?;
    println!("{text}");
    Ok(())
}

/// Compares headers. Returns the page, and true if a program that was built for the first headers may fail with the
/// second headers.
pub(crate) fn compare(compared: &Compared) -> Result<(String, bool), Error> {
    let catalog = compared.catalog.clone().unwrap_or_else(|| jobs::root().join("specs"));
    let own = jobs::header_of(&catalog, compared.runtime.as_deref())?;
    let theirs = child::declarations(&own, Some(&compared.headers))?;
    let mut first = child::declarations(&own, compared.against.as_deref())?;
    let mut page = format!(
        "{}: functions: {}, constants: {}, structs: {}\n",
        compared.headers.display(),
        theirs.functions.len(),
        theirs.constants.len(),
        theirs.layouts.len()
    );
    let folder = own.parent().unwrap_or(Path::new("."));
    if compared.against.is_none() {
        leave_out_optional(&mut page, folder, &mut first, &theirs);
    }
    let found = differences(&first, &theirs, compared.against.is_none());
    let rules = Rules::read(folder);
    found.iter().for_each(|difference| describe(&mut page, difference, &rules));
    let breaks = found.iter().filter(|difference| difference.kind != NEW).count();
    let _ = writeln!(page, "differences: {breaks}, additions: {}", found.len() - breaks);
    Ok((child::harmless(&page), breaks > 0))
}

/// Leaves out the functions of optional libraries whose headers are missing, and adds a note to the page.
fn leave_out_optional(page: &mut String, runtime: &Path, first: &mut Declarations, theirs: &Declarations) {
    // A catalog without this file has no optional libraries. The suite reports other mistakes in the file.
    let text = fs::read_to_string(runtime.join("api.yaml")).unwrap_or_default();
    for pattern in optional(&text) {
        let of = |name: &str| match pattern.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => name == pattern,
        };
        let before = first.functions.len();
        if !theirs.functions.keys().any(|name| of(name)) {
            first.functions.retain(|name, _| !of(name));
        }
        match before - first.functions.len() {
            0 => {}
            1 => drop(writeln!(
                page,
                "not compared: the function {pattern} of an optional library, whose headers are missing"
            )),
            more => drop(writeln!(
                page,
                "not compared: {more} functions {pattern} of an optional library, whose headers are missing"
            )),
        }
    }
}

/// The patterns for functions of optional libraries, from the text of an api.yaml with each library on one line.
fn optional(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| line.contains("optional: true"));
    let lists = lines.filter_map(|line| line.split_once("functions: [")?.1.split_once(']'));
    lists.flat_map(|(list, _)| list.split(',')).map(|name| name.trim().trim_matches('"')).collect()
}

fn describe(page: &mut String, Difference { kind, name, text }: &Difference, rules: &Rules) {
    let _ = writeln!(page, "{kind:<16} {name}: {text}");
    let concerned: Vec<&str> = rules.naming(name);
    let shown = concerned[..concerned.len().min(RULES)].join(", ");
    match concerned.len() - concerned.len().min(RULES) {
        0 if concerned.is_empty() => {}
        0 => drop(writeln!(page, "{:<16} concerns {shown}", "")),
        more => drop(writeln!(page, "{:<16} concerns {shown} and {more} more", "")),
    }
}

/// A runtime's rules by the words in their text. The generator cannot use the catalog crate, which depends on the
/// generator's output.
struct Rules(BTreeMap<String, BTreeSet<String>>);

impl Rules {
    fn read(runtime: &Path) -> Rules {
        let (mut words, mut folders) = (BTreeMap::<String, BTreeSet<String>>::new(), vec![runtime.join("rules")]);
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "yaml") {
                    // An unreadable file has no rules.
                    note(&fs::read_to_string(&path).unwrap_or_default(), &mut words);
                }
            }
        }
        Rules(words)
    }

    fn naming(&self, name: &str) -> Vec<&str> {
        self.0.get(name).into_iter().flatten().map(String::as_str).collect()
    }
}

/// Records the words of each rule in a chapter under the rule's id.
fn note(text: &str, words: &mut BTreeMap<String, BTreeSet<String>>) {
    let mut rule = "";
    for line in text.lines() {
        rule = line.strip_prefix("  - id: ").map_or(rule, str::trim);
        let named = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        for word in named.filter(|_| !rule.is_empty()) {
            words.entry(word.to_owned()).or_default().insert(rule.to_owned());
        }
    }
}
