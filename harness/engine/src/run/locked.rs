//! Locks that outlive a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What others write too. Whoever held it and panicked has written all or nothing.
pub(super) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
