//! Events reported by devices: lines of the form `event_id=0x…; … event_raised_time=… ms.` in a device's event log.
//! Source of the form: hicann/oam-tools test data. The logs' place on a host is not documented. The logs are below
//! /var/log/npu if a user exported them, or if this processor is the device's own (certainty: unknown).

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use engine::doctor::HostMachine;
use engine::logs::{Excerpt, MOST_OF_A_FILE, Scene, tail};
use jiff::tz::TimeZone;

use super::process::time_of;

const SOURCE: &str = "device-events";
const FOLDER: &str = "/var/log/npu";
/// The maximum depth to which folders are searched.
const DEPTH: usize = 5;
/// The maximum number of files and folders searched.
const MOST_FILES: usize = 2000;
/// The maximum difference between a device's clock and the host's clock.
const DRIFT: Duration = Duration::from_secs(1);

/// The events from all devices. A rule's calls show which devices the rule used.
pub(super) fn cut_out(machine: &HostMachine, scene: &Scene, zone: &TimeZone) -> Vec<Excerpt> {
    let folder = machine.at(FOLDER);
    if !folder.is_dir() {
        return vec![Excerpt::nothing(SOURCE, FOLDER, "the folder does not exist")];
    }
    let mut found = Vec::new();
    for path in event_files(folder, scene) {
        if scene.is_over() {
            break;
        }
        let shown = path.strip_prefix(machine.root()).unwrap_or(&path).display().to_string();
        match tail(&path, MOST_OF_A_FILE) {
            Ok(read) => {
                let within = |line: &String| raised(line, zone).is_some_and(|at| scene.holds(at, DRIFT));
                let lines: Vec<String> = read.lines.into_iter().filter(within).collect();
                let place = format!("/{shown}, event times are milliseconds since 1970");
                let excerpt = Excerpt { source: SOURCE, place, lines, ..Excerpt::default() };
                found.extend((!excerpt.lines.is_empty()).then_some(excerpt));
            }
            Err(error) => found.push(Excerpt::nothing(SOURCE, format!("/{shown}"), error.to_string())),
        }
    }
    if scene.is_over() {
        found.push(Excerpt::unread(SOURCE, FOLDER));
    } else if found.is_empty() {
        found.push(Excerpt::nothing(SOURCE, FOLDER, "no event at this time"));
    }
    found
}

/// The event files that were written after the scene began.
fn event_files(folder: PathBuf, scene: &Scene) -> Vec<PathBuf> {
    let (mut folders, mut found, mut seen) = (vec![(folder, 0)], Vec::new(), 0);
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_FILES || scene.is_over() {
                return found;
            }
            let Ok(about) = entry.metadata() else { continue };
            let name = entry.file_name().to_string_lossy().into_owned();
            let events = name.contains("event") && name.ends_with(".log");
            let recent = || about.modified().is_ok_and(|at| at >= scene.from || scene.holds(at, DRIFT));
            if about.is_dir() && depth < DEPTH {
                folders.push((entry.path(), depth + 1));
            } else if about.is_file() && events && recent() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

fn raised(line: &str, zone: &TimeZone) -> Option<SystemTime> {
    if !line.contains("event_id=") {
        return None;
    }
    let raised = line.split_once("event_raised_time=").and_then(|(_, rest)| rest.split_whitespace().next());
    match raised.and_then(|text| text.parse().ok()) {
        Some(milliseconds) => SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(milliseconds)),
        None => time_of(line, zone),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Instant;

    use super::*;

    const SAMPLE: &str = include_str!("../../../../fixtures/machines/device-event.log");

    #[test]
    fn events_of_the_scene_are_cut_out() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("var/log/npu/slog/dev-os-0/event");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("event_20260304.log"), SAMPLE).unwrap();
        let machine = HostMachine::new(root.path(), Duration::from_secs(1));
        // The sample's first two events were raised 1772600767513 milliseconds after the start of 1970.
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_600_767);
        let until = Instant::now() + Duration::from_secs(60);
        let scene = Scene { from: at, to: at, processes: BTreeSet::new(), until };
        let found = cut_out(&machine, &scene, &TimeZone::UTC);
        assert_eq!(found.iter().map(|found| found.lines.len()).sum::<usize>(), 2, "{found:?}");
        assert!(found[0].lines[0].contains("event_id=0x80cb8009") && found[0].place.starts_with("/var/log/npu/slog"));
        let later = Scene { from: at + Duration::from_secs(600), to: at + Duration::from_secs(600), ..scene };
        assert_eq!(cut_out(&machine, &later, &TimeZone::UTC)[0].remarks, ["no event at this time"]);
        let over = Scene { until: Instant::now(), ..later };
        let said = ["not looked into: the time for logs was used up"];
        assert_eq!(cut_out(&machine, &over, &TimeZone::UTC)[0].remarks, said);
    }
}
