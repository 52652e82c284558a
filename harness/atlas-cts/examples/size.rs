//! Counts the size of the project: lines by crate, commands and options, words of the documentation, direct crates.
//! `tests/size.rs` compares the counts with budgets. The definitions are in `DEFINITIONS`.

#![allow(clippy::disallowed_methods, reason = "it reads the files of the project")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const DEFINITIONS: &str = "\
Prints the size of the project: cargo run -q -p atlas-cts --example size

lines      All lines of tracked Rust files, with blank lines and comments, by the crate whose folder is nearest.
generated  The files in GENERATED (examples/size.rs), which a command writes.
tests      Files below tests/, benches/ or examples/; items with #[cfg(test)]; files that only these reach.
code       The rest, which is written by hand. A macro that holds bodies is code.
commands   Top-level commands on the first help page.
options    Distinct option names on the --help-all pages of all commands, and on the page of `run`.
keys       Distinct keys of options such as --tune, on the same pages: lines that begin with name=VALUE.
words      Words in docs/**/*.md and README.md, separated by white space.
crates     Distinct names of dependencies outside the workspace, in all Cargo.toml files.

Also checked: rustfmt.toml is as given here, and #[rustfmt::skip] is only on generated modules.";

/// Files that a command writes.
const GENERATED: [&str; 4] = [
    "harness/acl/src/bindings.rs",
    "harness/cuda/src/bindings.rs",
    "harness/engine/tests/depot/bindings.rs",
    "harness/engine/tests/toy/bindings.rs",
];

/// The formatting on which counts of lines depend.
const FORMAT: &str = "max_width = 120\nuse_small_heuristics = \"Max\"\n";

/// The size of the project.
pub struct Size {
    /// Lines of code, generated lines, lines of tests, and files, by crate.
    crates: BTreeMap<String, [usize; 4]>,
    /// The totals by name, in the order of the table.
    pub totals: Vec<(&'static str, usize)>,
    /// Violations of the formatting on which the counts depend.
    pub mistakes: Vec<String>,
}

type Answer<T> = Result<T, Box<dyn Error>>;

/// Counts the project in a folder. `command` is the built `atlas-cts`.
pub fn count(root: &Path, command: &Path) -> Answer<Size> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output()?;
    // A deleted file is listed until the deletion is committed.
    let files: BTreeSet<&str> = std::str::from_utf8(&listed.stdout)?
        .split('\0')
        .filter(|file| !file.is_empty() && root.join(file).is_file())
        .collect();
    if files.is_empty() {
        return Err("git lists no files; run this in a checkout".into());
    }
    let mut sources = BTreeMap::new();
    for file in files.iter().filter(|file| file.ends_with(".rs")) {
        sources.insert(*file, fs::read_to_string(root.join(file))?);
    }
    let tests = test_files(&sources);
    let (mut crates, mut mistakes) = (BTreeMap::<String, [usize; 4]>::new(), Vec::new());
    if fs::read_to_string(root.join("rustfmt.toml"))? != FORMAT {
        mistakes.push("rustfmt.toml has changed, so lines cannot be compared; restore it".to_owned());
    }
    for (file, text) in &sources {
        let mut folders = Path::new(file).ancestors().skip(1);
        let folder = folders.find(|folder| folder.join("Cargo.toml").to_str().is_some_and(|at| files.contains(at)));
        let lines = crates.entry(folder.unwrap_or(Path::new("")).display().to_string()).or_default();
        let all = text.lines().count();
        let counts = if GENERATED.contains(file) {
            [0, all, 0, 1]
        } else if tests.contains(*file) {
            [0, 0, all, 1]
        } else {
            let within = test_items(text).iter().map(|(first, last)| last - first + 1).sum::<usize>();
            [all - within, 0, within, 1]
        };
        lines.iter_mut().zip(counts).for_each(|(lines, count)| *lines += count);
        mistakes.extend(skips(file, text));
    }
    let mut words = 0;
    for file in files.iter().filter(|file| **file == "README.md" || file.starts_with("docs/") && file.ends_with(".md"))
    {
        words += fs::read_to_string(root.join(file))?.split_whitespace().count();
    }
    let mut direct = BTreeSet::new();
    for file in files.iter().filter(|file| file.ends_with("Cargo.toml")) {
        direct.extend(dependencies(&fs::read_to_string(root.join(file))?));
    }
    let commands = commands(&help(command, &["--help"])?);
    let (mut options, mut keys, mut of_run) = (BTreeSet::new(), BTreeSet::new(), 0);
    for name in &commands {
        let page = help(command, &[name, "--help-all"])?;
        let mut found = option_names(&page);
        keys.extend(key_names(&page));
        for below in page.split_once("\nCommands:\n").map(|(_, rest)| self::commands(rest)).unwrap_or_default() {
            let page = help(command, &[name, &below, "--help-all"])?;
            found.extend(option_names(&page));
            keys.extend(key_names(&page));
        }
        if name == "run" {
            of_run = found.len();
        }
        options.extend(found);
    }
    let sum = |column: usize| crates.values().map(|lines| lines[column]).sum::<usize>();
    let totals = vec![
        ("lines of code", sum(0)),
        ("generated lines", sum(1)),
        ("lines of tests", sum(2)),
        ("Rust files", sum(3)),
        ("commands", commands.len()),
        ("options", options.len()),
        ("options and keys", options.len() + keys.len()),
        ("options of run", of_run),
        ("words of docs", words),
        ("direct crates", direct.len()),
    ];
    Ok(Size { crates, totals, mistakes })
}

/// The files that only tests reach: files in folders of tests, and modules that test items declare.
fn test_files(sources: &BTreeMap<&str, String>) -> BTreeSet<String> {
    let in_tests = |file: &&str| file.split('/').any(|part| ["tests", "benches", "examples"].contains(&part));
    let mut found: BTreeSet<String> = sources.keys().copied().filter(in_tests).map(str::to_owned).collect();
    let mut next = Vec::new();
    for (file, text) in sources {
        let lines: Vec<&str> = text.lines().collect();
        for (first, last) in test_items(text) {
            next.extend(modules(file, &lines[first..=last], sources));
        }
    }
    while let Some(file) = next.pop() {
        let lines: Vec<&str> = sources[file.as_str()].lines().collect();
        if found.insert(file.clone()) {
            next.extend(modules(&file, &lines, sources));
        }
    }
    found
}

/// The files of the modules that lines of a file declare.
fn modules(file: &str, lines: &[&str], sources: &BTreeMap<&str, String>) -> Vec<String> {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let own = Path::new(file).with_extension("");
    let declared = lines.iter().filter_map(|line| line.trim().strip_suffix(';')?.split_once("mod "));
    let names = declared.filter(|(before, _)| before.is_empty() || before.starts_with("pub")).map(|(_, name)| name);
    let places = names.flat_map(|name| [folder, &own].map(|place| place.join(name)));
    let candidates = places.flat_map(|place| [place.with_extension("rs"), place.join("mod.rs")]);
    candidates.filter_map(|path| sources.get_key_value(path.to_str()?)).map(|(found, _)| (*found).to_owned()).collect()
}

/// The first and last lines of the items with `#[cfg(test)]`, from 0. The text is formatted: an item ends with the first
/// closing bracket at the depth of its attribute, or on a line that ends with `;`.
fn test_items(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if lines[at].trim() == "#[cfg(test)]" {
            let ends = |line: &&str| {
                depth(line) == depth(lines[at])
                    && !line.trim().starts_with("#[")
                    && (line.ends_with(';') || line.ends_with('}'))
            };
            let last = lines[at + 1..].iter().position(ends).map_or(lines.len() - 1, |more| at + 1 + more);
            found.push((at, last));
            at = last;
        }
        at += 1;
    }
    found
}

/// The places at which formatting is switched off, except on generated modules.
fn skips(file: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let skipped = (0..lines.len()).filter(|at| lines[*at] == concat!("#[rustfmt", "::skip]"));
    let by_hand = skipped.filter(|at| {
        let item = lines[*at..].iter().find(|line| !line.starts_with("#["));
        !item.is_some_and(|item| item.ends_with("mod bindings;"))
    });
    by_hand.map(|at| format!("{file}:{}: formatting is switched off; remove the attribute", at + 1)).collect()
}

/// The names of the dependencies in a Cargo.toml that are not folders of the workspace.
fn dependencies(manifest: &str) -> Vec<String> {
    let sections = manifest
        .split("\n[")
        .filter(|section| section.lines().next().is_some_and(|name| name.ends_with("dependencies]")));
    let entries = sections.flat_map(|section| section.lines().filter_map(|line| line.split_once(" = ")));
    entries.filter(|(_, value)| !value.contains("path = ")).map(|(name, _)| name.to_owned()).collect()
}

/// The text of a help page.
fn help(command: &Path, words: &[&str]) -> Answer<String> {
    let answer = Command::new(command).args(words).output()?;
    if !answer.status.success() {
        return Err(format!("{} {} fails", command.display(), words.join(" ")).into());
    }
    Ok(String::from_utf8(answer.stdout)?)
}

/// The commands on a help page: lines that begin with two spaces and a name.
fn commands(page: &str) -> Vec<String> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines.filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The names of the options on a help page: the lines that begin with `--name` or `-n, --name`.
fn option_names(page: &str) -> BTreeSet<String> {
    let lines = page.lines().map(str::trim_start);
    let named = lines.filter_map(|line| line.get(line.find(", ").filter(|at| *at == 2).map_or(0, |at| at + 2)..));
    let names = named.filter_map(|line| line.strip_prefix("--")?.split([' ', '[', '=', '.']).next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The names of the keys on a help page: the lines that begin with `name=VALUE`.
fn key_names(page: &str) -> BTreeSet<String> {
    let words = page.lines().filter_map(|line| line.split_whitespace().next()?.split_once('='));
    let keys = words.filter(|(name, value)| {
        let of_a_name = |c: char| c.is_ascii_lowercase() || c == '-';
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(of_a_name) && !value.is_empty()
    });
    keys.map(|(name, _)| name.to_owned()).collect()
}

/// The table of the counts.
pub fn table(size: &Size) -> String {
    let mut text = format!("{:<32} {:>8} {:>9} {:>8} {:>6}\n", "crate", "code", "generated", "tests", "files");
    for (name, [code, generated, tests, files]) in &size.crates {
        let _ = writeln!(text, "{name:<32} {code:>8} {generated:>9} {tests:>8} {files:>6}");
    }
    for (name, total) in &size.totals {
        let _ = writeln!(text, "{name:<32} {total:>8}");
    }
    text
}

#[allow(dead_code, reason = "tests/size.rs calls `count`")]
fn main() -> Answer<()> {
    if env::args().len() > 1 {
        println!("{DEFINITIONS}");
        return Ok(());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let built = Command::new(env!("CARGO")).args(["build", "-q", "-p", "atlas-cts"]).current_dir(&root).status()?;
    let example = env::current_exe()?;
    let command: PathBuf = example.ancestors().nth(2).map(|folder| folder.join("atlas-cts")).unwrap_or_default();
    if !built.success() {
        return Err("atlas-cts does not build".into());
    }
    let size = count(&root, &command)?;
    print!("{}", table(&size));
    if size.mistakes.is_empty() { Ok(()) } else { Err(size.mistakes.join("\n").into()) }
}
