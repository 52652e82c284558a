//! The table printed by `npu-smi info`. Four widths and five sets of columns are in use, so a value is found by the
//! title above it and never by its position. Sources of the layouts: hicann/driver src/custom/dev_prod/user/npucli
//! (npu_info_print.c) for releases up to 25.x and the 950; captures in public threads for 26.x, whose source is not
//! public.

use std::collections::BTreeMap;

/// The content of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Table {
    /// The driver's version.
    pub driver: Option<String>,
    pub chips: Vec<Chip>,
    /// True if the tool warns that the driver's installation is incomplete.
    pub incomplete: bool,
}

/// A chip on a card, which the runtime calls a device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chip {
    /// The card's label. Labels may have gaps.
    pub card: String,
    /// The chip's number on the card, which the 950 lacks.
    pub chip: Option<String>,
    pub name: Option<String>,
    /// The word in the health column.
    pub health: String,
    /// The used and the total size, in MiB, of the memory from which programs allocate.
    pub memory: Option<(u64, u64)>,
    /// True if queries about the chip failed. The tool then prints a row of zeros with any word.
    pub failed: bool,
    pub users: Vec<User>,
}

/// A process that uses a chip.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct User {
    pub process: String,
    /// The name; empty for a process in another namespace.
    pub name: String,
    pub memory: Option<u64>,
}

/// Words that continue a title.
const CONTINUED: &[&str] = &["ID", "id", "Util(%)", "name", "memory(MB)", "in", "container"];
/// Words for a missing value.
const NOTHING: &[&str] = &["", "-", "NA"];

/// Reads the table. Any other text yields no chips.
pub(crate) fn read(text: &str) -> Table {
    let mut table = Table::default();
    let (mut titles, mut rows): (Vec<Cells>, Vec<Row>) = (Vec::new(), Vec::new());
    let mut processes: Option<Cells> = None;
    for line in text.lines().map(str::trim) {
        if line.contains("may not be completely installed") {
            table.incomplete = true;
        }
        let Some(cells) = cells(line) else {
            // After a separator between rows, the next row begins a chip.
            take(&mut table, &mut rows);
            continue;
        };
        if let Some((_, version)) = line.split_once("Version:").filter(|_| line.contains("npu-smi")) {
            table.driver = version.trim_matches(['|', ' ']).split_whitespace().next().map(str::to_owned);
        } else if has_title(&cells, "Process id") {
            take(&mut table, &mut rows);
            processes = Some(cells);
        } else if let Some(titles) = &processes {
            add_user(&mut table, titles, &cells);
        } else if has_title(&cells, "Health") {
            titles = vec![cells];
        } else if has_title(&cells, "Bus-Id") {
            titles.push(cells);
        } else if let Some(titles) = titles.get(rows.len()) {
            rows.push(values(titles, &cells));
        }
    }
    take(&mut table, &mut rows);
    table
}

type Cells = Vec<String>;
type Row = BTreeMap<String, String>;

/// The texts between the bars of a line.
fn cells(line: &str) -> Option<Cells> {
    let inner = line.strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(|cell| cell.trim().to_owned()).collect())
}

/// The titles in a cell. A word that does not continue a title begins a new title.
fn titles(cell: &str) -> Vec<String> {
    let mut titles: Vec<String> = Vec::new();
    for word in cell.split_whitespace() {
        match titles.last_mut().filter(|_| CONTINUED.contains(&word)) {
            Some(title) => *title = format!("{title} {word}"),
            None => titles.push(word.to_owned()),
        }
    }
    titles
}

fn has_title(cells: &[String], wanted: &str) -> bool {
    cells.iter().any(|cell| titles(cell).iter().any(|title| title == wanted))
}

/// The values in a row, by title. Spaces separate values within a cell, but `0    / 0` and `3391/ 65536` are single
/// values.
fn values(heads: &[String], cells: &[String]) -> Row {
    let mut row = Row::new();
    for (head, cell) in heads.iter().zip(cells) {
        let titles = titles(head);
        let mut values: Vec<String> = Vec::new();
        if titles.len() == 1 {
            values.push(cell.clone());
        } else {
            let mut joined = false;
            for word in cell.replace('/', " / ").split_whitespace() {
                match values.last_mut().filter(|_| joined || word == "/") {
                    Some(value) => value.push_str(word),
                    None => values.push(word.to_owned()),
                }
                joined = word == "/";
            }
        }
        row.extend(titles.into_iter().zip(values));
    }
    row
}

fn value(row: &Row, titles: &[&str]) -> Option<String> {
    let found = titles.iter().find_map(|title| row.get(*title))?;
    (!NOTHING.contains(&found.as_str())).then(|| found.clone())
}

fn pair(text: &str) -> Option<(u64, u64)> {
    let (used, total) = text.split_once('/')?;
    Some((used.trim().parse().ok()?, total.trim().parse().ok()?))
}

/// Joins a chip's rows.
fn take(table: &mut Table, rows: &mut Vec<Row>) {
    let rows = std::mem::take(rows);
    let (Some(first), second) = (rows.first(), rows.get(1)) else { return };
    let empty = Row::new();
    let second = second.unwrap_or(&empty);
    let Some(health) = first.get("Health").filter(|health| !health.is_empty()) else { return };
    let sizes = ["HBM-Usage(MB)", "Memory-Usage(MB)"].map(|title| value(second, &[title]).as_deref().and_then(pair));
    let memory = sizes.iter().flatten().find(|(_, total)| *total > 0).copied();
    let name = value(first, &["Name"]);
    let power = value(first, &["Power(W)"]).and_then(|power| power.parse::<f64>().ok());
    let failed = memory.is_none() && (name.is_none() || power.is_none_or(|power| power == 0.0));
    table.chips.push(Chip {
        card: value(first, &["NPU", "NPU ID"]).unwrap_or_default(),
        chip: value(second, &["Chip"]),
        name,
        health: health.clone(),
        memory,
        failed,
        users: Vec::new(),
    });
}

fn add_user(table: &mut Table, titles: &[String], cells: &[String]) {
    // `No running processes found in NPU 0` is a single cell.
    if cells.len() != titles.len() {
        return;
    }
    let row = values(titles, cells);
    let (card, chip) = (value(&row, &["NPU", "NPU ID"]), value(&row, &["Chip"]));
    let Some((card, process)) = card.zip(value(&row, &["Process id"])) else { return };
    let of = |known: &&mut Chip| known.card == card && (chip.is_none() || known.chip == chip);
    if let Some(known) = table.chips.iter_mut().find(of) {
        known.users.push(User {
            process,
            name: value(&row, &["Process name"]).unwrap_or_default(),
            memory: value(&row, &["Process memory(MB)"]).and_then(|memory| memory.parse().ok()),
        });
    }
}
