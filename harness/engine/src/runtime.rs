//! What a runtime is to the engine: the tables of its header, and the simulated device that comes with it.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use abi::Bindings;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals};

use crate::doctor::Doctor;
use crate::logs::Logs;
use catalog::SpecFile;
use catalog::digest;
use catalog::files;
use simulator_contract::Defect;

/// A runtime that an executable can test: one entry of its registry.
#[derive(Debug)]
pub struct Runtime {
    /// What its header declares. The runtime's name is in there.
    pub bindings: &'static Bindings,
    /// The catalog that the executable carries.
    pub specs: &'static [SpecFile],
    /// What stands in for a device where there is none; `None`: a device is needed.
    pub simulated: Option<SimulatedDevice>,
    /// What `doctor` looks at on a machine of this runtime; `None`: only at what every runtime has.
    pub doctor: Option<Doctor>,
    /// Where driver and runtime write what may say more about a failure; `None`: nobody knows.
    pub logs: Option<Logs>,
}

/// Libraries with the documented behavior, able to be wrong on demand.
#[derive(Debug)]
pub struct SimulatedDevice {
    /// The runtime's libraries, the first of api.yaml first. Optional ones may be missing.
    pub libraries: &'static [&'static SimulatedLibrary],
    /// The ways in which it can be wrong: what rules claim to notice.
    pub defects: &'static [Defect],
    /// The editions of the runtime that it plays.
    pub editions: &'static [&'static str],
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
    /// The file that processes load, once it is wanted.
    held: OnceLock<File>,
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
    /// A library of these bytes.
    pub const fn new(id: &'static str, file_name: &'static str, bytes: &'static [u8]) -> SimulatedLibrary {
        SimulatedLibrary { id, file_name, bytes, held: OnceLock::new() }
    }

    /// Where this process, and those that it starts, find these bytes and no others while this process lives: a file
    /// without a name, which nobody else can put something into.
    ///
    /// # Errors
    /// There is no room for it, or what can be read there is something else.
    pub fn path(&self) -> io::Result<PathBuf> {
        let path = |file: &File| PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
        if let Some(held) = self.held.get() {
            return Ok(path(held));
        }
        let file = self.nameless()?;
        self.expect_bytes(&path(&file))?;
        Ok(path(self.held.get_or_init(|| file)))
    }

    /// Writes the library into a folder, for other programs. What is there already under its name is left as it is.
    ///
    /// # Errors
    /// It cannot be written, or another file has its name.
    pub fn write_to(&self, folder: &Path) -> io::Result<PathBuf> {
        let path = folder.join(self.file_name);
        let mut file = tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
        file.write_all(self.bytes)?;
        match file.persist_noclobber(&path) {
            Err(failed) if failed.error.kind() != io::ErrorKind::AlreadyExists => return Err(failed.error),
            _ => self.expect_bytes(&path)?,
        }
        Ok(path)
    }

    /// In memory and sealed; where the system has no such files that may be executed, one that was never in a folder.
    fn nameless(&self) -> io::Result<File> {
        match files::in_memory(self.file_name, MemfdFlags::EXEC) {
            Ok(memory) => {
                let mut file = File::from(memory);
                file.write_all(self.bytes)?;
                fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
                Ok(file)
            }
            Err(_) => {
                let mut file = tempfile::tempfile()?;
                file.write_all(self.bytes)?;
                Ok(file)
            }
        }
    }

    fn expect_bytes(&self, path: &Path) -> io::Result<()> {
        if digest::of_file(path)? == digest::of_bytes(self.bytes) {
            return Ok(());
        }
        let message = format!("{} has other content than this suite's simulated device; remove it", path.display());
        Err(io::Error::other(message))
    }
}

impl SimulatedDevice {
    /// What can be switched on: defects, devices that are wrong everywhere, legal variants.
    pub fn switches(&self) -> impl Iterator<Item = &'static Defect> {
        self.defects.iter().chain(self.bad_devices).chain(self.variants)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static LIBRARY: SimulatedLibrary = SimulatedLibrary::new("toy", "libtoy.so", b"the bytes of a library");

    #[test]
    fn what_is_loaded_has_the_embedded_bytes_and_nobody_can_change_it() {
        let path = LIBRARY.path().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), LIBRARY.bytes);
        assert_eq!(LIBRARY.path().unwrap(), path, "it is written once");
        let sealed = File::options().write(true).open(&path).and_then(|mut file| file.write_all(b"other"));
        assert!(sealed.is_err(), "a sealed file takes no bytes");
        assert_eq!(std::fs::read(&path).unwrap(), LIBRARY.bytes);
    }

    #[test]
    fn a_copy_replaces_no_file_and_is_not_handed_out_when_it_differs() {
        let folder = tempfile::tempdir().unwrap();
        let path = LIBRARY.write_to(folder.path()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), LIBRARY.bytes);
        std::fs::write(&path, "planted").unwrap();
        assert!(LIBRARY.write_to(folder.path()).unwrap_err().to_string().contains("has other content"));
        assert_eq!(std::fs::read(&path).unwrap(), b"planted");
    }
}
