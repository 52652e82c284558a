//! A run: what is tested, which rules, in which folder; and everything around the rules from the command line to the
//! exit status. [`run`] is the entry.

mod answers;
mod attempt;
mod breaker;
mod campaign;
mod devices;
mod differences;
mod evidence;
mod exit;
mod expectation_options;
mod folder;
mod known;
mod library;
mod log_files;
mod merge;
mod observer;
mod options;
mod owners;
mod places;
mod redacted;
mod registry;
mod replay;
mod result;
mod resume;
mod selection;
mod selection_options;
mod shard;
mod support_rule;
mod target;

pub use campaign::Campaign;
pub use exit::{ExitStatus, RunError};
pub use expectation_options::{ExpectationOptions, FailOn};
pub use folder::{FolderError, RunFolder};
pub use library::{Backend, LibraryError, check_library_file};
pub use merge::{MergeError, MergeOptions, merge};
pub use observer::{Observer, Work, load_rules, rewrite_reports, run};
pub use options::{Options, Profile};
pub use owners::of_owner;
pub use places::{run_folder, runs_folder};
pub use registry::{RegistryError, choose_runtime};
pub use result::verdict;
pub use selection::{Filter, NothingSelected, Planned, plan};
pub use selection_options::{SelectionError, SelectionOptions};
pub use shard::{Distribution, Shard};
pub use target::{SimulatedTarget, Target, TargetError};
