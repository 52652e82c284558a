//! CUDA, the runtime for GPUs: the vendor-specific code, in addition to the catalog and the simulated device.
// Only items used by other crates are public, so that the compiler finds dead code.
#![warn(unreachable_pub)]

#[expect(unreachable_pub, reason = "it is generated")]
#[rustfmt::skip]
mod bindings;

pub use bindings::BINDINGS;

use engine::runtime::Runtime;

/// The registry entry.
pub static RUNTIME: Runtime = Runtime {
    bindings: &BINDINGS,
    specs: specs::CUDA,
    dictionaries: specs::CUDA_DICTIONARIES,
    simulated: None,
    doctor: None,
    logs: None,
};
