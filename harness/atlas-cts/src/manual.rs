//! `atlas-cts completions` and `atlas-cts catalog man`: the help in other forms.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use atlas_cts::{CommandError, say_file, say_line};
use catalog::files;
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use engine::run::ExitStatus;
use ledger::report::wrap;

use crate::first_screen::grammar;

/// The name of the command.
const NAME: &str = "atlas-cts";

/// The options of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManualOptions {
    /// Folder to write the manual pages to, one page for each command.
    #[arg(value_name = "DIR", required_unless_present = "markdown")]
    folder: Option<PathBuf>,
    /// Print all options in Markdown, as in the book.
    #[arg(long, conflicts_with = "folder")]
    markdown: bool,
}

/// Prints completions for a shell.
pub(crate) fn completions(shell: Shell) -> Result<ExitStatus, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut grammar(false), NAME, &mut script);
    say_file(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Success)
}

/// Writes the manual pages, or prints the page of all options.
pub(crate) fn manual(options: &ManualOptions) -> Result<ExitStatus, CommandError> {
    let Some(folder) = &options.folder else {
        say_file(&options_page())?;
        return Ok(ExitStatus::Success);
    };
    let failed = |source| CommandError::File { path: folder.clone(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut command = grammar(true).disable_help_subcommand(true);
    command.build();
    write_pages(&command, folder)?;
    say_line(folder.display())?;
    Ok(ExitStatus::Success)
}

/// Writes the pages of a command and of its commands.
fn write_pages(command: &Command, folder: &Path) -> Result<(), CommandError> {
    let visible = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    for inner in visible {
        write_pages(inner, folder)?;
    }
    let manual = Man::new(command.clone());
    let path = folder.join(manual.get_filename());
    let mut page = Vec::new();
    let written = manual.render(&mut page).and_then(|()| files::replace(&path, page));
    written.map_err(|source| CommandError::File { path, source })
}

/// The width of the page, in columns.
const WIDTH: usize = 98;

/// The book's page of options: first the options that several commands share, then the options that each command adds.
fn options_page() -> String {
    let grammar = grammar(true);
    // The commands of a command follow it, under both names.
    let commands: Vec<(String, &Command)> = grammar
        .get_subcommands()
        .flat_map(|command| {
            let further = command.get_subcommands().filter(|inner| inner.get_name() != "help");
            let further = further.map(|inner| (format!("{} {}", command.get_name(), inner.get_name()), inner));
            std::iter::once((command.get_name().to_owned(), command)).chain(further).collect::<Vec<_>>()
        })
        .collect();
    let mut users: BTreeMap<String, usize> = BTreeMap::new();
    for (_, command) in &commands {
        own_options(command).for_each(|option| *users.entry(entry(option)).or_default() += 1);
    }
    let shared = |option: &Arg| users[&entry(option)] > 1;
    let mut page = "# Options\n\nFor everyone who types a command: after this page you know every option. `atlas-cts catalog man\n--markdown` \
                    prints this page. The environment variable of an option is read if the option is\nnot given.\n\n\
                    ## Options of every command\n\n"
        .to_owned();
    own_options(&grammar).for_each(|option| page += &entry(option));
    page += "\n## Options that several commands share\n";
    let mut headings: Vec<(&str, Vec<String>)> = Vec::new();
    for option in commands.iter().flat_map(|(_, command)| own_options(command)).filter(|option| shared(option)) {
        let heading = option.get_help_heading().unwrap_or("Other");
        let at = headings.iter().position(|(known, _)| *known == heading).unwrap_or_else(|| {
            headings.push((heading, Vec::new()));
            headings.len() - 1
        });
        let text = entry(option);
        if !headings[at].1.contains(&text) {
            headings[at].1.push(text);
        }
    }
    for (heading, entries) in headings {
        let _ = write!(page, "\n### {heading}\n\n{}", entries.concat());
    }
    for (full_name, command) in commands {
        let about =
            command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string).unwrap_or_default();
        let usage = usage(&full_name, command);
        let _ = write!(page, "\n## {full_name}\n\n{}\n\n```text\n{usage}\n```\n", lines(&about, ""));
        let own: String =
            command.get_positionals().chain(own_options(command).filter(|option| !shared(option))).map(entry).collect();
        if !own.is_empty() {
            let _ = write!(page, "\n{own}");
        }
        let names: Vec<String> =
            own_options(command).filter(|option| shared(option)).map(|option| format!("`{}`", name(option))).collect();
        if !names.is_empty() {
            let _ = writeln!(page, "\n{}", lines(&format!("Shared: {}.", names.join(", ")), ""));
        }
    }
    page
}

/// A command's options, without its help options.
fn own_options(command: &Command) -> impl Iterator<Item = &Arg> {
    let of_help = |option: &Arg| ["help", "help-all", "version"].contains(&option.get_id().as_str());
    command.get_arguments().filter(move |option| !option.is_positional() && !of_help(option))
}

fn name(option: &Arg) -> String {
    match option.get_long() {
        Some(long) => format!("--{long}"),
        None => option
            .get_value_names()
            .and_then(|names| names.first())
            .map_or_else(|| option.get_id().as_str().to_uppercase(), ToString::to_string),
    }
}

/// A command's usage line.
fn usage(full_name: &str, command: &Command) -> String {
    let words = command.get_positionals().map(|argument| {
        let several = if argument.get_num_args().is_some_and(|range| range.max_values() > 1) { "…" } else { "" };
        format!("{}{several}", name(argument))
    });
    let words: Vec<String> = std::iter::once(format!("{NAME} {full_name} [OPTIONS]")).chain(words).collect();
    words.join(" ")
}

/// A list entry for an option, with its value, environment variable, default and help.
fn entry(option: &Arg) -> String {
    let values = if option.get_action().takes_values() && !option.is_positional() {
        option
            .get_value_names()
            .map(|names| format!(" {}", names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")))
    } else {
        None
    };
    let mut facts: Vec<String> = Vec::new();
    facts.extend(option.get_env().map(|variable| format!("`{}`", variable.to_string_lossy())));
    let possible: Vec<String> =
        option.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if option.get_action().takes_values() && !possible.is_empty() {
        facts.push(possible.join(", "));
    }
    let defaults: Vec<String> =
        option.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if option.get_action().takes_values() && !defaults.is_empty() {
        facts.push(format!("default {}", defaults.join(" ")));
    }
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join("; ")) };
    let help = option.get_long_help().or_else(|| option.get_help()).map(ToString::to_string).unwrap_or_default();
    // A word like `<run>` would be read as HTML.
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ").replace('<', "\\<");
    let text = format!("`{}{}`{facts}: {help}", name(option), values.unwrap_or_default());
    format!("- {}\n", lines(&text, "  "))
}

/// Wraps text to the page's width and indents every line after the first.
fn lines(text: &str, indent: &str) -> String {
    wrap(text, WIDTH - indent.len()).join(&format!("\n{indent}"))
}
