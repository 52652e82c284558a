//! The probe: a few of the suite's rules, run as in a real run, in a process with a time limit.

use std::process::Command;
use std::time::Duration;

use engine::doctor::{Certainty, End, Examination, Finding, HostMachine, Patient, Severity, ask};
use engine::run::interrupt;
use engine::runtime::Runtime;
use messages::{Language, message};
use record::{RuleResult, RunHeader, Verdict, read_journal};

use super::surroundings::Surroundings;

/// Seconds that the run may take in addition to its deadlines, because starting a real runtime takes seconds.
const BESIDES: u64 = 60;

/// The name prefix of findings that a working device does not outweigh.
const REPORTS: &str = "reports.";

/// Runs the runtime's probe rules on a device.
pub(super) fn look(
    machine: &HostMachine,
    options: &Surroundings,
    runtime: &Runtime,
    patient: &Patient<'_>,
    found: &mut Examination,
) {
    let Some((doctor, library)) = runtime.doctor.as_ref().zip(patient.library.as_ref()) else {
        let title = message!("probe-impossible-library");
        let next = message!("probe-impossible-library-next");
        return found.find(Finding::new("probe.impossible", Severity::Unclear, title, next));
    };
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            let title = message!("probe-impossible-folder", error = error.to_string());
            let next = message!("probe-impossible-folder-next");
            return found.find(Finding::new("probe.impossible", Severity::Unclear, title, next));
        }
    };
    let report = folder.path().join("probe");
    let mut command = Command::new(std::env::current_exe().unwrap_or_default());
    for (name, _) in std::env::vars_os() {
        // Environment variables for runs do not apply to the probe, whose options are set below. A simulated device's
        // variables are kept.
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("ATLAS_CTS_") && !name.starts_with("ATLAS_CTS_SIM_") {
            command.env_remove(name);
        }
    }
    // The options' relative paths are relative to the current folder.
    command
        .current_dir(".")
        .arg("run")
        .args(doctor.probe)
        .arg("--library")
        .arg(library)
        .arg("--report-dir")
        .arg(&report);
    let (deadline, wait) = (options.tune.deadline, options.tune.lock_wait);
    command.args(["--tune", &format!("deadline={deadline},lock-wait={wait}")]);
    command.env("ATLAS_CTS_LOCKS", &options.machine.variables.locks);
    command.args(["--runtime", runtime.name(), "--lang", Language::English.name()]);
    let product = found.product.as_deref().filter(|_| patient.product.is_some());
    command.arg("--product").arg(product.unwrap_or("auto"));
    if let Some(specs) = &options.catalog.specs {
        command.arg("--specs").arg(specs);
    }
    // A hang costs one deadline, and its rerun costs another.
    let limit = Duration::from_secs(deadline * 6 + wait + BESIDES);
    let answer = ask(&mut command, limit, &|| interrupt::requested().is_some());
    let (header, results) =
        read_journal(&report).map(|(header, results, _)| (Some(header), results)).unwrap_or_default();
    let passed = results.iter().filter(|result| result.verdict == Verdict::Pass).count();
    let said = message!("rules-pass", passed = passed, all = doctor.probe.len(), end = answer.said());
    found.looked(message!("look-probe"), library.display().to_string(), said.clone());
    if matches!(answer.end, End::Status(0)) && passed == doctor.probe.len() {
        match header {
            Some(header) if !header.library.simulated => used(header, found),
            // A working simulated device outweighs no finding.
            _ => found.probed = true,
        }
        return;
    }
    (doctor.explain)(machine, &answer.text(), found);
    let (id, title) = match answer.end {
        End::TimedOut | End::LeftBehind => ("probe.hangs", message!("probe-hangs").to_owned()),
        _ => ("probe.failed", message!("probe-failed", result = said)),
    };
    let text = answer.text();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && line.contains("rror"));
    let rules = results.iter().filter(|result| result.verdict != Verdict::Pass).map(row);
    let finding = Finding::new(id, Severity::Blocker, title, message!("probe-next"));
    let finding = finding.seen_all(rules).seen_all(lines.take(6).map(str::to_owned));
    found.find(finding.rests_on(Certainty::System, message!("probe-rests-on")));
}

/// Records that a device works. A working device outweighs findings about missing parts, and identifies the product if
/// nothing else does.
fn used(header: RunHeader, found: &mut Examination) {
    if found.product.is_none() {
        let named = header.reported_name.unwrap_or_else(|| message!("device-without-name").to_owned());
        found.looked(message!("look-product-of-probe"), named, header.product.clone());
        found.product = Some(header.product);
    }
    found.has_used_a_device(REPORTS);
}

fn row(result: &RuleResult) -> String {
    format!("{}: {} {}", result.id, result.verdict.name(), result.reason)
}
