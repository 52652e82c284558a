//! Atlas CTS: the engine. Data flows one way:
//!
//! ```text
//! catalog (YAML → sources) → lang (steps → program) → rules (the checked catalog) → select (what applies)
//!    → generate (axes → cases) → run (supervisor) ⇄ worker (executes programs) → record (journal) → report
//! ```
//!
//! The engine knows no runtime by name: what a runtime is stands in `specs/<runtime>/` and in generated bindings.

pub mod bindings;
pub mod catalog;
pub mod command;
pub mod defects;
pub mod generate;
pub mod lang;
pub mod prove;
pub mod record;
pub mod report;
pub mod rules;
pub mod run;
pub mod select;
pub mod worker;
