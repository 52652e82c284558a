//! Codes from the driver's interfaces, and what they mean for starting the suite, in our own words. Sources:
//! hicann/driver DCMI manuals and npucli inc/npu_smi.h, the table of symptoms in MindCluster's FAQ, and public threads.

/// A device is not ready, or is occupied by another mount namespace or a reset.
pub(super) const OCCUPIED: i32 = -8020;
/// The device is not ready; the caller should try again.
pub(super) const NOT_READY: i32 = -8012;
/// An upgrade is in progress; the caller should try again.
pub(super) const UPGRADING: i32 = -8017;
/// The product uses a different layout of the interface.
pub(super) const UNSUPPORTED: i32 = -8255;

/// The codes with which tools exit. A shell sees only the lowest byte of each code.
const OF_TOOLS: &[i32] =
    &[-8001, -8002, -8005, -8006, -8007, -8008, -8012, -8017, -8020, -8255, -9001, -9002, -9005, -9015, -9016, -9255];

/// Codes of faults that do not affect results, according to public sources. The vendor's cluster software keeps using a
/// device with such a fault (Ascend/mind-cluster component/ascend-device-plugin/build/faultCode.json, level NotHandle),
/// and the driver ranks the fault as a hint or minor (hicann/driver dms_events_conf.lst). Uncorrectable memory errors
/// of any level are not in this list, because their counters are watched.
const HARMLESS: &[&str] = &[
    "80E01809", // found by the patrol before any use
    "80E18401", // some rows isolated
    "80E00209", // memory warm
    "81078603", // a network link that no rule uses
];

/// True if a fault does not affect results.
pub(super) fn harmless(fault: &str) -> bool {
    HARMLESS.contains(&fault)
}

/// The code for a tool's exit status. No two codes have the same lowest byte, so the code is unique.
pub(super) fn of_status(status: i32) -> Option<i32> {
    OF_TOOLS.iter().copied().find(|code| code.rem_euclid(256) == status)
}

/// A code's meaning.
pub(super) fn meaning(code: i32) -> &'static str {
    match code {
        -8001 | -9001 => "a wrong parameter",
        -8002 | -9002 => "not permitted",
        -8005 | -9005 => "an internal error: the driver's interface cannot be initialized",
        -8006 => "a timeout",
        -8007 => "no such device",
        -8008 => "an object does not exist",
        -8009 => "the driver refused the request",
        -8012 => "not ready",
        -8015 | -9015 => "a reset failed",
        -8017 => "an upgrade is in progress",
        -8020 => "the device is in use elsewhere",
        -8255 | -9255 => "not supported by this device",
        _ => "a code that no public list has",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_exit_status_means_one_code() {
        for code in OF_TOOLS {
            assert_eq!(of_status(code.rem_euclid(256)), Some(*code));
        }
        assert_eq!((of_status(187), of_status(172), of_status(0)), (Some(-8005), Some(OCCUPIED), None));
    }
}
