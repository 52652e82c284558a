//! Codes of the driver's interfaces and what they mean for whoever wants to start, in our words. Sources: hicann/driver
//! DCMI manuals and npucli inc/npu_smi.h; table of symptoms in MindCluster's FAQ and public threads.

/// A device is occupied: by another mount namespace, by a reset, or it is not ready.
pub(super) const OCCUPIED: i32 = -8020;
/// Not ready, try again.
pub(super) const NOT_READY: i32 = -8012;
/// An upgrade is going on, try again.
pub(super) const UPGRADING: i32 = -8017;
/// Another layout of the interface is meant for this product.
pub(super) const UNSUPPORTED: i32 = -8255;

/// Codes that tools exit with; the shell sees the lowest byte.
const OF_TOOLS: &[i32] =
    &[-8001, -8002, -8005, -8006, -8007, -8008, -8012, -8017, -8020, -8255, -9001, -9002, -9005, -9015, -9016, -9255];

/// Codes of faults that leave results as they are, as far as is public: the vendor's cluster software leaves a device in
/// use that has one of them (Ascend/mind-cluster component/ascend-device-plugin/build/faultCode.json, level NotHandle), and
/// the driver ranks it as a hint or minor (hicann/driver dms_events_conf.lst). Memory errors that could not be corrected
/// are none of them, whatever their level: their counters are watched.
const HARMLESS: &[&str] = &[
    "80E01809", // found by the patrol, and nobody had used it
    "80E18401", // rows isolated, not too many yet
    "80E00209", // memory warm
    "81078603", // a network link that no rule uses
];

/// Whether a fault leaves results as they are.
pub(super) fn harmless(fault: &str) -> bool {
    HARMLESS.contains(&fault)
}

/// The code that a tool's exit status stands for. Two codes with one lowest byte do not occur.
pub(super) fn of_status(status: i32) -> Option<i32> {
    OF_TOOLS.iter().copied().find(|code| code.rem_euclid(256) == status)
}

/// What a code means.
pub(super) fn meaning(code: i32) -> &'static str {
    match code {
        -8001 | -9001 => "a wrong parameter",
        -8002 | -9002 => "not permitted",
        -8005 | -9005 => "an inner error: the driver's interface cannot be initialized",
        -8006 => "a time-out",
        -8007 => "no such device",
        -8008 => "something does not exist",
        -8009 => "the driver refused the request",
        -8012 => "not ready",
        -8015 | -9015 => "a reset failed",
        -8017 => "an upgrade is going on",
        -8020 => "the device is used by somebody else",
        -8255 | -9255 => "not supported by this device",
        _ => "a code that is in no public list",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_status_stands_for_one_code() {
        for code in OF_TOOLS {
            assert_eq!(of_status(code.rem_euclid(256)), Some(*code));
        }
        assert_eq!((of_status(187), of_status(172), of_status(0)), (Some(-8005), Some(OCCUPIED), None));
    }
}
