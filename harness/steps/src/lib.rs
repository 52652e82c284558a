//! The step language. Text becomes tokens, then a syntax tree, then a typed program.
//!
//! [`check`] is the entry point: it turns one rule's texts into a [`Program`] or a list of [`Problem`]s. The language
//! is described in `docs/catalog/language.md`, its grammar in `GRAMMAR.md`.
// Items that no other crate uses are not public, so that the compiler finds dead code.
#![warn(unreachable_pub)]

pub mod arithmetic;
pub mod bounds;
pub mod branches;
pub mod builtins;
mod calls;
mod check;
mod check_axes;
mod check_begin;
mod check_call;
mod check_descriptor;
mod check_expression;
mod check_flow;
mod check_place;
mod check_sequence;
mod check_statement;
mod check_together;
mod count;
pub mod domain;
pub mod evaluate;
pub mod given;
pub mod ids;
pub mod judgment;
pub mod limits;
pub mod parse;
mod parse_actors;
mod parse_expression;
mod parse_given;
mod parse_sequence;
mod parse_statement;
mod parse_word;
pub mod pattern;
pub mod print;
mod problem;
pub mod program;
pub mod results;
pub mod sequence;
pub mod suggest;
pub mod syntax;
mod token;
pub mod types;
pub mod vocabulary;
pub mod walk;
pub mod word;

pub use check::{Environment, RuleText, check, syntax_of, syntax_of_expression};
pub use count::count;
pub use ids::{ActorId, AxisId, Id, StatementId, VariableId};
pub use parse_actors::parse_release;
pub use problem::{ParseError, Problem, RulePart, Span};
pub use program::Program;
pub use vocabulary::Vocabulary;
