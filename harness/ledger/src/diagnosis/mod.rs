//! The diagnosis of a red run: the seeded defects of the simulated device that explain it best, according to the
//! product's fault dictionary.
//!
//! [`Evidence`] is what the run shows; [`Model`] gives the probability of that with one or more defects; [`diagnose`]
//! searches the set of defects that explains the run, decides whether it does, and proposes rules that would tell the
//! candidates apart. [`excluded`] is the reverse: how surely the rules that passed exclude each defect.

mod evidence;
mod exclusion;
mod model;
mod search;
mod suggest;
mod text;

pub use evidence::{Evidence, Outcome};
pub use exclusion::{excluded, exclusion_text};
pub use model::Model;
pub use search::{Candidate, Diagnosis, Mechanism, diagnose};
pub use suggest::Suggestion;
pub use text::text;
