//! The shell blocks of pages: those marked `run` are run as they are written, and their output is compared; the others
//! name the reason why not, and are parsed.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use regex_lite::Regex;

use crate::support::sources::relative;
use crate::support::{Bench, copy_folder, project, take_environment};

use super::pages;

/// Why a block is only parsed.
const REASONS: [&str; 5] = ["device", "root", "cluster", "network", "slow"];

/// `cargo`, as a page writes it, with the executable that this test has.
const CARGO: &str = r#"#!/bin/sh
case "$1" in
    cts) shift; exec atlas-cts "$@" ;;
    test) shift; [ "$1" = -- ] && shift; [ "$1" = --exact ] && shift; exec atlas-cts run "$@" ;;
    *) echo "cargo $1 is not for a page's run block" >&2; exit 2 ;;
esac
"#;

/// A code block of a page.
struct Block {
    place: String,
    /// The words after the fence.
    info: Vec<String>,
    lines: Vec<String>,
}

/// True for a page in Chinese.
fn is_chinese(page: &str) -> bool {
    page.starts_with("docs/zh/") || page.contains(".zh.md")
}

/// The page in English that a Chinese page translates.
fn english(page: &str) -> String {
    page.replace("docs/zh/", "docs/").replace(".zh.md", ".md")
}

fn blocks(path: &Path, text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<(Block, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        match &mut open {
            None if trimmed.starts_with("```") => {
                let fence: String = trimmed.chars().take_while(|c| *c == '`').collect();
                let info = trimmed[fence.len()..].split_whitespace().map(str::to_owned).collect();
                let place = format!("{}:{}", relative(path), index + 1);
                open = Some((Block { place, info, lines: Vec::new() }, fence));
            }
            None => {}
            Some((_, fence)) if trimmed == fence.as_str() => found.extend(open.take().map(|(block, _)| block)),
            Some((block, _)) => block.lines.push(line.to_owned()),
        }
    }
    found
}

/// A command of a block with its expected output and exit status.
struct Step {
    command: String,
    output: Vec<String>,
    status: i32,
}

fn steps(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut continues = false;
    for line in &block.lines {
        if continues {
            let step = steps.last_mut().expect("a line that continues follows a command");
            step.command = format!("{}\n{line}", step.command);
            continues = line.ends_with('\\');
        } else if let Some(command) = line.strip_prefix("$ ") {
            continues = command.ends_with('\\');
            steps.push(Step { command: command.to_owned(), output: Vec::new(), status: 0 });
        } else {
            let step = steps.last_mut().unwrap_or_else(|| panic!("{}: begin with `$ command`", block.place));
            match line.strip_prefix("? ") {
                Some(status) => step.status = status.parse().expect("an exit status is a number"),
                None => step.output.push(line.clone()),
            }
        }
    }
    steps
}

/// True if a line is as expected, where `…` is any text.
fn line_fits(wanted: &str, line: &str) -> bool {
    let mut parts = wanted.split('…');
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// True if lines are as expected, where a line `…` is any number of lines.
fn fits(wanted: &[String], lines: &[String]) -> bool {
    match (wanted.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first.trim() == "…" => {
            (0..=lines.len()).any(|skipped| fits(rest, &lines[skipped..]))
        }
        (Some((first, rest)), Some((line, further))) => {
            line_fits(first.trim_end(), line.trim_end()) && fits(rest, further)
        }
        _ => false,
    }
}

/// A bench that looks like a checkout to the commands of a page.
fn checkout() -> Bench {
    let bench = Bench::new();
    for name in ["ci", "fixtures", "docs", "harness"] {
        symlink(project().join(name), bench.path(name)).expect("a link can be made");
    }
    // Pages write to the catalog.
    copy_folder(&project().join("specs"), &bench.path("specs"));
    fs::create_dir(bench.path("bin")).expect("a folder can be made");
    let cargo = bench.write("bin/cargo", CARGO);
    fs::set_permissions(cargo, fs::Permissions::from_mode(0o755)).expect("a script can be made executable");
    symlink(env!("CARGO_BIN_EXE_atlas-cts"), bench.path("bin/atlas-cts")).expect("a link can be made");
    bench
}

/// Runs a step in the language of its page; an error says how it differs.
fn run(step: &Step, language: &str, bench: &Bench) -> Result<(), String> {
    let path = format!("{}:{}", bench.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command.arg("-c").arg(format!("{{ {}\n}} 2>&1", step.command));
    command.current_dir(bench.path("")).stdin(Stdio::null());
    take_environment(&mut command, &bench.command([""; 0]));
    command
        .env("ATLAS_CTS_LANG", language)
        .env("PATH", path)
        .env("HOME", bench.path(""))
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100");
    // Cargo runs the suite in its checkout; the pages' commands run elsewhere.
    command.env_remove("CARGO_MANIFEST_DIR").env_remove("RUST_BACKTRACE");
    let output = command.output().expect("bash runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let status = output.status.code().unwrap_or(-1);
    if status != step.status {
        return Err(format!("$ {}\nexit status {status}, not {}:\n{text}", step.command, step.status));
    }
    if !step.output.is_empty() && !fits(&step.output, &lines) {
        return Err(format!("$ {}\nexpected:\n{}\nprinted:\n{text}", step.command, step.output.join("\n")));
    }
    Ok(())
}

#[test]
fn every_command_of_a_run_block_does_what_its_page_shows() {
    let pages: Vec<Vec<Block>> = pages()
        .iter()
        .map(|(path, text)| {
            blocks(path, text).into_iter().filter(|block| block.info.iter().any(|word| word == "run")).collect()
        })
        .filter(|blocks: &Vec<Block>| !blocks.is_empty())
        .collect();
    assert!(pages.len() >= 5, "pages have blocks to run: {}", pages.len());
    let queue = Mutex::new(pages.iter());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some(blocks) = queue.lock().expect("no thread panics").next() else { return };
            let bench = checkout();
            for block in blocks {
                let language = if is_chinese(&block.place) { "zh" } else { "en" };
                for step in steps(block) {
                    if let Err(text) = run(&step, language, &bench) {
                        wrong.lock().expect("no thread panics").push(format!("{}: {text}", block.place));
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().expect("no thread panics");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A page in two languages has the same commands and names the same options, so that neither is left behind.
#[test]
fn a_translated_page_has_the_commands_and_options_of_the_original() {
    let option = Regex::new(r"--[a-z][a-z0-9-]+").expect("the pattern is a regular expression");
    let commands = |path: &Path, text: &str| -> Vec<String> {
        let shell = |block: &Block| ["sh", "console"].map(Some).contains(&block.info.first().map(String::as_str));
        let lines = |block: Block| match block.info.iter().any(|word| word == "run") {
            true => steps(&block).into_iter().map(|step| step.command).collect::<Vec<_>>(),
            // Remarks are translated.
            false => {
                block.lines.iter().map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned()).collect()
            }
        };
        blocks(path, text).into_iter().filter(shell).flat_map(lines).collect()
    };
    let options =
        |text: &str| -> BTreeSet<String> { option.find_iter(text).map(|found| found.as_str().to_owned()).collect() };
    let pages = pages();
    let mut translated = 0;
    for (path, text) in pages.iter().filter(|(path, _)| is_chinese(&relative(path))) {
        let name = english(&relative(path));
        let Some((original, english)) = pages.iter().find(|(other, _)| relative(other) == name) else { continue };
        assert_eq!(commands(path, text), commands(original, english), "the commands of {name} and its translation");
        assert_eq!(options(text), options(english), "the options of {name} and its translation");
        translated += 1;
    }
    assert!(translated >= 2, "{translated} pages are translated");
}

#[test]
fn every_other_shell_block_says_why_it_is_not_run_and_can_be_parsed() {
    let mut wrong = Vec::new();
    for (path, text) in pages() {
        for block in blocks(&path, &text) {
            let language = block.info.first().map_or("", String::as_str);
            if language.is_empty() {
                wrong.push(format!("{}: name the language of the block", block.place));
            }
            if !["sh", "bash", "console", "shell"].contains(&language) || block.info.iter().any(|word| word == "run") {
                continue;
            }
            if !block.info[1..].iter().any(|word| REASONS.contains(&word.as_str())) {
                wrong.push(format!("{}: mark the block `run`, or say why not: {}", block.place, REASONS.join(", ")));
            }
            let script = block.lines.join("\n");
            let parsed = Command::new("bash").arg("-n").arg("-c").arg(&script).output().expect("bash runs");
            if !parsed.status.success() {
                wrong.push(format!("{}: {}", block.place, String::from_utf8_lossy(&parsed.stderr).trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_ellipsis_in_a_page_is_any_text_and_on_its_own_line_any_lines() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(fits(&lines("a\n…\nz 1… ms"), &lines("a\nb\nc\nz 12 ms")));
    assert!(!fits(&lines("a\n…\nz"), &lines("a\nb")));
    assert!(!fits(&lines("a …"), &lines("b c")));
}
