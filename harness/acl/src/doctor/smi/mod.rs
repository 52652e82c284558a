//! The vendor's tool `npu-smi`. The tool runs in a child process with a time limit, because the tool hangs if the
//! driver hangs. The tool is not the only source, because it prints `OK` and exits with 0 after a failed query.

mod keyed;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use engine::doctor::{Certainty, ChildAnswer, End, Examination, Finding, HostMachine, Severity, Tool};

use super::codes;
use super::evidence::HALF_DEAD;
pub(super) use keyed::{Board, ChipHealth, Ecc, Identity, Mapped};
pub(super) use table::{Chip, Table};

/// The tool's answers.
#[derive(Debug, Default)]
pub(super) struct Smi {
    /// True if the tool exists.
    pub there: bool,
    /// True if the tool stopped answering.
    pub hangs: bool,
    pub table: Table,
    /// The code with which the tool failed.
    pub failed: Option<i32>,
    pub boards: Vec<Board>,
    /// The health of each chip in the table; `None` if the query failed.
    pub healths: Vec<Option<ChipHealth>>,
    /// The error counts of each chip in the table, if the tool reports error counts.
    pub errors: Vec<Option<Ecc>>,
    pub mapped: Vec<Mapped>,
    /// The identity of each chip in the table.
    pub identities: Vec<Identity>,
    /// Settings that change the chips' behavior, by card.
    pub settings: BTreeMap<String, BTreeMap<String, String>>,
}

/// The queries about each chip, in addition to the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    Boards,
    Health,
    /// Boards, and the identity of each chip.
    Identity,
}

/// A card's settings that require signed packages for the device and select the accepted signers. The tool prints these
/// settings for root on the host, in a virtual machine or in a privileged container, on A2, A3 and 950 (hicann/driver
/// npucli npu_cmd_parse.c and show_ascend_chip_custom_op_secverify_enable_info, _mode_info).
const SETTINGS: &[(&str, &str)] = &[
    ("custom-op-secverify-enable", "Custom-op-secverify-enable"),
    ("custom-op-secverify-mode", "Custom-op-secverify-mode"),
];

const TOOL: &str = "npu-smi";
/// The folders in which the driver's package installs the tool.
const FOLDERS: &[&str] = &["/usr/local/bin", "/usr/local/sbin"];

/// Queries the tool for its table and the given subjects. If a query hangs, no further query is made.
pub(super) fn look(machine: &HostMachine, about: &[About], found: &mut Examination) -> Smi {
    let Some(tool) = machine.tool(TOOL, FOLDERS) else {
        found.looked(message!("look-tool"), TOOL, message!("tool-not-found"));
        return Smi::default();
    };
    let mut tool = Tool::new(machine, tool, message!("look-tool"), report_hang);
    let mut smi = Smi { there: true, ..Smi::default() };
    let answer = tool.ask(&["info"], found);
    match &answer.end {
        End::Status(0) => smi.table = table::read(&answer.output),
        End::TimedOut | End::LeftBehind => {
            let title = "npu-smi does not answer and was killed after its time limit";
            let next = message!("tool-hangs-next");
            let finding = Finding::new("tool.hangs", Severity::Blocker, title, next).seen(answer.said());
            found.find(finding.rests_on(Certainty::Field, HALF_DEAD));
        }
        _ => smi.failed = code(&answer),
    }
    if !matches!(answer.end, End::Status(0)) {
        if smi.failed.is_none() && !tool.hangs() {
            let title = format!("npu-smi fails: {}", answer.said());
            let next = message!("tool-fails-next");
            found.find(Finding::new("tool.fails", Severity::Unclear, title, next).seen_all(lines(&answer)));
        }
        smi.hangs = tool.hangs();
        return smi;
    }
    if smi.table.chips.is_empty() {
        let title = "npu-smi answers, but lists no device";
        let next = message!("tool-lists-nothing-next");
        found.find(Finding::new("tool.lists-nothing", Severity::Unclear, title, next).seen_all(lines(&answer)));
    }
    smi.mapped = tool.text(&["info", "-m"], found).map(|text| keyed::mapping(&text)).unwrap_or_default();
    for about in about {
        match about {
            About::Boards => boards(&mut tool, &mut smi, found),
            About::Health => healths(&mut tool, &mut smi, found),
            About::Identity => identities(&mut tool, &mut smi, found),
        }
    }
    smi.hangs = tool.hangs();
    smi
}

fn cards(smi: &Smi) -> Vec<String> {
    let mut cards: Vec<String> = smi.table.chips.iter().map(|chip| chip.card.clone()).collect();
    cards.dedup();
    cards
}

/// The arguments for a query about a chip.
fn of_chip<'a>(of: &'a str, chip: &'a Chip) -> Vec<&'a str> {
    let number = chip.chip.as_deref().into_iter().flat_map(|chip| ["-c", chip]);
    ["info", "-t", of, "-i", &chip.card].into_iter().chain(number).collect()
}

fn boards(tool: &mut Tool<'_>, smi: &mut Smi, found: &mut Examination) {
    for card in cards(smi) {
        let text = tool.text(&["info", "-t", "board", "-i", &card], found);
        smi.boards.extend(text.map(|text| keyed::board(&text)));
    }
}

fn healths(tool: &mut Tool<'_>, smi: &mut Smi, found: &mut Examination) {
    for chip in &smi.table.chips {
        let health = tool.text(&of_chip("health", chip), found);
        smi.healths.push(health.and_then(|text| keyed::health(&text).into_iter().next()));
        smi.errors.push(tool.text(&of_chip("ecc", chip), found).and_then(|text| keyed::ecc(&text)));
    }
}

fn identities(tool: &mut Tool<'_>, smi: &mut Smi, found: &mut Examination) {
    boards(tool, smi, found);
    for chip in &smi.table.chips {
        let text = tool.text(&of_chip("board", chip), found);
        smi.identities.push(text.map(|text| keyed::identity(&text)).unwrap_or_default());
    }
    let cards = cards(smi);
    for (of, name) in SETTINGS {
        for card in &cards {
            // If the tool does not print a setting for one card, the tool prints the setting for no other card either.
            let Some(text) = tool.text(&["info", "-t", of, "-i", card], found) else { break };
            let value = keyed::setting(&text, name).map(|value| ((*name).to_owned(), value));
            smi.settings.entry(card.clone()).or_default().extend(value);
        }
    }
}

/// Records a query that did not end. The first query, about the whole machine, has a different finding.
fn report_hang(words: &[&str], _: &ChildAnswer, found: &mut Examination) {
    let title = format!("npu-smi {} does not answer and was killed after its time limit", words.join(" "));
    let next = message!("tool-hangs-on-query-next");
    let finding = Finding::new("tool.hangs", Severity::Blocker, title, next);
    found.find(finding.rests_on(Certainty::Field, HALF_DEAD));
}

/// The code of a failure: the printed code, or the code whose lowest byte is the exit status.
fn code(answer: &ChildAnswer) -> Option<i32> {
    let text = answer.text();
    let printed = text.split("ret is ").nth(1).and_then(|rest| {
        let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
        number.parse().ok()
    });
    let End::Status(status) = answer.end else { return None };
    printed.or_else(|| codes::of_status(status))
}

/// The first lines of the output.
fn lines(answer: &ChildAnswer) -> Vec<String> {
    let text = answer.text();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).take(5).map(str::to_owned).collect()
}
