//! The fixed words of reports: `en.ftl` holds the messages, [`message!`] prints one.
//!
//! The syntax is that of [Project Fluent](https://projectfluent.org). Texts that a journal records (verdicts, reasons,
//! events) are not messages: a journal is the same in every language.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

pub use fluent_bundle::FluentValue;

/// Every language with its messages.
const LANGUAGES: [(&str, &str); 1] = [("en", include_str!("../en.ftl"))];

/// The messages of the language in use.
static MESSAGES: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| {
    let (language, messages) = chosen();
    bundle(language, messages).unwrap_or_else(|error| panic!("the messages of `{language}`: {error}"))
});

/// A message of `en.ftl`, by its literal key: a `&'static str` if it has no variables, otherwise a `String`.
///
/// `message!("label-seen")`, `message!("count-rules", count = 3)`.
#[macro_export]
macro_rules! message {
    ($key:literal) => {
        $crate::text($key)
    };
    ($key:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::filled($key, [$((stringify!($name), $crate::FluentValue::from($value))),+])
    };
}

/// The language in use, as HTML names it.
pub fn language() -> &'static str {
    chosen().0
}

/// The language of this process. English is the only one so far.
fn chosen() -> (&'static str, &'static str) {
    LANGUAGES[0]
}

fn bundle(language: &str, messages: &str) -> Result<FluentBundle<FluentResource>, String> {
    let resource = FluentResource::try_new(messages.to_owned()).map_err(|(_, errors)| format!("{errors:?}"))?;
    let language = language.parse().map_err(|error| format!("{error}"))?;
    let mut bundle = FluentBundle::new_concurrent(vec![language]);
    // Marks around each value serve languages that are written in both directions; terminals show them.
    bundle.set_use_isolating(false);
    bundle.add_resource(resource).map_err(|errors| format!("{errors:?}"))?;
    Ok(bundle)
}

/// A message without variables. It is one line of text, so that nothing is allocated. An unknown key is printed itself.
#[doc(hidden)]
pub fn text(key: &'static str) -> &'static str {
    match format(key, None) {
        Some(Cow::Borrowed(text)) => text,
        _ => key,
    }
}

/// A message with its variables. An unknown key is printed itself.
#[doc(hidden)]
pub fn filled<'a, const N: usize>(key: &str, values: [(&'a str, FluentValue<'a>); N]) -> String {
    format(key, Some(&values.into_iter().collect())).map_or_else(|| key.to_owned(), Cow::into_owned)
}

fn format(key: &str, values: Option<&FluentArgs<'_>>) -> Option<Cow<'static, str>> {
    let bundle: &'static FluentBundle<FluentResource> = &MESSAGES;
    let pattern = bundle.get_message(key)?.value()?;
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, values, &mut errors);
    debug_assert!(errors.is_empty(), "{key}: {errors:?}");
    Some(match text {
        Cow::Borrowed(text) => Cow::Borrowed(text),
        Cow::Owned(text) => Cow::Owned(text),
    })
}

#[cfg(test)]
mod tests;
