//! Digests of files, and conversion between bytes and hex.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::files;

/// The SHA-256 of a regular file, in lower-case hex.
pub fn of_file(path: &Path) -> std::io::Result<String> {
    let mut digest = Sha256::new();
    std::io::copy(&mut files::open(path)?, &mut digest)?;
    Ok(hex(&digest.finalize()))
}

/// The SHA-256 of bytes, in lower-case hex.
pub fn of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes in lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Decodes hex; `None` if a character is not a hex digit.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    (0..text.len() / 2).map(|at| u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()).collect()
}
