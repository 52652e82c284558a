//! Performs `handed` and `shut`: gets descriptors from other processes, hands them over, and closes them.

use std::os::fd::{BorrowedFd, IntoRawFd, RawFd};

use steps::VariableId;
use steps::program::{Call, Expression, Place, Root, Space, Statement, StatementKind};

use super::descriptors::{close, is_open};
use super::execution::Execution;
use super::fault::{Fault, Stop};
use crate::wire::Turn;
use crate::wire::handing::Absent;

impl<'a> Execution<'a> {
    /// Gets the descriptor that another process hands over to a statement.
    pub(super) fn be_handed(&mut self, load: &'a Expression, statement: &'a Statement) -> Result<(), Stop> {
        let Some((owner, from)) = self.handed_variable(load) else { return Err(Fault::NoValue.into()) };
        let program = self.prepared.program;
        let name = &program.variables[from].name;
        let Some(turns) = &self.turns else { return Err(Fault::NoValue.into()) };
        if turns.gone[owner] {
            let process = program.processes[owner].name.clone();
            return Err(Fault::HandedGone { process, name: name.clone() }.into());
        }
        self.exchange(Turn { hands: Some(owner), ..Turn::default() })?;
        let link = self.turns.as_ref().map(|turns| turns.link).ok_or(Fault::NoValue)?;
        let fault = match link.take()? {
            Ok(descriptor) => {
                let number = descriptor.into_raw_fd();
                self.arrived = Some(number);
                let into = match &statement.kind {
                    StatementKind::Declare { variable, .. }
                    | StatementKind::Assign { target: Place { root: Root::Variable(variable), .. }, .. } => *variable,
                    _ => from,
                };
                self.descriptors.add(number, &program.variables[into].name);
                return Ok(());
            }
            Err(Absent::NotOpen) => Fault::NotOpen {
                what: format!("`{name}` of {}", program.actors[program.variables[from].actor].name),
                number: self.evaluate(load)?,
                of_library: program.variables[from].space == Some(Space::Descriptor),
            },
            Err(Absent::Failed(error)) => Fault::Handing { name: name.clone(), source: error.into() },
        };
        Err(fault.into())
    }

    /// Hands a descriptor over to the process that has the turn, if this process has the descriptor.
    pub(super) fn hand_over(&mut self, load: &'a Expression) -> Result<(), Stop> {
        let Some((owner, _)) = self.handed_variable(load) else { return Ok(()) };
        if self.turns.as_ref().is_some_and(|turns| turns.gone[owner]) {
            return Ok(());
        }
        self.exchange(Turn::default())?;
        let Some(link) = self.turns.as_ref().filter(|turns| turns.me == owner).map(|turns| turns.link) else {
            return Ok(());
        };
        let number = self.evaluate(load);
        let open = number.as_ref().ok().and_then(|number| RawFd::try_from(*number).ok());
        let handed = match open.filter(|number| is_open(*number)) {
            // SAFETY: the descriptor is open. If another thread of the library closes it now, sending it fails.
            Some(number) => Ok(unsafe { BorrowedFd::borrow_raw(number) }),
            None => Err(Absent::NotOpen),
        };
        link.give(handed)?;
        number.map(drop)
    }

    /// The process of a descriptor's variable, and the variable.
    fn handed_variable(&self, load: &Expression) -> Option<(usize, VariableId)> {
        let Expression::Load { place: Place { root: Root::Variable(variable), .. }, .. } = load else { return None };
        let owner = self.prepared.program.variables[*variable].actor;
        Some((self.prepared.program.actors[owner].process, *variable))
    }

    /// Records the descriptors that a call stored.
    pub(super) fn note_exports(&mut self, call: &Call, arguments: &[u64]) {
        let program = self.prepared.program;
        for export in program.exports.iter().filter(|export| export.site == call.site) {
            let address = arguments[export.argument] as *const i32;
            if !address.is_null() {
                // SAFETY: the argument is the address of a variable of four bytes.
                let number = unsafe { address.read_unaligned() };
                self.descriptors.add(number, &program.variables[export.variable].name);
            }
        }
    }

    /// Closes a descriptor that the case has opened.
    pub(super) fn shut(&mut self, argument: &'a Expression) -> Result<i128, Stop> {
        let number = self.evaluate(argument)?;
        let (what, of_library) = match argument {
            Expression::Load { place: Place { root: Root::Variable(variable), .. }, .. } => {
                let variable = &self.prepared.program.variables[*variable];
                (format!("`{}`", variable.name), variable.space == Some(Space::Descriptor))
            }
            _ => ("the argument of `shut`".to_owned(), false),
        };
        let open = RawFd::try_from(number).ok().filter(|number| is_open(*number));
        let Some(open) = open else { return Err(Fault::NotOpen { what, number, of_library }.into()) };
        if self.descriptors.were_open(open) {
            return Err(Fault::NotOurs { what, number, of_library }.into());
        }
        close(open);
        Ok(0)
    }
}
