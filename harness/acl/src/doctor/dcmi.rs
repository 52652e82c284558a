//! The driver's management library DCMI, loaded in a child process with a time limit. The library reports numbers where
//! the tool prints words, and also reports the driver's own health. Source of the prototypes: hicann/driver docs, DCMI
//! manuals for 910B, 910_93 and 950. The 950 has separate functions, which identify a device by one number.

use std::path::{Path, PathBuf};

use engine::doctor::{Certainty, End, Examination, Finding, HostMachine, Severity};
use engine::questions::{Answered, Native, question};

use super::codes;

/// The library's answers.
#[derive(Debug, Default)]
pub(super) struct Dcmi {
    /// The code returned when the library was initialized; `None` if the library was not queried.
    pub started: Option<i32>,
    pub driver: Option<String>,
    /// Card, chip, and the chip's health (a number) or an error code.
    pub healths: Vec<(i32, i32, Result<u32, i32>)>,
    /// Card, chip, and the codes of active faults.
    pub faults: Vec<(i32, i32, Vec<u32>)>,
    /// Card, chip, and the chip's start-up state, where 16 means started.
    pub starts: Vec<(i32, i32, u32)>,
    pub driver_health: Option<u32>,
}

const NAME: &str = "libdcmi.so";
/// The folders in which packages install the library.
const FOLDERS: &[&str] =
    &["/usr/local/dcmi", "/usr/local/Ascend/driver/lib64/driver", "/usr/local/Ascend/driver/lib64"];

/// Queries the library.
pub(super) fn look(machine: &HostMachine, found: &mut Examination) -> Dcmi {
    let paths = std::env::split_paths(machine.variable("LD_LIBRARY_PATH").unwrap_or_default());
    let folders: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).chain(paths).collect();
    let path = folders.iter().map(|folder| machine.at(folder).join(NAME)).find(|path| path.exists());
    let Some(path) = path else {
        found.looked(message!("look-management-library"), NAME, message!("not-found"));
        return Dcmi::default();
    };
    let place = path.display().to_string();
    let (answer, lines) = question(machine, "acl", &["dcmi", &place]);
    let dcmi = read(&lines);
    let asking = lines.iter().rev().find_map(|line| line.strip_prefix("calling "));
    let refused = lines.iter().find_map(|line| line.strip_prefix("refused "));
    let said = match (&answer.end, refused, asking) {
        (End::Status(0), Some(refused), _) => refused.to_owned(),
        (End::Status(0), ..) => message!("library-answered", count = dcmi.healths.len()),
        (_, _, asking) => format!("{} in {}", answer.said(), asking.unwrap_or("loading")),
    };
    found.looked(message!("look-management-library"), place.clone(), said.clone());
    if let Some(version) = &dcmi.driver {
        found.version("driver", version.clone(), format!("dcmi_get_driver_version of {place}"));
    }
    let (id, title) = match answer.end {
        End::TimedOut | End::LeftBehind => ("dcmi.hangs", format!("the driver's management library hangs: {said}")),
        End::Signal(_) => ("dcmi.crashes", format!("the driver's management library crashes its process: {said}")),
        _ => return dcmi,
    };
    let finding = Finding::new(id, Severity::Blocker, title, message!("dcmi-next")).seen(place);
    found.find(finding.rests_on(Certainty::Inferred, "hicann/driver docs: DCMI shares the channel to the device"));
    dcmi
}

/// Runs in the child process. Each query is printed before the query is made, so that a hang can be attributed to the
/// query.
pub(super) fn answer(path: &Path, say: &mut dyn FnMut(&str)) {
    let library = match Native::open(path) {
        Ok(library) => library,
        Err(error) => return say(&format!("refused {error}")),
    };
    if !by_card(&library, say) {
        by_number(&library, say);
    }
}

/// Queries a product with cards and chips. Returns `false` if the product does not have cards and chips.
fn by_card(library: &Native, say: &mut dyn FnMut(&str)) -> bool {
    if !start(library, "dcmi_init", say) {
        return false;
    }
    driver(library, "dcmi_get_driver_version", say);
    say("calling dcmi_get_driver_health");
    tell("driver-health", library.number("dcmi_get_driver_health", &[]), say);
    say("calling dcmi_get_card_list");
    // In this interface, the count comes before the list; in the 950's interface, the list comes before the count.
    let (count, cards) = match library.lists("dcmi_get_card_list") {
        Some(Ok((count, cards))) => (count, cards),
        Some(Err(codes::UNSUPPORTED)) | None => return false,
        Some(Err(code)) => {
            say(&format!("cards failed {code}"));
            return true;
        }
    };
    for card in list(&count, &cards) {
        say(&format!("calling dcmi_get_device_num_in_card {card}"));
        let chips = library.number("dcmi_get_device_num_in_card", &[card]).and_then(Result::ok).unwrap_or(1);
        for chip in 0..i32::try_from(chips.min(8)).unwrap_or(1) {
            let place = [card, chip];
            say(&format!("calling dcmi_get_device_health {card} {chip}"));
            tell(&format!("health {card} {chip}"), library.number("dcmi_get_device_health", &place), say);
            say(&format!("calling dcmi_get_device_errorcode_v2 {card} {chip}"));
            faults(card, chip, library.codes("dcmi_get_device_errorcode_v2", &place), say);
            say(&format!("calling dcmi_get_device_boot_status {card} {chip}"));
            tell(&format!("start {card} {chip}"), library.number("dcmi_get_device_boot_status", &place), say);
        }
    }
    true
}

/// Queries the 950, which identifies a device by one number.
fn by_number(library: &Native, say: &mut dyn FnMut(&str)) {
    if !start(library, "dcmiv2_init", say) {
        return;
    }
    driver(library, "dcmiv2_get_driver_version", say);
    say("calling dcmiv2_get_device_list");
    let Some(Ok((devices, count))) = library.lists("dcmiv2_get_device_list") else { return };
    for device in list(&count, &devices) {
        say(&format!("calling dcmiv2_get_device_health {device}"));
        tell(&format!("health {device} 0"), library.number("dcmiv2_get_device_health", &[device]), say);
        say(&format!("calling dcmiv2_get_device_error_code_list {device}"));
        faults(device, 0, library.codes("dcmiv2_get_device_error_code_list", &[device]), say);
    }
}

fn start(library: &Native, name: &str, say: &mut dyn FnMut(&str)) -> bool {
    say(&format!("calling {name}"));
    let Some(answered) = library.call(name) else { return false };
    say(&format!("started {}", answered.err().unwrap_or(0)));
    answered.is_ok()
}

fn driver(library: &Native, name: &str, say: &mut dyn FnMut(&str)) {
    say(&format!("calling {name}"));
    if let Some(Ok(version)) = library.text(name) {
        say(&format!("driver {version}"));
    }
}

fn list(count: &[i32], list: &[i32]) -> Vec<i32> {
    let count = count.first().and_then(|count| usize::try_from(*count).ok()).unwrap_or(0);
    list.iter().copied().take(count.min(64)).collect()
}

fn tell(what: &str, answered: Answered<u32>, say: &mut dyn FnMut(&str)) {
    match answered {
        Some(Ok(number)) => say(&format!("{what} is {number}")),
        Some(Err(code)) => say(&format!("{what} failed {code}")),
        None => {}
    }
}

fn faults(card: i32, chip: i32, answered: Answered<Vec<u32>>, say: &mut dyn FnMut(&str)) {
    if let Some(Ok(codes)) = answered.filter(|codes| codes.as_ref().is_ok_and(|codes| !codes.is_empty())) {
        let codes: Vec<String> = codes.iter().map(|code| format!("{code:08X}")).collect();
        say(&format!("faults {card} {chip} are {}", codes.join(" ")));
    }
}

/// Reads the child's output.
fn read(lines: &[String]) -> Dcmi {
    let mut dcmi = Dcmi::default();
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let at = |at: usize| words.get(at).and_then(|word| word.parse::<i32>().ok());
        match words.as_slice() {
            // If either interface starts, the library counts as started. Otherwise, the first interface's code counts.
            ["started", "0"] => dcmi.started = Some(0),
            ["started", code] => dcmi.started = dcmi.started.or(code.parse().ok()),
            ["driver", version @ ..] => dcmi.driver = Some(version.join(" ")),
            ["driver-health", "is", health] => dcmi.driver_health = health.parse().ok(),
            ["health", _, _, is, value] => {
                let said = if *is == "is" { value.parse().map(Ok) } else { value.parse().map(Err) };
                if let (Some(card), Some(chip), Ok(said)) = (at(1), at(2), said) {
                    dcmi.healths.push((card, chip, said));
                }
            }
            ["start", _, _, "is", state] => {
                if let (Some(card), Some(chip), Ok(state)) = (at(1), at(2), state.parse()) {
                    dcmi.starts.push((card, chip, state));
                }
            }
            ["faults", _, _, "are", codes @ ..] => {
                if let (Some(card), Some(chip)) = (at(1), at(2)) {
                    let codes = codes.iter().filter_map(|code| u32::from_str_radix(code, 16).ok()).collect();
                    dcmi.faults.push((card, chip, codes));
                }
            }
            _ => {}
        }
    }
    dcmi
}
