//! A case's memory: the frame with its variables, arrays, host buffers with guards, and patterns.

use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

use tempfile::TempPath;

use crate::wire::FILES;

use super::arena::{Arena, Moment, first_written, mark};
use super::difference::Known;
use super::fault::Fault;

/// The number of guard bytes before and after a host buffer. Guard bytes must stay unchanged.
const GUARD: usize = 64;

/// The folder for cases' files; `None` if the supervisor did not name one.
static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| std::env::var_os(FILES).map(PathBuf::from));

/// Reads the name of the folder for cases' files, before a library can change the environment.
pub(super) fn find_folder() {
    LazyLock::force(&FOLDER);
}

/// All memory that a case allocates. The memory is freed between cases, and its pages are used again.
#[derive(Debug)]
pub(super) struct Memory {
    /// The first word of the frame with the variables.
    frame: *mut u64,
    /// The frame; empty in a lane, which uses the case's frame.
    words: Vec<u64>,
    /// The number of blocks at the beginning that belong to the case, in a lane.
    shared: usize,
    arena: Arena,
    blocks: Vec<Block>,
    /// The blocks of the case before. They must stay unchanged.
    ended: Vec<Block>,
    /// True if the case has come to its end, so that no call of the case still works with its memory.
    complete: bool,
    patterns: Vec<(usize, i128, *mut u8)>,
    mappings: Vec<(*mut std::ffi::c_void, usize)>,
    files: Vec<TempPath>,
    /// The numbers of blocks, mappings and files that [`Memory::free_since_kept`] keeps.
    kept: [usize; 3],
    /// The moment of [`Memory::keep`].
    kept_at: Moment,
    /// Makes each case's patterns different.
    pub salt: u64,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    base: *mut u8,
    length: usize,
    /// The offset and length of the part between the guards; `None` for arrays and patterns, which have no guards.
    guarded: Option<(usize, usize)>,
}

impl Memory {
    pub(super) fn new(frame: usize) -> Memory {
        let mut words = vec![0; frame.div_ceil(8).max(1)];
        Memory {
            frame: words.as_mut_ptr(),
            words,
            shared: 0,
            arena: Arena::default(),
            blocks: Vec::new(),
            ended: Vec::new(),
            complete: false,
            patterns: Vec::new(),
            mappings: Vec::new(),
            files: Vec::new(),
            kept: [0; 3],
            kept_at: Moment::default(),
            salt: 0,
        }
    }

    /// Starts a case: frees the previous case's memory and poisons all variables.
    pub(super) fn reset(&mut self, salt: u64) {
        self.free_all();
        self.salt = salt;
        let poison = self.poison_word();
        self.words.fill(poison);
    }

    /// The memory of a lane: the variables and blocks of the case, and blocks of the lane. The case must not use its
    /// memory until [`Memory::join`].
    pub(super) fn share(&self) -> Memory {
        Memory {
            frame: self.frame,
            words: Vec::new(),
            shared: self.blocks.len(),
            arena: Arena::default(),
            blocks: self.blocks.clone(),
            ended: Vec::new(),
            complete: false,
            patterns: self.patterns.clone(),
            mappings: Vec::new(),
            files: Vec::new(),
            kept: [0; 3],
            kept_at: Moment::default(),
            salt: self.salt,
        }
    }

    /// Takes over what a lane allocated.
    pub(super) fn join(&mut self, lane: &mut Memory) {
        self.arena.join(&mut lane.arena);
        self.blocks.extend(lane.blocks.drain(..).skip(lane.shared));
        lane.shared = 0;
        let new = |pattern: &(usize, i128, *mut u8)| self.patterns.iter().all(|known| known.2 != pattern.2);
        let patterns: Vec<_> = lane.patterns.drain(..).filter(new).collect();
        self.patterns.extend(patterns);
        self.mappings.append(&mut lane.mappings);
        self.files.append(&mut lane.files);
    }

    /// Gives up the memory without freeing it, because a call that did not return may still use it.
    pub(super) fn abandon(&mut self) {
        let words = self.words.len();
        std::mem::forget(std::mem::replace(&mut self.words, vec![0; words]));
        self.frame = self.words.as_mut_ptr();
        self.arena.abandon();
        self.blocks.clear();
        self.ended.clear();
        std::mem::forget(std::mem::take(&mut self.mappings));
        self.patterns.clear();
    }

    /// The word that unset variables contain.
    pub(super) fn poison_word(&self) -> u64 {
        0xA5C3_D7E1_B996_8F5B ^ (self.salt & 0x0F0F_0F0F_0F0F_0F0F)
    }

    /// The address of the frame's first byte.
    pub(super) fn frame(&mut self) -> *mut u8 {
        self.frame.cast()
    }

    /// Allocates memory for an array, filled with poison or zeros.
    pub(super) fn array(&mut self, bytes: usize, zero: bool) -> Result<*mut u8, Fault> {
        let pointer = self.block(bytes.max(8), 16, None)?;
        let fill = if zero { 0 } else { (self.poison_word() & 0xFF) as u8 };
        // SAFETY: the block was just allocated with at least `bytes` bytes.
        unsafe { pointer.write_bytes(fill, bytes.max(8)) };
        Ok(pointer)
    }

    /// Allocates host memory with guards on both sides. The memory between the guards starts at a multiple of `align`.
    pub(super) fn host(&mut self, bytes: usize, align: usize) -> Result<*mut u8, Fault> {
        let front = GUARD.max(align);
        let pointer = self.block(front + bytes + GUARD, align.max(16), Some((front, bytes)))?;
        let guard = self.guard_byte();
        // SAFETY: the block holds `front + bytes + GUARD` bytes.
        unsafe {
            pointer.write_bytes(guard, front);
            pointer.add(front + bytes).write_bytes(guard, GUARD);
            Ok(pointer.add(front))
        }
    }

    /// Allocates `bytes` bytes of memory that end at an inaccessible page.
    pub(super) fn edge(&mut self, bytes: usize) -> Result<*mut u8, Fault> {
        use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};
        let failed = |what: String, error: rustix::io::Errno| Fault::Memory { what, source: error.into() };
        let page = rustix::param::page_size();
        let pages = bytes.div_ceil(page).max(1);
        let length = (pages + 1) * page;
        // SAFETY: a fresh private mapping at an address chosen by the system.
        let base = unsafe {
            mmap_anonymous(std::ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
        }
        .map_err(|error| failed(format!("cannot allocate memory for edge({bytes})"), error))?;
        self.mappings.push((base, length));
        // SAFETY: the last page in the mapping made above; nothing points into it.
        unsafe { mprotect(base.cast::<u8>().add(pages * page).cast(), page, MprotectFlags::empty()) }
            .map_err(|error| failed(format!("cannot protect the page after edge({bytes})"), error))?;
        // SAFETY: the address stays inside the mapping.
        Ok(unsafe { base.cast::<u8>().add(pages * page - bytes) })
    }

    /// A tag's pattern. The same length and tag return the same memory.
    pub(super) fn pattern(&mut self, bytes: usize, tag: i128) -> Result<*const u8, Fault> {
        if let Some((_, _, pointer)) = self.patterns.iter().find(|(length, known, _)| *length >= bytes && *known == tag)
        {
            return Ok(*pointer);
        }
        let pointer = self.block(bytes.max(8), 64, None)?;
        // SAFETY: the block was just allocated with at least `bytes` bytes.
        write_pattern(unsafe { std::slice::from_raw_parts_mut(pointer, bytes) }, self.salt, tag);
        self.patterns.push((bytes, tag, pointer));
        Ok(pointer)
    }

    /// The known bytes that may explain `length` found bytes at `found`, where `expected` is the address of the expected
    /// bytes.
    pub(super) fn known(&self, found: i128, expected: i128, length: usize) -> Known<'_> {
        let inside = |base: *mut u8, room: usize, address: i128| {
            let offset = usize::try_from(address - base as i128).ok()?;
            (offset.checked_add(length)? <= room).then_some(offset)
        };
        let guarded = self.blocks.iter().filter_map(|block| block.guarded.map(|part| (block.base, part)));
        // SAFETY: the front guard is inside the block.
        let mut starts = guarded.filter_map(|(base, (front, room))| inside(unsafe { base.add(front) }, room, found));
        let poison = |offset: usize| {
            let mut bytes = vec![0; offset + length];
            write_poison(&mut bytes, self.salt);
            bytes.split_off(offset)
        };
        // Rules poison a buffer from its start or from the start of the comparison.
        let offsets = [Some(0), starts.next().filter(|offset| *offset > 0)];
        let at = self.patterns.iter().find_map(|(room, _, base)| inside(*base, *room, expected));
        let others = self.patterns.iter().filter_map(|(room, _, base)| {
            let at = at.unwrap_or(0);
            // SAFETY: the pattern's memory has `room` bytes, and patterns are never written after their creation.
            (at.checked_add(length)? <= *room).then(|| unsafe { std::slice::from_raw_parts(base.add(at), length) })
        });
        Known { poison: offsets.into_iter().flatten().map(poison).collect(), patterns: others.collect() }
    }

    /// True if the address is inside a pattern.
    pub(super) fn is_pattern(&self, address: i128) -> bool {
        self.patterns.iter().any(|(room, _, base)| (0..(*room).max(1) as i128).contains(&(address - *base as i128)))
    }

    /// Creates a file with this text, accessible only to this user. The file is removed after the case.
    pub(super) fn file(&mut self, text: &str) -> Result<PathBuf, Fault> {
        let folder = FOLDER.clone().unwrap_or_else(std::env::temp_dir);
        let failed = |source| Fault::File { path: folder.clone(), source };
        let mut file = tempfile::Builder::new().prefix("file-").tempfile_in(&folder).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        let path = file.path().to_owned();
        self.files.push(file.into_temp_path());
        Ok(path)
    }

    /// Allocates memory for a text that a built-in returns.
    pub(super) fn text(&mut self, text: &str) -> Result<*mut u8, Fault> {
        let pointer = self.array(text.len() + 1, true)?;
        // SAFETY: the array holds the text and a terminating zero.
        unsafe { pointer.copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        Ok(pointer)
    }

    /// The first overwritten guard byte: its offset from the buffer, and the buffer's length.
    pub(super) fn broken_guard(&self) -> Option<(isize, usize)> {
        let guard = self.guard_byte();
        for block in &self.blocks {
            let Some((front, bytes)) = block.guarded else { continue };
            for at in (0..front).rev().chain(front + bytes..front + bytes + GUARD) {
                // SAFETY: `at` is inside the block.
                if unsafe { *block.base.add(at) } != guard {
                    return Some((at as isize - front as isize, bytes));
                }
            }
        }
        None
    }

    /// Notes that the case has come to its end. Only then a later write to its memory is a defect: after a failure, the
    /// case may have left work behind.
    pub(super) fn complete(&mut self) {
        self.complete = true;
    }

    /// The first byte that was written in a block of the case before: its offset from the buffer, and the buffer's
    /// length.
    pub(super) fn late_write(&self) -> Option<(isize, usize)> {
        self.ended.iter().find_map(|block| {
            // SAFETY: the arena keeps the memory of the case before until the next reset.
            let at = unsafe { first_written(block.base, block.length) }?;
            let (front, bytes) = block.guarded.unwrap_or((0, block.length));
            Some((at as isize - front as isize, bytes))
        })
    }

    fn guard_byte(&self) -> u8 {
        0xC1 ^ (self.salt as u8 & 0x0E)
    }

    fn block(&mut self, bytes: usize, align: usize, guarded: Option<(usize, usize)>) -> Result<*mut u8, Fault> {
        let taken = self.arena.take(bytes, align);
        let base = taken.map_err(|source| Fault::Memory { what: format!("cannot allocate {bytes} bytes"), source })?;
        self.blocks.push(Block { base, length: bytes, guarded });
        Ok(base)
    }

    /// Keeps everything that was allocated so far when later allocations are freed.
    pub(super) fn keep(&mut self) {
        self.kept = [self.blocks.len(), self.mappings.len(), self.files.len()];
        self.kept_at = self.arena.now();
    }

    /// Frees everything that was allocated since [`Memory::keep`].
    pub(super) fn free_since_kept(&mut self) {
        let [blocks, mappings, files] = self.kept;
        let freed: Vec<usize> = self.blocks.iter().skip(blocks).map(|block| block.base as usize).collect();
        self.patterns.retain(|(_, _, pointer)| !freed.contains(&(*pointer as usize)));
        for block in self.blocks.drain(blocks.min(self.blocks.len())..) {
            // SAFETY: the arena still holds the block, which is used no longer.
            unsafe { mark(block.base, block.length) };
        }
        self.arena.rewind(self.kept_at);
        self.free_others(mappings, files);
    }

    fn free_all(&mut self) {
        self.patterns.clear();
        self.kept = [0; 3];
        self.kept_at = Moment::default();
        // The blocks of the case that a lane shares are not the lane's.
        let shared = std::mem::take(&mut self.shared);
        self.arena.rest();
        self.ended.clear();
        let own = self.blocks.drain(..).skip(shared).filter(|block| self.arena.rests(block.base));
        self.ended.extend(own);
        for block in &self.ended {
            // SAFETY: the arena keeps the block until the next case has ended, and the block's case has ended.
            unsafe { mark(block.base, block.length) };
        }
        if !std::mem::take(&mut self.complete) {
            self.ended.clear();
        }
        self.free_others(0, 0);
    }

    fn free_others(&mut self, mappings: usize, files: usize) {
        for (base, length) in self.mappings.drain(mappings.min(self.mappings.len())..) {
            // SAFETY: mapped by `edge`, and unused after the case. If unmapping fails, one mapping is leaked.
            let _ = unsafe { rustix::mm::munmap(base, length) };
        }
        self.files.truncate(files);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.free_all();
    }
}

#[inline]
fn mix(seed: u64, index: u64) -> u64 {
    let mut x = seed.wrapping_add(index.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^ (x >> 27)
}

const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// A word of 8 bytes in a pattern. Each byte's high bit depends only on salt and position, and is inverted in
/// poison: a poisoned byte differs from the byte at the same position in every pattern.
#[inline]
fn pattern_word(salt: u64, tag: i128, index: u64) -> u64 {
    let tagged = mix(salt ^ (tag as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93), index);
    (tagged & !HIGH_BITS) | (mix(!salt, index) & HIGH_BITS)
}

#[inline]
fn poison_word_at(salt: u64, index: u64) -> u64 {
    (mix(salt.rotate_left(17), index) & !HIGH_BITS) | (!mix(!salt, index) & HIGH_BITS)
}

/// Writes words of 8 bytes, and the beginning of another one if the length is not a multiple. The words are arrays
/// because copies of slices are checked one by one in builds with debug assertions, which takes most of the time of
/// rules that move much memory.
fn write_words(bytes: &mut [u8], word: impl Fn(u64) -> u64) {
    let (words, rest) = bytes.as_chunks_mut::<8>();
    for (index, whole) in words.iter_mut().enumerate() {
        *whole = word(index as u64).to_le_bytes();
    }
    let last = word(words.len() as u64).to_le_bytes();
    let length = rest.len();
    rest.copy_from_slice(&last[..length]);
}

/// Fills memory with a tag's pattern.
pub fn write_pattern(bytes: &mut [u8], salt: u64, tag: i128) {
    write_words(bytes, |index| pattern_word(salt, tag, index));
}

/// Fills memory with bytes that differ from the bytes at the same position in every pattern of the case.
pub fn write_poison(bytes: &mut [u8], salt: u64) {
    write_words(bytes, |index| poison_word_at(salt, index));
}

/// True if memory still holds the bytes written by [`write_poison`].
pub fn is_poisoned(bytes: &[u8], salt: u64) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let word = |index: usize| poison_word_at(salt, index as u64).to_le_bytes();
    words.iter().enumerate().all(|(index, whole)| *whole == word(index)) && *rest == word(words.len())[..rest.len()]
}
