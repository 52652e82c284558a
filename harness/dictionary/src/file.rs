//! A dictionary's file: JSON, compressed with gzip.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::model::Dictionary;

/// The end of a dictionary's file name, after the product.
pub const EXTENSION: &str = "json.gz";

/// The maximum size of a dictionary's file, in bytes.
pub const MOST_BYTES: u64 = 4 << 20;

/// The maximum size of a dictionary before compression, in bytes.
const MOST_TEXT: u64 = 64 << 20;

/// The reason why bytes are not a dictionary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DictionaryError {
    #[error("it cannot be decompressed ({0}); make it again with `atlas-cts prove --dictionary DIR`")]
    Compressed(#[source] std::io::Error),
    #[error("it is longer than {} MiB; make it again with `atlas-cts prove --dictionary DIR`", MOST_TEXT >> 20)]
    TooLong,
    #[error("it is not a dictionary ({0}); make it again with `atlas-cts prove --dictionary DIR`")]
    Json(#[source] serde_json::Error),
    #[error(
        "it has format {0}, and this suite reads {format}; make it again with `atlas-cts prove --dictionary DIR`",
        format = Dictionary::FORMAT
    )]
    Format(u32),
    #[error("{0}; make it again with `atlas-cts prove --dictionary DIR`")]
    Position(String),
}

/// Writes a dictionary. Equal dictionaries give equal bytes.
///
/// # Errors
/// Fails only if memory cannot be written.
pub fn encode(dictionary: &Dictionary) -> std::io::Result<Vec<u8>> {
    // The header has no time and no name, so that the bytes depend on the content alone.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    serde_json::to_writer(&mut encoder, dictionary)?;
    encoder.write_all(b"\n")?;
    encoder.finish()
}

/// Reads a dictionary and checks its positions.
///
/// # Errors
/// Fails if the bytes are not a dictionary of this format.
pub fn decode(bytes: &[u8]) -> Result<Dictionary, DictionaryError> {
    let mut text = Vec::new();
    GzDecoder::new(bytes).take(MOST_TEXT + 1).read_to_end(&mut text).map_err(DictionaryError::Compressed)?;
    if text.len() as u64 > MOST_TEXT {
        return Err(DictionaryError::TooLong);
    }
    let dictionary: Dictionary = serde_json::from_slice(&text).map_err(DictionaryError::Json)?;
    if dictionary.format != Dictionary::FORMAT {
        return Err(DictionaryError::Format(dictionary.format));
    }
    check(&dictionary).map_err(DictionaryError::Position)?;
    Ok(dictionary)
}

/// Checks that every position names something.
fn check(dictionary: &Dictionary) -> Result<(), String> {
    let (rules, texts) = (dictionary.rules.len(), dictionary.texts.len());
    for set in &dictionary.sets {
        let last = set.iter().try_fold(0usize, |at, distance| at.checked_add(*distance as usize));
        if !set.is_empty() && last.is_none_or(|last| last >= rules) {
            return Err(format!("a set names a rule beyond the {rules} rules"));
        }
    }
    for row in &dictionary.rows {
        if row.set as usize >= dictionary.sets.len() {
            return Err(format!("{} names an unknown set", row.defect));
        }
        for cell in &row.cells {
            let known = [cell.check, cell.code, cell.shape].into_iter().flatten().all(|at| (at as usize) < texts);
            if cell.rule as usize >= rules || !known {
                return Err(format!("a cell of {} names an unknown rule or text", row.defect));
            }
        }
    }
    Ok(())
}
