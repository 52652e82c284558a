//! The flight recorder: a worker's current action, in memory that outlives the worker.
//!
//! The worker writes the case's number and values before each case, and the call before each call. The supervisor
//! maps the same memory, and reads it after a crash or a hang.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::case::Value;
use crate::stack::Crash;
use catalog::files;
use steps::limits::MOST_LANES;

use super::crash::CrashArea;
use super::meeting::Meeting;

/// The maximum number of calls kept per case. The most recent calls are kept.
pub const CALLS: usize = 256;
/// The maximum number of arguments in a call.
pub const ARGUMENTS: usize = 12;
const VALUE_WORDS: usize = 4096;

/// A call in the current case.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct CallRecord {
    /// The call site, by its number in the program; for an automatic release, [`RELEASE`] plus the resource's
    /// number.
    pub site: u32,
    /// 1 while the call runs; 2 after the call has returned.
    pub state: u32,
    /// The position among the calls from all processes in the case.
    pub tick: u64,
    /// The returned value, widened.
    pub result: u64,
    pub arguments: [u64; ARGUMENTS],
    /// The actor's position plus 1 if the call ran at once with other calls; 0 for other calls.
    pub lane: u32,
    /// The number of the call in its case, from 0. It wraps.
    pub number: u32,
}

/// The place of a recorded call.
#[derive(Debug, Clone, Copy)]
pub struct CallSlot {
    lane: u32,
    number: u32,
}

/// The last call of a lane. Other lanes may fill the recorder while the call runs.
#[repr(C)]
struct LaneState {
    /// The thread that performs the lane; 0 for none.
    thread: AtomicU32,
    record: CallRecord,
}

impl CallRecord {
    /// The state of a call that has not returned.
    pub const OPEN: u32 = 1;
}

/// Call sites from this number on are automatic releases.
pub const RELEASE: u32 = 1 << 30;
/// The call site for the life cycle, which prepares and restores the worker.
pub const LIFE_CYCLE: u32 = 1 << 29;

#[repr(C)]
struct Header {
    /// A number that changes with every case and call, and shows that the worker is making progress.
    progress: AtomicU64,
    /// The number of the current case, from 1; 0 for none.
    case: AtomicU64,
    /// The number of calls in the case so far.
    calls: AtomicU64,
    salt: AtomicU64,
    value_words: AtomicU64,
    /// The number of copies of the worker that returned from a call and were ended.
    copies: AtomicU64,
    /// The worker's memory limit in bytes, once the limit is almost reached; 0 before then.
    memory_limit: AtomicU64,
    /// The site, plus 1, of the call that was open when the limit was almost reached; 0 for none.
    memory_limit_site: AtomicU64,
    /// 1 if a lane has run since the case began.
    lanes: AtomicU32,
    /// The number of gates of the case that are closed.
    closed_gates: AtomicU32,
    meeting: Meeting,
}

#[repr(C)]
struct Layout {
    header: Header,
    values: [u64; VALUE_WORDS],
    calls: [CallRecord; CALLS],
    lanes: [LaneState; MOST_LANES],
    crash: CrashArea,
}

/// The mapped recorder.
#[derive(Debug)]
pub struct Flight {
    layout: *mut Layout,
}

// SAFETY: the mapping is plain memory. Each record has one writing thread; readers copy data out.
unsafe impl Send for Flight {}
// SAFETY: as above, and the counters that both sides watch are atomic.
unsafe impl Sync for Flight {}

impl Flight {
    /// Creates memory that two processes can map. The size is sealed, because reading truncated memory kills a process,
    /// and the worker's library knows the path.
    pub fn create() -> std::io::Result<OwnedFd> {
        let fd = files::in_memory("atlas-cts-flight", MemfdFlags::NOEXEC_SEAL)?;
        ftruncate(&fd, size_of::<Layout>() as u64)?;
        fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(fd)
    }

    /// Maps the recorder.
    pub fn map(fd: impl AsFd) -> std::io::Result<Flight> {
        // SAFETY: a fresh shared mapping of a file with exactly this size.
        let base = unsafe {
            mmap(
                std::ptr::null_mut(),
                size_of::<Layout>(),
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                fd,
                0,
            )?
        };
        Ok(Flight { layout: base.cast() })
    }

    fn header(&self) -> &Header {
        // SAFETY: the mapping lives as long as `self`, and the header holds atomics only.
        unsafe { &(*self.layout).header }
    }

    /// Records the start of a case.
    pub fn begin_case(&self, number: u64, salt: u64, values: &[Value]) {
        let header = self.header();
        header.calls.store(0, Ordering::Relaxed);
        header.closed_gates.store(0, Ordering::Relaxed);
        if header.lanes.swap(0, Ordering::Relaxed) != 0 {
            (1..=MOST_LANES as u32).for_each(|lane| self.leave_lane(lane));
        }
        header.salt.store(salt, Ordering::Relaxed);
        let mut at = 0;
        let mut put = |word: u64| {
            if at < VALUE_WORDS {
                // SAFETY: `at` is inside the array; only this process writes.
                unsafe { (&raw mut (*self.layout).values[at]).write(word) };
            }
            at += 1;
        };
        for value in values {
            match value {
                Value::Integer(value) => {
                    put(0);
                    put(*value as u64);
                    put((*value >> 64) as u64);
                }
                Value::List(items) => {
                    put(1 + items.len() as u64);
                    for item in items {
                        put(*item as u64);
                        put((*item >> 64) as u64);
                    }
                }
            }
        }
        header.value_words.store(at as u64, Ordering::Relaxed);
        header.case.store(number, Ordering::Release);
        header.progress.fetch_add(1, Ordering::Release);
    }

    /// Records how many gates of the case are closed.
    pub fn note_closed_gates(&self, closed: usize) {
        self.header().closed_gates.store(closed as u32, Ordering::Release);
    }

    /// True if a gate of the case is closed, so that the rule may hold a stream.
    pub fn has_closed_gates(&self) -> bool {
        self.header().closed_gates.load(Ordering::Acquire) > 0
    }

    /// Records the end of a case.
    pub fn end_case(&self) {
        self.header().case.store(0, Ordering::Release);
        self.header().progress.fetch_add(1, Ordering::Release);
    }

    /// Records a call before the call is made. The result goes to the returned slot. `lane` is the position of the
    /// actor plus 1 if the call may run at once with others, and otherwise 0.
    #[inline]
    pub fn begin_call(&self, lane: u32, site: u32, tick: u64, arguments: &[u64]) -> CallSlot {
        let header = self.header();
        let number = header.calls.fetch_add(1, Ordering::AcqRel) as u32;
        let write = |record: *mut CallRecord| {
            // SAFETY: the record is inside the mapping; only this thread writes it now.
            unsafe {
                (*record).site = site;
                (*record).state = CallRecord::OPEN;
                (*record).tick = tick;
                (*record).result = 0;
                (*record).lane = lane;
                (*record).number = number;
                let count = arguments.len().min(ARGUMENTS);
                (&raw mut (*record).arguments).cast::<u64>().copy_from_nonoverlapping(arguments.as_ptr(), count);
            }
        };
        if let Some(state) = self.lane(lane) {
            // SAFETY: the lane's state is inside the mapping.
            write(unsafe { &raw mut (*state).record });
        }
        write(self.record(number));
        header.progress.fetch_add(1, Ordering::Release);
        CallSlot { lane, number }
    }

    /// Records the result of a call.
    #[inline]
    pub fn end_call(&self, slot: CallSlot, result: u64) {
        let write = |record: *mut CallRecord| {
            // SAFETY: the record is inside the mapping. A later call of another lane may have taken its place.
            unsafe {
                if (*record).number == slot.number {
                    (*record).result = result;
                    (*record).state = 2;
                }
            }
        };
        write(self.record(slot.number));
        if let Some(state) = self.lane(slot.lane) {
            // SAFETY: the lane's state is inside the mapping.
            write(unsafe { &raw mut (*state).record });
        }
        self.header().progress.fetch_add(1, Ordering::Release);
    }

    fn record(&self, number: u32) -> *mut CallRecord {
        // SAFETY: the slot is inside the array; no reference is made.
        unsafe { &raw mut (*self.layout).calls[number as usize % CALLS] }
    }

    /// The state of a lane; `None` for calls outside lanes.
    fn lane(&self, lane: u32) -> Option<*mut LaneState> {
        let at = (lane as usize).checked_sub(1).filter(|at| *at < MOST_LANES)?;
        // SAFETY: the state is inside the array; no reference is made.
        Some(unsafe { &raw mut (*self.layout).lanes[at] })
    }

    /// Records that this thread performs a lane from now on.
    pub fn enter_lane(&self, lane: u32) {
        self.header().lanes.store(1, Ordering::Relaxed);
        if let Some(state) = self.lane(lane) {
            // SAFETY: the state is inside the mapping, and the call has no arguments.
            unsafe { (*state).thread.store(libc::gettid() as u32, Ordering::Release) };
        }
    }

    /// Records that a lane has ended.
    pub fn leave_lane(&self, lane: u32) {
        if let Some(state) = self.lane(lane) {
            // SAFETY: the state is inside the mapping, and only the lane's thread writes it.
            unsafe {
                (*state).record.state = 0;
                (*state).thread.store(0, Ordering::Release);
            }
        }
    }

    /// The open calls of lanes, each with its thread.
    fn open_lanes(&self) -> Vec<(CallRecord, u32)> {
        if self.header().lanes.load(Ordering::Relaxed) == 0 {
            return Vec::new();
        }
        let states = (1..=MOST_LANES as u32).filter_map(|lane| self.lane(lane));
        // SAFETY: the states are inside the mapping. A torn record can only name the wrong call.
        let states = states
            .map(|state| unsafe { ((&raw const (*state).record).read(), (*state).thread.load(Ordering::Acquire)) });
        states.filter(|(record, thread)| record.state == CallRecord::OPEN && *thread != 0).collect()
    }

    /// The open call of a lane that is to blame for the loss of the process: the call of the thread that crashed, or
    /// else the call that has been open for the longest time.
    fn culprit(&self) -> Option<(CallRecord, u32)> {
        let open = self.open_lanes();
        // SAFETY: the area is mapped.
        let crashed = unsafe { CrashArea::writer(self.crash_area()) };
        let crashing = open.iter().find(|(_, thread)| *thread == crashed);
        crashing.or_else(|| open.iter().min_by_key(|(record, _)| record.tick)).copied()
    }

    /// The place where the lanes of several processes meet.
    pub fn meeting(&self) -> &Meeting {
        &self.header().meeting
    }

    /// Removes the last call if the call has returned. That call was made for the report and does not belong to the
    /// case.
    pub fn forget_last_call(&self) {
        let number = self.header().calls.load(Ordering::Relaxed);
        let last = self.calls().0.last().copied();
        // If the recorder was full, this call has overwritten an earlier call.
        if number <= CALLS as u64
            && last.is_some_and(|call| call.site & LIFE_CYCLE != 0 && call.state != CallRecord::OPEN)
        {
            self.header().calls.store(number.wrapping_sub(1), Ordering::Release);
        }
    }

    /// Records a copy of the worker that returned from a call.
    pub fn note_copy(&self) {
        self.header().copies.fetch_add(1, Ordering::Release);
    }

    /// Records that the worker has almost reached its memory limit, and the open call. Does not allocate, because
    /// there may be no memory left.
    pub fn note_memory_limit(&self, bytes: u64) {
        let header = self.header();
        if header.memory_limit.load(Ordering::Acquire) == 0 {
            let last = header.calls.load(Ordering::Acquire).checked_sub(1);
            // SAFETY: the slot is inside the array and was written at least once. A torn record can only name the
            // wrong call.
            let last = last.map(|number| unsafe { (&raw const (*self.layout).calls[number as usize % CALLS]).read() });
            let open = last.filter(|call| call.state == CallRecord::OPEN);
            header.memory_limit_site.store(open.map_or(0, |call| u64::from(call.site) + 1), Ordering::Release);
        }
        header.memory_limit.store(bytes, Ordering::Release);
    }

    /// If the worker has almost reached its memory limit since the previous query, returns the limit and the site of
    /// the call that was open when the limit was almost reached.
    pub fn take_memory_limit(&self) -> Option<(u64, Option<u32>)> {
        let site = self.header().memory_limit_site.load(Ordering::Acquire);
        let mebibytes = self.header().memory_limit.swap(0, Ordering::AcqRel) >> 20;
        (mebibytes > 0).then(|| (mebibytes, site.checked_sub(1).and_then(|site| u32::try_from(site).ok())))
    }

    /// Takes the number of copies recorded since the previous query.
    pub fn take_copies(&self) -> u64 {
        self.header().copies.swap(0, Ordering::AcqRel)
    }

    /// The memory for a crash, for the worker's signal handler.
    pub fn crash_area(&self) -> *mut CrashArea {
        // SAFETY: the mapping lives as long as `self`; no reference is made.
        unsafe { &raw mut (*self.layout).crash }
    }

    /// The state that the worker's signal handler left, even if the handler did not finish.
    pub fn crash(&self) -> Option<Crash> {
        // SAFETY: the area is mapped.
        unsafe { CrashArea::read(self.crash_area(), false) }
    }

    /// The state that the worker's signal handler left, once it is complete.
    pub fn whole_crash(&self) -> Option<Crash> {
        // SAFETY: the area is mapped.
        unsafe { CrashArea::read(self.crash_area(), true) }
    }

    /// Forgets the state that the worker's signal handler left.
    pub fn clear_crash(&self) {
        // SAFETY: the area is mapped.
        unsafe { CrashArea::clear(self.crash_area()) }
    }

    /// The thread that performs the rule's statements; `None` for the main thread.
    pub fn performer(&self) -> Option<u32> {
        // SAFETY: the area is mapped.
        let performer = Some(unsafe { CrashArea::performer(self.crash_area()) }).filter(|thread| *thread != 0);
        self.culprit().map(|(_, thread)| thread).or(performer)
    }

    /// The site of the open call.
    pub fn open_site(&self) -> Option<u32> {
        self.calls().0.last().filter(|call| call.state == CallRecord::OPEN).map(|call| call.site)
    }

    /// True if a case is running and no library call is open: the rule or the suite is using the time.
    pub fn between_calls(&self) -> bool {
        let runs = self.header().case.load(Ordering::Acquire) != 0;
        runs && self.calls().0.last().is_none_or(|call| call.state != CallRecord::OPEN)
    }

    /// A number that changes whenever the worker makes progress.
    pub fn progress(&self) -> u64 {
        self.header().progress.load(Ordering::Acquire)
    }

    /// The number of the current case, from 1; 0 for none.
    pub fn case_number(&self) -> u64 {
        self.header().case.load(Ordering::Relaxed)
    }

    /// The current case, or the case that was running when the worker ended: number, salt and values. `None` between
    /// cases. If the values do not fit, all of them are omitted, because a part of the values would look like another
    /// case.
    pub fn case(&self) -> Option<(u64, u64, Vec<Value>)> {
        let header = self.header();
        let number = header.case.load(Ordering::Acquire);
        if number == 0 {
            return None;
        }
        let written = header.value_words.load(Ordering::Relaxed) as usize;
        let words = if written <= VALUE_WORDS { written } else { 0 };
        let mut at = 0;
        // A worker that corrupts its memory may have overwritten the recorder too, so every index is checked.
        let mut next = || -> Option<u64> {
            if at >= words {
                return None;
            }
            // SAFETY: `at` is inside the array.
            let word = unsafe { (&raw const (*self.layout).values[at]).read() };
            at += 1;
            Some(word)
        };
        let integer = |low: u64, high: u64| (i128::from(high as i64) << 64) | i128::from(low);
        let mut values = Vec::new();
        while let Some(kind) = next() {
            if kind == 0 {
                let (Some(low), Some(high)) = (next(), next()) else { break };
                values.push(Value::Integer(integer(low, high)));
                continue;
            }
            let mut items = Vec::new();
            for _ in 1..kind.min(VALUE_WORDS as u64) {
                let (Some(low), Some(high)) = (next(), next()) else { break };
                items.push(integer(low, high));
            }
            values.push(Value::List(items));
        }
        Some((number, header.salt.load(Ordering::Relaxed), values))
    }

    /// The case's recorded calls in order, and the number of earlier calls. If calls of lanes are open, the last one is
    /// the call to blame if the process is lost.
    pub fn calls(&self) -> (Vec<CallRecord>, u64) {
        let total = self.header().calls.load(Ordering::Acquire);
        let kept = total.min(CALLS as u64);
        let first = total - kept;
        // SAFETY: every slot is inside the array and was written at least once.
        let mut records: Vec<CallRecord> = (first..total)
            .map(|number| unsafe { (&raw const (*self.layout).calls[number as usize % CALLS]).read() })
            .collect();
        let outside = records.last().is_some_and(|last| last.state == CallRecord::OPEN && last.lane == 0);
        let culprit = self.culprit().filter(|_| !outside);
        for (open, _) in self.open_lanes() {
            let known = records.iter().position(|record| record.number == open.number && record.lane == open.lane);
            let is_culprit = culprit.is_some_and(|(culprit, _)| culprit.lane == open.lane);
            match (known, is_culprit) {
                (Some(known), true) => {
                    let last = records.remove(known);
                    records.push(last);
                }
                (None, true) => records.push(open),
                (None, false) => records.insert(0, open),
                (Some(_), false) => {}
            }
        }
        (records, first)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this size. If unmapping fails, the mapping is leaked.
        let _ = unsafe { munmap(self.layout.cast(), size_of::<Layout>()) };
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn values_that_do_not_fit_are_missing_and_never_cut() {
        let flight = Flight::map(Flight::create().unwrap()).unwrap();
        let short = vec![Value::Integer(-1), Value::List(vec![i128::from(u64::MAX) + 7; 2000])];
        flight.begin_case(3, 9, &short);
        assert_eq!(flight.case(), Some((3, 9, short)));
        flight.begin_case(4, 9, &[Value::List(vec![1; 2048])]);
        assert_eq!(flight.case(), Some((4, 9, Vec::new())));
        flight.end_case();
        assert_eq!(flight.case(), None);
    }

    #[test]
    fn nobody_changes_the_size_of_the_memory() {
        let memory = Flight::create().unwrap();
        for size in [0, 1 << 30] {
            assert_eq!(ftruncate(&memory, size), Err(Errno::PERM));
        }
        assert_eq!(fcntl_add_seals(&memory, SealFlags::WRITE), Err(Errno::PERM), "nor can its seals be changed");
    }

    #[test]
    fn any_content_of_the_memory_can_be_read() {
        for byte in [0u8, 1, 0x7F, 0xFF] {
            let flight = Flight::map(Flight::create().unwrap()).unwrap();
            // SAFETY: the mapping has this size, and any content is valid for integers.
            unsafe { flight.layout.cast::<u8>().write_bytes(byte, size_of::<Layout>()) };
            let (calls, before) = flight.calls();
            assert!(calls.len() <= CALLS && before.checked_add(calls.len() as u64).is_some());
            assert_eq!(flight.case().is_none(), byte == 0);
            assert_eq!(flight.crash().is_none(), byte == 0);
            flight.begin_call(byte.into(), 0, 0, &[]);
        }
    }
}
