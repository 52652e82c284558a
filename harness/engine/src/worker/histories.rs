//! Records the calls that belong to a history, and looks for an order that the history's model allows.

use abi::Type;
use catalog::{HistoryCall, Origin};
use history::{Examined, Record, examine};
use steps::Id;

use super::evaluate::c_text;
use super::execution::{Execution, typed};
use super::fault::{Fault, Stop};
use super::recorded::{buffer, digest};
use crate::wire::message::SeenCall;

/// The most calls that a case records.
const MOST: usize = 20_000;
/// The largest number of configurations that a search visits in each independent part of a history.
const BUDGET: u64 = 1_000_000;

impl Execution<'_> {
    /// True if calls of the function are recorded.
    pub(super) fn records(&self, function: usize) -> bool {
        !self.prepared.recorded[function].is_empty()
    }

    /// Records a call that returned.
    pub(super) fn record(&mut self, function: usize, arguments: &[u64], succeeded: bool, times: [u64; 2]) {
        for (position, number) in &self.prepared.recorded[function] {
            if self.seen.len() >= MOST {
                return;
            }
            let call = &self.prepared.rules.histories[*position].calls[*number];
            let record = self.record_of(call, arguments, succeeded, times);
            self.note_seen(SeenCall { history: *position, record });
        }
    }

    /// Adds a call to the case, and to what the other processes will receive.
    pub(super) fn note_seen(&mut self, call: SeenCall) {
        if self.turns.is_some() {
            self.unsent.push(call.clone());
        }
        self.seen.push(call);
    }

    fn record_of(&self, call: &HistoryCall, arguments: &[u64], succeeded: bool, [invoked, at]: [u64; 2]) -> Record {
        let value = |origin: Origin| match origin {
            Origin::Actor => Some(self.performer.index() as u64),
            Origin::Process => Some(self.prepared.process as u64),
            Origin::Number(number) => Some(number),
            Origin::Argument(argument) => arguments.get(argument).copied(),
            Origin::Pointee { argument, ty, output } => {
                arguments.get(argument).filter(|at| **at != 0 && (succeeded || !output)).map(|at| self.pointee(*at, ty))
            }
            Origin::Text { argument, bytes, output } => {
                let at = *arguments.get(argument).filter(|at| **at != 0 && (succeeded || !output))?;
                match bytes {
                    Some(bytes) => Some(digest(&buffer(at, bytes as usize))),
                    None => c_text(i128::from(at)).map(|text| digest(&text)),
                }
            }
        };
        let values = call.roles.iter().filter_map(|(role, origin)| Some((*role, value(*origin)?))).collect();
        let returned = Some((succeeded, at));
        Record { actor: self.performer.index(), operation: call.operation.to_owned(), values, invoked, returned }
    }

    fn pointee(&self, address: u64, ty: Type) -> u64 {
        let size = self.prepared.rules.environment.declarations.size(ty).min(8);
        let mut bytes = [0u8; 8];
        // SAFETY: the rule passed this pointer to a call that succeeded, or that only reads through it, so a value of
        // this type is there.
        unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(address as usize as *const u8, size) };
        typed(ty, u64::from_le_bytes(bytes)) as u64
    }

    /// Looks for an order of the calls that the case recorded for a history.
    pub(super) fn linear(&mut self, position: i128) -> Result<i128, Stop> {
        let history = usize::try_from(position).ok().and_then(|position| self.prepared.rules.histories.get(position));
        let history = history.ok_or(Fault::NoValue)?;
        if self.seen.len() >= MOST {
            return Err(Fault::LongHistory { name: history.name.clone(), most: MOST }.into());
        }
        let calls = self.seen.iter().filter(|call| i128::try_from(call.history) == Ok(position));
        let records: Vec<Record> = calls.map(|call| call.record.clone()).collect();
        let lanes: Vec<String> = self.prepared.program.actors.iter().map(|actor| actor.name.clone()).collect();
        match examine(history.kind, &records, &lanes, BUDGET).map_err(|misfit| Fault::Misfit(misfit.to_string()))? {
            Examined::Consistent => Ok(1),
            Examined::Undecided => Err(Fault::Undecided { name: history.name.clone(), calls: records.len() }.into()),
            Examined::Inconsistent(mut picture) => {
                picture.name.clone_from(&history.name);
                history.kind.name().clone_into(&mut picture.model);
                self.inconsistent = Some(picture);
                Ok(0)
            }
        }
    }
}
