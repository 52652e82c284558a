//! What a worker says, as the supervisor reads it: bytes of a pipe → lines → replies.

use std::fmt;
use std::io::{self, Read};

use super::message::Reply;

/// More bytes than this without the end of a line are not a reply. Those that pass the memory of a case on are the longest.
pub const LONGEST_LINE: usize = 64 << 20;

/// Bytes that are read at once. Few: most replies are short, and the chunk is cleared each time.
const CHUNK: usize = 8192;

/// What was read and not yet understood.
#[derive(Debug)]
pub struct Lines {
    buffer: Vec<u8>,
    /// The first so many bytes hold no end of a line.
    searched: usize,
    longest: usize,
}

/// Something that is not a reply. What follows it means nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotAReply {
    /// A line is not JSON, or not that of a reply.
    Unknown {
        error: serde_json::Error,
        /// The line's beginning.
        line: String,
    },
    /// A line has no end within so many bytes.
    Endless(usize),
}

impl fmt::Display for NotAReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAReply::Unknown { error, line } => write!(f, "{error}: {line}"),
            NotAReply::Endless(bytes) => write!(f, "it has more than {bytes} bytes and no end"),
        }
    }
}

impl std::error::Error for NotAReply {}

impl Lines {
    /// Nothing was read yet; `longest` is the most bytes that a line may have.
    pub fn new(longest: usize) -> Lines {
        Lines { buffer: Vec::new(), searched: 0, longest }
    }

    /// Reads what is there and says how many bytes that was; 0: the stream has ended.
    ///
    /// # Errors
    /// The stream cannot be read.
    pub fn read(&mut self, stream: &mut impl Read) -> io::Result<usize> {
        let mut chunk = [0u8; CHUNK];
        let count = stream.read(&mut chunk)?;
        self.buffer.extend_from_slice(&chunk[..count]);
        Ok(count)
    }

    /// Bytes that are kept.
    pub fn kept(&self) -> usize {
        self.buffer.len()
    }

    /// Whether [`Lines::reply`] has something to say.
    pub fn is_ready(&mut self) -> bool {
        self.end().is_some() || self.buffer.len() > self.longest
    }

    /// The next reply, if it was read completely.
    ///
    /// # Errors
    /// What was read is not a reply, or too long for one.
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

    /// Where the first line ends. Each byte is looked at once.
    fn end(&mut self) -> Option<usize> {
        let found = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
        let end = found.map(|at| self.searched + at);
        self.searched = end.unwrap_or(self.buffer.len());
        end
    }
}
