//! Formats the tested library and devices for reports.

use catalog::CapabilityAnswer;
use messages::{bracketed, comma, message};
use record::{MappedLibrary, RunHeader};

use super::text::{one_line, short};

/// The mark after a name or a result in reports on a simulated device.
pub(super) fn mark(header: &RunHeader) -> String {
    if header.library.simulated { bracketed(message!("simulated")) } else { String::new() }
}

/// The words before a real device's name, which distinguish it from a simulated device. Empty for a simulated device,
/// because the line about the library already says that the device is simulated.
pub(super) fn reality(header: &RunHeader) -> String {
    if header.library.simulated { String::new() } else { message!("not-simulated").to_owned() + comma() }
}

/// The line printed before any rule runs: library, digest, version, device, product, seed, profile.
pub fn first_line(header: &RunHeader) -> String {
    loaded(header, &reality(header))
}

/// The first line for `junit.xml`, which marks a simulated device with a property. The line's format is the same as in
/// older versions.
pub(super) fn loaded_line(header: &RunHeader) -> String {
    loaded(header, "")
}

fn loaded(header: &RunHeader, real: &str) -> String {
    let line = message!(
        "first-line",
        suite = one_line(&header.suite),
        library = format!("{real}{}", library_line(header)),
        device = device(header),
        product = one_line(&header.product),
        seed = header.seed.to_string(),
        profile = one_line(&header.profile)
    );
    let defects = (!header.defects.is_empty()).then(|| one_line(&header.defects.join(comma())));
    let defects = defects.map(|defects| message!("first-line-defects", defects = defects));
    let version = header.library.version_note.as_deref().map(one_line);
    [Some(line), defects, version].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The library under test, on one line.
pub(super) fn library_line(header: &RunHeader) -> String {
    let library = &header.library;
    let version = match library.version.as_deref().map(one_line) {
        Some(version) => message!("version", version = version),
        None => message!("version-not-reported").to_owned(),
    };
    let (path, sha256, chosen_by) = (one_line(&library.path), short(&library.sha256), one_line(&library.chosen_by));
    let line = message!("library", path = path, sha256 = sha256, version = version, by = chosen_by);
    if library.simulated { format!("{}{}{line}", message!("simulated"), comma()) } else { line }
}

/// The tested devices.
pub(super) fn device(header: &RunHeader) -> String {
    let name = match (header.reported_name.as_deref().map(one_line), header.library.simulated) {
        (Some(name), true) => message!("simulated-device", name = name),
        (Some(name), false) => name,
        (None, true) => message!("simulated-device-without-name").to_owned(),
        (None, false) => message!("device-without-name").to_owned(),
    };
    let number = if header.devices == 1 { name } else { format!("{} × {name}", header.devices) };
    let out: Vec<&str> = header.devices_out.iter().map(|out| out.device.as_str()).collect();
    if out.is_empty() {
        number
    } else {
        message!("unusable-devices", devices = number, out = one_line(&out.join(comma())))
    }
}

/// Devices, product, edition and run mode.
pub(super) fn target_line(header: &RunHeader) -> String {
    let edition = header.edition.as_deref().map_or(message!("meaning-unknown").into(), one_line);
    let further = header.further_versions.iter().filter_map(|(id, found)| Some((id, found.edition.as_deref()?)));
    let edition =
        further.fold(edition, |line, (id, edition)| format!("{line}{}{} {}", comma(), one_line(id), one_line(edition)));
    let line = message!("target", device = device(header), product = one_line(&header.product), edition = edition);
    match header.run_mode.as_str() {
        "" => line,
        mode => format!("{line}{}{}", comma(), message!("programs-run-on", mode = one_line(mode))),
    }
}

/// The device's capabilities, each with what the device answered.
pub(super) fn capability_lines(header: &RunHeader) -> Vec<String> {
    let line = |(name, answer): (&String, &CapabilityAnswer)| match (one_line(name), answer.has(), answer) {
        (name, Some(true), _) => message!("capability-had", name = name),
        (name, Some(false), _) => message!("capability-lacked", name = name),
        (name, None, CapabilityAnswer::Failed(why)) => message!("capability-unknown", name = name, why = one_line(why)),
        (name, None, answer) => message!("capability-unknown", name = name, why = one_line(&answer.to_string())),
    };
    header.capabilities.iter().map(line).collect()
}

/// A mapped library and its identity.
pub(super) fn mapped_line(library: &MappedLibrary) -> String {
    let sha256 =
        library.sha256.as_deref().map_or(message!("unreadable").to_owned(), |sha| format!("sha256 {}", short(sha)));
    let build_id = library.build_id.as_deref().map_or(String::new(), |id| format!(", build id {}", short(id)));
    format!("{} ({sha256}{build_id})", one_line(&library.path))
}
