//! What a runtime is to the engine: the tables of its header, and the simulated device that comes with it.

use std::path::{Path, PathBuf};

use abi::Bindings;

use crate::digest;
use simulator_contract::Defect;

/// A runtime that an executable can test: one entry of its registry.
#[derive(Debug)]
pub struct Runtime {
    /// What its header declares. The runtime's name is in there.
    pub bindings: &'static Bindings,
    /// What stands in for a device where there is none; `None`: a device is needed.
    pub simulated: Option<SimulatedDevice>,
}

/// Libraries with the documented behaviour, able to be wrong on demand.
#[derive(Debug)]
pub struct SimulatedDevice {
    /// The runtime's libraries, the first of api.yaml first. Optional ones may be missing.
    pub libraries: &'static [SimulatedLibrary],
    /// The ways in which it can be wrong: what rules claim to notice.
    pub defects: &'static [Defect],
    /// Devices that are wrong everywhere: no rule may pass on one.
    pub bad_devices: &'static [Defect],
    /// Devices that use a freedom which the documents leave: no rule may fail on one.
    pub variants: &'static [Defect],
}

/// A library of a simulated device.
#[derive(Debug)]
pub struct SimulatedLibrary {
    /// Its id in api.yaml; the name of the runtime where that has one library.
    pub id: &'static str,
    /// The name of its file where it has to be written.
    pub file_name: &'static str,
    /// The file's bytes.
    pub bytes: &'static [u8],
    /// Where it was built; used while that file is as long as the bytes.
    pub built_at: &'static str,
}

impl Runtime {
    /// The runtime's name: its folder below `specs/`, and the first part of its rules' ids.
    pub fn name(&self) -> &'static str {
        self.bindings.runtime
    }

    /// The seeded defects of its simulated device.
    pub fn defects(&self) -> &'static [Defect] {
        self.simulated.as_ref().map_or(&[], |device| device.defects)
    }
}

impl SimulatedLibrary {
    /// The path of the library: where it was built, or a copy of it when that place is gone.
    pub fn path(&self) -> std::io::Result<PathBuf> {
        let built = Path::new(self.built_at);
        if std::fs::metadata(built).is_ok_and(|metadata| metadata.len() == self.bytes.len() as u64) {
            return Ok(built.to_owned());
        }
        let stem = self.file_name.trim_end_matches(".so");
        let name = format!("{stem}-{}.so", &digest::of_bytes(self.bytes)[..16]);
        let path = std::env::temp_dir().join(name);
        if !path.exists() {
            let partial = path.with_extension(format!("{}.partial", std::process::id()));
            std::fs::write(&partial, self.bytes)?;
            std::fs::rename(&partial, &path)?;
        }
        Ok(path)
    }
}

impl SimulatedDevice {
    /// What can be switched on: defects, devices that are wrong everywhere, legal variants.
    pub fn switches(&self) -> impl Iterator<Item = &'static Defect> {
        self.defects.iter().chain(self.bad_devices).chain(self.variants)
    }
}

/// Whether a defect of the list shows only for some sizes, histories or orders.
pub fn is_subtle(defects: &[Defect], name: &str) -> bool {
    defects.iter().any(|defect| defect.name == name && defect.subtle)
}
