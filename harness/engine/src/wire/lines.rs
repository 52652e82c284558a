//! Converts a worker's output: bytes from a pipe → lines → replies.

use std::fmt;
use std::io::{self, Read};

use super::message::Reply;

/// The maximum length of a line, in bytes. The longest lines transfer a case's memory.
pub const LONGEST_LINE: usize = 64 << 20;

/// The number of bytes per read. The number is small, because most replies are short and the buffer is cleared each
/// time.
const CHUNK: usize = 8192;

/// Bytes that were read but not yet parsed.
#[derive(Debug)]
pub struct Lines {
    buffer: Vec<u8>,
    /// The number of bytes at the start that were already searched for an end of line.
    searched: usize,
    longest: usize,
}

/// Input that is not a reply. Everything after such input is meaningless.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotAReply {
    /// A line that is not JSON, or is not a reply.
    Unknown {
        error: serde_json::Error,
        /// The beginning of the line.
        line: String,
    },
    /// A line that does not end within this many bytes.
    Endless(usize),
}

impl fmt::Display for NotAReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAReply::Unknown { error, line } => write!(f, "{error}: {line}"),
            NotAReply::Endless(bytes) => write!(f, "the line exceeds {bytes} bytes"),
        }
    }
}

impl std::error::Error for NotAReply {}

impl Lines {
    /// Creates an empty buffer. `longest` is the maximum length of a line, in bytes.
    pub fn new(longest: usize) -> Lines {
        Lines { buffer: Vec::new(), searched: 0, longest }
    }

    /// Reads the available bytes and returns their number: 0 at the end of the stream.
    ///
    /// # Errors
    /// Fails if the stream cannot be read.
    pub fn read(&mut self, stream: &mut impl Read) -> io::Result<usize> {
        let mut chunk = [0u8; CHUNK];
        let count = stream.read(&mut chunk)?;
        self.buffer.extend_from_slice(&chunk[..count]);
        Ok(count)
    }

    /// The number of buffered bytes.
    pub fn kept(&self) -> usize {
        self.buffer.len()
    }

    /// True if [`Lines::reply`] has a result.
    pub fn is_ready(&mut self) -> bool {
        self.end().is_some() || self.buffer.len() > self.longest
    }

    /// Returns the next complete reply.
    ///
    /// # Errors
    /// Fails if the line is not a reply or is too long.
    pub fn reply(&mut self) -> Result<Option<Reply>, NotAReply> {
        let end = self.end();
        if end.unwrap_or(self.buffer.len()) > self.longest {
            return Err(NotAReply::Endless(self.longest));
        }
        let Some(end) = end else { return Ok(None) };
        let line: Vec<u8> = self.buffer.drain(..=end).collect();
        self.searched = 0;
        match serde_json::from_slice(&line) {
            Ok(reply) => Ok(Some(reply)),
            Err(error) => {
                let line = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
                Err(NotAReply::Unknown { error, line })
            }
        }
    }

    /// The position at which the first line ends. Each byte is searched only once.
    fn end(&mut self) -> Option<usize> {
        let found = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
        let end = found.map(|at| self.searched + at);
        self.searched = end.unwrap_or(self.buffer.len());
        end
    }
}
