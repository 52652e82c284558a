//! AscendCL, the runtime for Atlas devices: the vendor-specific code, in addition to the catalog and the simulated
//! device.

// Only items used by other crates are public, so that the compiler finds dead code.
#![warn(unreachable_pub)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests write and run what they like"))]

#[expect(unreachable_pub, reason = "it is generated")]
#[rustfmt::skip]
mod bindings;
#[expect(unreachable_pub, reason = "its tables are generated")]
mod defects;
mod doctor;
mod logs;
mod pyacl;

pub use bindings::BINDINGS;

use defects::{BAD_DEVICES, DEFECTS, VARIANTS};
use engine::runtime::{Runtime, SimulatedDevice, SimulatedLibrary};

static SIMULATOR: SimulatedLibrary =
    SimulatedLibrary::new("acl", "libatlas_cts_simulator.so", include_bytes!(env!("ATLAS_CTS_SIMULATOR")));

/// The registry entry.
pub static RUNTIME: Runtime = Runtime {
    bindings: &BINDINGS,
    specs: specs::ACL,
    fingerprint: specs::FINGERPRINT,
    simulated: Some(SimulatedDevice {
        libraries: &[&SIMULATOR],
        defects: DEFECTS,
        editions: &["none", "8.2", "8.5", "9.0", "9.1", "9.2"],
        bad_devices: BAD_DEVICES,
        variants: VARIANTS,
        module: Some(pyacl::MODULE),
    }),
    doctor: Some(doctor::DOCTOR),
    logs: Some(logs::LOGS),
};
