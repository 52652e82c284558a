//! A runtime as the engine sees it: the tables generated from its header, and its simulated device.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use abi::Bindings;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals};

use crate::doctor::{Advice, Doctor};
use crate::logs::Logs;
use catalog::SpecFile;
use catalog::digest;
use catalog::files;
use messages::message;
use simulator_contract::Defect;

/// A runtime that an executable can test, as a registry entry.
#[derive(Debug)]
pub struct Runtime {
    /// The declarations in the runtime's header, including the runtime's name.
    pub bindings: &'static Bindings,
    /// The embedded catalog.
    pub specs: &'static [SpecFile],
    /// A number that differs if the embedded catalog or the code that reads it differs.
    pub fingerprint: u64,
    /// The simulated device; `None` if a real device is required.
    pub simulated: Option<SimulatedDevice>,
    /// The runtime's additional `doctor` checks; `None` if only the common checks apply.
    pub doctor: Option<Doctor>,
    /// The driver and runtime logs that may explain a failure; `None` if unknown.
    pub logs: Option<Logs>,
}

/// Libraries with the documented behavior, in which defects can be switched on.
#[derive(Debug)]
pub struct SimulatedDevice {
    /// The runtime's libraries, starting with the first library in api.yaml. Optional libraries may be missing.
    pub libraries: &'static [&'static SimulatedLibrary],
    /// The seeded defects, which rules claim to kill.
    pub defects: &'static [Defect],
    /// The editions that the device can simulate.
    pub editions: &'static [&'static str],
    /// Devices whose behavior is wrong everywhere: every rule must fail on them.
    pub bad_devices: &'static [Defect],
    /// Devices that differ where the documents allow different behavior: every rule must pass on them.
    pub variants: &'static [Defect],
    /// The Python module over the simulated device; `None` if it has none.
    pub module: Option<EmbeddedModule>,
}

/// A Python module over a simulated device, in which defects can be switched on.
#[derive(Debug)]
pub struct EmbeddedModule {
    /// The interface that the module offers, as in python.yaml.
    pub interface: &'static str,
    /// The module's parts, packages first: names, each with its text.
    pub sources: &'static [(&'static str, &'static str)],
    /// The seeded defects of the module.
    pub defects: &'static [Switch],
    /// Modules that differ where the documents allow different behavior.
    pub variants: &'static [Switch],
}

/// A defect or a legal variant of a Python module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switch {
    /// The name for `--defect`.
    pub name: &'static str,
    /// The mistake or the freedom, in one sentence.
    pub mechanism: &'static str,
}

impl EmbeddedModule {
    /// The module's defects and variants.
    pub fn switches(&self) -> impl Iterator<Item = &'static Switch> {
        self.defects.iter().chain(self.variants)
    }
}

/// A simulated device's library.
#[derive(Debug)]
pub struct SimulatedLibrary {
    /// The library's id in api.yaml, or the runtime's name if the runtime has only one library.
    pub id: &'static str,
    /// The file name used when the library is written to a folder.
    pub file_name: &'static str,
    /// The file's content.
    pub bytes: &'static [u8],
    /// The file that processes load, created on first use.
    held: OnceLock<File>,
}

impl Runtime {
    /// The runtime's name: the name of its folder in `specs/`, and the first part of its rules' ids.
    pub fn name(&self) -> &'static str {
        self.bindings.runtime
    }

    /// Advice about a problem with the library, in the language in use.
    pub fn advice(&self, about: Advice) -> &'static str {
        match (&self.doctor, about) {
            (Some(doctor), about) => (doctor.advise)(about),
            (None, Advice::Installation) => message!("library-install"),
            (None, Advice::Dependency) => message!("library-install-again"),
        }
    }

    /// The simulated device's seeded defects.
    pub fn defects(&self) -> &'static [Defect] {
        self.simulated.as_ref().map_or(&[], |device| device.defects)
    }
}

impl SimulatedLibrary {
    /// Creates a library with this content.
    pub const fn new(id: &'static str, file_name: &'static str, bytes: &'static [u8]) -> SimulatedLibrary {
        SimulatedLibrary { id, file_name, bytes, held: OnceLock::new() }
    }

    /// A path at which this process and its children find exactly this content while this process lives. The file
    /// has no name, so no other process can modify it.
    ///
    /// # Errors
    /// Fails if there is no space for the file, or if its content is different.
    pub fn path(&self) -> io::Result<PathBuf> {
        let path = |file: &File| PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
        if let Some(held) = self.held.get() {
            return Ok(path(held));
        }
        let file = self.nameless()?;
        self.expect_bytes(&path(&file))?;
        Ok(path(self.held.get_or_init(|| file)))
    }

    /// Writes the library into a folder, for use by other programs. An existing file with the same name is left
    /// unchanged.
    ///
    /// # Errors
    /// Fails if the library cannot be written, or if a different file with the library's name exists.
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

    /// Creates a sealed file in memory or, if the system does not support executable files of this kind, a file
    /// that was never in a folder.
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
        let message = format!("{} differs from this suite's simulated device; remove it", path.display());
        Err(io::Error::other(message))
    }
}

impl SimulatedDevice {
    /// Everything that can be switched on: defects, bad devices and legal variants.
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
        assert!(LIBRARY.write_to(folder.path()).unwrap_err().to_string().contains("differs from"));
        assert_eq!(std::fs::read(&path).unwrap(), b"planted");
    }
}
