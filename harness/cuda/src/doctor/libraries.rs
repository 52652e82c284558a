//! The driver's library and the toolkit's library: their places, the versions that they report, and whether they fit
//! each other and the kernel module. Both are loaded in a separate process, in the order in which a run loads them. The
//! queries create no context: `cuInit` and `cuDeviceGetCount` open the nodes for a moment, as `nvidia-smi` does, and
//! the versions need no device.

use std::path::{Component, Path, PathBuf};

use engine::doctor::{Certainty, End, Examination, Finding, HostMachine, Patient, Severity};
use engine::questions::{Answered, Native, question};

use super::causes;
use super::codes;
use super::evidence::{CODES, COMPATIBILITY};
use super::nodes::Nodes;
use super::versions::{Fit, fit, least_branch, of_file, shown};

/// The libraries' answers.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answers {
    /// The newest version of CUDA that the driver supports, or the code with which the query failed.
    driver: Option<Result<u32, i32>>,
    /// The code of the driver's initialization, which is 0 if it starts.
    init: Option<i32>,
    /// The number of devices that the driver reports.
    devices: Option<u32>,
    toolkit: Option<Result<u32, i32>>,
    /// The driver's version as the toolkit's library sees it; 0 means no driver.
    seen_by_toolkit: Option<u32>,
    /// The loader's message about a library that was not loaded, after the library's name.
    refused: Option<String>,
    /// The last function that was called.
    calling: Option<String>,
}

/// Examines both libraries.
pub(super) fn look(machine: &HostMachine, patient: &Patient<'_>, nodes: &Nodes, found: &mut Examination) {
    let driver = patient.library.clone();
    if driver.is_none() {
        missing(nodes, found);
    }
    let toolkit = toolkit(machine, patient, driver.as_deref(), found);
    if let Some(path) = &driver {
        place(path, nodes, found);
    }
    if driver.is_none() && toolkit.is_none() {
        return;
    }
    let text = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let (driver, toolkit) = (text(&driver), text(&toolkit));
    let (answer, lines) = question(machine, "cuda", &["versions", &driver, &toolkit]);
    let answers = read(&lines);
    let said = match &answer.end {
        End::Status(0) => {
            lines.iter().filter(|line| !line.starts_with("calling")).cloned().collect::<Vec<_>>().join("; ")
        }
        _ => format!("{} in {}", answer.said(), answers.calling.as_deref().unwrap_or("loading")),
    };
    found.looked(message!("look-versions"), format!("{driver} {toolkit}").trim().to_owned(), said.clone());
    if !matches!(answer.end, End::Status(0)) {
        let title = message!("libraries-end", end = said);
        let finding = Finding::new("versions.no-answer", Severity::Blocker, title, message!("libraries-end-next"));
        return found.find(finding.seen_all([driver, toolkit].into_iter().filter(|path| !path.is_empty())));
    }
    if let Some(refused) = &answers.refused {
        let title = message!("toolkit-not-loadable", path = toolkit.as_str());
        let next = message!("toolkit-not-loadable-next");
        found.find(Finding::new("toolkit.not-loadable", Severity::Warning, title, next).seen(refused.clone()));
    }
    judge(&answers, &driver, &toolkit, found);
}

/// Reports why a machine with a device lacks the driver's library.
fn missing(nodes: &Nodes, found: &mut Examination) {
    let (id, title, next, source) = if nodes.wsl {
        ("wsl.no-library", message!("wsl-no-library"), message!("wsl-no-library-next"), "CUDA on WSL user guide")
    } else if nodes.container && !nodes.devices.is_empty() {
        let (title, next) = (message!("container-no-library"), message!("container-no-library-next"));
        ("container.no-library", title, next, super::evidence::CONTAINERS)
    } else if nodes.loaded == Some(true) {
        let (title, next) = (message!("driver-library-missing"), message!("driver-library-missing-next"));
        ("driver.library-missing", title, next, "NVIDIA driver README, installed components")
    } else {
        return;
    };
    found.find(Finding::new(id, Severity::Blocker, title, next).rests_on(Certainty::Document, source));
}

/// Finds the toolkit's library as a run finds it: next to the driver's library, else in the folders of the catalog.
fn toolkit(
    machine: &HostMachine,
    patient: &Patient<'_>,
    driver: Option<&Path>,
    found: &mut Examination,
) -> Option<PathBuf> {
    let library = patient.rules.libraries.all().get(1)?;
    let folders = library.folders(|name| machine.variable(name).map(Into::into));
    let folders = folders.iter().map(|folder| machine.at(folder));
    let folders: Vec<PathBuf> = driver.and_then(Path::parent).map(Path::to_owned).into_iter().chain(folders).collect();
    let in_folder = |folder: &PathBuf| library.names.iter().map(|name| folder.join(name)).find(|path| path.exists());
    if let Some(path) = folders.iter().find_map(in_folder) {
        found.looked(message!("look-toolkit"), path.display().to_string(), message!("found"));
        return Some(path);
    }
    found.looked(message!("look-toolkit"), library.names.join(", "), message!("not-found"));
    let wheel = wheels(machine).into_iter().find(|folder| in_folder(folder).is_some());
    let next = match &wheel {
        Some(folder) => message!("toolkit-missing-next-wheel", folder = folder.display().to_string()),
        None => message!("toolkit-missing-next").to_owned(),
    };
    let title = message!("toolkit-missing", names = library.names.join(", "));
    let finding = Finding::new("toolkit.missing", Severity::Note, title, next);
    found.find(finding.rests_on(Certainty::Document, "CUDA programming guide (the driver API needs no toolkit)"));
    None
}

/// The folders into which packages of Python install the toolkit's library, in the environment in use.
fn wheels(machine: &HostMachine) -> Vec<PathBuf> {
    let homes = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(|name| machine.variable(name));
    let mut folders = Vec::new();
    for home in homes {
        for python in machine.names(format!("{home}/lib")).into_iter().filter(|name| name.starts_with("python")) {
            let packages = format!("{home}/lib/{python}/site-packages/nvidia");
            let below = machine.names(&packages).into_iter();
            folders.extend(below.map(|package| machine.at(format!("{packages}/{package}/lib"))));
        }
    }
    folders
}

/// Judges the place of the driver's library, and compares its version with the kernel module's.
fn place(path: &Path, nodes: &Nodes, found: &mut Examination) {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let shown = real.display().to_string();
    let is_in = |folder: &str| {
        let names = |component: Component<'_>| component.as_os_str() == folder;
        path.components().chain(real.components()).any(names)
    };
    if is_in("stubs") {
        return stub(&path.display().to_string(), found);
    }
    let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some(library) = of_file(&name) else { return };
    found.version("driver", library, shown.clone());
    let Some(module) = nodes.module.as_deref().filter(|module| *module != library) else { return };
    let seen = message!("versions-differ-seen", library = library, module = module);
    let finding = if is_in("compat") {
        let (title, next) = (message!("driver-forward"), message!("driver-forward-next"));
        Finding::new("driver.forward-compatibility", Severity::Note, title, next)
    } else {
        let (title, next) = (message!("driver-mismatch"), message!("driver-mismatch-next"));
        Finding::new("driver.mismatch", Severity::Blocker, title, next)
    };
    found.find(finding.seen(seen).seen(shown).rests_on(Certainty::Document, COMPATIBILITY));
}

/// Reports the library for linking that the toolkit contains, in which every function fails.
pub(super) fn stub(place: &str, found: &mut Examination) {
    if found.has("driver.stub") {
        return;
    }
    let (title, next) = (message!("driver-stub", path = place), message!("driver-stub-next"));
    let finding = Finding::new("driver.stub", Severity::Blocker, title, next);
    found.find(finding.rests_on(Certainty::Document, CODES));
}

/// Judges the start of the driver and the versions.
fn judge(answers: &Answers, driver: &str, toolkit: &str, found: &mut Examination) {
    match (answers.init, answers.devices) {
        (Some(0), Some(1..)) => found.counts_devices(),
        (Some(0), _) | (None, _) => {}
        (Some(code), _) => causes::of_code(code, found),
    }
    match answers.driver {
        Some(Ok(version)) => found.version("runtime", shown(version), format!("cuDriverGetVersion of {driver}")),
        Some(Err(codes::STUB_LIBRARY)) => stub(driver, found),
        Some(Err(code)) => {
            let title = message!("driver-version-fails", code = code, meaning = codes::meaning(code));
            let next = message!("driver-version-fails-next");
            let finding = Finding::new("driver.no-version", Severity::Blocker, title, next).seen(driver);
            found.find(finding.rests_on(Certainty::Document, CODES));
        }
        None => {}
    }
    // Without a driver, the library of CUDA 11 does not even report its version (observed).
    let version = match answers.toolkit {
        Some(version) => version.ok(),
        None => return,
    };
    if let Some(version) = version {
        found.version("toolkit", shown(version), format!("cudaRuntimeGetVersion of {toolkit}"));
    }
    let newest = match (answers.driver, answers.seen_by_toolkit) {
        (Some(Ok(newest)), _) => Some(newest),
        (None, Some(newest)) => Some(newest),
        _ => None,
    };
    match newest {
        Some(newest) if newest > 0 => {
            if let Some(version) = version {
                fits(version, newest, found);
            }
        }
        Some(_) => {
            let version = version.map_or_else(|| message!("label-unknown").to_owned(), shown);
            let title = message!("toolkit-no-driver", version = version);
            let finding =
                Finding::new("versions.no-driver", Severity::Blocker, title, message!("toolkit-no-driver-next"));
            found.find(finding.seen("cudaDriverGetVersion: 0").rests_on(Certainty::Document, CODES));
        }
        None => {}
    }
}

/// Judges the versions of a toolkit's library and of CUDA in the driver.
fn fits(toolkit: u32, driver: u32, found: &mut Examination) {
    let branch =
        least_branch(toolkit).map_or_else(|| message!("label-unknown").to_owned(), |branch| branch.to_string());
    let (toolkit_shown, driver_shown) = (shown(toolkit), shown(driver));
    let finding = match fit(toolkit, driver) {
        Fit::Fits => return,
        Fit::Limited => {
            let title = message!("versions-limited", toolkit = toolkit_shown, driver = driver_shown);
            Finding::new("versions.minor-compatibility", Severity::Note, title, message!("versions-limited-next"))
        }
        Fit::TooOld => {
            let title = message!("versions-too-old", toolkit = toolkit_shown, driver = driver_shown);
            let next = message!("versions-too-old-next", branch = branch);
            Finding::new("versions.driver-too-old", Severity::Blocker, title, next)
        }
    };
    found.find(finding.rests_on(Certainty::Document, COMPATIBILITY));
}

/// Answers the query about the libraries' versions, in a separate process. Prints the name of each function before its
/// call, so that a call that does not return is known.
pub(super) fn answer(driver: &str, toolkit: &str, say: &mut dyn FnMut(&str)) {
    // The first library stays loaded: the second finds it by name, as in a run.
    let first = if driver.is_empty() { None } else { Native::open(Path::new(driver)).ok() };
    let number = |answer: Answered<u32>| match answer {
        Some(Ok(number)) => format!("{number}"),
        Some(Err(code)) => format!("code {code}"),
        None => "not exported".to_owned(),
    };
    if let Some(library) = &first {
        say("calling cuDriverGetVersion");
        say(&format!("cuDriverGetVersion: {}", number(library.number("cuDriverGetVersion", &[]))));
        say("calling cuInit");
        let init = library.call_plain("cuInit");
        say(&format!("cuInit: {}", number(init.map(|init| init.map(|()| 0)))));
        if init == Some(Ok(())) {
            say("calling cuDeviceGetCount");
            say(&format!("cuDeviceGetCount: {}", number(library.number("cuDeviceGetCount", &[]))));
        }
    }
    if toolkit.is_empty() {
        return;
    }
    match Native::open(Path::new(toolkit)) {
        Ok(library) => {
            for name in ["cudaRuntimeGetVersion", "cudaDriverGetVersion"] {
                say(&format!("calling {name}"));
                say(&format!("{name}: {}", number(library.number(name, &[]))));
            }
        }
        Err(error) => say(&format!("refused {error}")),
    }
}

fn read(lines: &[String]) -> Answers {
    let value = |name: &str| lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let number = |name: &str| {
        let value = value(name)?;
        match value.strip_prefix("code ") {
            Some(code) => code.parse().ok().map(Err),
            None => value.parse().ok().map(Ok),
        }
    };
    Answers {
        driver: number("cuDriverGetVersion"),
        init: number("cuInit").map(|init| init.err().unwrap_or(0)),
        devices: number("cuDeviceGetCount").and_then(Result::ok),
        toolkit: number("cudaRuntimeGetVersion"),
        seen_by_toolkit: number("cudaDriverGetVersion").and_then(Result::ok),
        refused: lines.iter().find_map(|line| line.strip_prefix("refused ")).map(str::to_owned),
        calling: lines.iter().rev().find_map(|line| line.strip_prefix("calling ")).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_numbers_or_codes() {
        let lines = ["calling cuDriverGetVersion", "cuDriverGetVersion: code 34", "cudaRuntimeGetVersion: 12090"];
        let answers = read(&lines.map(str::to_owned));
        assert_eq!((answers.driver, answers.toolkit), (Some(Err(34)), Some(Ok(12090))));
        assert_eq!(answers.calling.as_deref(), Some("cuDriverGetVersion"));
        assert_eq!(read(&[]), Answers::default());
    }
}
