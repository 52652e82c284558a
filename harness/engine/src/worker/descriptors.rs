//! The descriptors that a case opens: those that calls and other processes give it, and those left open at its end.

use std::os::fd::{BorrowedFd, IntoRawFd, RawFd};
use std::sync::Arc;

use steps::program::{Call, Expression, Place, Root, Space, Statement, StatementKind};
use steps::{ActorId, VariableId};

use super::execution::Execution;
use super::fault::{Fault, Stop};
use crate::wire::Turn;
use crate::wire::handing::Absent;

/// The folder with this process's open descriptors.
const OPEN: &str = "/proc/self/fd";

/// The descriptors of a case.
#[derive(Debug, Default)]
pub(super) struct Descriptors {
    /// The numbers that were open before the case, in ascending order; `None` if the program opens none.
    before: Option<Arc<[RawFd]>>,
    /// Those that the rule received.
    received: Vec<Received>,
    /// True if the case performed all its steps.
    pub complete: bool,
}

/// A descriptor that the rule received.
#[derive(Debug)]
struct Received {
    number: RawFd,
    /// The file, by which a number that is in use again is recognized.
    file: (u64, u64),
    /// The name of its variable.
    name: String,
}

impl Descriptors {
    /// Begins a case.
    pub(super) fn begin(&mut self, watched: bool) {
        self.before = watched.then(|| open_numbers().into());
        self.received.clear();
        self.complete = false;
    }

    /// The descriptors for a lane, which receives separate ones.
    pub(super) fn share(&self) -> Descriptors {
        Descriptors { before: self.before.clone(), ..Descriptors::default() }
    }

    /// Adds what a lane received.
    pub(super) fn join(&mut self, lane: &mut Descriptors) {
        self.received.append(&mut lane.received);
    }

    /// Records a descriptor that the rule received.
    fn add(&mut self, number: RawFd, name: &str) {
        if let Some((file, _)) = file(number) {
            self.received.retain(|known| known.number != number);
            self.received.push(Received { number, file, name: name.to_owned() });
        }
    }

    fn were_open(&self, number: RawFd) -> bool {
        self.before.as_ref().is_some_and(|before| before.binary_search(&number).is_ok())
    }

    /// Ends a case: closes what the rule received and left open. Returns remarks about a complete case. A descriptor
    /// that the library keeps for itself stays open, because the library may need it.
    pub(super) fn end(&mut self) -> Vec<String> {
        let mut remarks = Vec::new();
        for received in std::mem::take(&mut self.received) {
            if self.were_open(received.number) || file(received.number).map(|(file, _)| file) != Some(received.file) {
                continue;
            }
            let (name, kind) = (&received.name, kind(received.number));
            remarks.push(format!("descriptor leak: `{name}` ({kind}) was open at the end and was closed; use `shut`"));
            close(received.number);
        }
        let kept = self.before.as_ref().map(|_| open_numbers()).unwrap_or_default();
        for number in kept.into_iter().filter(|number| !self.were_open(*number)) {
            // Runtimes open the nodes of their devices when they first need them.
            if file(number).is_some_and(|(_, is_device)| !is_device) {
                remarks.push(format!(
                    "descriptor leak: the library opened {} during the case and keeps it open",
                    kind(number)
                ));
            }
        }
        self.before = None;
        if !self.complete {
            remarks.clear();
        }
        remarks
    }
}

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
        let handed = match open.filter(|number| file(*number).is_some()) {
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
        let owner: ActorId = self.prepared.program.variables[*variable].actor;
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

/// The open descriptors of this process, in ascending order.
fn open_numbers() -> Vec<RawFd> {
    let Ok(entries) = std::fs::read_dir(OPEN) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut numbers: Vec<RawFd> = names.collect();
    // The list was read through a descriptor that is closed now.
    numbers.retain(|number| is_open(*number));
    numbers.sort_unstable();
    numbers
}

fn is_open(number: RawFd) -> bool {
    // SAFETY: the call only reads the flags of the descriptor, if it is open.
    unsafe { libc::fcntl(number, libc::F_GETFD) != -1 }
}

/// The file of a descriptor, by device and number, and true if it is a device node; `None` if the descriptor is not
/// open.
fn file(number: RawFd) -> Option<((u64, u64), bool)> {
    if number < 0 || !is_open(number) {
        return None;
    }
    // SAFETY: the descriptor is open. If another thread closes it now, the query fails.
    let found = rustix::fs::fstat(unsafe { BorrowedFd::borrow_raw(number) }).ok()?;
    let is_device = rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::CharacterDevice;
    Some(((found.st_dev, found.st_ino), is_device))
}

/// The kind or the name of a descriptor's file, without folder and number, which differ from run to run.
fn kind(number: RawFd) -> String {
    let Ok(target) = std::fs::read_link(format!("{OPEN}/{number}")) else { return "unknown".to_owned() };
    let target = target.to_string_lossy();
    let name = target.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(" (deleted)");
    name.split(":[").next().unwrap_or_default().to_owned()
}

fn close(number: RawFd) {
    // SAFETY: the case has opened the descriptor, and uses it no longer.
    unsafe { libc::close(number) };
}
