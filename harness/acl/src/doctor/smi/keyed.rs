//! The output of `npu-smi info -t …`: a key, a colon and a value on each line. Source of the layouts: hicann/driver
//! src/custom/dev_prod/user/npucli (npu_info_print.c, npu_chip_info.c).

use std::collections::BTreeMap;

use crate::doctor::health::Health;

/// The output of `-t board`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Board {
    pub driver: Option<String>,
    /// The firmware version, which the tool does not print for normal users.
    pub firmware: Option<String>,
    /// `OK`, `NOK`, `UNKNOWN`, or absent for normal users.
    pub compatibility: Option<String>,
    /// Device id on the PCI bus, in lower case and without 0x.
    pub pci: Option<String>,
}

/// The identity of a chip, from `-t board`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The model. On A3, this output has the exact model, but the table does not.
    pub model: Option<String>,
    pub address: Option<String>,
    pub ids: BTreeMap<String, String>,
}

/// A chip's health, from `-t health`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChipHealth {
    pub health: Option<Health>,
    /// The fault codes, in hexadecimal without 0x.
    pub codes: Vec<String>,
    pub texts: Vec<String>,
}

/// A chip's error counts, from `-t ecc`, for the memory from which programs allocate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ecc {
    /// The number of uncorrectable errors since the start.
    pub double_bit: u64,
    pub isolated_pages: u64,
    /// The number of pages that wait for the next reset.
    pub waiting_pages: u64,
}

/// A row from `-m`: a card's label, a chip on the card, and the runtime's number for the chip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mapped {
    pub card: String,
    pub chip: Option<String>,
    /// The runtime's number; `None` for a controller or an unusable slot.
    pub logical: Option<u32>,
    pub name: Option<String>,
}

/// Keys and values, in order. A line without a key continues the preceding line.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.split_once(':')).map(|(key, value)| (key.trim(), value.trim()))
}

fn value(text: &str, wanted: &str) -> Option<String> {
    let found = pairs(text).find(|(key, _)| *key == wanted).map(|(_, value)| value)?;
    (!matches!(found, "" | "NA" | "NOT SUPPORT" | "-")).then(|| found.to_owned())
}

/// Reads `-t board`, with or without a chip.
pub(crate) fn board(text: &str) -> Board {
    Board {
        driver: value(text, "Software Version"),
        firmware: value(text, "Firmware Version"),
        compatibility: value(text, "Compatibility"),
        pci: value(text, "PCI Device ID").map(|id| id.to_lowercase().trim_start_matches("0x").to_owned()),
    }
}

/// Reads a chip's identity from `-t board`. Each die of the chip has a separate number, and the card may have a serial
/// number.
pub(crate) fn identity(text: &str) -> Identity {
    let ids = ["VDie ID", "NDie ID", "Serial Number"];
    Identity {
        model: value(text, "NPU Name").or_else(|| value(text, "Chip Name")),
        address: value(text, "PCIe Bus Info"),
        ids: ids.iter().filter_map(|name| Some(((*name).to_owned(), value(text, name)?))).collect(),
    }
}

/// Reads the setting with this name.
pub(crate) fn setting(text: &str, name: &str) -> Option<String> {
    value(text, name)
}

/// Reads `-t health`: a block for each chip, without the board's controller. The line `Chip ID` ends a block.
pub(crate) fn health(text: &str) -> Vec<ChipHealth> {
    let mut chips: Vec<ChipHealth> = Vec::new();
    let mut last = "";
    for (key, value) in pairs(text) {
        let key = if key.is_empty() { last } else { key };
        last = key;
        match (key, chips.last_mut()) {
            ("Health Status" | "Health", _) => {
                chips.push(ChipHealth { health: Health::of_word(value), ..ChipHealth::default() });
            }
            // Codes and texts belong to the preceding word.
            ("Error Code", Some(chip)) if value != "NA" => chip.codes = hexadecimal(value),
            ("Error Information", Some(chip)) if !matches!(value, "NA" | "") => chip.texts.push(value.to_owned()),
            ("Chip Name", Some(_)) if value.eq_ignore_ascii_case("mcu") => drop(chips.pop()),
            _ => {}
        }
    }
    chips
}

fn hexadecimal(value: &str) -> Vec<String> {
    let words = value.split_whitespace().map(|word| word.trim_start_matches("0x").to_uppercase());
    words.filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_hexdigit())).collect()
}

/// Reads `-t ecc` and adds up the counts of all chips; `None` if the output has no error counts.
pub(crate) fn ecc(text: &str) -> Option<Ecc> {
    let sum = |wanted: &str| {
        let counts = pairs(text).filter(|(key, _)| *key == wanted).filter_map(|(_, value)| value.parse::<u64>().ok());
        counts.reduce(u64::saturating_add)
    };
    Some(Ecc {
        double_bit: sum("HBM Double Bit Error Count").or_else(|| sum("DDR Double Bit Error Count"))?,
        isolated_pages: sum("HBM Double Bit Isolated Pages Count").unwrap_or(0),
        waiting_pages: sum("HBM Double Bit Next-Isolated Pages Count").unwrap_or(0),
    })
}

/// Reads `-m`, by its titles.
pub(crate) fn mapping(text: &str) -> Vec<Mapped> {
    let mut lines = text.lines().map(columns).skip_while(|columns| !columns.contains(&"Chip Logic ID"));
    let Some(titles) = lines.next() else { return Vec::new() };
    let of = |row: &[&str], title: &str| {
        let at = titles.iter().position(|known| *known == title)?;
        row.get(at).copied().filter(|value| !matches!(*value, "-" | "NA" | "")).map(str::to_owned)
    };
    let rows = lines.filter(|row| row.len() == titles.len());
    let mapped = rows.filter_map(|row| {
        Some(Mapped {
            card: of(&row, "NPU ID").filter(|card| card != "-1")?,
            chip: of(&row, "Chip ID"),
            logical: of(&row, "Chip Logic ID").and_then(|id| id.parse().ok()),
            name: of(&row, "Chip Name"),
        })
    });
    mapped.collect()
}

/// Columns are separated by at least two spaces.
fn columns(line: &str) -> Vec<&str> {
    line.trim().split("  ").map(str::trim).filter(|column| !column.is_empty()).collect()
}
