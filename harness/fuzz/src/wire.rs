//! The target `wire`: reads a worker's output, and returns replies, then the end of the stream with its reason.

use std::io::{self, Read};

use engine::wire::lines::Lines;
use engine::wire::message::Reply;

/// The maximum length of a line, shorter than in a run so that an input can exceed it.
const LONGEST: usize = 16 << 10;
/// The maximum number of bytes in one read.
const CHUNK: usize = 8 << 10;

/// Texts that have a meaning in the protocol but are missing from the corpus.
pub const WORDS: &[&str] = &[
    "{\"turn\":{\"leaves\":1}}\n",
    "{\"turn\":{\"kill\":9}}\n",
    "{\"stopped\":null}\n",
    "\"stopped\"\n",
    "{\"exported\":[true]}\n",
    "{\"answers\":[]}\n",
    "{\"trouble\":\"x\"}\n",
    "{\"integer\":1}",
    "null",
    "{}",
    "[]",
];

/// Checks that a worker's bytes give the same replies and the same end however they arrive, and that the buffered part
/// is bounded.
pub fn law(bytes: &[u8]) {
    let whole = listen(bytes, CHUNK);
    let piecemeal = listen(bytes, 7);
    assert_eq!(whole, piecemeal, "the result depends on the pieces in which bytes arrive: at once, piece by piece");
}

/// The replies, serialized again, and the end of the stream.
fn listen(bytes: &[u8], piece: usize) -> (Vec<String>, String) {
    let mut stream = Pieces { bytes, piece };
    let mut lines = Lines::new(LONGEST);
    let mut replies = Vec::new();
    let (mut reads, mut looks) = (0, 0);
    let end = loop {
        if lines.is_ready() {
            looks += 1;
            match lines.reply() {
                Ok(Some(reply)) => replies.push(written(&reply)),
                Ok(None) => panic!("a reply is announced but does not arrive: {} bytes are kept", lines.kept()),
                Err(error) => break error.to_string(),
            }
            continue;
        }
        reads += 1;
        match lines.read(&mut stream) {
            Ok(0) => break "the stream ended".to_owned(),
            Ok(_) => assert!(lines.kept() <= LONGEST + CHUNK, "an endless line is kept: {} bytes", lines.kept()),
            Err(error) => break error.to_string(),
        }
    };
    let newlines = bytes.iter().filter(|byte| **byte == b'\n').count();
    assert!(reads <= bytes.len() + 1 && looks <= newlines + 1, "the work is not bounded: {reads} reads, {looks} looks");
    (replies, end)
}

/// A serialized reply, which can be read again.
fn written(reply: &Reply) -> String {
    let text = serde_json::to_string(reply).unwrap_or_else(|error| panic!("a reply cannot be written: {error}"));
    let again = serde_json::from_str::<Reply>(&text);
    assert!(again.is_ok(), "a written reply cannot be read: {again:?}, {text}");
    text
}

/// Bytes that arrive in pieces.
struct Pieces<'a> {
    bytes: &'a [u8],
    piece: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.piece.min(into.len()).min(self.bytes.len());
        let (now, later) = self.bytes.split_at(count);
        into[..count].copy_from_slice(now);
        self.bytes = later;
        Ok(count)
    }
}
