//! The reasons why a selection cannot be debugged.

use thiserror::Error;

use crate::pool::DebuggerError;

/// The reason why a selection cannot be debugged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NotDebugged {
    #[error(transparent)]
    Debugger(#[from] DebuggerError),
    #[error("--debugger takes one rule, but {rules} are selected; give the rule's id and the case of its failure")]
    Several { rules: usize },
    #[error("--debugger: {rule} has no cases; give another rule")]
    NoCases { rule: String },
    #[error(
        "--debugger takes rules with one process, and {rule} has {processes}; `atlas-cts reproducer RUN {rule}` writes \
         its program, and `make debug` there debugs all processes; a running process can be attached to by its id \
         (gdb -p ID), which ends its deadline"
    )]
    Processes { rule: String, processes: usize },
    #[error("--debugger: {rule} starts a process for each case; give one case, as its failure prints it")]
    Cases { rule: String },
}
