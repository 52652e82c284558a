//! Selects the parts of the prelude that a program needs: the parts whose names the program uses, and the parts that
//! those parts use.

use std::collections::BTreeSet;

/// The parts of the prelude, each after a line `//: names`.
const PIECES: &str = include_str!("prelude.h");

/// The headers, each with the names that need it. Headers that every program includes are in [`super::head`].
const HEADERS: &[(&str, &[&str])] = &[
    ("errno.h", &["errno"]),
    ("sched.h", &["sched_yield"]),
    ("pthread.h", &["pthread_mutex_t", "pthread_create", "pthread_self"]),
    ("sys/mman.h", &["mmap"]),
    ("sys/socket.h", &["socketpair"]),
    ("time.h", &["timespec"]),
];

/// The parts that a text needs, in prelude order. Names that the program declares are excluded.
pub(super) fn needed(text: &str, own: &BTreeSet<&str>) -> String {
    let pieces: Vec<(Vec<&str>, &str)> = PIECES.split("//: ").skip(1).filter_map(piece).collect();
    let mut words: BTreeSet<&str> = words(text).filter(|word| !own.contains(word)).collect();
    let mut taken = vec![false; pieces.len()];
    while let Some(next) =
        (0..pieces.len()).find(|index| !taken[*index] && pieces[*index].0.iter().any(|name| words.contains(name)))
    {
        taken[next] = true;
        words.extend(self::words(pieces[next].1));
    }
    let bodies: Vec<&str> = pieces.iter().zip(taken).filter(|(_, taken)| *taken).map(|((_, body), _)| *body).collect();
    bodies.concat()
}

/// The headers that a text needs in addition to the usual ones.
pub(super) fn headers(text: &str) -> Vec<&'static str> {
    let words: BTreeSet<&str> = words(text).collect();
    let wanted = HEADERS.iter().filter(|(_, names)| names.iter().any(|name| words.contains(name)));
    wanted.map(|(header, _)| *header).collect()
}

/// A part's names and text.
fn piece(text: &str) -> Option<(Vec<&str>, &str)> {
    let (names, body) = text.split_once('\n')?;
    Some((names.split_whitespace().collect(), body.strip_suffix('\n').unwrap_or(body)))
}

/// The identifiers in a text, without members after a dot, comments and string literals.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let mut member = false;
    std::iter::from_fn(move || {
        loop {
            let first = rest.chars().next()?;
            let skipped = if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else if first == '"' || first == '\'' {
                quoted(rest, first as u8)
            } else if first.is_ascii_alphanumeric() || first == '_' {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let word = &rest[..end];
                rest = &rest[end..];
                if std::mem::take(&mut member) {
                    continue;
                }
                return Some(word);
            } else {
                first.len_utf8()
            };
            member = first == '.';
            rest = &rest[skipped..];
        }
    })
}

/// The length of a quoted text, from its opening quote.
fn quoted(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != quote {
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    (at + 1).min(bytes.len())
}
