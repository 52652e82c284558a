//! A chip's name, number and health according to all sources, and the versions that the tool reports.

use engine::doctor::Examination;

use super::codes;
use super::dcmi::Dcmi;
use super::health::{Health, Said};
use super::smi::{self, Smi};

/// Records the driver's and the firmware's versions.
pub(super) fn versions_of_tool(smi: &Smi, found: &mut Examination) {
    let boards = smi.boards.iter().find_map(|board| board.driver.clone());
    if let Some(version) = smi.table.driver.clone().or(boards) {
        found.version("driver", version, "npu-smi info");
    }
    if let Some(version) = smi.boards.iter().find_map(|board| board.firmware.clone()) {
        found.version("firmware", version, "npu-smi info -t board");
    }
}

/// The name that the tool gives a chip.
pub(super) fn label(chip: &smi::Chip) -> String {
    match &chip.chip {
        Some(number) => format!("{}:{number}", chip.card),
        None => chip.card.clone(),
    }
}

/// The runtime's number for a chip if no mask is set. The number comes from the tool or, if the tool gives no number,
/// from the chip's position in the table.
pub(super) fn logical(smi: &Smi, at: usize, chip: &smi::Chip) -> Option<u32> {
    let mapped = smi.mapped.iter().find(|row| row.card == chip.card && (chip.chip.is_none() || row.chip == chip.chip));
    mapped.and_then(|row| row.logical).or_else(|| u32::try_from(at).ok())
}

/// Each source's reports on a chip.
pub(super) fn said_of(chip: &smi::Chip, health: Option<&Option<smi::ChipHealth>>, dcmi: &Dcmi) -> Vec<Said> {
    let table = if chip.failed { None } else { Health::of_word(&chip.health) };
    // Even in a row of zeros, a word for a bad state counts.
    let table = table.or_else(|| Health::of_word(&chip.health).filter(|health| *health > Health::Good));
    let zeros = chip.failed.then(|| format!("a row of zeros with the word {}", chip.health));
    let mut said = vec![Said { source: "the tool's table", health: table, details: zeros.into_iter().collect() }];
    if let Some(health) = health {
        let details = health
            .iter()
            .flat_map(|health| health.codes.iter().map(|code| format!("code {code}")).chain(health.texts.clone()));
        said.push(Said {
            source: "the tool's health query",
            health: health.as_ref().and_then(|health| health.health),
            details: details.collect(),
        });
    }
    let place = |card: i32, number: i32| {
        chip.card == card.to_string() && chip.chip.as_ref().is_none_or(|chip| *chip == number.to_string())
    };
    for (_, _, answer) in dcmi.healths.iter().filter(|(card, number, _)| place(*card, *number)) {
        let faults =
            dcmi.faults.iter().filter(|(card, number, _)| place(*card, *number)).flat_map(|(_, _, codes)| codes);
        said.push(Said {
            source: "the management library",
            health: answer.ok().and_then(Health::of_number),
            details: match answer {
                Ok(_) => faults.map(|code| format!("code {code:08X}")).collect(),
                Err(code) => vec![format!("{code}: {}", codes::meaning(*code))],
            },
        });
    }
    said
}
