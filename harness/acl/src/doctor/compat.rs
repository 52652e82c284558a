//! The compatibility of driver, firmware and toolkit, according to their own files. An incompatible pair still starts,
//! but silently lacks features.

use catalog::version::VersionNumber;
use engine::doctor::{Certainty, Examination, Finding, Severity};

use super::install::{EventKind, Install};
use super::smi::Board;
use super::versions::{brackets, branch, in_ranges, published_together};

const RANGES: &str = "hicann/driver scripts/package/common/py/version_info.py; a public report of one site";

/// Judges the versions from all sources.
pub(super) fn judge(
    install: &Install,
    boards: &[Board],
    booted: Option<i64>,
    container: bool,
    found: &mut Examination,
) {
    record(install, container, found);
    reboot(install, booted, found);
    order(install, found);
    differing(found);
    let version =
        |of: &str| found.versions.iter().find(|version| version.of == of).map(|version| version.version.clone());
    let (driver, firmware) = (version("driver"), version("firmware"));
    firmware_of_driver(install, driver.as_deref(), firmware.as_deref(), found);
    driver_says(boards, found);
    toolkit_of_driver(install, driver.as_deref(), found);
}

/// Reports the driver's own judgment, which only root can read.
fn driver_says(boards: &[Board], found: &mut Examination) {
    let Some(board) = boards.iter().find(|board| board.compatibility.as_deref() == Some("NOK")) else { return };
    if found.has("versions.driver-and-firmware") {
        return;
    }
    let known = |version: &Option<String>| version.clone().unwrap_or_else(|| message!("label-unknown").to_owned());
    let seen = message!("versions-seen", driver = known(&board.driver), firmware = known(&board.firmware));
    let (title, next) = (message!("versions-rejected-by-driver"), message!("versions-rejected-by-driver-next"));
    let finding = Finding::new("versions.driver-and-firmware", Severity::Blocker, title, next).seen(seen);
    found.find(finding.rests_on(Certainty::Code, "hicann/driver npucli npu_info_print.c (Compatibility)"));
}

fn record(install: &Install, container: bool, found: &mut Examination) {
    if install.recorded || install.driver.is_none() && !container {
        return;
    }
    let title = message!("install-no-record");
    let next = match container {
        true => message!("install-no-record-next-in-container"),
        false => message!("install-no-record-next"),
    };
    let finding = Finding::new("install.no-record", Severity::Warning, title, next);
    let source = "mind-cluster ascend-docker-runtime base.list; hicann/runtime src/acl/aclrt_impl/acl.cpp";
    found.find(finding.rests_on(Certainty::Code, source));
}

/// Reports a package that was installed after the system started and takes effect only after a reboot.
fn reboot(install: &Install, booted: Option<i64>, found: &mut Examination) {
    /// The largest offset between a time zone and UTC, in seconds.
    const ZONES: i64 = 14 * 3600;
    let packages = ["Driver", "Firmware"];
    let last = |package: &str| install.log.iter().rfind(|event| event.package == package && is_installed(event.kind));
    for event in packages.iter().filter_map(|package| last(package)) {
        if event.kind != EventKind::InstalledForReboot {
            continue;
        }
        let Some(booted) = booted else { continue };
        let (since, certain) = match install.log_ahead {
            Some(ahead) => (event.at - ahead - booted, true),
            None => (event.at - booted, (event.at - booted).abs() > ZONES),
        };
        if since < 0 && (certain || since < -ZONES) {
            continue;
        }
        let what = event.package.to_lowercase();
        let (severity, title) = match certain {
            true => (Severity::Blocker, message!("driver-reboot-needed", package = what)),
            false => (Severity::Warning, message!("driver-reboot-maybe-needed", package = what)),
        };
        let next = message!("driver-reboot-needed-next");
        let finding = Finding::new("driver.reboot-needed", severity, title, next).seen(event.line.clone());
        found.find(finding.rests_on(Certainty::Code, "hicann/driver install.sh; MindCluster FAQ"));
    }
}

fn is_installed(kind: EventKind) -> bool {
    matches!(kind, EventKind::Installed | EventKind::InstalledForReboot)
}

/// Reports an upgrade in which the firmware was not installed first.
fn order(install: &Install, found: &mut Examination) {
    let log = &install.log;
    let last = |package: &str| log.iter().rposition(|event| event.package == package && is_installed(event.kind));
    let (Some(driver), Some(firmware)) = (last("Driver"), last("Firmware")) else { return };
    let upgrades = |package: &str, until: usize| {
        log[..until]
            .iter()
            .rfind(|event| event.package == package && event.kind != EventKind::Failed)
            .is_some_and(|event| event.kind == EventKind::UpgradeBegun)
    };
    /// The maximum time between the installations of two packages in one upgrade, in seconds.
    const TOGETHER: i64 = 24 * 3600;
    let together = log[firmware].at - log[driver].at <= TOGETHER;
    if driver < firmware && together && upgrades("Driver", driver) && upgrades("Firmware", firmware) {
        let (title, next) = (message!("driver-before-firmware"), message!("driver-before-firmware-next"));
        let finding = Finding::new("driver.before-firmware", Severity::Warning, title, next)
            .seen(log[driver].line.clone())
            .seen(log[firmware].line.clone());
        found
            .find(finding.rests_on(Certainty::Field, "MindCluster FAQ; one site did so without harm (public runbook)"));
    }
}

/// Reports a component whose version differs between sources: the running version is not the installed version.
fn differing(found: &mut Examination) {
    for of in ["driver", "firmware"] {
        let seen: Vec<_> = found.versions.iter().filter(|version| version.of == of).cloned().collect();
        let releases: Vec<Option<VersionNumber>> =
            seen.iter().map(|version| VersionNumber::read(&version.version)).collect();
        let differ = releases.windows(2).any(|pair| match pair {
            [Some(a), Some(b)] => a.compare(b).is_ne(),
            _ => false,
        });
        if differ {
            let title = message!("versions-differ", component = of);
            let seen = seen.iter().map(|version| format!("{}: {}", version.source, version.version));
            let finding = Finding::new("versions.differ", Severity::Warning, title, message!("versions-differ-next"));
            let finding = finding.seen_all(seen);
            found.find(finding.rests_on(Certainty::Inferred, message!("versions-differ-rests-on")));
        }
    }
}

fn firmware_of_driver(install: &Install, driver: Option<&str>, firmware: Option<&str>, found: &mut Examination) {
    let ranges = |keys: &Option<super::install::Keys>, key: &str| {
        keys.as_ref().and_then(|keys| keys.get(key)).map(str::to_owned)
    };
    let (Some(driver), Some(firmware)) = (driver, firmware) else { return };
    let checks = [
        (firmware, ranges(&install.driver, "compatible_version_fw"), "driver", "compatible_version_fw"),
        (driver, ranges(&install.firmware, "compatible_version_drv"), "firmware", "compatible_version_drv"),
    ];
    for (version, ranges, whose, key) in checks {
        let Some(ranges) = ranges else { continue };
        match in_ranges(version, &ranges) {
            Some(true) => {}
            Some(false) => {
                let title = message!("versions-driver-and-firmware", driver = driver, firmware = firmware);
                let next = message!("versions-driver-and-firmware-next");
                let seen = message!("versions-key", key = key, component = whose, value = ranges);
                let finding = Finding::new("versions.driver-and-firmware", Severity::Blocker, title, next).seen(seen);
                return found.find(finding.rests_on(Certainty::Code, RANGES));
            }
            None => {
                let title = message!("versions-unreadable", component = whose);
                let next = message!("versions-unreadable-next");
                let finding =
                    Finding::new("versions.unreadable", Severity::Note, title, next).seen(format!("{key}={ranges}"));
                found.find(finding.rests_on(Certainty::Code, RANGES));
            }
        }
    }
}

fn toolkit_of_driver(install: &Install, driver: Option<&str>, found: &mut Examination) {
    let Some(toolkit) = &install.toolkit else { return };
    let listed = install.driver.as_ref().and_then(|keys| keys.get("compatible_version"));
    let own = toolkit.inner.as_deref().and_then(branch);
    if let Some((listed, own)) = listed.zip(own)
        && !brackets(listed).any(|known| known == own)
    {
        let title = message!("versions-driver-and-toolkit", branch = own);
        let next = message!("versions-driver-and-toolkit-next");
        let seen = message!("versions-key", key = "compatible_version", component = "driver", value = listed);
        let finding = Finding::new("versions.driver-and-toolkit", Severity::Warning, title, next).seen(seen);
        found.find(finding.rests_on(Certainty::Field, RANGES));
    }
    let pair = toolkit.version.as_deref().zip(driver);
    if let Some((toolkit, driver)) = pair.filter(|(toolkit, driver)| published_together(toolkit, driver) == Some(false))
    {
        let title = message!("versions-not-published", toolkit = toolkit, driver = driver);
        let next = message!("versions-not-published-next");
        let finding = Finding::new("versions.not-published", Severity::Note, title, next);
        found.find(
            finding.rests_on(
                Certainty::Document,
                "hicann/release-management release notes; hicann/community test reports",
            ),
        );
    }
}
