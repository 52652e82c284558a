//! A row of the table as text.

use std::collections::BTreeSet;
use std::fmt;

use super::RowMistake;
use crate::is_rule_id;

/// The number of hexadecimal digits of a digest.
pub(super) const DIGITS: usize = 8;

/// The word for a check that is not known.
const UNKNOWN: &str = "-";

/// The proof that a rule kills a defect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProofRow {
    /// The products on which the rule kills the defect.
    pub products: BTreeSet<String>,
    /// The statement of the check that noticed the defect, on one line; `None` if it is not known.
    pub check: Option<String>,
    /// The digest of the rule that was proven.
    pub rule: u32,
    /// The digest of the sources of the defect.
    pub defect: u32,
    /// The line in the file, counted from 1; 0 for a new row.
    pub line: usize,
}

/// Reads a row: its rule, its defect and the other columns.
pub(super) fn read(text: &str, line: usize) -> Result<(&str, &str, ProofRow), RowMistake> {
    let columns: Vec<&str> = text.split('\t').collect();
    let [rule, defect, products, check, of_rule, of_defect] = columns[..] else { return Err(RowMistake::Columns) };
    if defect.is_empty() || check.is_empty() {
        return Err(RowMistake::Columns);
    }
    if !is_rule_id(rule) {
        return Err(RowMistake::Rule);
    }
    let named: BTreeSet<String> = products.split(',').map(str::to_owned).collect();
    if named.len() != products.split(',').count() || named.contains("") {
        return Err(RowMistake::Products);
    }
    let row = ProofRow {
        products: named,
        check: Some(check).filter(|check| *check != UNKNOWN).map(str::to_owned),
        rule: digest(of_rule).ok_or(RowMistake::Digest)?,
        defect: digest(of_defect).ok_or(RowMistake::Digest)?,
        line,
    };
    Ok((rule, defect, row))
}

/// Reads a digest.
pub(super) fn digest(text: &str) -> Option<u32> {
    let hex = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then(|| u32::from_str_radix(text, 16).ok())?
}

impl fmt::Display for ProofRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let products: Vec<&str> = self.products.iter().map(String::as_str).collect();
        let check = self.check.as_deref().filter(|check| !check.is_empty()).unwrap_or(UNKNOWN);
        write!(f, "{}\t{check}\t{:08x}\t{:08x}", products.join(","), self.rule, self.defect)
    }
}
