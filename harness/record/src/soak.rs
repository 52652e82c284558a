//! The file of a soak: `soak.jsonl`, one JSON object per line, appended after each batch of cycles.
//!
//! The first line is the header. A line is complete or missing, so a killed soak loses at most the batch that it was
//! running. Programs may read the file while the soak runs.

mod file;
mod lines;

pub use file::{RecordedSoak, SoakFile, SoakFileError, read_soak};
pub use lines::{
    Levels, Quantity, SoakBatch, SoakBreak, SoakEnd, SoakHeader, SoakLine, SoakRate, SoakResume, SoakRule, SoakSkip,
};
