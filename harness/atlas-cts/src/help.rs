//! The help pages of commands: `--help` fits on a screen, and `--help-all` lists every option with a few lines.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};
use record::text::width;

/// The heading of the options that every command has.
pub(crate) const HELP: &str = "Help";

/// Gives a command and its subcommands `--help` for the usual options and `--help-all` for every option. For
/// `--help-all`, `all` is set, and the pages also show environment variables and defaults. Every command has `--version`.
pub fn with_help(command: Command, all: bool) -> Command {
    let flag = |name, action, text| Arg::new(name).long(name).action(action).help(text).help_heading(HELP);
    command
        .version(env!("CARGO_PKG_VERSION"))
        .term_width(width())
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .mut_args(|argument| {
            let hides_values = !all && argument.get_action().takes_values();
            let argument = argument.hide_env(!all).hide_default_value(hides_values).hide_possible_values(hides_values);
            if all { in_full(argument) } else { argument }
        })
        .disable_version_flag(true)
        .arg(
            flag("version", ArgAction::Version, "Print the version")
                .short('V')
                .hide_short_help(!all)
                .display_order(1_002),
        )
        .arg(flag("help", ArgAction::HelpShort, "Print the usual options").short('h').display_order(1_000))
        .arg(flag("help-all", ArgAction::HelpShort, "Print every option").display_order(1_001))
        .mut_subcommands(|below| with_help(below, all))
}

/// The argument with its whole help in one paragraph next to its name: pages of a line or two for an option are
/// shorter than those that clap writes for long help.
fn in_full(argument: Arg) -> Arg {
    let whole = argument.get_long_help().or_else(|| argument.get_help()).map(ToString::to_string).unwrap_or_default();
    argument.help(whole.replace("\n\n", " ")).long_help(None).hide_short_help(false).hide_env_values(true)
}

/// True if a command line has `--help-all`.
pub fn wants_all(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--help-all")
}
