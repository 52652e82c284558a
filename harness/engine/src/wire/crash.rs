//! The memory in which a worker's signal handler leaves what it finds at a crash, and the signal that
//! makes a hanging thread leave the same.
//!
//! The handler may interrupt any code of the library, so it only copies bytes: it allocates nothing and takes no lock.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::stack::{Crash, REGISTERS};

/// The maximum number of bytes copied from a stack.
pub const STACK: usize = 128 << 10;
/// The maximum number of bytes copied from the list of mappings.
pub const MAPS: usize = 512 << 10;
/// The size of a thread's name with its end.
pub const NAME: usize = 16;

/// Nothing was left.
const EMPTY: u32 = 0;
/// A thread is copying.
const WRITING: u32 = 1;
/// A thread has copied everything.
const COMPLETE: u32 = 2;

/// The memory. It needs no initialization but zeros, and takes up space only once it is written.
#[repr(C)]
pub struct CrashArea {
    state: AtomicU32,
    /// The thread that writes or has written.
    writer: AtomicU32,
    /// The thread that performs the rule's statements; 0 for the main thread.
    performer: AtomicU32,
    pub signal: i32,
    pub code: i32,
    pub name: [u8; NAME],
    pub address: u64,
    pub registers: [u64; REGISTERS.len()],
    /// The numbers of bytes in `stack` and `maps`.
    pub lengths: [AtomicU64; 2],
    pub stack: [u8; STACK],
    pub maps: [u8; MAPS],
}

/// The answer to a thread that wants to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The thread may write.
    Granted,
    /// Another thread is writing.
    Busy,
    /// The first crash was already written. A later one is usually a consequence.
    Written,
}

impl CrashArea {
    /// Claims the memory for a thread.
    ///
    /// # Safety
    /// `area` points to a mapped area.
    pub unsafe fn claim(area: *mut CrashArea, thread: u32) -> Claim {
        // SAFETY: the caller's promise.
        let (state, writer) = unsafe { (&(*area).state, &(*area).writer) };
        match state.compare_exchange(EMPTY, WRITING, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                writer.store(thread, Ordering::Release);
                Claim::Granted
            }
            Err(WRITING) if writer.load(Ordering::Acquire) != thread => Claim::Busy,
            Err(_) => Claim::Written,
        }
    }

    /// Records that everything was written.
    ///
    /// # Safety
    /// `area` points to a mapped area.
    pub unsafe fn complete(area: *mut CrashArea) {
        // SAFETY: the caller's promise.
        unsafe { (*area).state.store(COMPLETE, Ordering::Release) };
    }

    /// Records the thread that performs the rule's statements from now on; 0 for the main thread.
    ///
    /// # Safety
    /// `area` points to a mapped area.
    pub unsafe fn perform(area: *mut CrashArea, thread: u32) {
        // SAFETY: the caller's promise.
        unsafe { (*area).performer.store(thread, Ordering::Relaxed) };
    }

    /// The thread that performs the rule's statements; 0 for the main thread.
    ///
    /// # Safety
    /// `area` points to a mapped area.
    pub(super) unsafe fn performer(area: *const CrashArea) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { (*area).performer.load(Ordering::Relaxed) }
    }

    /// The thread that crashed first; 0 for none.
    ///
    /// # Safety
    /// `area` points to a mapped area.
    pub(super) unsafe fn writer(area: *const CrashArea) -> u32 {
        // SAFETY: the caller's promise.
        unsafe {
            match (*area).state.load(Ordering::Acquire) {
                EMPTY => 0,
                _ => (*area).writer.load(Ordering::Acquire),
            }
        }
    }

    /// Forgets what was written.
    ///
    /// # Safety
    /// `area` points to a mapped area.
    pub(super) unsafe fn clear(area: *mut CrashArea) {
        // SAFETY: the caller's promise.
        unsafe {
            (*area).lengths.iter().for_each(|length| length.store(0, Ordering::Relaxed));
            (*area).state.store(EMPTY, Ordering::Release);
        }
    }

    /// The written state; `None` if nothing was, or if `whole` and a part is missing. The worker may have written
    /// anything, so nothing is used unchecked.
    ///
    /// # Safety
    /// `area` points to a mapped area.
    pub(super) unsafe fn read(area: *const CrashArea, whole: bool) -> Option<Crash> {
        // SAFETY: the caller's promise. Every read is inside the area, and any bytes are valid.
        unsafe {
            match (*area).state.load(Ordering::Acquire) {
                EMPTY => return None,
                COMPLETE => {}
                _ if whole => return None,
                // The handler crashed too.
                _ => {}
            }
            let lengths = [0, 1].map(|at| (*area).lengths[at].load(Ordering::Acquire) as usize);
            // Another thread may write at the same time, so no reference is made.
            let bytes = |from: *const u8, length: usize| {
                let mut bytes = Vec::<u8>::with_capacity(length);
                std::ptr::copy(from, bytes.as_mut_ptr(), length);
                bytes.set_len(length);
                bytes
            };
            let stack = bytes((&raw const (*area).stack).cast(), lengths[0].min(STACK));
            let maps = bytes((&raw const (*area).maps).cast(), lengths[1].min(MAPS));
            let name = bytes((&raw const (*area).name).cast(), NAME);
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            Some(Crash {
                signal: (&raw const (*area).signal).read(),
                code: (&raw const (*area).code).read(),
                address: (&raw const (*area).address).read(),
                thread: (*area).writer.load(Ordering::Relaxed),
                name: String::from_utf8_lossy(name).into_owned(),
                registers: (&raw const (*area).registers).read(),
                stack,
                maps: String::from_utf8_lossy(&maps).into_owned(),
            })
        }
    }
}

/// The signal that asks a thread for its stack. A worker's handler answers it only if the supervisor sent it.
pub const PROBE: i32 = libc::SIGTRAP;

/// Sends [`PROBE`] to a thread. Returns false if the thread is gone.
pub fn probe(process: u32, thread: u32) -> bool {
    // SAFETY: the system call has no pointers.
    unsafe { libc::syscall(libc::SYS_tgkill, process as i32, thread as i32, PROBE) == 0 }
}
