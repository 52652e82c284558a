//! The language in use: one for the whole process, and for a while another one on a thread.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A language of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    English,
    /// Simplified Chinese.
    Chinese,
}

/// The index of the process's language in [`Language::ALL`].
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The language of this thread, if it differs from the process's language.
    static SCOPED: Cell<Option<Language>> = const { Cell::new(None) };
}

impl Language {
    /// The available languages. The first one is the language of journals and of everything that programs read.
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// The name on the command line and of the message files.
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh",
        }
    }

    /// The language with this name.
    pub fn named(name: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.name() == name)
    }

    /// The language of the locale, from the first variable that is set to a nonempty value: `LC_ALL`, `LC_MESSAGES`,
    /// `LANG` (POSIX). English if the suite does not have the locale's language.
    pub fn of_locale(variable: impl Fn(&str) -> Option<String>) -> Language {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
        let locale = names.into_iter().filter_map(variable).find(|value| !value.is_empty()).unwrap_or_default();
        let language = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
        Language::named(&language.to_ascii_lowercase()).unwrap_or(Language::English)
    }
}

/// The language in use on this thread.
pub fn language() -> Language {
    SCOPED.get().unwrap_or_else(|| Language::ALL[CHOSEN.load(Ordering::Relaxed)])
}

/// Sets the process's language.
pub fn use_language(language: Language) {
    CHOSEN.store(language as usize, Ordering::Relaxed);
}

/// The separator of a list's items.
pub fn comma() -> &'static str {
    match language() {
        Language::English => ", ",
        Language::Chinese => "，",
    }
}

/// Text in brackets, to be put after other text.
pub fn bracketed(text: &str) -> String {
    match language() {
        Language::English => format!(" ({text})"),
        Language::Chinese => format!("（{text}）"),
    }
}

/// Runs a function with another language on this thread.
pub fn in_language<T>(language: Language, function: impl FnOnce() -> T) -> T {
    /// Restores the language, also after a panic.
    struct Restore(Option<Language>);
    impl Drop for Restore {
        fn drop(&mut self) {
            SCOPED.set(self.0);
        }
    }
    let _restore = Restore(SCOPED.replace(Some(language)));
    function()
}
