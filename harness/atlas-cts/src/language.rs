//! `--lang`: the language of the texts for people.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use messages::{Language, use_language};

use crate::help::HELP;

/// The name of the option.
const LANG: &str = "lang";

/// Gives a command and its subcommands the option `--lang`, on the short help page if `all` is set.
pub fn with_language(command: Command, all: bool) -> Command {
    let lang = Arg::new(LANG)
        .long(LANG)
        .env("ATLAS_CTS_LANG")
        .value_name("LANGUAGE")
        .value_parser(PossibleValuesParser::new(Language::ALL.map(Language::name)))
        .global(true)
        .help("Language of the texts for people, by default the locale's; data for programs is English")
        .help_heading(HELP)
        .hide_short_help(!all)
        .hide_env_values(true)
        .display_order(1_003);
    command.arg(lang)
}

/// Sets the process's language: the one given with `--lang`, otherwise the locale's.
pub fn choose_language(given: &ArgMatches) {
    let named = given.get_one::<String>(LANG).and_then(|name| Language::named(name));
    use_language(named.unwrap_or_else(|| Language::of_locale(|name| std::env::var(name).ok())));
}
