//! Codes of the driver's and the runtime's functions, and what they mean for starting the suite, in our own words. The
//! numbers are the same in both. Source: CUDA driver API reference, CUresult.

pub(super) const STUB_LIBRARY: i32 = 34;

/// The codes that keep a run from starting: number, the names in both interfaces, and the meaning.
pub(super) const CODES: &[(i32, &[&str], &str)] = &[
    (2, &["CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation"], "not enough memory"),
    (3, &["CUDA_ERROR_NOT_INITIALIZED", "cudaErrorInitializationError"], "the driver could not be initialized"),
    (34, &["CUDA_ERROR_STUB_LIBRARY", "cudaErrorStubLibrary"], "the library is a stub for linking"),
    (35, &["cudaErrorInsufficientDriver"], "the driver is older than the toolkit's library, or missing"),
    (36, &["cudaErrorCallRequiresNewerDriver"], "the call needs a newer driver"),
    (46, &["CUDA_ERROR_DEVICE_UNAVAILABLE", "cudaErrorDevicesUnavailable"], "the device is in use or prohibited"),
    (100, &["CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice"], "the driver finds no device"),
    (101, &["CUDA_ERROR_INVALID_DEVICE", "cudaErrorInvalidDevice"], "a number without a device"),
    (304, &["CUDA_ERROR_OPERATING_SYSTEM", "cudaErrorOperatingSystem"], "a call of the operating system failed"),
    (802, &["CUDA_ERROR_SYSTEM_NOT_READY", "cudaErrorSystemNotReady"], "a service of the system is not ready"),
    (
        803,
        &["CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "cudaErrorSystemDriverMismatch"],
        "the driver's library does not fit the kernel module",
    ),
    (
        804,
        &["CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "cudaErrorCompatNotSupportedOnDevice"],
        "the device does not support forward compatibility",
    ),
    (999, &["CUDA_ERROR_UNKNOWN", "cudaErrorUnknown"], "an unknown error"),
];

/// A code's meaning.
pub(super) fn meaning(code: i32) -> &'static str {
    CODES.iter().find(|(known, ..)| *known == code).map_or("a code that is not in the suite's list", |(.., text)| *text)
}

/// The first of these codes that a text contains, by its name.
pub(super) fn in_text(text: &str) -> Option<i32> {
    let contains = |names: &[&str]| names.iter().any(|name| text.contains(name));
    CODES.iter().find(|(_, names, _)| contains(names)).map(|(code, ..)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_known_by_their_names() {
        assert_eq!(in_text("cuInit(0) returned CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"), Some(803));
        assert_eq!(in_text("all is well"), None);
        assert!(CODES.windows(2).all(|pair| pair[0].0 < pair[1].0), "numbers ascend");
        assert_eq!(meaning(35), "the driver is older than the toolkit's library, or missing");
    }
}
