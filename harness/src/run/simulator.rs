//! The embedded simulated device: where its library is, and how it is configured.

use std::path::{Path, PathBuf};

use simulator_contract::environment;

/// The library as it was built with the harness.
static BYTES: &[u8] = include_bytes!(env!("ATLAS_CTS_SIMULATOR"));

/// The variable that names the folder shared by the processes of one simulated machine.
pub use environment::MACHINE;

/// How the simulated device behaves.
#[derive(Debug, Clone, Default)]
pub struct SimulatorOptions {
    /// Product family that it imitates.
    pub product: String,
    pub devices: u32,
    /// `host` or `device`.
    pub run_mode: String,
    /// Names of defects, bad devices and variants that are switched on.
    pub defects: Vec<String>,
    /// Milliseconds that initialisation takes.
    pub start_up_ms: u64,
    /// Nanoseconds that every call takes.
    pub call_ns: u64,
    /// Whether the device notes in its machine's folder which defects the model asked for.
    pub notes_reach: bool,
    /// Whether one event can be made to go wrong, through a file in its machine's folder.
    pub glitches: bool,
}

/// The path of the library: where it was built, or a copy of it when that place is gone.
pub fn library_path() -> std::io::Result<PathBuf> {
    let built = Path::new(env!("ATLAS_CTS_SIMULATOR"));
    if std::fs::metadata(built).is_ok_and(|metadata| metadata.len() == BYTES.len() as u64) {
        return Ok(built.to_owned());
    }
    use sha2::{Digest, Sha256};
    let digest = crate::catalog::hex(&Sha256::digest(BYTES)[..8]);
    let path = std::env::temp_dir().join(format!("libatlas_cts_simulator-{digest}.so"));
    if !path.exists() {
        let partial = path.with_extension(format!("{}.partial", std::process::id()));
        std::fs::write(&partial, BYTES)?;
        std::fs::rename(&partial, &path)?;
    }
    Ok(path)
}

impl SimulatorOptions {
    /// The environment of a worker; processes with the same machine folder share a machine.
    pub fn environment(&self, machine: &Path) -> Vec<(String, String)> {
        [
            (environment::PRODUCT, self.product.clone()),
            (environment::DEVICES, self.devices.to_string()),
            (environment::RUN_MODE, self.run_mode.clone()),
            (environment::DEFECTS, self.defects.join(",")),
            (environment::STARTUP_MS, self.start_up_ms.to_string()),
            (environment::CALL_NS, self.call_ns.to_string()),
            (environment::REACH, if self.notes_reach { "1".to_owned() } else { String::new() }),
            (environment::GLITCH, if self.glitches { "1".to_owned() } else { String::new() }),
            (MACHINE, machine.display().to_string()),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }
}
