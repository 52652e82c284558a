//! Reads a C header through bindgen. The result does not depend on the machine: stubs replace the system's headers, the
//! target is fixed, and the formatter is a pinned crate.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bindgen::callbacks::{EnumVariantValue, ParseCallbacks};
use bindgen::{Builder, EnumVariation, Formatter, RustEdition, RustTarget};
use sha2::{Digest, Sha256};

use crate::error::Error;

/// The name of the struct in bindgen's output that has one field for each function in the header.
pub(crate) const LIBRARY: &str = "Api";

/// The prefix for enumerations that make the compiler evaluate a macro.
const PROBE: &str = "atlas_cts_value_of_";

/// The content of a header.
#[derive(Debug)]
pub(crate) struct Header {
    /// The text of the header itself, without its includes.
    pub text: String,
    /// The SHA-256 of that text, in lower-case hex.
    pub digest: String,
    /// bindgen's output.
    pub raw: syn::File,
    /// The integer macros with the values that the C compiler computes. bindgen's evaluation ignores types, so it
    /// treats an unsigned value such as `~0U` as negative.
    pub macros: BTreeMap<String, i128>,
}

/// Checks that libclang can be loaded. The error is the reason why it cannot.
pub(crate) fn libclang() -> Result<(), String> {
    clang_sys::load_manually().map(drop)
}

/// The SHA-256 that generated files contain for a header.
pub(crate) fn digest(text: &[u8]) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The architecture for which headers are read. The tables are the same on every architecture that the suite supports.
pub(crate) const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Reads a header for an architecture. libclang must be installed, because bindgen panics without it.
pub(crate) fn read(path: &Path, target: &str) -> Result<Header, Error> {
    let path = fs::canonicalize(path).map_err(Error::file(path))?;
    let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
    let raw = parse(builder(&path, target)?.header(utf8(&path)?), &path)?;
    let macros = evaluate(&path, &integer_macros(&raw), target)?;
    Ok(Header { digest: digest(text.as_bytes()), text, raw, macros })
}

/// The options that both passes over a header share.
fn builder(header: &Path, target: &str) -> Result<Builder, Error> {
    let stubs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("stubs");
    let folder = header.parent().unwrap_or(Path::new("/"));
    let edition = RustTarget::stable(85, 0)
        .map_err(|error| Error::Unknown { form: format!("cannot generate code for this version of Rust ({error})") })?;
    Ok(bindgen::builder()
        .clang_args(["-x", "c", "-std=c11", &format!("--target={target}"), "-nostdinc", "-isystem", utf8(&stubs)?])
        .detect_include_paths(false)
        // Includes the header and its neighbors, but not the stubs.
        .allowlist_file(format!("{}/.*", regex::escape(utf8(folder)?)))
        .rust_target(edition)
        .rust_edition(RustEdition::Edition2024)
        .use_core()
        .ctypes_prefix("::core::ffi")
        // Tests pass any value for an enumeration; a Rust enum would forbid that.
        .default_enum_style(EnumVariation::NewType { is_bitfield: false, is_global: false })
        .dynamic_library_name(LIBRARY)
        .dynamic_link_require_all(false)
        .wrap_unsafe_ops(true)
        .layout_tests(true)
        .generate_comments(false)
        .disable_header_comment()
        .formatter(Formatter::None))
}

fn parse(builder: Builder, header: &Path) -> Result<syn::File, Error> {
    let bindings = builder.generate().map_err(|source| Error::Rejected { header: header.to_owned(), source })?;
    syn::parse_file(&bindings.to_string()).map_err(|error| Error::Unknown { form: format!("invalid Rust ({error})") })
}

/// The macros that bindgen evaluates to an integer.
fn integer_macros(raw: &syn::File) -> Vec<String> {
    let integers = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"];
    let name = |item: &syn::Item| {
        let syn::Item::Const(constant) = item else { return None };
        let syn::Type::Path(ty) = &*constant.ty else { return None };
        integers.iter().any(|name| ty.path.is_ident(name)).then(|| constant.ident.to_string())
    };
    raw.items.iter().filter_map(name).collect()
}

/// Collects a header's enumerators with their values in C.
#[derive(Debug)]
struct Enumerators(Rc<RefCell<BTreeMap<String, i128>>>);

impl ParseCallbacks for Enumerators {
    fn enum_variant_name(&self, _enumeration: Option<&str>, variant: &str, value: EnumVariantValue) -> Option<String> {
        let value = match value {
            EnumVariantValue::Boolean(value) => i128::from(value),
            EnumVariantValue::Signed(value) => i128::from(value),
            EnumVariantValue::Unsigned(value) => i128::from(value),
        };
        if let Some(name) = variant.strip_prefix(PROBE) {
            self.0.borrow_mut().insert(name.to_owned(), value);
        }
        None
    }
}

/// The values of macros as the C compiler sees them, each evaluated through an enumeration.
fn evaluate(header: &Path, macros: &[String], target: &str) -> Result<BTreeMap<String, i128>, Error> {
    if macros.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut probe = format!("#include \"{}\"\n", utf8(header)?);
    for name in macros {
        probe += &format!("enum {PROBE}type_{name} {{ {PROBE}{name} = ({name}) }};\n");
    }
    let values = Rc::new(RefCell::new(BTreeMap::new()));
    // The probe is placed in the header's folder by name, because only declarations from that folder are kept.
    let name = header.with_file_name("atlas-cts-macro-values.h");
    let builder = builder(header, target)?
        .header_contents(utf8(&name)?, &probe)
        .parse_callbacks(Box::new(Enumerators(Rc::clone(&values))));
    parse(builder, header)?;
    let values = values.take();
    match macros.iter().find(|name| !values.contains_key(*name)) {
        Some(name) => Err(Error::Unknown { form: format!("{name} without an integer") }),
        None => Ok(values),
    }
}

fn utf8(path: &Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| Error::NotUtf8 { path: path.to_owned() })
}
