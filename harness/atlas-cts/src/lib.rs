//! The command of Atlas CTS, and the registry of the runtimes that it tests.
//!
//! `cargo test -- …` and `atlas-cts run …` are two front ends for the same run (`engine::run::run`). This crate has the
//! code that both front ends use.

mod annotate;
pub mod choice;
mod conclude;
pub mod doctor;
pub mod draft;
pub mod help;
pub mod hints;
pub mod interface;
pub mod language;
mod output;
pub mod reproducer;
pub mod run;
pub mod runtimes;

pub use annotate::annotate;
pub(crate) use annotate::annotate_aside;
pub use conclude::{CommandError, conclude, expect_stack};
pub(crate) use output::say_aside;
pub use output::{choose_width, layout, say, say_file, say_json, say_line, say_painted};
