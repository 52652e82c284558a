//! Mistakes in api.yaml about libraries, codes, editions and layouts: each is reported when the catalog is read.

use std::path::Path;

use catalog::{CatalogPlace, load};
use engine::run::{Campaign, ExitStatus, load_rules};
use tempfile::TempDir;

use crate::depot::bindings::BINDINGS;
use crate::depot::device::{built, depot, folder, with_libraries};
use crate::depot::runs::options;
use crate::pairs::{self, Change, LOADS};

/// A copy of the depot's catalog with replacements in its files.
pub fn changed(changes: &[(&str, &str, &str)]) -> TempDir {
    let specs = tempfile::tempdir().expect("a folder can be made");
    let (from, to) = (folder().join("specs"), specs.path());
    let entries = |below: &str| std::fs::read_dir(from.join(below)).expect("the catalog exists").collect::<Vec<_>>();
    let folders = ["depot", "depot/clauses", "depot/rules"];
    for entry in folders.iter().flat_map(|below| entries(below)) {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            continue;
        }
        let name = path.strip_prefix(&from).ok().and_then(Path::to_str).expect("the catalog's names are text");
        let mut text = std::fs::read_to_string(&path).expect("the catalog is text");
        let below = name.strip_prefix("depot/").unwrap_or(name);
        for (_, before, after) in changes.iter().filter(|(file, ..)| *file == below) {
            assert!(text.contains(before), "{name} does not contain {before}");
            text = text.replacen(before, after, 1);
        }
        std::fs::create_dir_all(to.join(name).parent().unwrap_or(to)).expect("a folder can be made");
        std::fs::write(to.join(name), text).expect("the copy can be written");
    }
    specs
}

#[test]
fn mistakes_are_found_with_their_places() {
    let said = |root: &Path| -> Option<String> {
        let place = CatalogPlace { specs: root.to_owned().into(), bindings: &BINDINGS };
        load(&place).err().map(|error| pairs::below(root, error))
    };
    assert_eq!(said(changed(&[]).path()), None);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_catalogs/depot");
    pairs::check(&folder, |text| {
        let specs = changed(&[]);
        Change::read(text)?.make(specs.path())?;
        said(specs.path()).ok_or_else(|| LOADS.to_owned())
    });
}

#[test]
fn a_mandatory_library_that_is_missing_is_named() {
    let specs = changed(&[("api.yaml", "optional: true, ", "")]);
    let alone = specs.path().join("lib");
    std::fs::create_dir_all(&alone).expect("a folder can be made");
    std::fs::copy(built("faithful", &[]).join("libdepot.so"), alone.join("libdepot.so")).expect("it can be copied");
    let options = options(specs.path(), &["--library", &alone.join("libdepot.so").display().to_string()]);
    let rules = load_rules(&options.catalog, depot()).unwrap_or_else(|error| panic!("{error}"));
    let error = Campaign::open(&options, depot(), rules.into()).unwrap_err();
    assert_eq!(error.exit(), ExitStatus::Unknown);
    let message = error.to_string();
    let expected = format!(
        "error: the runtime needs its library audit, but none of libaudit.so, libaudit.so.2 was found (searched {}",
        alone.display()
    );
    assert!(message.starts_with(&expected) && message.contains("install it there"), "{message}");
}

#[test]
fn a_simulated_device_without_a_mandatory_library_is_refused() {
    let specs = changed(&[("api.yaml", "optional: true, ", "")]);
    let runtime: &'static _ = Box::leak(Box::new(with_libraries(&["depot"])));
    let options = options(specs.path(), &["--backend", "simulator"]);
    let rules = load_rules(&options.catalog, runtime).unwrap_or_else(|error| panic!("{error}"));
    let message = Campaign::open(&options, runtime, rules.into()).unwrap_err().to_string();
    assert!(message.contains("the simulated device of depot lacks the library audit"), "{message}");
}
