//! Atlas CTS: the engine. Data flows one way:
//!
//! ```text
//! catalog (YAML → checked rules → which apply) → case (axes → cases) → workers ⇄ worker (executes programs)
//!    → confirm (is a failure one?) → run → record (journal) → report
//! ```
//!
//! The engine knows no runtime by name: what a runtime is stands in `specs/<runtime>/`, in generated tables of the crate
//! `abi`, and in an entry of the executable's registry ([`runtime`]).
// So the compiler finds what is dead: what nobody outside reaches is not public.
#![warn(unreachable_pub)]

pub mod bisect;
pub mod case;
pub mod catalog;
pub mod compare;
mod confirm;
pub mod conformance;
pub mod coverage;
pub mod digest;
pub mod doctor;
pub mod expectations;
pub mod files;
pub mod history;
pub mod interface;
mod leftovers;
pub mod lint;
pub mod logs;
pub mod must_pass;
pub mod print_c;
pub mod prove;
pub mod record;
pub mod report;
pub mod run;
pub mod runtime;
pub mod version;
pub mod wire;
pub mod worker;
mod workers;
