//! The engine of Atlas CTS, which executes rules. Data flows in one direction:
//!
//! ```text
//! catalog (YAML → checked rules → which apply) → cases (axes → cases) → case (runs them) → pool ⇄ worker (executes
//!    programs) → confirm (is a failure one?) → run → record (journal) → ledger (reports)
//! ```
//!
//! The engine does not name any runtime. A runtime is described in `specs/<runtime>/` and in its vendor's crate,
//! which adds an entry to the executable's registry ([`runtime`]).
// Lets the compiler find dead code: only items that other crates use are public.
#![warn(unreachable_pub)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests write and run what they like"))]

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
pub mod soak;
mod stack;
pub mod wire;
pub mod worker;
