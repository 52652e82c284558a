//! Books of embedded catalogs, made by the first process that needs one and kept for the next.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{BookError, decode, encode};
use crate::check::load;
use crate::diagnostic::CatalogError;
use crate::digest::hex;
use crate::rules::{CatalogPlace, Rules};

/// The largest book in bytes.
const LARGEST: u64 = 64 << 20;
/// The number of books of one runtime that stay in a folder: those of the last builds.
const KEPT: usize = 4;

/// A catalog, and what a user should know about its book.
#[derive(Debug)]
pub struct CatalogBook {
    pub rules: Rules,
    /// The reason why a book that was found is not used.
    pub remark: Option<String>,
}

/// Opens the book of an embedded catalog, or makes it. `fingerprint` identifies the embedded files and the code that
/// reads them.
///
/// # Errors
/// Fails if there is no usable book and the catalog has mistakes.
pub fn open(place: &CatalogPlace, fingerprint: u64) -> Result<CatalogBook, CatalogError> {
    let name = file_name(place, fingerprint);
    let mut remark = None;
    let own = own_folder();
    for folder in carried_folder().iter().chain(&own) {
        let path = folder.join(&name);
        match read(&path, place, Some(folder) == own.as_ref()) {
            Ok(Some(rules)) => return Ok(CatalogBook { rules, remark }),
            Ok(None) => {}
            Err(reason) => remark = Some(format!("{}: {reason}; it is made again", path.display())),
        }
    }
    let bytes = encode(&load(place)?).expect("a checked catalog names only what is in its header");
    // A book that cannot be written costs the next process the time to read YAML, and nothing else.
    let _ = own.map(|folder| keep(&folder, &name, &bytes, place.bindings.runtime));
    // The first process knows no more than the next ones.
    let rules = decode(&bytes, place.bindings).expect("these bytes were just written");
    Ok(CatalogBook { rules, remark })
}

/// The name of a book: the runtime, and a digest of everything that a book depends on.
fn file_name(place: &CatalogPlace, fingerprint: u64) -> String {
    let mut digest = Sha256::new();
    digest.update(fingerprint.to_le_bytes());
    digest.update(place.bindings.header_digest);
    format!("{}-{}.book", place.bindings.runtime, &hex(&digest.finalize())[..16])
}

/// The folder of books that a bundle carries, next to its executable.
fn carried_folder() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    Some(executable.parent()?.join("books")).filter(|folder| folder.is_dir())
}

/// The folder for this user's books: in cargo's target folder if the executable is there, otherwise in the user's cache
/// folder.
fn own_folder() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    let is_target = |folder: &&Path| folder.join("CACHEDIR.TAG").is_file() && folder.join(".rustc_info.json").exists();
    if let Some(target) = executable.ancestors().find(is_target) {
        return Some(target.join("books"));
    }
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("atlas-cts"))
}

/// Reads a book; `None` if there is none. A book in the user's own folder must belong to the user.
fn read(path: &Path, place: &CatalogPlace, own: bool) -> Result<Option<Rules>, String> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = match File::options().read(true).custom_flags(flags.bits() as i32).open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error.to_string()),
    };
    let about = file.metadata().map_err(|error| error.to_string())?;
    let user = rustix::process::geteuid().as_raw();
    if !about.is_file() || (own && (about.uid() != user || about.mode() & 0o022 != 0)) {
        return Err("this book was not made by this user".to_owned());
    }
    let mut bytes = Vec::with_capacity(about.len().min(LARGEST) as usize);
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    decode(&bytes, place.bindings).map(Some).map_err(|error: BookError| error.to_string())
}

/// Writes a book, and removes the oldest ones of the same runtime.
fn keep(folder: &Path, name: &str, bytes: &[u8], runtime: &str) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut file = tempfile::Builder::new().permissions(Permissions::from_mode(0o600)).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(folder.join(name)).map_err(|failed| failed.error)?;
    remove_oldest(folder, runtime);
    Ok(())
}

fn remove_oldest(folder: &Path, runtime: &str) {
    let of_runtime = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.strip_prefix(runtime).is_some_and(|rest| rest.starts_with('-') && rest.ends_with(".book"))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().filter(of_runtime);
    let mut books: Vec<_> =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry))).collect();
    books.sort_by_key(|(modified, _)| std::cmp::Reverse(*modified));
    for (_, entry) in books.into_iter().skip(KEPT) {
        let _ = fs::remove_file(entry.path());
    }
}
