//! The runtime's log for each process: `plog-PID_yyyymmddhhmmssmmm.log`, with a new file every 20 MB. Source for the
//! places and the form of lines: hicann/runtime docs, log reference and environment variables. The text after the
//! bracket differs between modules and is not parsed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::doctor::HostMachine;
use engine::logs::times::local;
use engine::logs::{Excerpt, MOST_OF_A_FILE, Scene, tail};
use jiff::tz::TimeZone;

const SOURCE: &str = "process-log";
/// The kinds of logs to read. The `security` log is omitted because it records users' actions, not failures.
const KINDS: &[&str] = &["debug", "run"];
/// The maximum number of files to read for one failure, newest first.
const MOST_FILES: usize = 32;
/// The maximum number of names to read in a folder. Nothing removes the files of earlier processes.
const MOST_NAMES: usize = 200_000;

/// The log folders of this process's workers, from the environment variables that the workers inherit.
pub(crate) fn folders(machine: &HostMachine) -> Vec<PathBuf> {
    let path = |name: &str| machine.variable(name).map(PathBuf::from);
    match (path("ASCEND_PROCESS_LOG_PATH"), path("ASCEND_WORK_PATH"), path("HOME")) {
        (Some(logs), ..) => vec![logs],
        (None, Some(work), _) => vec![work.join("log"), work],
        (None, None, Some(home)) => vec![home.join("ascend/log")],
        _ => Vec::new(),
    }
}

/// The log lines from a scene's processes.
pub(super) fn cut_out(folders: &[PathBuf], scene: &Scene, zone: &TimeZone) -> Vec<Excerpt> {
    let place = || folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(" or ");
    let mut files: Vec<(String, PathBuf)> = folders.iter().flat_map(|folder| files_below(folder, scene)).collect();
    // Names end with the time at which the file was created.
    files.sort();
    let all = files.len();
    let mut found: Vec<Excerpt> = Vec::new();
    for (_, path) in files.into_iter().rev().take(MOST_FILES).take_while(|_| !scene.is_over()) {
        found.push(of_file(&path, scene, zone));
    }
    found.reverse();
    let unread = all - found.len();
    if found.is_empty() && unread > 0 {
        return vec![Excerpt::unread(SOURCE, place())];
    }
    if found.is_empty() {
        let why = if folders.is_empty() {
            "neither ASCEND_PROCESS_LOG_PATH nor HOME is set"
        } else if folders.iter().any(|folder| folder.is_dir()) {
            "no file of these processes; the runtime writes errors, more with ASCEND_GLOBAL_LOG_LEVEL"
        } else {
            "the folder does not exist"
        };
        return vec![Excerpt::nothing(SOURCE, place(), why)];
    }
    if unread > 0 {
        found[0].remarks.push(format!("{unread} older files of these processes were not read"));
    }
    found
}

/// The files of the scene's processes, each with its creation time.
fn files_below(folder: &Path, scene: &Scene) -> Vec<(String, PathBuf)> {
    let entries = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_NAMES);
    let of_devices = |name: &str| name == "plog" || name.starts_with("device-");
    let mut found = Vec::new();
    for kind in KINDS {
        for below in entries(folder.join(kind)).filter(|below| of_devices(&below.file_name().to_string_lossy())) {
            for file in entries(below.path()) {
                let name = file.file_name().to_string_lossy().into_owned();
                let begun = begun_by(&name).filter(|(process, _)| scene.processes.contains(process));
                found.extend(begun.map(|(_, begun)| (begun.to_owned(), file.path())));
            }
        }
    }
    found
}

/// The process and the time in names such as `plog-4711_20260304050607101.log` and `device-4711_….log`.
fn begun_by(name: &str) -> Option<(u32, &str)> {
    let rest = name.strip_prefix("plog-").or_else(|| name.strip_prefix("device-"))?;
    let (process, begun) = rest.strip_suffix(".log")?.split_once('_')?;
    Some((process.parse().ok()?, begun))
}

fn of_file(path: &Path, scene: &Scene, zone: &TimeZone) -> Excerpt {
    let read = match tail(path, MOST_OF_A_FILE) {
        Ok(read) => read,
        Err(error) => return Excerpt::nothing(SOURCE, path.display().to_string(), error.to_string()),
    };
    let mut lines = Vec::new();
    // Lines without a time belong to the preceding line.
    let (mut within, mut first, mut last) = (false, None, None);
    for line in read.lines {
        if let Some(at) = time_of(&line, zone) {
            within = scene.holds(at, Duration::ZERO);
            first = first.or(Some(at));
            last = Some(line.get(..60).unwrap_or(&line).to_owned());
        }
        if within {
            lines.push(line);
        }
    }
    let mut remarks = Vec::new();
    if lines.is_empty() {
        remarks.push(match last {
            Some(last) => format!("no line at this time; the last line begins {last}"),
            None => "no line with a time".to_owned(),
        });
    }
    if read.cut && first.is_none_or(|first| scene.holds(first, Duration::ZERO)) {
        remarks.push(format!("only the last {} MiB were read", MOST_OF_A_FILE >> 20));
    }
    let place = format!("{}, times are local", path.display());
    Excerpt { source: SOURCE, place, lines, left_out: 0, remarks }
}

/// The time in a line such as `[LEVEL] MODULE(pid,name):2026-03-04-05:06:07.101.202 [file:line]…`.
pub(super) fn time_of(line: &str, zone: &TimeZone) -> Option<std::time::SystemTime> {
    let (head, rest) = line.split_once("):")?;
    head.starts_with('[').then(|| local(rest, zone)).flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::{Instant, SystemTime};

    use super::*;

    const FAULT: &str = include_str!("../../../../fixtures/machines/plog-kernel-fault.log");
    const RUN: &str = include_str!("../../../../fixtures/machines/plog-run.log");
    /// 2026-03-04 05:06:07 UTC.
    const AT: u64 = 1_772_600_767;

    fn scene(from: u64, to: u64) -> Scene {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let until = Instant::now() + Duration::from_secs(60);
        Scene { from: at(from), to: at(to), processes: BTreeSet::from([48213]), until }
    }

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn cut(folder: &Path, scene: &Scene) -> Vec<Excerpt> {
        cut_out(&[folder.to_owned()], scene, &TimeZone::UTC)
    }

    #[test]
    fn each_line_of_the_runtime_has_a_time() {
        for line in FAULT.lines().chain(RUN.lines()) {
            assert!(time_of(line, &TimeZone::UTC).is_some(), "{line}");
        }
    }

    #[test]
    fn lines_of_the_scene_are_cut_out() {
        let tree = tree(&[
            ("debug/plog/plog-48213_20260304050559000.log", FAULT),
            ("run/plog/plog-48213_20260304050558000.log", RUN),
            ("debug/plog/plog-4821_20260304050559000.log", "[ERROR] A(4821,x):2026-03-04-05:06:07.0.0 of another\n"),
            ("security/plog/plog-48213_20260304050559000.log", FAULT),
            (
                "debug/device-0/device-48213_20260304050600000.log",
                "[ERROR] TS(1,x):2026-03-04-05:06:07.000.001 of the device\n",
            ),
        ]);
        let found = cut(tree.path(), &scene(AT, AT));
        let lines: Vec<&String> = found.iter().flat_map(|found| &found.lines).collect();
        assert_eq!(lines.len(), FAULT.lines().count() + 1, "{lines:?}");
        assert!(lines.last().unwrap().ends_with("of the device"));
        assert_eq!(found[0].lines, Vec::<String>::new(), "the run log has only lines of other times");
        assert!(
            found[0].remarks[0].starts_with("no line at this time; the last line begins [INFO] ATRACE"),
            "{found:?}"
        );
    }

    #[test]
    fn a_continuation_belongs_to_its_line() {
        let text = "[ERROR] A(1,x):2026-03-04-05:06:00.000.000 early\n  more of it\n[ERROR] A(1,x):2026-03-04-05:06:07.000.000 now\n  more of that\n";
        let tree = tree(&[("debug/plog/plog-48213_1.log", text)]);
        let found = cut(tree.path(), &scene(AT, AT));
        assert_eq!(found[0].lines, ["[ERROR] A(1,x):2026-03-04-05:06:07.000.000 now", "  more of that"]);
    }

    #[test]
    fn rotated_files_are_in_order() {
        let line = |text: &str| format!("[ERROR] A(1,x):2026-03-04-05:06:07.000.000 {text}\n");
        let (first, second) = (line("first"), line("second"));
        let tree = tree(&[
            ("debug/plog/plog-48213_20260304050607900.log", &second),
            ("debug/plog/plog-48213_20260304050607100.log", &first),
        ]);
        let found = cut(tree.path(), &scene(AT, AT));
        assert!(found[0].lines[0].ends_with("first") && found[1].lines[0].ends_with("second"));
    }

    #[test]
    fn files_that_were_not_read_in_time_are_not_reported_missing() {
        let tree = tree(&[("debug/plog/plog-48213_20260304050559000.log", FAULT)]);
        let over = Scene { until: Instant::now(), ..scene(AT, AT) };
        assert_eq!(cut(tree.path(), &over)[0].remarks, ["not looked into: the time for logs was used up"]);
    }

    #[test]
    fn an_empty_excerpt_has_a_reason() {
        let said = |folders: &[PathBuf]| cut_out(folders, &scene(AT, AT), &TimeZone::UTC)[0].remarks.join("");
        let empty = tree(&[("debug/plog/other.log", "")]);
        assert!(said(&[empty.path().to_owned()]).starts_with("no file of these processes"));
        assert_eq!(said(&[empty.path().join("missing")]), "the folder does not exist");
        assert!(said(&[]).starts_with("neither"));
    }
}
