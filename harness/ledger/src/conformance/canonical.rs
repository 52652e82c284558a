//! Records as canonical bytes: records with equal content have equal bytes, and noncanonical bytes are rejected.

use std::path::Path;

use serde::Deserialize;

use super::error::ConformanceError;
use super::model::ConformanceRecord;
use catalog::files;

/// The largest record, in bytes: enough for tens of thousands of rules.
const LARGEST: u64 = 64 << 20;

impl ConformanceRecord {
    /// The format that this version writes. This version also reads format 1, which has no axioms.
    pub const FORMAT: u32 = 2;
}

/// The record as canonical JSON (RFC 8785): no white space, keys sorted by UTF-16 code units, and no final line feed.
pub fn to_canonical(record: &ConformanceRecord) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(record).expect("a record is made of texts, lists, maps and small numbers")
}

/// Reads a record, and returns the record and its bytes. The file must contain exactly the bytes that [`to_canonical`]
/// makes, and the statement must follow from the rest of the record.
///
/// # Errors
/// Fails if the record cannot be read, has an unknown format, is not canonical, or contradicts itself.
pub fn read_record(path: &Path) -> Result<(ConformanceRecord, Vec<u8>), ConformanceError> {
    let bytes =
        files::read(path, LARGEST).map_err(|source| ConformanceError::Read { path: path.to_owned(), source })?;
    let broken = |reason: String| ConformanceError::NotARecord { path: path.to_owned(), reason };
    let Format { format } = serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))?;
    if !(1..=ConformanceRecord::FORMAT).contains(&format) {
        return Err(ConformanceError::Format { path: path.to_owned(), format });
    }
    let record: ConformanceRecord = serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))?;
    let canonical = to_canonical(&record);
    if canonical != bytes {
        let same = canonical.iter().zip(&bytes).take_while(|(canonical, byte)| canonical == byte).count();
        return Err(broken(format!("not canonical from byte {} on", same + 1)));
    }
    match record.contradiction() {
        Some(reason) => Err(broken(reason)),
        None => Ok((record, bytes)),
    }
}

/// The part of a record that all versions can read.
#[derive(Deserialize)]
struct Format {
    format: u32,
}
