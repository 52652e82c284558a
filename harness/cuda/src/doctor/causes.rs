//! Explains the codes that a probe's output contains by their causes, comparing each with the other findings.

use engine::doctor::{Certainty, Examination, Finding, Severity};

use super::codes;
use super::evidence::CODES;
use super::libraries;

/// Findings that explain a driver that finds no device or does not start.
const OF_NO_DEVICE: &[&str] = &[
    "driver.mismatch",
    "driver.module-not-loaded",
    "driver.nouveau",
    "nodes.none-in-container",
    "nodes.none",
    "nodes.incomplete",
    "nodes.not-granted",
    "nodes.denied",
    "visible.none",
    "visible.container-none",
    "mode.prohibited",
    "mig.no-instance",
    "device.lost",
    "wsl.no-device",
];

/// Explains the runtime's codes and messages in a probe's output.
pub(super) fn of_runtime(text: &str, found: &mut Examination) {
    let hangs = ["no progress", "timed out and was killed", "timed out, was killed"];
    if let Some(code) = codes::in_text(text) {
        of_code(code, found);
    } else if hangs.iter().any(|said| text.contains(said)) {
        let (title, next) = (message!("runtime-hangs"), message!("runtime-hangs-next"));
        let finding = Finding::new("runtime.hangs", Severity::Blocker, title, next);
        found.find(finding.rests_on(Certainty::Inferred, "lines of the driver about a lost device (Xid 79, 119)"));
    }
}

/// Explains a code.
pub(super) fn of_code(code: i32, found: &mut Examination) {
    let meaning = codes::meaning(code);
    let blocker = |id: &str, title: String, next: &str| Finding::new(id, Severity::Blocker, title, next);
    let title = message!("runtime-code", code = code, meaning = meaning);
    let finding = match code {
        codes::STUB_LIBRARY => return libraries::stub(message!("the-library"), found),
        2 => blocker("runtime.no-memory", title, message!("runtime-no-memory-next")),
        35 | 36 => blocker("runtime.driver-too-old", title, message!("runtime-driver-too-old-next")),
        46 => blocker("runtime.device-unavailable", title, message!("runtime-device-unavailable-next")),
        101 => blocker("runtime.no-such-device", title, message!("runtime-no-such-device-next")),
        802 => blocker("runtime.not-ready", title, message!("runtime-not-ready-next")),
        803 => blocker("runtime.driver-mismatch", title, message!("driver-mismatch-next")),
        804 => blocker("runtime.no-forward-compatibility", title, message!("runtime-no-forward-next")),
        _ => {
            let causes: Vec<String> =
                OF_NO_DEVICE.iter().filter(|id| found.has(id)).map(|id| (*id).to_owned()).collect();
            let next = message!("runtime-no-device-next", count = causes.len(), causes = causes.join(", "));
            Finding::new("runtime.no-device", Severity::Blocker, title, next).seen_all(causes)
        }
    };
    found.find(finding.rests_on(Certainty::Document, CODES));
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_stub("cuInit: CUDA_ERROR_STUB_LIBRARY (34)", "driver.stub")]
    #[case::no_device("cuInit: CUDA_ERROR_NO_DEVICE (100)", "runtime.no-device")]
    #[case::another_version("cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)", "runtime.driver-mismatch")]
    #[case::a_service("cuInit: CUDA_ERROR_SYSTEM_NOT_READY (802)", "runtime.not-ready")]
    #[case::exclusive("cuDevicePrimaryCtxRetain: CUDA_ERROR_DEVICE_UNAVAILABLE (46)", "runtime.device-unavailable")]
    #[case::an_old_driver("cudaFree: cudaErrorInsufficientDriver (35)", "runtime.driver-too-old")]
    #[case::silence("a worker made no progress", "runtime.hangs")]
    fn output_of_the_runtime_is_traced_to_its_cause(#[case] text: &str, #[case] cause: &str) {
        let mut found = Examination::new("1", "cuda", "/");
        of_runtime(text, &mut found);
        assert_eq!(found.findings.iter().map(|finding| finding.id.as_str()).collect::<Vec<_>>(), [cause]);
    }

    #[test]
    fn harmless_output_has_no_cause() {
        let mut found = Examination::new("1", "cuda", "/");
        of_runtime("all is well", &mut found);
        assert_eq!(found.findings, []);
    }
}
