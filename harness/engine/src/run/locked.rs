//! Locks that remain usable after a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a shared value. If a thread panicked while holding the lock, it had written either everything or nothing.
pub(super) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
