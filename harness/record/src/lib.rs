//! The results of a run as data: the journal's lines. Reports are made from these and from nothing else.
//!
//! - [`Line`]: a line of the journal; [`RunHeader`], [`RuleResult`] and [`RunEnd`] are what most of them hold.
//! - [`Verdict`], [`Meaning`]: what happened to a rule, and what that means; [`exit_code`] is the sum of it.
//! - [`Failure`], [`Confirmation`], [`Symptom`]: a failing case, and whether and how it fails again.
//! - [`Happened`]: what happened to devices and processes.
//! - [`Journal`], [`read_run`]: the file that is written while a run goes on, and read again; [`journal_schema`] is its
//!   JSON Schema.
//! - [`books`]: what a run asks of those who keep reports and known failures.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod answers;
pub mod books;
mod confirmation;
mod coverage;
mod device;
mod end;
mod expected;
mod failure;
mod fingerprint;
mod header;
mod host;
mod incident;
mod journal;
mod library;
mod line;
mod logs;
mod memory_limit;
mod part;
mod result;
mod retry;
mod schema;
mod settings;
mod starts;
mod symptom;
pub mod text;
mod verdict;

pub use answers::{Answer, Answers, Asked, Question};
pub use catalog::{Level, Word};
pub use confirmation::{Conclusion, Confirmation, Repeats};
pub use coverage::{Coverage, Cut};
pub use device::{OnDevice, on_which, worst};
pub use end::{RunEnd, counts, exit_code};
pub use expected::{AppliedExpectations, EntryReference, ExpectationFiles, Sort, SortedResult};
pub use failure::Failure;
pub use fingerprint::{DeviceIdentity, Fingerprint, Installed};
pub use header::{DeviceOut, RunHeader, Subject};
pub use host::{CapabilityAnswer, Host, LeftOut};
pub use incident::{Happened, Incident, Leaked, device_name};
pub use journal::{Journal, JournalError, Recorded, read_journal, read_run};
pub use library::{FurtherLibrary, LibraryIdentity, MappedLibrary};
pub use line::{Line, RuleBegin, RunResume, RunStop};
pub use logs::{LogFile, RuleLogs};
pub use memory_limit::MemoryLimit;
pub use part::{MOST_PARTS, MergedRun, Part};
pub use result::RuleResult;
pub use retry::{Retry, RetryCause};
pub use schema::journal_schema;
pub use settings::{LONGEST_DEADLINE, RunSettings};
pub use starts::{StartReason, Starts, sum_of};
pub use symptom::{Code, Symptom, write_symptom};
pub use verdict::{Meaning, Verdict};
