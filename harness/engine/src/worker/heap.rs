//! The bytes that this process has allocated from the C library's heap.

use std::ffi::c_int;

/// The C library's `mallinfo2`, which glibc has since 2.33.
type Info2 = unsafe extern "C" fn() -> Numbers<usize>;
/// The C library's `mallinfo`. Its numbers wrap at 4 GiB.
type Info = unsafe extern "C" fn() -> Numbers<c_int>;

/// The result of both functions, which differ only in the type of numbers.
#[repr(C)]
struct Numbers<T> {
    arena: T,
    free_chunks: T,
    fast_chunks: T,
    mapped_blocks: T,
    mapped: T,
    most: T,
    fast_free: T,
    allocated: T,
    free: T,
    releasable: T,
}

/// The number of allocated bytes; `None` if the C library does not report it.
pub(super) fn allocated() -> Option<u64> {
    // SAFETY: the name is a C string.
    let find = |name: &std::ffi::CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    let found = find(c"mallinfo2");
    if !found.is_null() {
        // SAFETY: glibc's function of this name has this type.
        let numbers = unsafe { std::mem::transmute::<*mut libc::c_void, Info2>(found)() };
        return Some((numbers.allocated as u64).saturating_add(numbers.mapped as u64));
    }
    let found = find(c"mallinfo");
    if found.is_null() {
        return None;
    }
    // SAFETY: the function of this name has this type in every C library that has it.
    let numbers = unsafe { std::mem::transmute::<*mut libc::c_void, Info>(found)() };
    Some(u64::from(numbers.allocated as u32) + u64::from(numbers.mapped as u32))
}
