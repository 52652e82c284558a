//! The simulated device's seeded defects, from the registry that the build script generates.

use simulator_contract::Defect;

include!(concat!(env!("OUT_DIR"), "/defects.rs"));
