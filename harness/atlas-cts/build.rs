//! Builds the simulated device next to the harness and embeds it, so that it is found wherever cargo puts its outputs.

#[path = "../../fixtures/simulator/registry.rs"]
mod registry;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../fixtures/simulator");
    let folder = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    let out = folder.join("libatlas_cts_simulator.so");
    registry::generate(&root, &folder);
    for part in ["registry.rs", "acl.rs", "acl", "contract/src", "device", "facade"] {
        watch(&root.join(part));
    }
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let mut command = Command::new(rustc);
    command
        .args(["--crate-name", "atlas_cts_simulator", "--crate-type", "cdylib", "--edition", "2024"])
        .args(["-C", "opt-level=1", "-C", "debuginfo=0", "-C", "strip=symbols", "-C", "panic=unwind"])
        // A library loaded beside it must not take over its own calls.
        .args(["-C", "link-arg=-Wl,-Bsymbolic"])
        .args(["--target", &env::var("TARGET").expect("cargo sets it")])
        .arg(root.join("acl.rs"))
        .arg("-o")
        .arg(&out);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        command.arg("-C").arg(format!("linker={linker}"));
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    command.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    let status =
        command.status().unwrap_or_else(|error| panic!("rustc cannot be started for the simulated device: {error}"));
    assert!(
        status.success(),
        "the simulated device in {} does not compile; see rustc's messages above",
        root.display()
    );
    println!("cargo:rustc-env=ATLAS_CTS_SIMULATOR={}", out.display());
}

/// Builds again when a file changes, or one comes to a folder or goes.
fn watch(path: &Path) {
    println!("cargo:rerun-if-changed={}", path.display());
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        watch(&entry.path());
    }
}
