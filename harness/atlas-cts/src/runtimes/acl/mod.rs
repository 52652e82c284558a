//! AscendCL, the runtime of Atlas devices.

mod defects;

use defects::{BAD_DEVICES, DEFECTS, VARIANTS};
use engine::runtime::{Runtime, SimulatedDevice, SimulatedLibrary};

pub(super) static RUNTIME: Runtime = Runtime {
    bindings: &abi::generated::acl::BINDINGS,
    simulated: Some(SimulatedDevice {
        libraries: &[SimulatedLibrary {
            id: "acl",
            file_name: "libatlas_cts_simulator.so",
            bytes: include_bytes!(env!("ATLAS_CTS_SIMULATOR")),
            built_at: env!("ATLAS_CTS_SIMULATOR"),
        }],
        defects: DEFECTS,
        bad_devices: BAD_DEVICES,
        variants: VARIANTS,
    }),
};
