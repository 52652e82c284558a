//! The grammar of the whole command, and the first page of its help.

use std::fmt::Write;

use atlas_cts::help::with_help;
use clap::{Command, CommandFactory};

use crate::Cli;

/// The commands in the groups of the first page, those for a newcomer first.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Start here", &["doctor", "run", "explain"]),
    ("Results of a run", &["report", "reproducer", "diff", "history", "expect", "bisect", "merge"]),
    ("The catalog", &["list", "new", "lint", "prove", "print", "clauses", "coverage"]),
    ("Evidence", &["certify", "verify", "mustpass"]),
    ("Tools", &["abi", "simulator", "schema", "completions", "man"]),
];

/// The command with all of its subcommands; `all`: with the help of every option.
pub(crate) fn grammar(all: bool) -> Command {
    let command = with_help(Cli::command(), all);
    let page = page(&command);
    command.override_help(page)
}

/// The commands by group, each with one line.
fn page(command: &Command) -> String {
    let mut page = format!(
        "{}\n\nUsage: atlas-cts COMMAND [OPTIONS]\n",
        command.get_about().map(ToString::to_string).unwrap_or_default()
    );
    for (group, names) in GROUPS {
        let _ = write!(page, "\n{group}\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let _ = writeln!(page, "  {name:<12} {}", about.map(ToString::to_string).unwrap_or_default());
        }
    }
    page + "\nCOMMAND --help prints the usual options, --help-all every option; --version the version.\n"
}
