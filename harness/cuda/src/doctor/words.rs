//! The doctor's messages: this crate's `en.ftl` and `zh.ftl`, and the common messages.

use std::sync::LazyLock;

use messages::Messages;

pub(super) static WORDS: LazyLock<Messages> =
    LazyLock::new(|| Messages::with([include_str!("../../en.ftl"), include_str!("../../zh.ftl")]));

/// A message from this crate or a common message, like [`messages::message!`].
macro_rules! message {
    ($($message:tt)+) => {
        messages::message!(in crate::doctor::words::WORDS, $($message)+)
    };
}
