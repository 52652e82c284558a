//! A vendor's tool. The tool runs in a child process with a time limit, because such tools hang if the driver hangs.

use std::path::PathBuf;

use super::{ChildAnswer, End, Examination, HostMachine};

/// A tool to query. After a query that hung, [`Tool::text`] makes no further query.
#[derive(Debug)]
pub struct Tool<'a> {
    machine: &'a HostMachine,
    path: PathBuf,
    what: &'static str,
    report_hang: fn(&[&str], &ChildAnswer, &mut Examination),
    hangs: bool,
}

impl<'a> Tool<'a> {
    /// The tool at `path`. `what` describes it in the list of examined places; `report_hang` records the finding about
    /// a query that hung.
    pub fn new(
        machine: &'a HostMachine,
        path: PathBuf,
        what: &'static str,
        report_hang: fn(&[&str], &ChildAnswer, &mut Examination),
    ) -> Tool<'a> {
        Tool { machine, path, what, report_hang, hangs: false }
    }

    /// True if the tool did not answer the last query in time.
    pub fn hangs(&self) -> bool {
        self.hangs
    }

    /// The answer to a query. The caller reports failures.
    pub fn ask(&mut self, words: &[&str], found: &mut Examination) -> ChildAnswer {
        let answer = self.machine.run(&self.path, words);
        self.hangs = matches!(answer.end, End::TimedOut | End::LeftBehind);
        found.looked(self.what, format!("{} {}", self.path.display(), words.join(" ")), answer.said());
        answer
    }

    /// The output of a query; `None` if the query failed or the tool has hung before.
    pub fn text(&mut self, words: &[&str], found: &mut Examination) -> Option<String> {
        if self.hangs {
            return None;
        }
        let answer = self.ask(words, found);
        if self.hangs {
            (self.report_hang)(words, &answer, found);
        }
        matches!(answer.end, End::Status(0)).then_some(answer.output)
    }
}
