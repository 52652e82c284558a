//! The text of a skeleton.

use std::fmt::Write;

use catalog::Clause;
use catalog::lint::TO_WRITE;
use simulator_contract::Defect;

use super::calls::{Calls, SIZE};

/// The maximum width of a line, in columns.
const WIDEST: usize = 120;

/// The content of a skeleton.
pub(super) struct Page<'a> {
    pub id: &'a str,
    pub calls: &'a Calls,
    /// The domain of the size.
    pub sizes: &'a str,
    /// The promises and errors in the sections about the functions.
    pub clauses: Vec<&'a Clause>,
    /// The document and section to cite if there are no clauses.
    pub source: Option<(&'a str, &'a str)>,
    /// Defects that the calls reach and no rule kills.
    pub free: Vec<&'a Defect>,
    /// Defects that the calls reach and other rules kill.
    pub claimed: Vec<&'a Defect>,
}

impl Page<'_> {
    pub(super) fn text(&self) -> String {
        let mut text = format!("  - id: {}\n", self.id);
        let mut line = |line: &str| text += &format!("    {line}\n");
        line(&format!("title: \"{TO_WRITE}one sentence that is true or false for a device\""));
        line(&format!("statement: \"{TO_WRITE}the content of the documents, in your own words\""));
        self.grounds(&mut text);
        text += &self.forall();
        text += "    steps: |\n";
        text += &steps(self.calls, true);
        self.defects(&mut text);
        text
    }

    fn forall(&self) -> String {
        if !self.calls.draws() {
            return String::new();
        }
        format!("    forall:\n      {SIZE}: {}\n", self.sizes)
    }

    fn grounds(&self, text: &mut String) {
        if let Some((document, section)) = self.source {
            let _ = writeln!(
                text,
                "    # No clause states a promise or an error for these functions, so the rule has level info.\n    \
                 source:\n      - {{document: {document}, section: {section}}}\n    level: info"
            );
            return;
        }
        let _ = writeln!(
            text,
            "    # {TO_WRITE}the sentences that the check rests on; remove the other sentences and this line"
        );
        *text += "    clauses:\n      documented:\n";
        for clause in &self.clauses {
            wrapped(text, "        # ", &clause.digest);
            let _ = writeln!(text, "        - {}", clause.id);
        }
    }

    /// The defects that a check could notice, as comments.
    fn defects(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "    # {TO_WRITE}a check that kills at least two of these defects, one subtle; remove these comments"
        );
        *text += match self.free.is_empty() {
            true => "    # Other rules kill every reached defect.\n",
            false => "    # Reached, not killed by any rule:\n",
        };
        for defect in &self.free {
            let subtle = if defect.subtle { "(subtle) " } else { "" };
            wrapped(text, "    #   ", &format!("{}: {subtle}{}", defect.name, defect.mechanism));
        }
        if !self.claimed.is_empty() {
            let names: Vec<String> = self.claimed.iter().map(|defect| name(defect)).collect();
            *text += "    # Reached, killed by other rules (* subtle):\n";
            wrapped(text, "    #   ", &names.join(", "));
        }
    }
}

fn name(defect: &Defect) -> String {
    format!("{}{}", defect.name, if defect.subtle { "*" } else { "" })
}

/// The steps, with or without a placeholder check that always fails.
fn steps(calls: &Calls, check: bool) -> String {
    let mut text = String::new();
    for line in &calls.setup {
        wrapped(&mut text, "      ", line);
    }
    if !calls.setup.is_empty() {
        text += "      ---\n";
    }
    for line in &calls.wanted {
        wrapped(&mut text, "      ", line);
    }
    for open in &calls.open {
        wrapped(&mut text, "      // ", &format!("{TO_WRITE}a call to {open}"));
    }
    if check {
        let what = "a check of the expected result, in place of these two lines, which fail";
        let _ = writeln!(text, "      int32_t written = 0;  // {TO_WRITE}{what}\n      written == 1;");
    }
    text
}

/// Two rules that judge nothing: only the set-up (`ID.setup`), and the set-up followed by the calls (`ID.calls`).
pub(super) fn trial(id: &str, calls: &Calls, sizes: &str, (document, section): (&str, &str)) -> String {
    let setup = Calls { setup: calls.setup.clone(), ..Calls::default() };
    let mut text = String::new();
    for (name, calls) in [("setup", &setup), ("calls", calls)] {
        let forall = match calls.draws() {
            true => format!("    forall:\n      {SIZE}: {sizes}\n"),
            false => String::new(),
        };
        let steps = match steps(calls, false) {
            steps if steps.is_empty() => "      ;\n".to_owned(),
            steps => steps,
        };
        let _ = write!(
            text,
            "  - id: {id}.{name}\n    title: A trial\n    statement: A trial.\n    source:\n      \
             - {{document: {document}, section: {section}}}\n    level: info\n{forall}    steps: |\n{steps}"
        );
    }
    text
}

/// Appends words, wrapped to the maximum width. Each line begins with `begin`.
fn wrapped(text: &mut String, begin: &str, words: &str) {
    let mut line = begin.to_owned();
    for word in words.split(' ') {
        if line.len() > begin.len() && line.chars().count() + word.chars().count() >= WIDEST {
            *text += line.trim_end();
            *text += "\n";
            line = begin.to_owned();
        }
        line += word;
        line.push(' ');
    }
    *text += line.trim_end();
    *text += "\n";
}
