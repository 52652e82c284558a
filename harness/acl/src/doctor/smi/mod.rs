//! The vendor's tool `npu-smi`: asked in a child with a timer, because it hangs where a driver hangs, and not believed
//! alone, because it exits with 0 and prints `OK` where a query failed.

mod keyed;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use engine::doctor::{Answer, Certainty, End, Examination, Finding, Machine, Severity};

use super::codes;
use super::evidence::HALF_DEAD;
pub(super) use keyed::{Board, ChipHealth, Ecc, Identity, Mapped};
pub(super) use table::{Chip, Table};

/// What the tool said.
#[derive(Debug, Default)]
pub(super) struct Smi {
    /// The tool is there.
    pub there: bool,
    /// It stopped answering.
    pub hangs: bool,
    pub table: Table,
    /// The code that it failed with.
    pub failed: Option<i32>,
    pub boards: Vec<Board>,
    /// For each chip of the table: what `-t health` says; `None`: it failed.
    pub healths: Vec<Option<ChipHealth>>,
    /// For each chip of the table: its errors, where the tool tells.
    pub errors: Vec<Option<Ecc>>,
    pub mapped: Vec<Mapped>,
    /// For each chip of the table: what tells it from others.
    pub identities: Vec<Identity>,
    /// By card: settings that change what its chips do.
    pub settings: BTreeMap<String, BTreeMap<String, String>>,
}

/// What the tool is asked about each chip besides the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    Boards,
    Health,
    /// Boards, and what tells each chip from others.
    Identity,
}

/// Settings of a card, whether packages for the device need a signature, and whose. Printed for root on the host, in a
/// virtual machine or a privileged container, on A2, A3 and 950 (hicann/driver npucli npu_cmd_parse.c and
/// show_ascend_chip_custom_op_secverify_enable_info, _mode_info).
const SETTINGS: &[(&str, &str)] = &[
    ("custom-op-secverify-enable", "Custom-op-secverify-enable"),
    ("custom-op-secverify-mode", "Custom-op-secverify-mode"),
];

const TOOL: &str = "npu-smi";
/// Where the driver's package puts it.
const FOLDERS: &[&str] = &["/usr/local/bin", "/usr/local/sbin"];

/// Asks the tool for its table and about these things; stops at the first question that hangs.
pub(super) fn look(machine: &Machine, about: &[About], found: &mut Examination) -> Smi {
    let Some(tool) = machine.tool(TOOL, FOLDERS) else {
        found.looked("the vendor's tool", TOOL, "not there: health and memory are not known from it");
        return Smi::default();
    };
    let mut asked = Asked { machine, tool, hangs: false };
    let mut smi = Smi { there: true, ..Smi::default() };
    let answer = asked.ask(&["info"], found);
    match &answer.end {
        End::Status(0) => smi.table = table::read(&answer.output),
        End::TimedOut | End::LeftBehind => {
            let title = "npu-smi does not answer: it was killed when its time was over";
            let next = "wait for a reset or an upgrade to end; where there is none, the driver or a device hangs: have \
                        the administrator look at the kernel's messages and reset or reboot";
            let finding = Finding::new("tool.hangs", Severity::Blocker, title, next).seen(answer.said());
            found.find(finding.rests_on(Certainty::Field, HALF_DEAD));
        }
        _ => smi.failed = code(&answer),
    }
    if !matches!(answer.end, End::Status(0)) {
        if smi.failed.is_none() && !asked.hangs {
            let title = format!("npu-smi fails: {}", answer.said());
            let next = "run it by hand and follow what it says; without it neither health nor memory is known";
            found.find(Finding::new("tool.fails", Severity::Unclear, title, next).seen_all(lines(&answer)));
        }
        smi.hangs = asked.hangs;
        return smi;
    }
    if smi.table.chips.is_empty() {
        let title = "npu-smi answers, and lists no device";
        let next = "look at what it prints; a layout that this suite does not know is worth a report with that text";
        found.find(Finding::new("tool.lists-nothing", Severity::Unclear, title, next).seen_all(lines(&answer)));
    }
    smi.mapped = asked.text(&["info", "-m"], found).map(|text| keyed::mapping(&text)).unwrap_or_default();
    for about in about {
        match about {
            About::Boards => boards(&mut asked, &mut smi, found),
            About::Health => healths(&mut asked, &mut smi, found),
            About::Identity => identities(&mut asked, &mut smi, found),
        }
    }
    smi.hangs = asked.hangs;
    smi
}

fn cards(smi: &Smi) -> Vec<String> {
    let mut cards: Vec<String> = smi.table.chips.iter().map(|chip| chip.card.clone()).collect();
    cards.dedup();
    cards
}

/// The words of a question about a chip.
fn of_chip<'a>(of: &'a str, chip: &'a Chip) -> Vec<&'a str> {
    let number = chip.chip.as_deref().into_iter().flat_map(|chip| ["-c", chip]);
    ["info", "-t", of, "-i", &chip.card].into_iter().chain(number).collect()
}

fn boards(asked: &mut Asked<'_>, smi: &mut Smi, found: &mut Examination) {
    for card in cards(smi) {
        let text = asked.text(&["info", "-t", "board", "-i", &card], found);
        smi.boards.extend(text.map(|text| keyed::board(&text)));
    }
}

fn healths(asked: &mut Asked<'_>, smi: &mut Smi, found: &mut Examination) {
    for chip in &smi.table.chips {
        let health = asked.text(&of_chip("health", chip), found);
        smi.healths.push(health.and_then(|text| keyed::health(&text).into_iter().next()));
        smi.errors.push(asked.text(&of_chip("ecc", chip), found).and_then(|text| keyed::ecc(&text)));
    }
}

fn identities(asked: &mut Asked<'_>, smi: &mut Smi, found: &mut Examination) {
    boards(asked, smi, found);
    for chip in &smi.table.chips {
        let text = asked.text(&of_chip("board", chip), found);
        smi.identities.push(text.map(|text| keyed::identity(&text)).unwrap_or_default());
    }
    let cards = cards(smi);
    for (of, name) in SETTINGS {
        for card in &cards {
            // What the tool does not tell of one card it tells of none.
            let Some(text) = asked.text(&["info", "-t", of, "-i", card], found) else { break };
            let value = keyed::setting(&text, name).map(|value| ((*name).to_owned(), value));
            smi.settings.entry(card.clone()).or_default().extend(value);
        }
    }
}

/// The tool, as long as it answers.
struct Asked<'a> {
    machine: &'a Machine,
    tool: PathBuf,
    hangs: bool,
}

impl Asked<'_> {
    fn ask(&mut self, words: &[&str], found: &mut Examination) -> Answer {
        let answer = self.machine.run(&self.tool, words);
        self.hangs = matches!(answer.end, End::TimedOut | End::LeftBehind);
        found.looked("the vendor's tool", format!("{} {}", self.tool.display(), words.join(" ")), answer.said());
        answer
    }

    /// What it printed where it succeeded.
    fn text(&mut self, words: &[&str], found: &mut Examination) -> Option<String> {
        if self.hangs {
            return None;
        }
        let answer = self.ask(words, found);
        if self.hangs {
            let title = format!("npu-smi {} does not answer: it was killed when its time was over", words.join(" "));
            let next = "a device that hangs when it is asked hangs when it is used: run with --probe, and have the \
                        administrator look at the kernel's messages";
            let finding = Finding::new("tool.hangs", Severity::Blocker, title, next);
            found.find(finding.rests_on(Certainty::Field, HALF_DEAD));
        }
        matches!(answer.end, End::Status(0)).then_some(answer.output)
    }
}

/// The code behind a failure: as the tool prints it, else the one whose lowest byte the exit status is.
fn code(answer: &Answer) -> Option<i32> {
    let text = answer.text();
    let printed = text.split("ret is ").nth(1).and_then(|rest| {
        let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
        number.parse().ok()
    });
    let End::Status(status) = answer.end else { return None };
    printed.or_else(|| codes::of_status(status))
}

/// What it printed, as far as it is worth showing.
fn lines(answer: &Answer) -> Vec<String> {
    let text = answer.text();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).take(5).map(str::to_owned).collect()
}
