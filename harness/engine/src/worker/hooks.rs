//! The functions that `hook` passes to the runtime.
//!
//! A hook has at most six parameters, which are integers or addresses. On x86_64 and aarch64, each parameter has a
//! separate register, so a function with six 64-bit parameters can be called as any callback type. The caller leaves
//! arbitrary bits in the registers after its arguments and in the unused halves of small integers. The function drops
//! these bits: its number selects the callback type, which has the parameters' types.

use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use abi::Callback;
use steps::types::{HOOK_PARAMETERS, is_address, receives_gate, wrap};

use super::fault::Fault;
use super::gates;

/// A callback type for which a function was requested.
#[derive(Debug)]
struct Hook {
    callback: &'static Callback,
    /// The gate of all calls if the callback type has no parameter for a gate.
    bound: Option<usize>,
}

/// The requested functions, by number.
static HOOKS: Mutex<Vec<Hook>> = Mutex::new(Vec::new());

fn hooks() -> MutexGuard<'static, Vec<Hook>> {
    HOOKS.lock().unwrap_or_else(PoisonError::into_inner)
}

type Function = extern "C" fn(u64, u64, u64, u64, u64, u64) -> u64;

macro_rules! functions {
    ($($number:literal)*) => { &[$(pass::<$number>),*] };
}

/// A function for each callback type.
const FUNCTIONS: &[Function] = functions! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
};

/// Returns the address of the function of a callback type. If the type has no parameter for a gate, `bound` is the gate
/// of all calls from now on.
pub(super) fn hook(callback: &'static Callback, bound: Option<i128>) -> Result<i128, Fault> {
    let bound = bound.map(gates::require).transpose()?;
    let mut hooks = hooks();
    let number = match hooks.iter().position(|known| known.callback.name == callback.name) {
        Some(number) => number,
        None => {
            hooks.push(Hook { callback, bound });
            hooks.len() - 1
        }
    };
    let function = FUNCTIONS.get(number).ok_or(Fault::Hooks(FUNCTIONS.len()))?;
    hooks[number].bound = bound;
    Ok(*function as *const c_void as i128)
}

/// Waits at the gate among the arguments, or at the gate that is bound to the callback type. Returns 0 or, if the
/// callback returns a pointer, the gate's address.
extern "C" fn pass<const NUMBER: usize>(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> u64 {
    let words: [u64; HOOK_PARAMETERS] = [a, b, c, d, e, f];
    let Some((callback, bound)) = hooks().get(NUMBER).map(|hook| (hook.callback, hook.bound)) else { return 0 };
    let parameters = callback.parameters.iter();
    let arguments: Vec<u64> = parameters.zip(words).map(|(ty, word)| wrap(*ty, i128::from(word)) as u64).collect();
    let received = callback.parameters.iter().zip(&arguments).filter(|(ty, _)| receives_gate(**ty));
    let gate = gates::wait(&arguments, received.map(|(_, word)| *word as usize).chain(bound));
    if is_address(callback.returns) { gate.unwrap_or(0) as u64 } else { 0 }
}
