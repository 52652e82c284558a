//! Turns in a case with several processes. Every process walks through all statements, and performs its own
//! statements when it has the turn.
//!
//! The turn passes to another process at that process's statement, with the variables that were bound since the
//! last turn and that other processes read. Processes therefore wait only for the turn, and consecutive statements
//! in the same process cost nothing.

use crate::wire::Turn;
use catalog::digest::unhex;

use super::execution::Execution;
use super::fault::{Fault, Stop};

impl Execution<'_> {
    /// Passes the turn to a process, unless that process already has the turn. Returns true if the current process now
    /// has the turn.
    pub(super) fn take_turn(&mut self, process: usize) -> Result<bool, Stop> {
        let Some(turns) = &self.turns else { return Ok(true) };
        if turns.gone[process] {
            return Err(Fault::Gone.into());
        }
        if turns.holder != process || turns.passed {
            if !turns.gone[turns.holder] && !turns.passed {
                self.exchange(Turn::default())?;
            }
            if let Some(turns) = &mut self.turns {
                (turns.holder, turns.passed) = (process, false);
            }
        }
        Ok(self.turns.as_ref().is_none_or(|turns| turns.holder == turns.me))
    }

    /// Makes the variables the same in all processes.
    pub(super) fn synchronize(&mut self) -> Result<(), Stop> {
        match &self.turns {
            Some(turns) if !turns.gone[turns.holder] && !turns.passed => self.exchange(Turn::default()),
            _ => Ok(()),
        }
    }

    /// The process that has the turn sends, and the other processes receive.
    pub(super) fn exchange(&mut self, mut turn: Turn) -> Result<(), Stop> {
        let Some(mut turns) = self.turns.take() else { return Ok(()) };
        let result = if turns.holder == turns.me {
            turns.changed.sort_unstable();
            turns.changed.dedup();
            turn.values = turns
                .changed
                .drain(..)
                .map(|variable| (variable, catalog::digest::hex(&self.variable_bytes(variable))))
                .collect();
            turn.calls = std::mem::take(&mut self.unsent);
            turns.link.send(&turn).map_err(Stop::from)
        } else {
            turns.link.receive().map_err(Stop::from).and_then(|turn| {
                for (variable, bytes) in &turn.values {
                    let bytes = unhex(bytes).ok_or(Fault::BrokenVariable)?;
                    self.set_variable_bytes(*variable, &bytes)?;
                }
                self.seen.extend(turn.calls);
                if turn.failed { Err(Stop::Elsewhere) } else { Ok(()) }
            })
        };
        self.turns = Some(turns);
        result
    }

    /// Informs the other processes that the case ends here.
    pub(super) fn tell_failure(&mut self) {
        if let Some(turns) = &mut self.turns
            && turns.holder == turns.me
        {
            // If the connection is broken, no process can receive this message.
            let _ = turns.link.send(&Turn { failed: true, ..Turn::default() });
        }
    }

    /// A process exits (`kill` is `None`), kills another process, or kills itself.
    pub(super) fn leave(&mut self, performer: usize, kill: Option<usize>) -> Result<(), Stop> {
        if self.turns.is_none() {
            // The rule's only process ends, which the supervisor sees.
            match kill {
                None => std::process::exit(0),
                Some(_) => std::process::abort(),
            }
        }
        let mine = self.take_turn(performer)?;
        let leaver = kill.unwrap_or(performer);
        self.exchange(Turn { leaves: Some(leaver), kill, ..Turn::default() })?;
        if mine && kill.is_none() {
            std::process::exit(0);
        }
        if let Some(turns) = &mut self.turns {
            turns.gone[leaver] = true;
            if mine {
                // The supervisor replies when the process is gone.
                turns.link.receive()?;
            }
        }
        Ok(())
    }
}
