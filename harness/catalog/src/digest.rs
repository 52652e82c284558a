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
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// Decodes hex; `None` if a character is not a hex digit.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, _) = text.as_bytes().as_chunks::<2>();
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}
