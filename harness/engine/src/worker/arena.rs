//! Memory for the buffers of cases. Later cases use a case's memory again, because new pages cost more time than
//! everything else that a short case does.
//!
//! A case never gets the memory of the case before, which rests meanwhile: a library that kept a pointer writes where
//! nothing else is written, and [`first_written`] notices it. Addresses also move a little each time, so that a pointer
//! from two cases ago does not point to the same buffer.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};

/// The size of the smallest mapping.
const LEAST: usize = 64 << 10;
/// The size of the largest mapping that is used again. A larger mapping is given back after the case.
const LARGEST: usize = 32 << 20;
/// The total size of the mappings that wait for a case. More is given back.
const MOST_WAITING: usize = 256 << 20;
/// The total size of the address ranges that stay inaccessible after use, and their number.
const MOST_FENCED: (usize, usize) = (4 << 30, 4096);
/// The step by which the first buffer's place moves, and the number of places.
const SHIFTS: (usize, usize) = (64, 8);

/// The byte that fills the memory of a case that has ended.
const MARK: u8 = 0xDB;
/// The length of the pieces in which memory is marked.
const PIECE: usize = 4 << 10;
/// A marked piece.
static MARKED: [u8; PIECE] = [MARK; PIECE];
/// The length up to which all bytes of a buffer are marked.
const MARKED_IN_FULL: usize = 64 << 10;
/// The bytes that are marked at the start of each piece in a longer buffer.
const SAMPLE: usize = 64;

/// True if memory is inaccessible after its case.
static FENCES: AtomicBool = AtomicBool::new(false);
static WAITING: Mutex<Waiting> = Mutex::new(Waiting { slabs: Vec::new(), fenced: VecDeque::new(), taken: 0 });

/// Makes the memory of a case inaccessible when the case has ended.
pub(super) fn fence() {
    FENCES.store(true, Ordering::Relaxed);
}

/// Gives the memory that no case uses back to the system.
pub(super) fn trim() {
    waiting().slabs.clear();
}

/// The mappings of the process that wait for a case.
struct Waiting {
    slabs: Vec<Slab>,
    /// The inaccessible mappings, the oldest first.
    fenced: VecDeque<Slab>,
    /// The number of mappings that cases have taken.
    taken: usize,
}

fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Waiting {
    /// The smallest mapping with at least this size, among equals the one used last, whose pages may be in a cache.
    fn take(&mut self, size: usize) -> Option<Slab> {
        let fitting = self.slabs.iter().enumerate().rev().filter(|(_, slab)| slab.size >= size);
        let (found, _) = fitting.min_by_key(|(_, slab)| slab.size)?;
        Some(self.slabs.remove(found))
    }

    fn give(&mut self, slab: Slab) {
        let total = self.slabs.iter().map(|slab| slab.size).sum::<usize>();
        if slab.size <= LARGEST && total + slab.size <= MOST_WAITING {
            self.slabs.push(slab);
        }
    }

    /// Makes a mapping inaccessible. Its addresses stay taken, so that no other memory gets them.
    fn fence(&mut self, slab: Slab) {
        // SAFETY: the mapping is the slab's, whose case has ended. A failure only makes a late write unnoticed.
        let _ = unsafe { mprotect(slab.base.cast(), slab.size, MprotectFlags::empty()) };
        // SAFETY: as above.
        let _ = unsafe { madvise(slab.base.cast(), slab.size, Advice::LinuxDontNeed) };
        self.fenced.push_back(slab);
        let (bytes, number) = MOST_FENCED;
        while self.fenced.len() > number || self.fenced.iter().map(|slab| slab.size).sum::<usize>() > bytes {
            self.fenced.pop_front();
        }
    }
}

/// A mapping that is given out from its start to its end.
#[derive(Debug)]
struct Slab {
    base: *mut u8,
    size: usize,
    used: usize,
}

// SAFETY: the mapping belongs to the slab, which is only a range of addresses.
unsafe impl Send for Slab {}

impl Slab {
    fn map(size: usize) -> io::Result<Slab> {
        // SAFETY: a fresh private mapping at an address chosen by the system.
        let base = unsafe {
            mmap_anonymous(std::ptr::null_mut(), size, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
        }?;
        Ok(Slab { base: base.cast(), size, used: 0 })
    }

    fn carve(&mut self, bytes: usize, align: usize) -> Option<*mut u8> {
        let base = self.base as usize;
        let start = base.checked_add(self.used)?.checked_next_multiple_of(align)? - base;
        let end = start.checked_add(bytes).filter(|end| *end <= self.size)?;
        self.used = end;
        Some(self.base.wrapping_add(start))
    }

    fn holds(&self, address: *const u8) -> bool {
        (self.base as usize..self.base as usize + self.size).contains(&(address as usize))
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        // SAFETY: the mapping is the slab's, and no case uses it. If unmapping fails, one mapping is leaked.
        let _ = unsafe { munmap(self.base.cast(), self.size) };
    }
}

/// The memory of a case and of the case before.
#[derive(Debug, Default)]
pub(super) struct Arena {
    slabs: Vec<Slab>,
    resting: Vec<Slab>,
}

/// A moment in an arena: the number of slabs, and the bytes used in the last one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moment(usize, usize);

impl Arena {
    /// Memory at a multiple of `align`, with any content.
    pub(super) fn take(&mut self, bytes: usize, align: usize) -> io::Result<*mut u8> {
        if let Some(place) = self.slabs.last_mut().and_then(|slab| slab.carve(bytes, align)) {
            return Ok(place);
        }
        let short = || io::Error::from_raw_os_error(libc::ENOMEM);
        let (step, number) = SHIFTS;
        let room = bytes.checked_add(align).and_then(|room| room.checked_add(step * number)).ok_or_else(short)?;
        let mut waiting = waiting();
        waiting.taken = waiting.taken.wrapping_add(1);
        let shift = waiting.taken % number * step;
        let known = waiting.take(room);
        drop(waiting);
        let mut slab = match known {
            Some(slab) => slab,
            // Few sizes, so that a mapping fits many cases.
            None if room <= LARGEST => Slab::map(room.next_power_of_two().max(LEAST))?,
            None => Slab::map(room)?,
        };
        slab.used = shift;
        let place = slab.carve(bytes, align).ok_or_else(short)?;
        self.slabs.push(slab);
        Ok(place)
    }

    /// Ends a case: its memory rests, and the memory that has rested waits for a case.
    pub(super) fn rest(&mut self) {
        if self.slabs.is_empty() && self.resting.is_empty() {
            return;
        }
        let rested = std::mem::take(&mut self.resting);
        let mut waiting = waiting();
        rested.into_iter().for_each(|slab| waiting.give(slab));
        if FENCES.load(Ordering::Relaxed) {
            self.slabs.drain(..).for_each(|slab| waiting.fence(slab));
        }
        drop(waiting);
        self.resting.extend(self.slabs.drain(..).filter(|slab| slab.size <= LARGEST));
    }

    /// True if an address of the case before can still be accessed.
    pub(super) fn rests(&self, address: *const u8) -> bool {
        self.resting.iter().any(|slab| slab.holds(address))
    }

    /// The present moment, for [`Arena::rewind`].
    pub(super) fn now(&self) -> Moment {
        Moment(self.slabs.len(), self.slabs.last().map_or(0, |slab| slab.used))
    }

    /// Frees what was taken since a moment.
    pub(super) fn rewind(&mut self, Moment(slabs, used): Moment) {
        let mut waiting = waiting();
        self.slabs.drain(slabs.min(self.slabs.len())..).for_each(|slab| waiting.give(slab));
        drop(waiting);
        if let Some(slab) = self.slabs.last_mut() {
            slab.used = used;
        }
    }

    /// Takes over another arena's memory.
    pub(super) fn join(&mut self, other: &mut Arena) {
        self.slabs.append(&mut other.slabs);
    }

    /// Gives up the memory without freeing it.
    pub(super) fn abandon(&mut self) {
        std::mem::forget(std::mem::take(&mut self.slabs));
        std::mem::forget(std::mem::take(&mut self.resting));
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.rest();
        self.rest();
    }
}

/// The pieces that are marked in a buffer of this length: the start and length of each.
///
/// Marking and checking a long buffer in full would take as long as new pages. A library writes ranges of bytes, so a
/// sample in each page notices nearly every write of a long buffer. Old data need not be hidden, because patterns differ
/// from case to case.
fn pieces(length: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..length).step_by(PIECE).map(move |start| {
        let rest = length - start;
        let in_full = length <= MARKED_IN_FULL || start == 0 || rest <= PIECE;
        (start, rest.min(if in_full { PIECE } else { SAMPLE }))
    })
}

/// Marks the memory of a buffer whose case has ended.
///
/// # Safety
/// `length` bytes at the address must be writable and unused.
pub(super) unsafe fn mark(base: *mut u8, length: usize) {
    for (start, length) in pieces(length) {
        // SAFETY: the piece is inside the buffer.
        unsafe { base.add(start).write_bytes(MARK, length) };
    }
}

/// The first byte that was written since [`mark`], if any.
///
/// # Safety
/// `length` bytes at the address must be readable.
pub(super) unsafe fn first_written(base: *const u8, length: usize) -> Option<usize> {
    pieces(length).find_map(|(start, length)| {
        // SAFETY: the piece is inside the buffer. A write at the same time is what is looked for.
        let piece = unsafe { std::slice::from_raw_parts(base.add(start), length) };
        // Comparing whole slices is much faster than looking at each byte.
        let same = *piece == MARKED[..length];
        piece.iter().position(|byte| *byte != MARK).filter(|_| !same).map(|at| start + at)
    })
}

#[cfg(test)]
mod tests {
    use super::{Arena, LARGEST, first_written, mark, pieces};

    /// An address in an arena, without its memory.
    fn take(arena: &mut Arena, bytes: usize, align: usize) -> usize {
        arena.take(bytes, align).expect("there is memory") as usize
    }

    #[test]
    fn blocks_are_aligned_and_do_not_overlap() {
        let mut arena = Arena::default();
        let mut blocks = Vec::new();
        for (bytes, align) in [(8, 16), (1, 1), (100, 4096), (3 << 20, 64), (24, 2 << 20), (0, 16), (70_000, 16)] {
            let start = take(&mut arena, bytes, align);
            assert_eq!(start % align, 0, "{bytes} bytes");
            // SAFETY: the block was just taken.
            unsafe { (start as *mut u8).write_bytes(1, bytes) };
            blocks.push((start, start + bytes));
        }
        blocks.sort_unstable();
        assert!(blocks.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{blocks:?}");
    }

    #[test]
    fn a_case_does_not_get_the_memory_of_the_case_before() {
        let mut arena = Arena::default();
        let before = take(&mut arena, 1000, 16);
        arena.rest();
        assert!(arena.rests(before as *const u8));
        let now = take(&mut arena, 1000, 16);
        assert!(!arena.rests(now as *const u8) && now.abs_diff(before) >= 1000);
    }

    #[test]
    fn memory_after_a_moment_is_taken_again() {
        let mut arena = Arena::default();
        take(&mut arena, 1000, 16);
        let moment = arena.now();
        let first = take(&mut arena, 1000, 16);
        take(&mut arena, 1 << 20, 16);
        arena.rewind(moment);
        assert_eq!(take(&mut arena, 1000, 16), first);
    }

    #[test]
    fn a_large_mapping_is_given_back_at_the_end_of_its_case() {
        let mut arena = Arena::default();
        let small = take(&mut arena, 4096, 16);
        let large = take(&mut arena, LARGEST, 16);
        arena.rest();
        assert!(!arena.rests(large as *const u8) && arena.rests(small as *const u8));
    }

    #[test]
    fn joined_memory_rests_with_the_case() {
        let (mut arena, mut lane) = (Arena::default(), Arena::default());
        let own = take(&mut lane, 100, 16);
        arena.join(&mut lane);
        drop(lane);
        // SAFETY: the block belongs to the first arena now.
        unsafe { (own as *mut u8).write_bytes(1, 100) };
        arena.rest();
        assert!(arena.rests(own as *const u8));
    }

    #[test]
    fn a_request_that_no_memory_can_hold_is_refused() {
        assert!(Arena::default().take(usize::MAX, 16).is_err() && Arena::default().take(1 << 60, 16).is_err());
    }

    #[test]
    fn the_first_written_byte_is_found() {
        for length in [0, 1, 8, 4095, 4096, 4097, 64 << 10, (64 << 10) + 1, 300_000] {
            let mut bytes = vec![0_u8; length];
            // SAFETY: the vector has this many bytes.
            unsafe { mark(bytes.as_mut_ptr(), length) };
            // SAFETY: as above.
            assert_eq!(unsafe { first_written(bytes.as_ptr(), length) }, None, "{length} bytes");
            for (start, piece) in pieces(length) {
                for at in [start, start + piece - 1] {
                    bytes[at] ^= 1;
                    // SAFETY: as above.
                    assert_eq!(unsafe { first_written(bytes.as_ptr(), length) }, Some(at), "{length} bytes");
                    bytes[at] ^= 1;
                }
            }
        }
    }
}
