//! Parses a command line with the site file's options as the defaults of the options.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{BoolishValueParser, Resettable};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use record::SiteSettings;
use steps::suggest::hint;

use super::SiteError;
use super::file::{SiteFile, SiteOption};
use crate::conclude::CommandError;
use crate::hints;

/// The options that name the site file, and ignore it.
const CONFIG: &str = "config";
const NO_CONFIG: &str = "no-config";
/// The heading of the options that name a site file.
const HEADING: &str = "Site file";
/// The command whose options a site file can set. Other commands read those options that they share with it.
const RUN: &str = "run";

/// Adds `--config` and `--no-config` to each command that has an option which a site file can set.
pub fn with_site(command: Command) -> Command {
    let known = settable(&command);
    let command = if takes(&command, &known) { with_options(command) } else { command };
    command.mut_subcommands(|below| if takes(&below, &known) { with_options(below) } else { below })
}

fn with_options(command: Command) -> Command {
    let option = |name, variable| Arg::new(name).long(name).env(variable).help_heading(HEADING).hide_short_help(true);
    let config = option(CONFIG, "ATLAS_CTS_CONFIG").value_name("FILE").value_parser(clap::value_parser!(PathBuf));
    let no_config =
        option(NO_CONFIG, "ATLAS_CTS_NO_CONFIG").action(ArgAction::SetTrue).value_parser(BoolishValueParser::new());
    command
        .arg(config.help("Read the site file FILE, not that of the user or the machine").long_help(
            "Read the site file FILE, not that of the user or the machine.\n\nIt sets options that are neither on the \
             command line nor in the environment. Default: atlas-cts/config.toml in $XDG_CONFIG_HOME or ~/.config, or \
             else /etc/atlas-cts.toml.",
        ))
        .arg(no_config.help("Read no site file"))
}

/// The words that make another command read the same site file, if the command line chooses one.
pub fn passed_on(matches: &ArgMatches) -> Vec<OsString> {
    let given = |id| {
        let known = matches.try_contains_id(id).is_ok();
        known && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    let mut words = Vec::new();
    if let Some(path) = matches.try_get_one::<PathBuf>(CONFIG).ok().flatten().filter(|_| given(CONFIG)) {
        let mut word = OsString::from(format!("--{CONFIG}="));
        word.push(std::path::absolute(path).unwrap_or_else(|_| path.clone()));
        words.push(word);
    }
    words.extend(given(NO_CONFIG).then(|| OsString::from(format!("--{NO_CONFIG}"))));
    words
}

/// The long names of the options on the command line itself, without those from the environment and a site file.
pub fn on_command_line(command: &Command, given: &ArgMatches) -> BTreeSet<String> {
    let (command, given) = match given.subcommand() {
        Some((name, own)) => (command.find_subcommand(name).unwrap_or(command), own),
        None => (command, given),
    };
    let there = |option: &&Arg| {
        let id = option.get_id().as_str();
        given.try_contains_id(id).is_ok() && given.value_source(id) == Some(ValueSource::CommandLine)
    };
    command.get_arguments().filter(there).filter_map(|option| Some(option.get_long()?.to_owned())).collect()
}

/// Parses a command line. Options that are neither there nor in the environment get the site file's values. Returns the
/// matches, and the options taken from the file, if any. A mistake in the command line ends the process.
///
/// # Errors
/// Fails if the site file cannot be used.
pub fn matches(command: &Command, words: &[OsString]) -> Result<(ArgMatches, Option<SiteSettings>), CommandError> {
    let given = command.clone().try_get_matches_from(words).unwrap_or_else(|error| hints::exit(error, command, words));
    let (name, own) = given.subcommand().map_or((None, &given), |(name, own)| (Some(name.to_owned()), own));
    let chosen = name.as_deref().map_or(Some(command), |name| command.find_subcommand(name));
    let known = settable(command);
    let Some(chosen) = chosen.filter(|chosen| takes(chosen, &known)) else { return Ok((given, None)) };
    let named = own.get_one::<PathBuf>(CONFIG).cloned();
    if own.get_flag(NO_CONFIG) {
        return Ok((given, None));
    }
    let Some(file) = SiteFile::find(named.as_deref()).map_err(CommandError::Site)? else { return Ok((given, None)) };
    let mut defaults: BTreeMap<String, &SiteOption> = BTreeMap::new();
    for option in &file.options {
        let reference = known.get(&option.name).ok_or_else(|| CommandError::Site(unknown(option, command, &known)))?;
        check(option, reference).map_err(CommandError::Site)?;
        let shared = chosen.get_arguments().find(|own| is_same(own, reference));
        defaults.extend(shared.map(|own| (own.get_id().to_string(), option)));
    }
    let with_defaults = |command: Command| {
        defaults.iter().fold(command, |command, (id, option)| {
            // The defaults live as long as the command line, that is, as long as the process.
            let values: Vec<&'static str> = option.values.iter().map(|value| &*value.clone().leak()).collect();
            command.mut_arg(id, |own| own.default_values(values))
        })
    };
    let command = match &name {
        None => with_defaults(command.clone()),
        Some(name) => command.clone().mut_subcommand(name, with_defaults),
    };
    let given = command.clone().try_get_matches_from(words).unwrap_or_else(|error| hints::exit(error, &command, words));
    let own = given.subcommand().map_or(&given, |(_, own)| own);
    let from_file = |id: &&String| own.value_source(id.as_str()) == Some(ValueSource::DefaultValue);
    let options: Vec<String> = defaults.keys().filter(from_file).map(|id| defaults[id].name.clone()).collect();
    let used = SiteSettings { path: file.path.display().to_string(), options };
    let used = Some(used).filter(|used| !used.options.is_empty());
    if let Some(used) = used.as_ref().filter(|_| name.as_deref().is_some_and(|name| name != RUN)) {
        // A run says it in its first lines. The output of other commands may be for programs.
        eprintln!("{}", ledger::report::clean(&used.line()));
    }
    Ok((given, used))
}

/// The options of a run that a site file can set, by name: those that the environment can set.
fn settable(command: &Command) -> BTreeMap<String, Arg> {
    let run = command.find_subcommand(RUN).unwrap_or(command);
    let options = run.get_arguments().filter(|option| option.get_env().is_some());
    let others = options.filter(|option| ![CONFIG, NO_CONFIG, "lang"].contains(&option.get_id().as_str()));
    others.filter_map(|option| Some((option.get_long()?.to_owned(), option.clone()))).collect()
}

fn is_same(own: &Arg, reference: &Arg) -> bool {
    own.get_long() == reference.get_long() && own.get_env() == reference.get_env()
}

fn takes(command: &Command, known: &BTreeMap<String, Arg>) -> bool {
    let reference = |own: &Arg| own.get_long().and_then(|long| known.get(long));
    command.get_arguments().any(|own| reference(own).is_some_and(|reference| is_same(own, reference)))
}

/// The error for an option that a site file cannot set.
fn unknown(option: &SiteOption, command: &Command, known: &BTreeMap<String, Arg>) -> SiteError {
    let run = command.find_subcommand(RUN).unwrap_or(command);
    let name = &option.name;
    let message = match run.get_arguments().any(|own| own.get_long() == Some(name)) {
        true => format!("`{name}` belongs to one command line; a file sets only options with an environment variable"),
        false => {
            let hint = hint(name, known.keys().map(String::as_str));
            format!("unknown option `{name}`{hint}; `atlas-cts run --help-all` lists the options with a variable")
        }
    };
    SiteError::Mistake { place: option.places.0.clone(), message }
}

/// Checks the values of an option as if they were given on a command line.
fn check(option: &SiteOption, reference: &Arg) -> Result<(), SiteError> {
    let mistake = |message: String| SiteError::Mistake { place: option.places.1.clone(), message };
    let name = &option.name;
    if option.values.len() != 1 && !matches!(reference.get_action(), ArgAction::Append) {
        return Err(mistake(format!("`{name}` has one value; write it without brackets")));
    }
    if reference.get_value_parser().type_id() == TypeId::of::<PathBuf>()
        && let Some(relative) = option.values.iter().find(|value| !Path::new(value).is_absolute())
    {
        return Err(mistake(format!("`{relative}` depends on the current folder; write an absolute path")));
    }
    let alone = reference
        .clone()
        .env(None)
        .requires(Resettable::Reset)
        .conflicts_with(Resettable::Reset)
        .default_value(None)
        .default_missing_value(None)
        .require_equals(true)
        .num_args(1);
    let alone = match reference.get_action() {
        ArgAction::Append => alone,
        _ => alone.action(ArgAction::Set),
    };
    let words = option.values.iter().map(|value| format!("--{name}={value}"));
    let parsed = Command::new(RUN).no_binary_name(true).disable_help_flag(true).arg(alone).try_get_matches_from(words);
    parsed.map(drop).map_err(|error| {
        let text = error.to_string();
        let lines = text.lines().take_while(|line| !line.is_empty()).map(str::trim);
        mistake(lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned())
    })
}
