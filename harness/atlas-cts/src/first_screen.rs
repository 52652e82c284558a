//! The command-line grammar, and the first help page.

use std::fmt::Write;

use atlas_cts::help::with_help;
use atlas_cts::language::with_language;
use clap::{Command, CommandFactory};

use crate::Cli;

/// The groups of commands on the first help page, with the groups for newcomers first.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Start here", &["doctor", "run", "explain", "soak", "burst"]),
    (
        "Results of a run",
        &["report", "diagnose", "reproducer", "diff", "history", "expect", "bisect", "merge", "certify", "verify"],
    ),
    ("The catalog", &["list", "new", "lint", "prove", "print", "clauses", "coverage", "mustpass"]),
    ("Tools", &["abi", "simulator", "schema", "completions", "man"]),
];

/// The command with all its subcommands. If `all` is set, the command's help lists every option.
pub(crate) fn grammar(all: bool) -> Command {
    let command = with_language(with_help(Cli::command(), all));
    let page = page(&command);
    command.override_help(page)
}

/// The first help page: the commands by group, one line each.
fn page(command: &Command) -> String {
    let mut page = format!(
        "{}\nUsage: atlas-cts COMMAND [OPTIONS]\n",
        command.get_about().map(ToString::to_string).unwrap_or_default()
    );
    for (group, names) in GROUPS {
        let _ = write!(page, "\n{group}\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let _ = writeln!(page, "  {name:<12} {}", about.map(ToString::to_string).unwrap_or_default());
        }
    }
    page + "COMMAND --help prints the usual options, --help-all every option; --version the version.\n"
}
