//! CUDA, the runtime for GPUs: the vendor-specific code, in addition to the catalog and the simulated device.

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
mod xids;

pub use bindings::BINDINGS;

use defects::{BAD_DEVICES, DEFECTS, VARIANTS};
use engine::runtime::{Runtime, SimulatedDevice, SimulatedLibrary};

static SIMULATOR: SimulatedLibrary =
    SimulatedLibrary::new("driver", "libatlas_cts_simulated_gpu.so", include_bytes!(env!("ATLAS_CTS_SIMULATOR")));

/// The registry entry.
pub static RUNTIME: Runtime = Runtime {
    bindings: &BINDINGS,
    specs: specs::CUDA,
    fingerprint: specs::FINGERPRINT,
    simulated: Some(SimulatedDevice {
        libraries: &[&SIMULATOR],
        defects: DEFECTS,
        editions: &["11.4", "12.0", "12.2", "12.9", "13.0"],
        bad_devices: BAD_DEVICES,
        variants: VARIANTS,
        module: None,
    }),
    doctor: Some(doctor::DOCTOR),
    logs: Some(logs::LOGS),
};
