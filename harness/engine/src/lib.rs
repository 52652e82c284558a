//! Atlas CTS: the engine, which executes. Data flows one way:
//!
//! ```text
//! catalog (YAML → checked rules → which apply) → cases (axes → cases) → case (runs them) → pool ⇄ worker (executes
//!    programs) → confirm (is a failure one?) → run → record (journal) → ledger (reports)
//! ```
//!
//! The engine knows no runtime by name: what a runtime is stands in `specs/<runtime>/` and in its vendor's crate, which
//! gives the executable's registry an entry ([`runtime`]).
// So the compiler finds what is dead: what nobody outside reaches is not public.
#![warn(unreachable_pub)]

pub mod case;
mod confirm;
pub mod doctor;
pub mod interface;
mod leftovers;
pub mod logs;
mod pool;
pub mod print_c;
pub mod prove;
pub mod questions;
pub mod run;
pub mod runtime;
pub mod wire;
pub mod worker;
