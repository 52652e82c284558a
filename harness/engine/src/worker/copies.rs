//! Copies of a worker: a library may fork inside a call, and then return in the child as well.
//!
//! The copy would continue the rule, send the supervisor a second answer, and overwrite the flight recorder. After each
//! call, a process therefore checks that it is the process that made the call. The check costs a single load, because
//! the kernel clears the page in every child.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};

use crate::wire::flight::Flight;

/// Points to a number that is 1 in the worker and 0 in its children.
static MARK: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());

/// Marks this process as the worker. Systems that cannot clear a page in children (Linux before 4.14) run without
/// the mark.
pub(super) fn mark_worker() -> std::io::Result<()> {
    let bytes = rustix::param::page_size();
    // SAFETY: a fresh private mapping that is never unmapped.
    let page =
        unsafe { mmap_anonymous(ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)? };
    // SAFETY: the page is in that mapping, and is still empty.
    unsafe { madvise(page, bytes, Advice::LinuxWipeOnFork)? };
    let mark = page.cast::<AtomicU64>();
    // SAFETY: the mapping is aligned and large enough, and lives as long as the process.
    unsafe { &*mark }.store(1, Ordering::Relaxed);
    MARK.store(mark, Ordering::Relaxed);
    Ok(())
}

/// Ends this process if it is a copy of the worker, without running any library code.
#[inline]
pub(super) fn end_copy(flight: &Flight) {
    let mark = MARK.load(Ordering::Relaxed);
    // SAFETY: the mapping lives as long as the process.
    if !mark.is_null() && unsafe { &*mark }.load(Ordering::Relaxed) == 0 {
        flight.note_copy();
        // SAFETY: the call ends the process at once.
        unsafe { libc::_exit(0) };
    }
}
