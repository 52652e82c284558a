//! Formats the identity of devices for reports.

use messages::{comma, message};
use record::{DeviceIdentity, Fingerprint, Installed};

use super::text::one_line;

/// Models, devices and versions on one line; the journal has the other details.
pub(super) fn fingerprint_line(fingerprint: &Fingerprint) -> String {
    let mut models: Vec<(String, Vec<String>)> = Vec::new();
    for device in &fingerprint.devices {
        let model = one_line(device.model.as_deref().unwrap_or(message!("unknown-model")));
        let label = one_line(&device.label);
        match models.iter_mut().find(|(known, _)| *known == model) {
            Some((_, labels)) => labels.push(label),
            None => models.push((model, vec![label])),
        }
    }
    let models = models.into_iter().map(|(model, labels)| {
        let number = if labels.len() == 1 { String::new() } else { format!("{} × ", labels.len()) };
        format!("{number}{model} ({})", labels.join(comma()))
    });
    let mut versions: Vec<String> = Vec::new();
    for Installed { of, version, .. } in &fingerprint.installed {
        let version = one_line(&format!("{of} {version}"));
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    models.chain(versions).collect::<Vec<_>>().join(comma())
}

/// A device and everything that identifies it.
pub(super) fn device_line(device: &DeviceIdentity) -> String {
    let parts = [Some(&device.label), device.model.as_ref(), device.address.as_ref()].into_iter().flatten().cloned();
    let named = device.ids.iter().chain(&device.settings).map(|(name, value)| format!("{name} {value}"));
    let identity = parts.chain(named).collect::<Vec<_>>().join(comma());
    one_line(&message!("device-is", device = device.device, what = identity))
}

/// An installed version and its source.
pub(super) fn installed_line(version: &Installed) -> String {
    one_line(&format!("{} {} ({})", version.of, version.version, version.source))
}
