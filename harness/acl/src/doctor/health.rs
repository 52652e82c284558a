//! The health states of a device, and the judgment over all sources, in which the worst state counts.

use engine::doctor::{Certainty, Device, Examination, Finding, Severity};

/// A device's states, from good to bad. DCMI numbers the states 0 to 3 and 0xFFFFFFFF (hicann/driver docs, DCMI
/// manuals).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Health {
    Good,
    Warning,
    Alarm,
    Critical,
    /// The device was not found or has not started.
    Absent,
}

impl Health {
    /// The state for a tool's word.
    pub(super) fn of_word(word: &str) -> Option<Health> {
        match word.trim().to_ascii_lowercase().as_str() {
            "ok" | "healthy" => Some(Health::Good),
            "warning" => Some(Health::Warning),
            "alarm" => Some(Health::Alarm),
            "critical" => Some(Health::Critical),
            "unknown" => Some(Health::Absent),
            _ => None,
        }
    }

    /// The state for a number.
    pub(super) fn of_number(number: u32) -> Option<Health> {
        match number {
            0 => Some(Health::Good),
            1 => Some(Health::Warning),
            2 => Some(Health::Alarm),
            3 => Some(Health::Critical),
            u32::MAX => Some(Health::Absent),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Health::Good => "good",
            Health::Warning => "warning",
            Health::Alarm => "alarm",
            Health::Critical => "critical",
            Health::Absent => "not found or not started",
        }
    }
}

/// One source's report on a chip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub source: &'static str,
    /// The state; `None` if the query failed.
    pub health: Option<Health>,
    /// Codes and texts of active faults.
    pub details: Vec<String>,
}

/// The table and `-t health` of the public tool print OK for a state without a code. The table also prints OK for a
/// failed query.
const SOURCE: &str = "hicann/driver npucli: npu_info.c, npu_chip_info.c handle_health_state; DCMI manuals";

/// Judges all sources' reports on a chip, and writes the result to the chip's row.
pub(super) fn judge(device: &mut Device, said: &[Said], left_out: bool, found: &mut Examination) {
    let text = |said: &Said| {
        let word = said.health.map_or(message!("query-failed"), Health::name);
        let details = said.details.iter().map(|detail| format!("; {detail}"));
        format!("{}: {word}{}", said.source, details.collect::<String>())
    };
    device.health_sources = said.iter().map(text).collect();
    let worst = said.iter().filter_map(|said| said.health).max();
    let failed = said.iter().any(|said| said.health.is_none());
    device.health = match worst {
        Some(worst) if worst > Health::Good => Some(worst.name().to_owned()),
        _ if failed => Some(message!("health-unknown").to_owned()),
        worst => worst.map(|worst| worst.name().to_owned()),
    };
    let label = device.label.as_str();
    let (id, severity, title, next) = match worst {
        Some(Health::Warning) => (
            "health.warning",
            Severity::Warning,
            message!("health-warning", device = label),
            message!("health-warning-next"),
        ),
        Some(worst) if worst > Health::Good => (
            "health.bad",
            Severity::Blocker,
            message!("health-bad", device = label, state = worst.name()),
            message!("health-bad-next"),
        ),
        _ if failed => (
            "health.query-failed",
            Severity::Unclear,
            message!("health-query-failed", device = label),
            message!("health-query-failed-next"),
        ),
        _ => return,
    };
    let severity = if left_out { Severity::Note } else { severity };
    let finding = Finding::new(id, severity, title, next).seen_all(device.health_sources.clone());
    found.find(finding.rests_on(Certainty::Code, SOURCE));
}
