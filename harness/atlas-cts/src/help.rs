//! The help of commands: `--help` fits on a screen, `--help-all` has every option.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

/// The width of a help page, in columns; a narrower terminal wraps earlier.
const WIDTH: usize = 100;

/// The heading of the options that every command has.
const HELP: &str = "Help";

/// A command, and all commands below it, with `--help` for the usual options and `--help-all` for every option. Only with
/// `all`, which a caller gives for `--help-all`, the pages name environment variables and defaults.
pub fn with_help(command: Command, all: bool) -> Command {
    let flag = |name, action, text| Arg::new(name).long(name).action(action).help(text).help_heading(HELP);
    command
        .max_term_width(WIDTH)
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .mut_args(|argument| {
            let hides_values = !all && argument.get_action().takes_values();
            argument.hide_env(!all).hide_default_value(hides_values).hide_possible_values(hides_values)
        })
        .disable_version_flag(true)
        .arg(
            flag("version", ArgAction::Version, "Print the version")
                .short('V')
                .hide_short_help(true)
                .display_order(1_002),
        )
        .arg(flag("help", ArgAction::HelpShort, "Print the usual options").short('h').display_order(1_000))
        .arg(flag("help-all", ArgAction::HelpLong, "Print every option").display_order(1_001))
        .mut_subcommands(|below| with_help(below, all))
}

/// True if the words of a command line ask for the help of every option.
pub fn wants_all(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--help-all")
}
