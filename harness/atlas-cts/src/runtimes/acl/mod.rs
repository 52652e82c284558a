//! AscendCL, the runtime of Atlas devices.

mod defects;
mod doctor;
mod logs;

use defects::{BAD_DEVICES, DEFECTS, VARIANTS};
use engine::runtime::{Runtime, SimulatedDevice, SimulatedLibrary};

/// Where systems keep the kernel's messages, if they do.
const SYSTEM_LOGS: &[&str] = &["/var/log/messages", "/var/log/syslog", "/var/log/kern.log"];

static SIMULATOR: SimulatedLibrary =
    SimulatedLibrary::new("acl", "libatlas_cts_simulator.so", include_bytes!(env!("ATLAS_CTS_SIMULATOR")));

pub(super) static RUNTIME: Runtime = Runtime {
    bindings: &abi::generated::acl::BINDINGS,
    specs: specs::ACL,
    simulated: Some(SimulatedDevice {
        libraries: &[&SIMULATOR],
        defects: DEFECTS,
        editions: &["none", "8.2", "8.5", "9.0", "9.1", "9.2"],
        bad_devices: BAD_DEVICES,
        variants: VARIANTS,
    }),
    doctor: Some(doctor::DOCTOR),
    logs: Some(logs::LOGS),
};
