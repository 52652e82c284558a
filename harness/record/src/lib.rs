//! A run's results as data: the lines of the journal, from which all reports are made.
//!
//! - [`Line`]: a line of the journal; most lines hold a [`RunHeader`], a [`RuleResult`] or a [`RunEnd`].
//! - [`SelectedRule`]: what the header says of a rule, once, so that readers need no catalog.
//! - [`Verdict`], [`Meaning`]: a rule's verdict and its meaning for the run; [`exit_code`] combines the verdicts.
//! - [`Failure`], [`Confirmation`], [`Symptom`]: a failing case, the results of rerunning it, and its symptom.
//! - [`Difference`]: the bytes that a failed check compared; [`Boundary`]: the values at which a case begins to fail.
//! - [`Happened`]: a device or process event.
//! - [`Journal`], [`read_run`]: writing and reading a journal; [`journal_schema`] is its JSON Schema.
//! - [`Repetition`]: what grew while a cycle was repeated.
//! - [`books`]: the interface through which a run uses reports and known failures.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod answers;
pub mod books;
mod boundary;
mod confirmation;
mod coverage;
mod device;
mod difference;
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
mod repetition;
mod result;
mod retry;
mod rounds;
mod schema;
mod selected;
mod settings;
mod shard;
mod stack;
mod starts;
mod symptom;
pub mod text;
mod verdict;

pub use ::history::{Bar, Picture};
pub use answers::{AnswerCount, Answers, AnswersByQuestion, QuestionAnswers};
pub use boundary::{Boundary, FailingValues, Remainder, Untried};
pub use catalog::{Level, Word, one_space};
pub use confirmation::{Conclusion, Confirmation, Repeats};
pub use coverage::{Coverage, Cut};
pub use device::{OnDevice, on_which, worst};
pub use difference::{Content, Difference, Shape};
pub use end::{RunEnd, counts, exit_code};
pub use expected::{AppliedExpectations, EntryReference, ExpectationFiles, Sort, SortedResult};
pub use failure::{Failure, Steps};
pub use fingerprint::{DeviceIdentity, Fingerprint, Installed};
pub use header::{DeviceOut, RunHeader, Subject};
pub use host::{Host, LeftOut, TrialAnswer};
pub use incident::{Happened, Incident, Leaked, device_name};
pub use journal::{Journal, JournalError, Recorded, read_journal, read_run};
pub use library::{FurtherLibrary, LibraryIdentity, LibraryVersion, MappedLibrary};
pub use line::{Line, RuleBegin, RunResume, RunStop};
pub use logs::{LogFile, RuleLogs};
pub use memory_limit::MemoryLimit;
pub use repetition::{Growth, GrowthAlone, Levels, PerCycle, Quantity, Repetition};
pub use result::{RanIn, RuleResult};
pub use retry::{Retry, RetryCause};
pub use rounds::Rounds;
pub use schema::journal_schema;
pub use selected::{HeaderTexts, SelectedClause, SelectedRule, SelectedSteps};
pub use settings::{LONGEST_DEADLINE, RunSettings};
pub use shard::{MOST_SHARDS, MergedRun, RecordedShard};
pub use stack::{Stack, StackThread};
pub use starts::{StartReason, Starts, sum_of};
pub use symptom::{Code, Symptom, answered, write_symptom};
pub use verdict::{Meaning, Verdict};
