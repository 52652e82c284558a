//! Replaces names of machines, sites and people in a run's own texts with tokens.

use std::path::Path;

use crate::logs::Redactor;
use crate::runtime::Runtime;
use record::{RuleResult, RunHeader, Stack};

/// Redacts a run's header and a result, with the names of this machine and its user.
pub fn redact(run: &mut RunHeader, rule: &mut RuleResult, runtime: &Runtime) {
    let secrets = runtime.logs.as_ref().map_or(&[][..], |logs| logs.secrets);
    let redactor = Redactor::new(Path::new("/"), secrets);
    header(run, &redactor);
    result(rule, &redactor);
}

/// Redacts names and device-specific identifiers in a header. Versions, models and digests are kept, because they
/// identify the target.
pub(super) fn header(header: &mut RunHeader, redactor: &Redactor) {
    let name = |text: &mut String| *text = redactor.names(text);
    name(&mut header.run);
    name(&mut header.library.path);
    header.library.version_note.iter_mut().for_each(name);
    header.further_libraries.iter_mut().for_each(|library| name(&mut library.path));
    header.mapped.iter_mut().for_each(|library| name(&mut library.path));
    header.settings.specs.iter_mut().for_each(name);
    header.devices_out.iter_mut().for_each(|device| device.reason = redactor.text(&device.reason));
    for fingerprint in header.fingerprint.iter_mut() {
        fingerprint.installed.iter_mut().for_each(|installed| name(&mut installed.source));
        fingerprint.unknown.iter_mut().for_each(name);
    }
    for device in header.fingerprint.iter_mut().flat_map(|fingerprint| &mut fingerprint.devices) {
        device.ids.clear();
        device.address = None;
    }
    if let Some(kernel) = header.host.as_mut().and_then(|host| host.kernel.as_mut()) {
        name(kernel);
    }
}

/// Redacts a result. All text from the library and the runtime is redacted too, because it may contain names.
pub(super) fn result(result: &mut RuleResult, redactor: &Redactor) {
    let name = |text: &mut String| *text = redactor.names(text);
    name(&mut result.reason);
    result.findings.iter_mut().for_each(name);
    if let Some(failure) = result.failure.as_deref_mut() {
        name(&mut failure.message);
        name(&mut failure.replay);
        failure.trace.iter_mut().for_each(name);
        failure.output = redactor.text(&failure.output);
        failure.recent_error = redactor.text(&failure.recent_error);
        if let Some(stack) = failure.stack.as_deref_mut() {
            redact_stack(stack, redactor);
        }
        if let Some(confirmation) = &mut failure.confirmation {
            name(&mut confirmation.remark);
        }
    }
}

/// Redacts a stack. Its files and lines come from the machines where the libraries were built and installed.
fn redact_stack(stack: &mut Stack, redactor: &Redactor) {
    let text = |text: &mut String| *text = redactor.text(text);
    text(&mut stack.reason);
    stack.modules.iter_mut().for_each(text);
    stack.remarks.iter_mut().for_each(text);
    for thread in &mut stack.threads {
        text(&mut thread.name);
        text(&mut thread.wait);
        thread.frames.iter_mut().for_each(text);
    }
}
