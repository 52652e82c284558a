//! The wording of reports and of the doctor, in message files; [`message!`] formats a message.
//!
//! The messages in this crate name no runtime. Another crate may have its own message files, which have the same names
//! as here, `en.ftl` and `zh.ftl` ([`Messages`]).
//!
//! The syntax is that of [Project Fluent](https://projectfluent.org). Text recorded in a journal (verdicts, reasons,
//! events) is not a message, because journals are the same in every language. [`in_language`] makes text for programs
//! from messages.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod language;

use std::borrow::Cow;
use std::fmt;
use std::sync::{LazyLock, OnceLock};

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

pub use fluent_bundle::FluentValue;
pub use language::{Language, bracketed, comma, in_language, language, use_language};

/// The text of a message file in each language, in the order of [`Language::ALL`].
pub type Translations = [&'static str; Language::ALL.len()];

const COMMON: Translations = [
    concat!(include_str!("../en.ftl"), include_str!("../en/doctor.ftl"), include_str!("../en/pages.ftl")),
    concat!(include_str!("../zh.ftl"), include_str!("../zh/doctor.ftl")),
];

/// The messages available to every crate.
pub static MESSAGES: LazyLock<Messages> = LazyLock::new(|| Messages::of([COMMON].into()));

/// A message from [`MESSAGES`], by its literal key: a `&'static str` if the message has no variables, otherwise a
/// `String`.
///
/// For example, `message!("label-seen")` or `message!("count-rules", count = 3)`. `message!(in MINE, "key")` takes the
/// message from the [`Messages`] named `MINE`.
#[macro_export]
macro_rules! message {
    (in $messages:expr, $key:literal) => {
        $messages.text($key)
    };
    (in $messages:expr, $key:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $messages.filled($key, [$((stringify!($name), $crate::FluentValue::from($value))),+])
    };
    ($key:literal $($values:tt)*) => {
        $crate::message!(in $crate::MESSAGES, $key $($values)*)
    };
}

/// Messages in every language; the language in use selects the text.
pub struct Messages {
    parts: Vec<Translations>,
    /// The messages of each language that was used.
    bundles: [OnceLock<Bundle>; Language::ALL.len()],
}

type Bundle = FluentBundle<FluentResource>;

impl Messages {
    /// The messages that every crate may use, together with one crate's own messages. The crate's keys must differ from
    /// the common keys.
    pub fn with(own: Translations) -> Messages {
        Messages::of([COMMON, own].into())
    }

    fn of(parts: Vec<Translations>) -> Messages {
        Messages { parts, bundles: Default::default() }
    }

    /// The messages in a language.
    ///
    /// # Panics
    /// Panics if a message file has a mistake.
    fn bundle(&self, language: Language) -> &Bundle {
        self.bundles[language as usize].get_or_init(|| {
            let texts = self.parts.iter().map(|part| part[language as usize]);
            read(language, texts).unwrap_or_else(|error| panic!("the messages of `{}`: {error}", language.name()))
        })
    }

    /// A message without variables, which must be one line of text so that nothing is allocated. An unknown key is
    /// returned unchanged.
    #[doc(hidden)]
    pub fn text(&'static self, key: &'static str) -> &'static str {
        match self.format(key, None) {
            Some(Cow::Borrowed(text)) => text,
            _ => key,
        }
    }

    /// A message with its variables filled in. An unknown key is returned unchanged.
    #[doc(hidden)]
    pub fn filled<'a, const N: usize>(&self, key: &str, values: [(&'a str, FluentValue<'a>); N]) -> String {
        self.format(key, Some(&values.into_iter().collect())).map_or_else(|| key.to_owned(), Cow::into_owned)
    }

    fn format(&self, key: &str, values: Option<&FluentArgs<'_>>) -> Option<Cow<'_, str>> {
        // Messages that a language lacks are English: pages, comparisons, histories.
        let bundles = [language(), Language::English].map(|language| self.bundle(language));
        let bundle = bundles.into_iter().find(|bundle| bundle.has_message(key))?;
        let pattern = bundle.get_message(key)?.value()?;
        let mut errors = Vec::new();
        let text = bundle.format_pattern(pattern, values, &mut errors);
        debug_assert!(errors.is_empty(), "{key}: {errors:?}");
        Some(match text {
            Cow::Borrowed(text) => Cow::Borrowed(text),
            Cow::Owned(text) => Cow::Owned(text),
        })
    }
}

fn read<'a>(language: Language, texts: impl IntoIterator<Item = &'a str>) -> Result<Bundle, String> {
    let tag = language.name().parse().map_err(|error| format!("{error}"))?;
    let mut bundle = FluentBundle::new_concurrent(vec![tag]);
    // Isolation marks around values would be visible in terminals; only bidirectional text needs them.
    bundle.set_use_isolating(false);
    for text in texts {
        let resource = FluentResource::try_new(text.to_owned()).map_err(|(_, errors)| format!("{errors:?}"))?;
        bundle.add_resource(resource).map_err(|errors| format!("{errors:?}"))?;
    }
    Ok(bundle)
}

impl fmt::Debug for Messages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Messages").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
