//! The seeded defects of the simulated device, from the registry that the build script makes.

use simulator_contract::Defect;

include!(concat!(env!("OUT_DIR"), "/defects.rs"));
