//! The toy runtime's catalog, from the engine's tests, against which inputs are checked.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use catalog::{CatalogPlace, Rules, load};
use engine::case::Scope;
use engine::runtime::Runtime;

use crate::bindings::BINDINGS;

/// The folder that contains the toy's catalog.
pub(crate) fn specs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/toy/specs")
}

/// The location of a copy of the toy's catalog.
pub(crate) fn place(root: PathBuf) -> CatalogPlace {
    CatalogPlace { specs: root.into(), bindings: &BINDINGS }
}

/// The toy's catalog.
pub(crate) fn rules() -> &'static Rules {
    static RULES: LazyLock<Rules> =
        LazyLock::new(|| load(&place(specs())).unwrap_or_else(|error| panic!("the toy's catalog: {error}")));
    &RULES
}

/// The toy runtime as a registry entry.
pub(crate) static RUNTIME: Runtime =
    Runtime { bindings: &BINDINGS, specs: &[], fingerprint: 0, simulated: None, doctor: None, logs: None };

/// Calls `with` with the path of a file that has this name and content.
pub(crate) fn with_file<T>(name: &str, bytes: &[u8], with: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().expect("the folder for temporary files can be written");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("this process owns the folder");
    with(&path)
}

/// A machine with three devices of the first product.
pub(crate) fn scope() -> Scope {
    Scope::new(rules().products[0].facts.clone(), 3)
}
