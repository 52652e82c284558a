//! Options that hold many rarely used values, as `--tune KEY=VALUE`: a table has the name, the range and the help of each
//! key.

use std::fmt::Write;
use std::ops::RangeInclusive;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Error};
use steps::suggest::hint;

/// The column of a key's description in the help.
const ABOUT: usize = 22;

/// A key of an option that holds values of this type.
#[derive(Debug)]
pub(super) struct Key<T: 'static> {
    pub name: &'static str,
    /// The commands that read the key, one bit each.
    pub of: u8,
    /// The environment variable that is read if the key is not given.
    pub variable: Option<&'static str>,
    pub help: &'static str,
    pub kind: Kind<T>,
}

/// The values that a key accepts, and the function that sets one.
#[derive(Debug)]
pub(super) enum Kind<T: 'static> {
    /// A number in a range, with its unit.
    Number(&'static str, RangeInclusive<u64>, fn(&mut T, u64)),
    /// `yes` or `no`.
    Switch(fn(&mut T, bool)),
    /// A text with this name in the help.
    Text(&'static str, fn(&mut T, &str) -> Result<(), String>),
}

impl<T> Key<T> {
    /// Sets the value, or says which values are accepted.
    fn set(&self, values: &mut T, text: &str) -> Result<(), String> {
        match &self.kind {
            Kind::Number(_, range, set) => match text.parse() {
                Ok(number) if range.contains(&number) => set(values, number),
                _ => return Err(format!("{} is {} to {}, not `{text}`", self.name, range.start(), range.end())),
            },
            Kind::Switch(set) => match text {
                "yes" | "true" | "1" => set(values, true),
                "no" | "false" | "0" => set(values, false),
                _ => return Err(format!("{} is yes or no, not `{text}`", self.name)),
            },
            Kind::Text(_, set) => return set(values, text).map_err(|reason| format!("{}: {reason}", self.name)),
        }
        Ok(())
    }

    /// The key's line in the help.
    fn line(&self) -> String {
        let (value, range) = match &self.kind {
            Kind::Number(unit, range, _) if *range.end() == u64::MAX => (*unit, String::new()),
            Kind::Number(unit, range, _) => (*unit, format!(" ({}..{})", range.start(), range.end())),
            Kind::Switch(_) => ("yes|no", String::new()),
            Kind::Text(value, _) => (*value, String::new()),
        };
        let variable = self.variable.map(|name| format!("; {name}")).unwrap_or_default();
        format!("{:<ABOUT$}{}{range}{variable}", format!("{}={value}", self.name), self.help)
    }
}

/// The option `--NAME KEY=VALUE` with these keys.
pub(super) fn option<T: Default + 'static>(
    name: &'static str,
    heading: &'static str,
    about: &str,
    keys: Vec<&'static Key<T>>,
) -> Arg {
    let mut long = format!("{about}, repeated or with commas between them:\n");
    keys.iter().for_each(|key| _ = writeln!(long, "{}", key.line()));
    Arg::new(name)
        .long(name)
        .value_name("KEY=VALUE")
        .action(ArgAction::Append)
        .value_delimiter(',')
        .help_heading(heading)
        .help(format!("{about}; --help-all lists the keys"))
        .long_help(long.trim_end().to_owned())
        .value_parser(move |text: &str| set(&keys, &mut T::default(), text).map(|()| text.to_owned()))
}

/// Sets the keys that the environment or the command line gives.
pub(super) fn read<T>(name: &str, keys: &[&'static Key<T>], values: &mut T, given: &ArgMatches) -> Result<(), Error> {
    for key in keys {
        let Some((variable, text)) =
            key.variable.and_then(|name| Some((name, std::env::var(name).ok()?)).filter(|(_, text)| !text.is_empty()))
        else {
            continue;
        };
        let mistake = |reason| Error::raw(ErrorKind::ValueValidation, format!("{variable}: {reason}\n"));
        key.set(values, &text).map_err(mistake)?;
    }
    for text in given.get_many::<String>(name).into_iter().flatten() {
        set(keys, values, text).map_err(|reason| Error::raw(ErrorKind::ValueValidation, reason + "\n"))?;
    }
    Ok(())
}

/// Sets the key in `KEY=VALUE`.
fn set<T>(keys: &[&'static Key<T>], values: &mut T, text: &str) -> Result<(), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    match keys.iter().find(|key| key.name == name) {
        Some(key) if text.contains('=') => key.set(values, value),
        Some(key) => Err(format!("write a value: {}", key.line().split_whitespace().next().unwrap_or(name))),
        None => {
            let known: Vec<&str> = keys.iter().map(|key| key.name).collect();
            Err(format!("there is no key `{name}`{}; keys are {}", hint(name, known.iter().copied()), known.join(", ")))
        }
    }
}
