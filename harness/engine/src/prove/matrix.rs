//! The kill matrix: defects × rules, with the share of cases that notice each defect.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use catalog::{count, files};
use record::Verdict;
use simulator_contract::Defect;

use simulator_contract::is_subtle;

use super::{ProofFileError, RuleProof};

/// A defect is blunt, and proves little about any rule, if more rules than this notice the defect. The limits are a
/// percentage of the rules and a number of rules, and both must be exceeded. The number matters for products with few
/// rules, where a tenth of the rules is less than a chapter.
const BLUNT: (usize, usize) = (10, 10);
/// The maximum percentage of a rule's cases in which a subtle defect may show.
const SUBTLE: u64 = 5;

/// The result for one rule on a device with one defect.
#[derive(Debug, Clone)]
pub struct Cell {
    pub defect: &'static str,
    pub rule: String,
    pub claimed: bool,
    pub verdict: Verdict,
    /// The number of cases that ran. The next field is the number of cases that failed.
    pub cases: u64,
    pub failed: u64,
    /// The number of the first case that failed.
    pub first: u64,
    /// The statement at which the first case failed.
    pub statement: String,
}

/// The results for every rule on every defect that the model queried when the rule ran on the faithful device. Other
/// defects cannot affect the rule.
#[derive(Debug)]
pub struct Matrix {
    /// The cells, sorted by defect and rule.
    pub cells: Vec<Cell>,
    /// The number of judged rules.
    pub rules: usize,
    /// True if the matrix contains all rules in the catalog.
    pub whole: bool,
    /// All of the device's seeded defects.
    defects: &'static [Defect],
}

impl Matrix {
    pub fn new(cells: Vec<Cell>, rules: usize, whole: bool, defects: &'static [Defect]) -> Matrix {
        Matrix { cells, rules, whole, defects }
    }

    fn subtle(&self, defect: &str) -> bool {
        is_subtle(self.defects, defect)
    }

    /// The cells of failing rules, by defect.
    fn rows(&self) -> BTreeMap<&'static str, Vec<&Cell>> {
        let mut rows: BTreeMap<&'static str, Vec<&Cell>> = BTreeMap::new();
        for cell in &self.cells {
            let row = rows.entry(cell.defect).or_default();
            if cell.verdict.kills() {
                row.push(cell);
            }
        }
        rows
    }

    /// The blunt defects. Each makes more than a tenth of the rules fail.
    fn blunt(&self) -> BTreeSet<&'static str> {
        let rows = self.rows();
        let (percent, number) = BLUNT;
        let blunt = |row: &[&Cell]| row.len() * 100 > self.rules * percent && row.len() > number;
        rows.iter().filter(|(_, row)| blunt(row)).map(|(defect, _)| *defect).collect()
    }

    /// Groups of defects that the same rules notice, in the same cases and at the same statements.
    fn duplicates(&self) -> Vec<Vec<&'static str>> {
        type Print<'a> = Vec<(&'a str, Verdict, &'a str, [u64; 3])>;
        let mut prints: BTreeMap<Print<'_>, Vec<&'static str>> = BTreeMap::new();
        for (defect, row) in self.rows() {
            if !row.is_empty() {
                let print = row.iter().map(|cell| {
                    (cell.rule.as_str(), cell.verdict, cell.statement.as_str(), [cell.cases, cell.failed, cell.first])
                });
                prints.entry(print.collect()).or_default().push(defect);
            }
        }
        prints.into_values().filter(|defects| defects.len() > 1).collect()
    }

    /// Prints findings for review. If only some rules were selected, prints only the numbers, because the other
    /// findings require a comparison with all rules.
    pub fn findings(&self, judged: &[&RuleProof], text: &mut String) {
        if self.whole {
            self.compare(judged, text);
        }
        let pairs = count(self.cells.len(), "pair");
        let killed = self.cells.iter().filter(|cell| cell.verdict.kills()).count();
        let unclaimed = self.cells.iter().filter(|cell| cell.verdict.kills() && !cell.claimed).count();
        let _ = writeln!(text, "  matrix      {pairs} reached, {killed} fail, {unclaimed} of them without a claim");
    }

    /// Lists the rules that notice the defects whose names contain one of these parts. Also returns true if every such
    /// defect is noticed by at least one rule.
    pub fn who_notices(&self, parts: &[String]) -> (String, bool) {
        let rows = self.rows();
        let (mut text, mut all) = (String::new(), true);
        let asked = |defect: &&Defect| parts.iter().any(|part| defect.name.contains(part.as_str()));
        for defect in self.defects.iter().filter(asked) {
            let reached = self.cells.iter().filter(|cell| cell.defect == defect.name).count();
            let rules: Vec<&str> = rows.get(defect.name).into_iter().flatten().map(|cell| cell.rule.as_str()).collect();
            all &= !rules.is_empty();
            let who = if rules.is_empty() { "no rule".to_owned() } else { rules.join(", ") };
            let _ = writeln!(text, "  {}: {who} ({reached} reach it)", defect.name);
        }
        (text, all)
    }

    /// The rules whose claims are weaker than the claims look, each with the reason. Empty if only some rules were
    /// selected.
    pub fn gaps(&self, judged: &[&RuleProof]) -> Vec<String> {
        if !self.whole {
            return Vec::new();
        }
        let blunt = self.blunt();
        let twins = self.duplicates();
        let mut gaps = Vec::new();
        for rule in judged {
            let claims: BTreeSet<&str> = rule.kills.keys().map(String::as_str).collect();
            let sharp: Vec<&&str> = claims.iter().filter(|name| !blunt.contains(**name)).collect();
            if sharp.is_empty() {
                gaps.push(format!("{}: claims only blunt defects; claim one that few rules notice", rule.id));
            } else if !sharp.iter().any(|name| self.subtle(name)) {
                let id = &rule.id;
                gaps.push(format!("{id}: each subtle defect that it claims is blunt; claim one that few rules notice"));
            }
            if twins.iter().any(|twins| claims.iter().all(|name| twins.contains(name))) {
                gaps.push(format!("{}: no rule distinguishes the defects that it claims; claim another", rule.id));
            }
        }
        gaps
    }

    fn compare(&self, judged: &[&RuleProof], text: &mut String) {
        let rows = self.rows();
        let blunt = self.blunt();
        for defect in &blunt {
            let _ = writeln!(text, "  BLUNT       {defect}: {} of {} rules fail", rows[defect].len(), self.rules);
        }
        for gap in self.gaps(judged) {
            let _ = writeln!(text, "  GAP         {gap}");
        }
        for defects in self.duplicates() {
            let _ = writeln!(text, "  DUPLICATE   fail the same rules in the same cases: {}", defects.join(", "));
        }
        for (defect, row) in &rows {
            if row.is_empty() {
                let lost = self.cells.iter().filter(|cell| cell.defect == *defect && !cell.verdict.passes()).count();
                let also =
                    if lost > 0 { format!(" ({lost} end differently, but without a verdict)") } else { String::new() };
                let _ = writeln!(text, "  UNNOTICED   {defect}: no rule that reaches it fails{also}");
            }
        }
        for defect in self.defects.iter().filter(|defect| !rows.contains_key(defect.name)) {
            let _ = writeln!(text, "  UNREACHED   {}: no rule makes the device query it", defect.name);
        }
        for rule in judged {
            let mine = |row: &&Vec<&Cell>| row.iter().any(|cell| cell.rule == rule.id);
            let caught: Vec<_> = rows.values().filter(mine).collect();
            if !caught.is_empty() && caught.iter().all(|row| row.len() > 1) {
                let (id, count) = (&rule.id, caught.len());
                let _ = writeln!(text, "  COVERED     {id}: other rules notice all {count} defects that it notices");
            }
        }
        let loud: Vec<&str> = rows
            .iter()
            .filter(|(name, row)| self.subtle(name) && row.iter().any(|cell| cell.claimed))
            .filter(|(_, row)| {
                row.iter().filter(|cell| cell.claimed).all(|cell| cell.failed * 100 > cell.cases * SUBTLE)
            })
            .map(|(name, _)| *name)
            .collect();
        if !loud.is_empty() {
            let _ = writeln!(
                text,
                "  subtle      {} defects marked subtle show in more than {SUBTLE} % of the cases of every rule that \
                 claims them: they are subtle through history, order or boundaries, or not subtle at all; the matrix \
                     lists them",
                loud.len()
            );
        }
    }

    /// Writes `matrix.tsv` and `matrix.md` to a folder.
    ///
    /// # Errors
    /// Fails if the folder or a file cannot be written.
    pub fn write(&self, folder: &Path, product: &str) -> Result<PathBuf, ProofFileError> {
        let cannot = |source| ProofFileError::Folder { path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(cannot)?;
        files::replace(&folder.join("matrix.tsv"), self.table()).map_err(cannot)?;
        let page = folder.join("matrix.md");
        files::replace(&page, self.page(product)).map_err(cannot)?;
        Ok(page)
    }

    fn table(&self) -> String {
        let mut text = "defect\tsubtle\trule\tclaimed\tverdict\tcases\tfailed\tfirst\tstatement\n".to_owned();
        for cell in &self.cells {
            let Cell { defect, rule, claimed, verdict, cases, failed, first, statement, .. } = cell;
            let (subtle, claimed) = (u8::from(self.subtle(defect)), u8::from(*claimed));
            let _ = writeln!(
                text,
                "{defect}\t{subtle}\t{rule}\t{claimed}\t{verdict}\t{cases}\t{failed}\t{first}\t{statement}"
            );
        }
        text
    }

    fn page(&self, product: &str) -> String {
        let mut text = format!("# Rules that notice each defect on {product}\n\n");
        text.push_str(
            "For each defect, the rules that fail. Bold: the rule claims the defect, with the share of its failing \
             cases.\n\n\
             | defect | rules | noticed by |\n| --- | --- | --- |\n",
        );
        for (defect, row) in self.rows() {
            let rules: Vec<String> = row
                .iter()
                .map(|cell| {
                    let share = (cell.failed * 100).div_ceil(cell.cases.max(1));
                    if cell.claimed { format!("**{}** {share} %", cell.rule) } else { cell.rule.clone() }
                })
                .collect();
            let called = if self.subtle(defect) { " (subtle)" } else { "" };
            let _ = writeln!(text, "| {defect}{called} | {} | {} |", row.len(), rules.join(", "));
        }
        text
    }
}
