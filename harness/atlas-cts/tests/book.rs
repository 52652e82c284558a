//! The book (docs/, README.md, CHANGELOG.md) is true: its links, its options, its commands, its generated parts.

mod commands;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;
use rstest::rstest;

use crate::support::sources::{relative, tracked};
use crate::support::{Bench, project};

/// The pages that people read, with their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let of_book = |path: &PathBuf| {
        let name = relative(path);
        name.starts_with("docs/") || !name.contains('/')
    };
    let pages = tracked(&["md"]).into_iter().filter(of_book);
    pages.map(|path| (path.clone(), fs::read_to_string(&path).expect("a page can be read"))).collect()
}

/// A text without its code blocks.
fn outside_code(text: &str) -> String {
    let mut in_code = false;
    let mut kept = String::new();
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        if !in_code && !fence {
            kept += line;
        }
        kept.push('\n');
        in_code ^= fence;
    }
    kept
}

/// The anchor of a heading, as forges and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    outside_code(text)
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// The page that ci/book.sh writes.
const GENERATED: &str = "run/options.md";

#[test]
fn every_link_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("the pattern is a regular expression");
    let mut dead = Vec::new();
    for (path, text) in pages() {
        for (index, line) in outside_code(&text).lines().enumerate() {
            for target in link.captures_iter(line).map(|found| found[1].to_owned()) {
                if target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
                let there =
                    if file.is_empty() { path.clone() } else { path.parent().expect("a page has a folder").join(file) };
                let place = format!("{}:{}: {target}", relative(&path), index + 1);
                if !(there.exists() || target == GENERATED && path.ends_with("docs/SUMMARY.md")) {
                    dead.push(place);
                } else if !heading.is_empty() {
                    let other = fs::read_to_string(&there).expect("a page can be read");
                    if !anchors(&other).contains(heading) {
                        dead.push(format!("{place} (no such heading)"));
                    }
                }
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn the_table_of_contents_lists_every_page() {
    let summary = fs::read_to_string(project().join("docs/SUMMARY.md")).expect("the table of contents can be read");
    let missing: Vec<String> = pages()
        .iter()
        .filter_map(|(path, _)| relative(path).strip_prefix("docs/").map(str::to_owned))
        .filter(|name| name != "SUMMARY.md" && !summary.contains(&format!("({name})")))
        .collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md lacks {missing:?}");
}

#[rstest]
#[case::the_front_door("README.md", 80)]
#[case::the_design("docs/DESIGN.md", 300)]
fn a_page_keeps_its_length(#[case] page: &str, #[case] most: usize) {
    let lines = fs::read_to_string(project().join(page)).expect("the page can be read").lines().count();
    assert!(lines <= most, "{page} has {lines} lines, and {most} are its limit");
}

/// The options of other programs that pages name.
const OF_OTHERS: &[&str] = &[
    "--all",
    "--args",
    "--cap-add",
    "--all-targets",
    "--bench",
    "--bin",
    "--cfg",
    "--exclusive",
    "--fail",
    "--fuzz-dir",
    "--gpus",
    "--group-add",
    "--remote-name",
    "--requeue",
    "--bless",
    "--bundle",
    "--features",
    "--force",
    "--help-all",
    "--lib",
    "--locked",
    "--no-default-features",
    "--path",
    "--release",
    "--test",
    "--workspace",
];

/// Every option of the commands, of the suite, and of the programs in this repository that pages name.
fn known_options() -> BTreeSet<String> {
    let option = Regex::new(r"--[a-z][a-z0-9-]+").expect("the pattern is a regular expression");
    let bench = Bench::new();
    let mut known: BTreeSet<String> = OF_OTHERS.iter().map(|&option| option.to_owned()).collect();
    let mut add = |text: &str| known.extend(option.find_iter(text).map(|found| found.as_str().to_owned()));
    add(&bench.run(["catalog", "man", "--markdown"]).text);
    for path in tracked(&["sh", "py"]) {
        add(&fs::read_to_string(&path).expect("a script can be read"));
    }
    // The suite has the options of the test runner; the generator has its own.
    add(&fs::read_to_string(project().join("harness/abi/generator/src/main.rs")).expect("the generator can be read"));
    known.extend(
        ["--help", "--exact", "--list", "--skip", "--test-threads", "--nocapture", "--ignored", "--format"]
            .map(str::to_owned),
    );
    known
}

#[test]
fn every_option_that_a_page_names_exists() {
    let known = known_options();
    let quoted = Regex::new(r"(?:^|[\s`\[(])(--[a-z][a-z0-9-]+)").expect("the pattern is a regular expression");
    let mut dead = Vec::new();
    for (path, text) in pages().iter().filter(|(path, _)| !path.ends_with("CHANGELOG.md")) {
        for (index, line) in text.lines().enumerate() {
            let ours = ![
                "git ",
                "kubectl ",
                "docker ",
                "sbatch ",
                "srun ",
                "squeue",
                "gdb ",
                "rustup ",
                "apt",
                "podman ",
                "ssh-keygen",
            ]
            .iter()
            .any(|tool| line.contains(tool));
            let names = quoted.captures_iter(line).map(|found| found[1].to_owned());
            let unknown = names.filter(|name| ours && !known.contains(name));
            dead.extend(unknown.map(|name| format!("{}:{}: {name}", relative(path), index + 1)));
        }
    }
    assert!(dead.is_empty(), "options that do not exist:\n{}", dead.join("\n"));
}

#[test]
fn every_command_that_a_page_names_exists() {
    let listed = |words: &[&str]| {
        let page = Bench::new().run(words).text;
        let names = page.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
        names.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let (known, of_catalog) = (listed(&["--help"]), listed(&["catalog", "--help"]));
    let named =
        Regex::new(r"(?:atlas-cts|cargo cts) ([a-z]+)\b(?: ([a-z]+)\b)?").expect("the pattern is a regular expression");
    let code = Regex::new(r"`[^`]+`").expect("the pattern is a regular expression");
    let mut dead = Vec::new();
    for (path, text) in pages().iter().filter(|(path, _)| !path.ends_with("CHANGELOG.md")) {
        let mut in_code = false;
        for (index, line) in text.lines().enumerate() {
            in_code ^= line.trim_start().starts_with("```");
            let parts: Vec<&str> =
                if in_code { vec![line] } else { code.find_iter(line).map(|found| found.as_str()).collect() };
            for found in parts.iter().flat_map(|part| named.captures_iter(part)) {
                let below = found.get(2).filter(|_| &found[1] == "catalog").map_or("lint", |word| word.as_str());
                if (!known.contains(&found[1]) && &found[1] != "help") || !of_catalog.contains(below) {
                    dead.push(format!("{}:{}: {}", relative(path), index + 1, &found[0]));
                }
            }
        }
    }
    assert!(dead.is_empty(), "commands that do not exist:\n{}", dead.join("\n"));
}

/// Compares a generated part with what a page has; `BLESS=1` writes it.
fn expect_generated(path: &Path, old: &str, new: &str) {
    if old == new {
        return;
    }
    assert!(std::env::var_os("BLESS").is_some(), "{}: run the test with BLESS=1, and read the change", relative(path));
    fs::write(path, new).expect("the page can be written");
}

const MAP: [&str; 2] = ["<!-- map: begin -->\n", "<!-- map: end -->"];

/// The crates, and the folders of their sources, each with the first sentence of its `//!` header.
fn map_of_folders() -> String {
    let mut rows: BTreeMap<String, String> = BTreeMap::new();
    for path in tracked(&["rs"]) {
        let name = relative(&path);
        let file = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let folder = match file.as_str() {
            "lib.rs" | "mod.rs" | "main.rs" => path.parent().expect("a file has a folder").to_owned(),
            _ => path.with_extension(""),
        };
        let shown = relative(&folder).trim_end_matches("/src").replace("/src/", "/");
        let is_map = ["lib.rs", "mod.rs"].contains(&file.as_str()) || folder.is_dir() || name.ends_with("/main.rs");
        let wanted = ["harness/", "suites", "specs", "fixtures/"].iter().any(|start| shown.starts_with(start));
        if !is_map
            || !wanted
            || shown.contains("/tests")
            || shown.contains("/benches")
            // Each of its folders is a command.
            || shown.starts_with("harness/atlas-cts/")
            || shown.matches('/').count() > 2
        {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source can be read");
        let header: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
        let header = header.join(" ");
        let sentence = header.split_once(". ").map_or(header.as_str(), |(first, _)| first).trim_end_matches('.');
        if !sentence.is_empty() {
            rows.entry(shown).or_insert_with(|| sentence.to_owned());
        }
    }
    let rows: Vec<String> = rows.iter().map(|(folder, sentence)| format!("| `{folder}` | {sentence} |\n")).collect();
    format!("| folder | holds |\n| --- | --- |\n{}", rows.concat())
}

#[test]
fn the_map_of_folders_is_what_the_sources_say() {
    let path = project().join("docs/DESIGN.md");
    let old = fs::read_to_string(&path).expect("the page can be read");
    let (before, rest) = old.split_once(MAP[0]).expect("the page has a place for the map");
    let (_, after) = rest.split_once(MAP[1]).expect("the place for the map has an end");
    expect_generated(&path, &old, &format!("{before}{}{}{}{after}", MAP[0], map_of_folders(), MAP[1]));
}
