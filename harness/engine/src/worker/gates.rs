//! Gates: the function that `hook` passes to the runtime waits at a gate until the rule opens the gate.
//!
//! The runtime may call the function with any argument, even after the gate's case has ended. The function
//! therefore only looks gates up: a gate's address is not reused while the process lives, and a call with any other
//! address returns at once.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

use super::fault::Fault;

#[derive(Debug, Default)]
struct Gate {
    open: bool,
    /// The number of calls that have returned.
    passed: u64,
}

/// The current case's gates, by address.
static GATES: LazyLock<Mutex<HashMap<usize, Gate>>> = LazyLock::new(|| {
    // The library's exit handlers may wait for its calls, and the handler that was registered last runs first.
    // SAFETY: the function takes no arguments and does not unwind.
    let _ = unsafe { libc::atexit(at_exit) };
    Mutex::default()
});
static CHANGED: Condvar = Condvar::new();

fn gates() -> MutexGuard<'static, HashMap<usize, Gate>> {
    GATES.lock().unwrap_or_else(PoisonError::into_inner)
}

extern "C" fn at_exit() {
    open_all();
}

/// Creates a closed gate, and returns its address.
pub(super) fn make() -> i128 {
    let address = std::ptr::from_ref(Box::leak(Box::new(0u64))) as usize;
    gates().insert(address, Gate::default());
    address as i128
}

/// Opens a gate permanently.
pub(super) fn open(address: i128) -> Result<(), Fault> {
    known(&mut gates(), address)?.open = true;
    CHANGED.notify_all();
    Ok(())
}

/// The number of calls with this gate that have returned.
pub(super) fn passed(address: i128) -> Result<i128, Fault> {
    Ok(i128::from(known(&mut gates(), address)?.passed))
}

fn known(gates: &mut HashMap<usize, Gate>, address: i128) -> Result<&mut Gate, Fault> {
    usize::try_from(address).ok().and_then(|address| gates.get_mut(&address)).ok_or(Fault::NoGate)
}

/// Opens all gates, so that no thread keeps waiting.
pub(super) fn open_all() {
    let mut gates = gates();
    // Every case calls this function, but few cases have gates. Without gates, this test avoids a system call.
    if !gates.is_empty() {
        gates.clear();
        CHANGED.notify_all();
    }
}

/// The address of the function that `hook` passes to the runtime.
pub(super) fn hook() -> i128 {
    pass as *const c_void as i128
}

/// Waits until the gate opens or the case ends. A rule that waits for this call to return is stopped at the rule's
/// deadline, together with this process.
extern "C" fn pass(gate: *mut c_void) {
    let address = gate as usize;
    let mut gates = gates();
    while gates.get(&address).is_some_and(|gate| !gate.open) {
        gates = CHANGED.wait(gates).unwrap_or_else(PoisonError::into_inner);
    }
    if let Some(gate) = gates.get_mut(&address) {
        gate.passed += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;
    use std::thread;

    use super::*;

    /// A single test, because the gates are shared by the entire process.
    #[test]
    fn a_call_waits_at_its_own_gate_only_and_never_after_its_case() {
        let call = |gate: i128| {
            let gate = gate as usize;
            thread::spawn(move || pass(gate as *mut c_void))
        };
        let (first, second) = (make(), make());
        let waiting = call(first);
        pass(ptr::null_mut());
        open(second).unwrap();
        call(second).join().unwrap();
        call(second).join().unwrap();
        assert_eq!((passed(first).unwrap(), passed(second).unwrap()), (0, 2));
        open(first).unwrap();
        waiting.join().unwrap();
        assert_eq!(passed(first).unwrap(), 1);
        let left = call(make());
        open_all();
        left.join().unwrap();
        pass(first as usize as *mut c_void);
        assert!(matches!(passed(first), Err(Fault::NoGate)), "this gate belonged to another case");
    }
}
