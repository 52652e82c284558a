//! The command-line grammar, and the first help page.

use std::fmt::Write;

use atlas_cts::help::with_help;
use atlas_cts::language::with_language;
use clap::{Command, CommandFactory};
use record::text::{fold, width, wrap};

use crate::Cli;

/// The groups of commands on the first help page, with the groups for newcomers first.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Start here", &["doctor", "run", "explain"]),
    ("Results of a run", &["report", "reproducer", "diff", "history", "expect", "merge"]),
    ("Rules", &["list", "print", "catalog"]),
    ("Tools", &["simulator", "completions"]),
];

/// The column of a command's description.
const ABOUT: usize = 15;

/// The command with all its subcommands. If `all` is set, the command's help lists every option.
pub(crate) fn grammar(all: bool) -> Command {
    let command = with_language(with_help(Cli::command(), all), all);
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
            let about = about.map(ToString::to_string).unwrap_or_default();
            let about = wrap(&about, width() - ABOUT).join(&format!("\n{:ABOUT$}", ""));
            let _ = writeln!(page, "  {name:<12} {about}");
        }
    }
    page + &fold("COMMAND --help prints the usual options, --help-all every option; --version the version.\n", width())
}
