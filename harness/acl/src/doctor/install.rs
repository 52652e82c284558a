//! The installed components according to files: the install record, version files, the toolkit's records, and the
//! install log. Sources of the formats: hicann/driver scripts/package (record, version_info.py, install.sh), and public
//! copies of drivers 24.1 to 26.x and toolkits 8.0 to 9.1.

use engine::doctor::{Examination, HostMachine};

/// The content of all these files.
#[derive(Debug, Default)]
pub(super) struct Install {
    /// True if the install record exists.
    pub recorded: bool,
    /// The group whose members may use the devices.
    pub group: Option<String>,
    pub driver: Option<Keys>,
    pub firmware: Option<Keys>,
    pub toolkit: Option<Toolkit>,
    pub log: Vec<Event>,
    /// The offset between the log's clock and UTC, in seconds, if the offset follows from the file's modification time.
    pub log_ahead: Option<i64>,
}

/// The toolkit.
#[derive(Debug, Clone, Default)]
pub(super) struct Toolkit {
    pub version: Option<String>,
    pub inner: Option<String>,
}

/// A file of `key=value` lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys(Vec<(String, String)>);

impl Keys {
    pub(super) fn read(text: &str) -> Keys {
        let pairs =
            text.lines().filter(|line| !line.trim_start().starts_with('#')).filter_map(|line| line.split_once('='));
        Keys(pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().trim_matches('"').to_owned())).collect())
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }
}

/// An event in the install log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// The component: `Driver`, `Firmware` or `Toolkit`.
    pub package: String,
    /// The time in seconds since 1970, on the log's clock.
    pub at: i64,
    pub kind: EventKind,
    pub line: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    UpgradeBegun,
    /// The package was installed but takes effect only after a reboot.
    InstalledForReboot,
    Installed,
    Failed,
}

const RECORD: &str = "/etc/ascend_install.info";
const LOG: &str = "/var/log/ascend_seclog/ascend_install.log";
/// The folder with installed packages, unless the record names a different folder.
const DEFAULT: &str = "/usr/local/Ascend";

/// Reads the files.
pub(super) fn look(machine: &HostMachine, found: &mut Examination) -> Install {
    let record = keys(machine, message!("look-install-record"), RECORD, found);
    let of = |key: &str| record.as_ref().and_then(|record| record.get(key)).map(str::to_owned);
    let path = |key: &str| of(key).unwrap_or_else(|| DEFAULT.to_owned());
    let driver_file = format!("{}/driver/version.info", path("Driver_Install_Path_Param"));
    let firmware_file = format!("{}/firmware/version.info", path("Firmware_Install_Path_Param"));
    let driver = keys(machine, message!("look-driver"), &driver_file, found);
    let firmware = keys(machine, message!("look-firmware"), &firmware_file, found);
    for (of, file, keys) in [("driver", &driver_file, &driver), ("firmware", &firmware_file, &firmware)] {
        if let Some(version) = keys.as_ref().and_then(|keys| keys.get("Version")) {
            found.version(of, version, file.clone());
        }
    }
    let log = machine.read(LOG);
    let said = match &log {
        Ok(text) => message!("count-lines", count = text.lines().count()),
        Err(error) => error.to_string(),
    };
    found.looked(message!("look-install-log"), LOG, said);
    let log = events(&log.unwrap_or_default());
    let log_ahead = ahead(machine, &log);
    Install {
        recorded: record.is_some(),
        group: of("UserGroup"),
        driver,
        firmware,
        toolkit: toolkit(machine, found),
        log,
        log_ahead,
    }
}

fn keys(machine: &HostMachine, what: &str, path: &str, found: &mut Examination) -> Option<Keys> {
    match machine.read(path) {
        Ok(text) => {
            found.looked(what, path, message!("was-read"));
            Some(Keys::read(&text))
        }
        Err(error) => {
            found.looked(what, path, error.to_string());
            None
        }
    }
}

/// The variables that the toolkit's set_env.sh sets to the toolkit's folder.
pub(super) const HOMES: &[&str] = &["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"];
/// The toolkit's default folders.
pub(super) const DEFAULT_HOMES: &[&str] = &["/usr/local/Ascend/ascend-toolkit/latest", "/usr/local/Ascend/cann"];

fn toolkit(machine: &HostMachine, found: &mut Examination) -> Option<Toolkit> {
    let named = HOMES.iter().filter_map(|name| machine.variable(name));
    for home in named.chain(DEFAULT_HOMES.iter().copied()) {
        let records = ["aarch64", "x86_64"].map(|arch| format!("{home}/{arch}-linux/ascend_toolkit_install.info"));
        for path in records {
            let Ok(text) = machine.read(&path) else { continue };
            let keys = Keys::read(&text);
            let toolkit = Toolkit {
                version: keys.get("version").map(str::to_owned),
                inner: keys.get("innerversion").map(str::to_owned),
            };
            found.looked(message!("look-toolkit"), path.clone(), message!("was-read"));
            if let Some(version) = &toolkit.version {
                found.version("toolkit", version.clone(), path);
            }
            components(machine, home, found);
            return Some(toolkit);
        }
        let path = format!("{home}/version.cfg");
        if let Ok(text) = machine.read(&path) {
            // runtime_running_version=[7.7.T20.0.B210:8.2.RC1]
            let running = Keys::read(&text).get("toolkit_running_version").map(str::to_owned);
            let version = running.as_deref().and_then(release_of_running).map(str::to_owned);
            found.looked(message!("look-toolkit"), path.clone(), message!("was-read"));
            if let Some(version) = &version {
                found.version("toolkit", version.clone(), path);
            }
            components(machine, home, found);
            return Some(Toolkit { version, inner: None });
        }
    }
    found.looked(message!("look-toolkit"), "ascend_toolkit_install.info, version.cfg", message!("not-found"));
    None
}

/// The release after the colon.
fn release_of_running(running: &str) -> Option<&str> {
    Some(running.trim_matches(['[', ']']).split_once(':')?.1)
}

/// Reads the runtime's version file, which the runtime's version function also reads.
fn components(machine: &HostMachine, home: &str, found: &mut Examination) {
    let path = format!("{home}/share/info/runtime/version.info");
    let Ok(text) = machine.read(&path) else { return };
    let keys = Keys::read(&text);
    if let Some(version) = keys.get("version_dir").or_else(|| keys.get("Version")) {
        found.version("runtime", version, path.clone());
    }
    found.looked(message!("look-runtime"), path, message!("was-read"));
}

/// Reads the install log.
pub(super) fn events(text: &str) -> Vec<Event> {
    text.lines().filter_map(event).collect()
}

fn event(line: &str) -> Option<Event> {
    let mut fields = line.trim().strip_prefix('[')?.splitn(2, "] [");
    let package = fields.next()?;
    let (time, said) = fields.next()?.split_once(']')?;
    let kind = if said.contains("Reboot needed") || said.contains("Reboot now") {
        EventKind::InstalledForReboot
    } else if said.contains("installed successfully") || said.contains("takes effect immediately") {
        EventKind::Installed
    } else if said.contains("UserCommand") && said.contains("--upgrade") {
        EventKind::UpgradeBegun
    } else if said.contains("[ERROR]") {
        EventKind::Failed
    } else {
        return None;
    };
    Some(Event { package: package.to_owned(), at: seconds(time)?, kind, line: line.trim().to_owned() })
}

/// Converts a time such as `2026-03-01 04:12:10` to seconds since 1970.
fn seconds(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(' ')?;
    let numbers =
        |text: &str, by: char| text.split(by).map(|part| part.parse::<u16>().ok()).collect::<Option<Vec<_>>>();
    let (date, time) = (numbers(date, '-')?, numbers(time, ':')?);
    let [year, month, day] = <[u16; 3]>::try_from(date).ok()?;
    let [hour, minute, second] = <[u16; 3]>::try_from(time).ok()?;
    let small = |number: u16| u8::try_from(number).ok();
    let month = time::Month::try_from(small(month)?).ok()?;
    let date = time::Date::from_calendar_date(i32::from(year), month, small(day)?).ok()?;
    let time = time::Time::from_hms(small(hour)?, small(minute)?, small(second)?).ok()?;
    Some(time::PrimitiveDateTime::new(date, time).assume_utc().unix_timestamp())
}

/// The offset between the log's clock and UTC. The log uses local time, and the log's last line was written when the
/// file was last modified. If the time in that line and the modification time differ by a whole number of quarter
/// hours, the difference is the zone's offset.
fn ahead(machine: &HostMachine, log: &[Event]) -> Option<i64> {
    const QUARTER: i64 = 900;
    use std::os::unix::fs::MetadataExt;
    let changed = std::fs::metadata(machine.at(LOG)).ok()?.mtime();
    let difference = log.iter().map(|event| event.at).max()? - changed;
    let zone = (difference + QUARTER / 2).div_euclid(QUARTER) * QUARTER;
    ((difference - zone).abs() <= 120 && zone.abs() <= 14 * 3600).then_some(zone)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SAMPLE: &str = include_str!("../../../../fixtures/machines/driver-install.log");

    #[test]
    fn the_log_shows_installations_that_need_a_reboot_in_order() {
        let events = events(SAMPLE);
        let kinds: Vec<_> = events.iter().map(|event| (event.package.as_str(), event.kind)).collect();
        let wanted = [
            ("Driver", EventKind::UpgradeBegun),
            ("Driver", EventKind::InstalledForReboot),
            ("Firmware", EventKind::UpgradeBegun),
            ("Firmware", EventKind::InstalledForReboot),
            ("Driver", EventKind::Failed),
            ("Driver", EventKind::Failed),
            ("Toolkit", EventKind::Installed),
        ];
        assert_eq!(kinds, wanted);
        assert_eq!(events[1].at - events[0].at, 96);
    }

    #[test]
    fn the_release_follows_the_inner_version() {
        assert_eq!(release_of_running("[7.7.T20.0.B210:8.2.RC1]"), Some("8.2.RC1"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read_as_a_log_and_as_keys(text in "[\\[\\]= :\\-0-9A-Za-z\n]{0,200}") {
            events(&text);
            Keys::read(&text).get("Version");
        }
    }
}
