//! Gates: a function that `hook` passes to the runtime waits at a gate until the rule opens the gate.
//!
//! The runtime may call the function with any arguments, even after the gate's case has ended. The function
//! therefore only looks gates up: a gate's address is not reused while the process lives, and a call without the
//! address of a gate returns at once.

use std::collections::HashMap;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

use super::fault::Fault;

#[derive(Debug, Default)]
struct Gate {
    open: bool,
    /// The number of calls that have returned.
    passed: u64,
    /// The arguments of the call that began last; `None` before the first call.
    latest: Option<Vec<u64>>,
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

/// The number of gates that are closed.
pub(super) fn closed() -> usize {
    gates().values().filter(|gate| !gate.open).count()
}

/// The number of calls with this gate that have returned.
pub(super) fn passed(address: i128) -> Result<i128, Fault> {
    Ok(i128::from(known(&mut gates(), address)?.passed))
}

/// An argument of the call with this gate that began last, as the 64 bits of its value; 0 before the first call.
pub(super) fn argument(address: i128, number: i128) -> Result<i128, Fault> {
    let mut gates = gates();
    let Some(latest) = &known(&mut gates, address)?.latest else { return Ok(0) };
    let word = usize::try_from(number).ok().and_then(|number| latest.get(number));
    word.map(|word| i128::from(*word)).ok_or(Fault::NoArgument(number, latest.len()))
}

/// Checks that an address is a gate of the case.
pub(super) fn require(address: i128) -> Result<usize, Fault> {
    known(&mut gates(), address)?;
    usize::try_from(address).map_err(|_| Fault::NoGate)
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

/// Waits until the gate of a call opens or the case ends, and returns the gate's address. The gate is the first of
/// `candidates` that is a gate of the case; without one, the call returns at once. A rule that waits for the call to
/// return is stopped at the rule's deadline, together with this process.
pub(super) fn wait(arguments: &[u64], candidates: impl IntoIterator<Item = usize>) -> Option<usize> {
    let mut gates = gates();
    let address = candidates.into_iter().find(|candidate| gates.contains_key(candidate))?;
    if let Some(gate) = gates.get_mut(&address) {
        gate.latest = Some(arguments.to_vec());
    }
    while gates.get(&address).is_some_and(|gate| !gate.open) {
        gates = CHANGED.wait(gates).unwrap_or_else(PoisonError::into_inner);
    }
    if let Some(gate) = gates.get_mut(&address) {
        gate.passed += 1;
    }
    Some(address)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use abi::{Callback, Type};
    use steps::types::VOID_POINTER;

    use super::super::hooks::hook;
    use super::*;

    const INT: Type = Type::Integer { bytes: 4, signed: true };
    const BYTES: Type = Type::Integer { bytes: 8, signed: false };
    const FLAGS: Type = Type::Integer { bytes: 2, signed: false };
    const INFO: Type = Type::Pointer { to: &Type::Char, constant: true };
    static PLAIN: Callback = Callback { name: "plain", parameters: &[VOID_POINTER], returns: Type::Void };
    static STATE: Callback = Callback { name: "state", parameters: &[INT, FLAGS, VOID_POINTER], returns: INT };
    static MAKER: Callback = Callback { name: "maker", parameters: &[VOID_POINTER, BYTES], returns: VOID_POINTER };
    static NOTICE: Callback = Callback { name: "notice", parameters: &[INFO], returns: Type::Void };

    type Words = extern "C" fn(u64, u64, u64, u64, u64, u64) -> u64;

    /// Calls a hook as a library may: registers beyond the parameters and unused halves hold any bits.
    fn call(callback: &'static Callback, words: [u64; 6]) -> u64 {
        call_bound(callback, None, words)
    }

    fn call_bound(callback: &'static Callback, bound: Option<i128>, [a, b, c, d, e, f]: [u64; 6]) -> u64 {
        let address = hook(callback, bound).unwrap() as usize;
        // SAFETY: every hook is a function of this type.
        let function = unsafe { std::mem::transmute::<*const (), Words>(address as *const ()) };
        function(a, b, c, d, e, f)
    }

    fn plain(gate: i128) {
        call(&PLAIN, [gate as u64, 1, 2, 3, 4, 5]);
    }

    /// A single test, because the gates are shared by the entire process.
    #[test]
    fn a_call_waits_at_its_own_gate_only_and_never_after_its_case() {
        let (first, second) = (make(), make());
        let waiting = thread::spawn(move || plain(first));
        plain(0);
        open(second).unwrap();
        plain(second);
        plain(second);
        assert_eq!((passed(first).unwrap(), passed(second).unwrap()), (0, 2));
        open(first).unwrap();
        waiting.join().unwrap();
        assert_eq!(passed(first).unwrap(), 1);

        the_gate_is_an_argument(second);
        a_gate_is_bound();
        let left = make();
        let waiting = thread::spawn(move || plain(left));
        open_all();
        waiting.join().unwrap();
        plain(first);
        assert!(matches!(passed(first), Err(Fault::NoGate)), "this gate belonged to another case");
    }

    fn the_gate_is_an_argument(other: i128) {
        let gate = make();
        assert_eq!(argument(gate, 5).unwrap(), 0, "before any call");
        open(gate).unwrap();
        // The unused halves of integers are not part of them, and an integer is never a gate.
        let number = 0xABCD_EF01_FFFF_FFFEu64;
        assert_eq!(call(&STATE, [number, 0xFFFF_1234, gate as u64, other as u64, 0, 0]), 0);
        assert_eq!(argument(gate, 0).unwrap(), i128::from(-2i64 as u64));
        assert_eq!(argument(gate, 1).unwrap(), 0x1234);
        assert_eq!(argument(gate, 2).unwrap(), gate);
        assert!(matches!(argument(gate, 3), Err(Fault::NoArgument(3, 3))));
        assert!(matches!(argument(gate, -1), Err(Fault::NoArgument(-1, 3))));
        let before = passed(other).unwrap();
        call(&STATE, [0, 0, 0, other as u64, 0, 0]);
        call(&MAKER, [0, other as u64, other as u64, 0, 0, 0]);
        assert_eq!(passed(other).unwrap(), before, "neither an argument beyond the last one nor an integer is a gate");
        assert_eq!(call(&MAKER, [gate as u64, 7, 0, 0, 0, 0]), gate as u64);
        assert_eq!(call(&MAKER, [1, 7, 0, 0, 0, 0]), 0);
        assert_eq!((argument(gate, 1).unwrap(), passed(gate).unwrap()), (7, 2));
    }

    fn a_gate_is_bound() {
        let (first, second) = (make(), make());
        open(first).unwrap();
        open(second).unwrap();
        call_bound(&NOTICE, Some(first), [9, 0, 0, 0, 0, 0]);
        call_bound(&NOTICE, Some(second), [first as u64, 0, 0, 0, 0, 0]);
        assert_eq!((passed(first).unwrap(), argument(first, 0).unwrap()), (1, 9));
        assert_eq!((passed(second).unwrap(), argument(second, 0).unwrap()), (1, first));
        assert!(matches!(hook(&NOTICE, Some(1)), Err(Fault::NoGate)));
    }
}
