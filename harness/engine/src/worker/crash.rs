//! A worker's handler for signals that end a process. It leaves the registers, the stack and the list of mappings in
//! the flight recorder's memory, and then lets the signal end the process, even if the signal was sent and no fault
//! repeats.
//!
//! The handler is installed before the library is loaded. If the library installs its own handlers, they are used, and
//! the report has a stack only if they call the previous handler.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::stack::{REGISTERS, stack_pointer};
use crate::wire::crash::{Claim, CrashArea, MAPS, PROBE, STACK};
use crate::wire::flight::Flight;

/// The handled signals.
const SIGNALS: [c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGTRAP, libc::SIGSYS];

/// The size of an alternate stack, in bytes. The registers alone may take 12 KiB.
const ALTERNATE: usize = 64 << 10;

/// The number of pauses of a millisecond for which a thread waits for another thread's stack.
const PAUSES: u32 = 1_000;

/// Everything that the handler needs.
struct Handler {
    area: *mut CrashArea,
    process: libc::pid_t,
    supervisor: libc::pid_t,
}

static HANDLER: AtomicPtr<Handler> = AtomicPtr::new(ptr::null_mut());

/// Gives the handled signals their default action. A signal that an earlier program ignored ends the process again. So
/// does one that was sent: the standard library's handler of stack overflows returns, because it expects a fault, which
/// would repeat.
pub(crate) fn let_signals_end_the_process() {
    for signal in SIGNALS {
        // SAFETY: the default action runs no code. The numbers are valid, so the call cannot fail.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Installs the handler, for the rest of the process.
pub(super) fn install(flight: Flight) -> std::io::Result<()> {
    // The supervisor's debugger is not a parent of this process, so Yama forbids it to attach. Systems without Yama
    // refuse the call and permit more.
    let _ = rustix::process::set_ptracer(match rustix::process::getppid() {
        Some(parent) => rustix::process::PTracer::ProcessID(parent),
        None => rustix::process::PTracer::None,
    });
    // The handler may run until the process is gone.
    std::mem::forget(AlternateStack::new()?);
    let area = flight.crash_area();
    std::mem::forget(flight);
    // SAFETY: `sigaction` is plain data, for which zeros are valid. The handler's data is complete before a handler can
    // run, and is never freed.
    unsafe {
        let handler = Handler { area, process: libc::getpid(), supervisor: libc::getppid() };
        HANDLER.store(Box::into_raw(Box::new(handler)), Ordering::Release);
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        action.sa_sigaction = on_signal as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        // A fault in the handler then ends the process, because its signal is blocked.
        for signal in SIGNALS {
            libc::sigaddset(&mut action.sa_mask, signal);
        }
        for signal in SIGNALS {
            if libc::sigaction(signal, &action, ptr::null_mut()) != 0 {
                return Err(std::io::Error::last_os_error());
            }
        }
    }
    Ok(())
}

/// Records that this thread performs the rule's statements until the result is dropped.
pub(super) fn perform() -> Performs {
    // SAFETY: the call has no arguments.
    note(unsafe { libc::gettid() } as u32);
    Performs(())
}

/// See [`perform`].
pub(super) struct Performs(());

impl Drop for Performs {
    fn drop(&mut self) {
        note(0);
    }
}

fn note(thread: u32) {
    let handler = HANDLER.load(Ordering::Acquire);
    if !handler.is_null() {
        // SAFETY: the handler's data is never freed, and its area stays mapped.
        unsafe { CrashArea::perform((*handler).area, thread) };
    }
}

/// A stack on which a thread's signal handlers run, so that they can run when the thread's own stack is used up.
pub(super) struct AlternateStack(*mut c_void);

impl AlternateStack {
    /// Gives the calling thread an alternate stack.
    pub(super) fn new() -> std::io::Result<AlternateStack> {
        use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
        // SAFETY: a fresh private mapping.
        let base = unsafe {
            mmap_anonymous(ptr::null_mut(), ALTERNATE, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)?
        };
        let stack = libc::stack_t { ss_sp: base, ss_flags: 0, ss_size: ALTERNATE };
        let given = AlternateStack(base);
        // SAFETY: the stack is mapped until `given` is dropped, which takes it away first.
        match unsafe { libc::sigaltstack(&stack, ptr::null_mut()) } {
            0 => Ok(given),
            _ => Err(std::io::Error::last_os_error()),
        }
    }
}

impl Drop for AlternateStack {
    fn drop(&mut self) {
        let mut stack = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: 0, ss_size: 0 };
        // SAFETY: a null stack only queries. The alternate stack is disabled only if it is this one, because the library
        // may have set another. The mapping is no longer in use then. If unmapping fails, it is leaked.
        unsafe {
            libc::sigaltstack(ptr::null(), &mut stack);
            if stack.ss_sp == self.0 {
                stack.ss_flags = libc::SS_DISABLE;
                libc::sigaltstack(&stack, ptr::null_mut());
            }
            let _ = rustix::mm::munmap(self.0, ALTERNATE);
        }
    }
}

/// The handler. It calls only functions that are safe in a signal handler.
extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes valid pointers, and the handler's data was published before the handler was installed.
    unsafe {
        let errno = *libc::__errno_location();
        let handler = &*HANDLER.load(Ordering::Acquire);
        // A child that the library forked has the same memory, and is not the worker.
        let is_worker = libc::getpid() == handler.process;
        if is_worker {
            leave(handler.area, signal, &*info, context.cast());
        }
        let sent = (*info).si_code <= 0;
        let asked = is_worker && signal == PROBE && sent && (*info).si_pid() == handler.supervisor;
        if !asked {
            end(signal);
        }
        *libc::__errno_location() = errno;
    }
}

/// Copies this thread's state, unless a thread has already copied its own.
///
/// # Safety
/// Only for the handler.
unsafe fn leave(area: *mut CrashArea, signal: c_int, info: &libc::siginfo_t, context: *const libc::ucontext_t) {
    // SAFETY: the area is mapped, all writes are inside it, and only the thread with the claim writes. The context
    // comes from the kernel.
    unsafe {
        let mut pauses = 0;
        loop {
            match CrashArea::claim(area, libc::gettid() as u32) {
                Claim::Granted => break,
                Claim::Written => return,
                Claim::Busy if pauses == PAUSES => return,
                Claim::Busy => {
                    pauses += 1;
                    libc::nanosleep(&libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 }, ptr::null_mut());
                }
            }
        }
        (&raw mut (*area).signal).write(signal);
        (&raw mut (*area).code).write(info.si_code);
        (&raw mut (*area).address).write(info.si_addr() as u64);
        libc::prctl(libc::PR_GET_NAME, (&raw mut (*area).name).cast::<c_void>());
        let registers = registers(&*context);
        (&raw mut (*area).registers).write(registers);
        copy_stack(area, stack_pointer(&registers));
        copy_maps(area);
        CrashArea::complete(area);
    }
}

/// Copies the stack. The kernel copies, because it stops at the end of the mapping.
///
/// # Safety
/// `area` is mapped.
unsafe fn copy_stack(area: *mut CrashArea, from: u64) {
    // SAFETY: the destination is inside the area; the kernel checks the source.
    unsafe {
        let to: *mut c_void = (&raw mut (*area).stack).cast();
        let memory = libc::open(c"/proc/self/mem".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let copied = if memory >= 0 {
            let copied = libc::pread64(memory, to, STACK, from as libc::off64_t);
            libc::close(memory);
            copied
        } else {
            // No descriptor is left.
            let local = libc::iovec { iov_base: to, iov_len: STACK };
            let remote = libc::iovec { iov_base: from as *mut c_void, iov_len: STACK };
            libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0)
        };
        (*area).lengths[0].store(copied.max(0) as u64, Ordering::Release);
    }
}

/// Copies the list of mappings.
///
/// # Safety
/// `area` is mapped.
unsafe fn copy_maps(area: *mut CrashArea) {
    // SAFETY: the destination is inside the area.
    unsafe {
        let to: *mut u8 = (&raw mut (*area).maps).cast();
        let maps = libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let mut length = 0;
        while maps >= 0 && length < MAPS {
            let count = libc::read(maps, to.add(length).cast(), MAPS - length);
            if count <= 0 {
                break;
            }
            length += count as usize;
        }
        libc::close(maps);
        (*area).lengths[1].store(length as u64, Ordering::Release);
    }
}

/// Makes the signal end the process when this handler returns. The signal is sent again, because not every fault
/// repeats and a sent signal never does.
///
/// # Safety
/// Only for the handler.
unsafe fn end(signal: c_int) {
    // SAFETY: the default action runs no code. The signal is blocked until this handler returns.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::gettid(), signal);
    }
}

#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> [u64; REGISTERS.len()] {
    std::array::from_fn(|at| context.uc_mcontext.gregs[at] as u64)
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> [u64; REGISTERS.len()] {
    let machine = &context.uc_mcontext;
    std::array::from_fn(|at| match at {
        0..=30 => machine.regs[at],
        31 => machine.sp,
        32 => machine.pc,
        _ => machine.pstate,
    })
}
