//! One lock for each device, which two runs cannot hold at once.

use std::fs::{File, TryLockError};
use std::path::PathBuf;

use super::TargetError;

/// Locks the first devices in ascending order, in a folder that containers can share.
pub(super) fn lock_devices(devices: u32) -> Result<Vec<File>, TargetError> {
    let folder =
        std::env::var_os("ATLAS_CTS_LOCKS").map_or_else(|| std::env::temp_dir().join("atlas-cts-locks"), PathBuf::from);
    let failed = |source| TargetError::LockFolder { folder: folder.clone(), source };
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let lock = |device: u32| {
        let path = folder.join(format!("device-{device}.lock"));
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(TargetError::Locked { device, path }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    };
    (0..devices).map(lock).collect()
}
