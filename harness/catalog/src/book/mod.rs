//! The book: a checked catalog in bytes, so that a process need not read YAML.
//!
//! A book contains what a run, a worker, `list`, `explain` and a report need: the head (products, life cycles, tables),
//! the clauses that rules name, and the rules. A rule's program is a blob that is decoded on first use; functions and
//! types in it are positions in the header's tables. Evidence for authors and syntax trees are not in it.

use abi::Bindings;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::clauses::ClauseBook;
use super::rules::{Ground, Rule, Rules};
use super::specs::short;

mod program;
mod shelf;
pub(crate) mod stored;
#[cfg(test)]
mod tests;

pub use program::StoredProgram;
pub use shelf::{CatalogBook, open};

/// The first bytes of a book, with the version of its form.
const MAGIC: &[u8] = b"atlas-cts book 1\n";
/// The number of bytes of a SHA-256.
const DIGEST: usize = 32;

/// The reason why bytes are not a book.
#[derive(Debug, Error)]
pub enum BookError {
    #[error("this is not a book of this version of the suite")]
    Foreign,
    #[error("the bytes differ from those that were written")]
    Damaged,
    #[error("the book was made for another header")]
    OtherHeader,
    #[error("the book cannot be read: {0}")]
    Unreadable(#[from] postcard::Error),
}

/// A catalog's bytes: all rules, and the clauses that they name.
///
/// # Errors
/// Fails if the catalog names a type or function that is not in its header, which is a bug.
pub fn encode(rules: &Rules) -> Result<Vec<u8>, BookError> {
    let (clauses, positions) = named_clauses(rules);
    let all: Vec<&Rule> = rules.rules.iter().collect();
    // A ground's clauses are positions, which change when clauses are left out.
    let grounds: Vec<Vec<Vec<usize>>> = all.iter().map(|rule| new_positions(rule, &positions)).collect();
    write_body(rules, &clauses, &grounds, &all)
}

/// A catalog's bytes without its rules and clauses: what a worker needs before it runs a rule.
///
/// # Errors
/// See [`encode`].
pub fn encode_head(rules: &Rules) -> Result<Vec<u8>, BookError> {
    write_body(rules, &ClauseBook::default(), &[], &[])
}

/// One rule's bytes, for a process that has the head.
///
/// # Errors
/// See [`encode`].
pub fn encode_rule(rule: &Rule, rules: &Rules) -> Result<Vec<u8>, BookError> {
    let bindings = rules.environment.declarations.bindings;
    Ok(abi::form::within(bindings, || postcard::to_extend(rule, Vec::new()))?)
}

/// Reads one rule's bytes.
///
/// # Errors
/// Fails if the bytes are not a rule for the header of `rules`.
pub fn decode_rule(bytes: &[u8], rules: &Rules) -> Result<Rule, BookError> {
    let bindings = rules.environment.declarations.bindings;
    Ok(abi::form::within(bindings, || postcard::from_bytes(bytes))?)
}

/// Reads a book's bytes.
///
/// # Errors
/// Fails if the bytes are not a whole book for this header.
pub fn decode(bytes: &[u8], bindings: &'static Bindings) -> Result<Rules, BookError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(BookError::Foreign)?;
    let (digest, rest) = rest.split_at_checked(DIGEST).ok_or(BookError::Damaged)?;
    if Sha256::digest(rest).as_slice() != digest {
        return Err(BookError::Damaged);
    }
    abi::form::within(bindings, || decode_body(rest, bindings))
}

fn decode_body(bytes: &[u8], bindings: &'static Bindings) -> Result<Rules, BookError> {
    let (header, bytes): (String, _) = postcard::take_from_bytes(bytes)?;
    if header != bindings.header_digest {
        return Err(BookError::OtherHeader);
    }
    let (mut rules, bytes): (Rules, _) = postcard::take_from_bytes(bytes)?;
    let (clauses, bytes): (ClauseBook, _) = postcard::take_from_bytes(bytes)?;
    let (grounds, bytes): (Vec<Vec<Vec<usize>>>, _) = postcard::take_from_bytes(bytes)?;
    rules.rules = postcard::from_bytes(bytes)?;
    rules.book = clauses;
    for clause in &mut rules.book.clauses {
        let document = rules.documents.iter().find(|document| document.id.value == clause.document);
        clause.source = document.ok_or(BookError::Damaged)?.place(&clause.section);
    }
    for (rule, positions) in rules.rules.iter_mut().zip(grounds) {
        rule.grounds.iter_mut().zip(positions).for_each(|(ground, clauses)| ground.clauses = clauses);
    }
    let outside = |ground: &Ground| ground.clauses.iter().any(|at| *at >= rules.book.clauses.len());
    if rules.rules.iter().any(|rule| rule.grounds.iter().any(outside)) {
        return Err(BookError::Damaged);
    }
    for rule in &mut rules.rules {
        rule.list_sources(&rules.book);
        rule.file = short(&rules.chapters.get(rule.chapter).ok_or(BookError::Damaged)?.path);
    }
    rules.number();
    Ok(rules)
}

fn write_body(
    rules: &Rules,
    clauses: &ClauseBook,
    grounds: &[Vec<Vec<usize>>],
    wanted: &[&Rule],
) -> Result<Vec<u8>, BookError> {
    let bindings = rules.environment.declarations.bindings;
    let mut bytes = MAGIC.to_vec();
    bytes.extend([0; DIGEST]);
    bytes = abi::form::within(bindings, || {
        let bytes = postcard::to_extend(bindings.header_digest, bytes)?;
        let bytes = postcard::to_extend(rules, bytes)?;
        let bytes = postcard::to_extend(clauses, bytes)?;
        let bytes = postcard::to_extend(grounds, bytes)?;
        postcard::to_extend(wanted, bytes)
    })?;
    let digest = Sha256::digest(&bytes[MAGIC.len() + DIGEST..]);
    bytes[MAGIC.len()..MAGIC.len() + DIGEST].copy_from_slice(&digest);
    Ok(bytes)
}

/// The clauses that grounds name or that leave a freedom, and their new positions by their old ones. What only authors
/// read about a clause is not stored.
fn named_clauses(rules: &Rules) -> (ClauseBook, Vec<Option<usize>>) {
    let all = &rules.book.clauses;
    let mut named = vec![false; all.len()];
    let grounds = rules.rules.iter().flat_map(|rule| &rule.grounds);
    grounds.flat_map(|ground| &ground.clauses).for_each(|at| named[*at] = true);
    let freedom = rules.may_block.iter().filter_map(|free| rules.book.positions.get(&free.clause));
    freedom.for_each(|at| named[*at] = true);
    all.iter().zip(&mut named).for_each(|(clause, named)| *named |= !clause.leaves_open.is_empty());
    let (mut positions, mut clauses) = (vec![None; all.len()], Vec::new());
    for (at, clause) in all.iter().enumerate().filter(|(at, _)| named[*at]) {
        positions[at] = Some(clauses.len());
        clauses.push(clause.clone());
    }
    let book = ClauseBook { chapters: rules.book.chapters.clone(), clauses, ..ClauseBook::default() };
    (book, positions)
}

fn new_positions(rule: &Rule, positions: &[Option<usize>]) -> Vec<Vec<usize>> {
    let of = |ground: &Ground| ground.clauses.iter().filter_map(|at| positions[*at]).collect();
    rule.grounds.iter().map(of).collect()
}
