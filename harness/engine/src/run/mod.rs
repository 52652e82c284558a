//! A run: its target, its selected rules, its output folder, and all other steps from the command line to the exit
//! status. [`run`] is the entry point.

mod answers;
mod attempt;
mod breaker;
mod campaign;
mod debugged;
mod devices;
mod differences;
mod empty_result;
mod errors;
mod estimate;
mod everywhere;
mod evidence;
mod expectation_options;
mod folder;
pub mod headings;
mod keys;
mod known;
mod library;
mod listener;
mod locked;
mod log_files;
mod lost_memory;
mod merge;
mod news;
mod not_debugged;
mod observer;
mod options;
mod outcome;
mod owners;
mod patience;
mod places;
mod predecessors;
mod profile;
mod programs;
mod redacted;
mod registry;
mod repetition;
mod replay;
mod result;
mod resume;
mod rounds;
mod selected;
mod selection;
mod selection_options;
mod shard;
mod simulated_capabilities;
mod status;
mod support_rule;
mod tally;
mod target;
mod through;
mod tuning;

pub use campaign::Campaign;
pub use errors::{FolderError, MergeError, NothingSelected, RegistryError, RunError, SelectionError};
pub use estimate::Estimate;
pub use expectation_options::{ExpectationOptions, FailOn};
pub use folder::RunFolder;
pub use library::{Backend, LibraryError, check_first_library, check_library_file, installed_library};
pub use listener::{Listener, RunningRule, ToStandardError};
pub use merge::{MergeOptions, merge};
pub use not_debugged::NotDebugged;
pub use observer::{Agenda, Observer, load_rules, rewrite_reports, run};
pub use options::{
    CatalogOptions, ConditionOptions, EffortOptions, MachineOptions, Options, RunOptions, WorkerOptions,
};
pub use owners::of_owner;
pub use places::{read_named, run_folder, runs_folder};
pub use profile::Profile;
pub use programs::program_environment;
pub use redacted::redact;
pub use registry::choose_runtime;
pub use result::verdict;
pub use selection::{FailedRules, Filter, Planned, plan};
pub use selection_options::SelectionOptions;
pub use shard::{BalancedShard, Distribution, Shard};
pub use simulated_capabilities::simulated_capabilities;
pub use status::{ExitStatus, is_missing};
pub use target::{SimulatedTarget, Target, TargetError};
pub use through::{ThroughError, interpreter as python_interpreter, python as python_command, set_up as set_up_python};

pub use tuning::{DOCTOR, Given, MachineVariables, PRINT, PROVE, RUN, SimulatorOptions, Tuning, Waiting};

pub use crate::pool::interrupt;
