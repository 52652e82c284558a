//! Reads the declarations in headers with libclang, through bindgen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use bindgen::{Builder, EnumVariation, Formatter};
use regex::Regex;
use syn::{ForeignItem, Item, Type};

use super::declarations::{Declarations, FieldAt, Layout};
use crate::error::Error;
use crate::model::integer;

/// The maximum number of files in a folder of headers.
const MOST_FILES: usize = 100_000;
/// The maximum size of a header in bytes.
const LARGEST: u64 = 8 << 20;

/// Reads the declarations in the headers below a folder. Only headers that contain at least one of these names are
/// read.
///
/// # Errors
/// Fails if libclang is missing, if no header contains any of these names, or if the headers are not C.
pub(super) fn declarations(folder: &Path, names: &BTreeSet<String>) -> Result<Declarations, Error> {
    let mut headers = Vec::new();
    collect(folder, &mut headers);
    headers.retain(|path| mentions(path, names));
    headers.sort();
    if headers.is_empty() {
        return Err(Error::NothingDeclared { folder: folder.to_owned() });
    }
    // Some headers expect another header to have included these already.
    let mut all = String::from("#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n");
    for header in &headers {
        let path = std::path::absolute(header).unwrap_or_else(|_| header.clone());
        let _ = writeln!(all, "#include \"{}\"", path.display());
    }
    read(&all, &[folder.to_owned()])
}

/// Reads the declarations in a header's text.
pub(super) fn read(text: &str, folders: &[PathBuf]) -> Result<Declarations, Error> {
    // bindgen panics without libclang.
    clang_sys::load().map_err(|reason| Error::NoLibclang { reason })?;
    let includes = folders.iter().map(|folder| format!("-I{}", folder.display()));
    let builder: Builder = bindgen::builder()
        .header_contents("atlas-cts-all.h", text)
        .clang_args(["-x", "c", "-std=c11"])
        .clang_args(includes)
        .default_enum_style(EnumVariation::Consts)
        .prepend_enum_name(false)
        .layout_tests(true)
        .generate_comments(false)
        .use_core()
        .formatter(Formatter::None);
    let bindings = builder.generate().map_err(Error::not_c)?;
    let written = bindings.to_string();
    let file = syn::parse_file(&written).map_err(|error| Error::Unknown { form: format!("invalid Rust ({error})") })?;
    let mut declarations = Declarations::default();
    let names = Names::of(&file);
    file.items.iter().for_each(|item| names.add(item, &mut declarations));
    layouts(&written, &mut declarations);
    // Functions from the compiler and the system do not belong to the interface.
    declarations.functions.retain(|name, _| !name.starts_with('_'));
    declarations.constants.retain(|name, _| !name.starts_with('_'));
    declarations.layouts.retain(|name, _| !name.starts_with('_'));
    Ok(declarations)
}

fn collect(folder: &Path, headers: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if headers.len() >= MOST_FILES {
            return;
        }
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, headers);
        } else if path.extension().is_some_and(|extension| extension == "h") {
            headers.push(path);
        }
    }
}

fn mentions(header: &Path, names: &BTreeSet<String>) -> bool {
    let fits = header.metadata().is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
    let Some(bytes) = fits.then(|| std::fs::read(header).ok()).flatten() else { return false };
    let text = String::from_utf8_lossy(&bytes);
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| names.contains(word))
}

/// The type names and their meanings.
struct Names<'a> {
    aliases: BTreeMap<String, &'a Type>,
}

impl<'a> Names<'a> {
    fn of(file: &'a syn::File) -> Names<'a> {
        let aliases = file.items.iter().filter_map(|item| match item {
            Item::Type(alias) => Some((alias.ident.to_string(), &*alias.ty)),
            _ => None,
        });
        Names { aliases: aliases.collect() }
    }

    fn add(&self, item: &Item, declarations: &mut Declarations) {
        match item {
            Item::ForeignMod(block) => {
                for item in &block.items {
                    if let ForeignItem::Fn(function) = item {
                        let inputs = function.sig.inputs.iter().filter_map(|input| match input {
                            syn::FnArg::Typed(input) => Some(&*input.ty),
                            syn::FnArg::Receiver(_) => None,
                        });
                        let more = function.sig.variadic.is_some();
                        let text = self.function(inputs, more, &function.sig.output);
                        declarations.functions.insert(function.sig.ident.to_string(), text);
                    }
                }
            }
            Item::Const(constant) => {
                if let Some(value) = integer(&constant.expr) {
                    declarations.constants.insert(constant.ident.to_string(), value);
                }
            }
            Item::Struct(item) => self.fields(&item.ident, &item.fields, declarations),
            Item::Union(item) => self.fields(&item.ident, &syn::Fields::Named(item.fields.clone()), declarations),
            _ => {}
        }
    }

    fn fields(&self, name: &syn::Ident, fields: &syn::Fields, declarations: &mut Declarations) {
        let fields = fields.iter().filter_map(|field| {
            let name = field.ident.as_ref()?.to_string();
            (name != "_unused" && name != "_address").then(|| FieldAt { name, offset: 0, ty: self.ty(&field.ty) })
        });
        let layout = Layout { fields: fields.collect(), ..Layout::default() };
        declarations.layouts.insert(name.to_string(), layout);
    }

    fn function<'t>(&self, inputs: impl Iterator<Item = &'t Type>, more: bool, output: &syn::ReturnType) -> String {
        let mut inputs: Vec<String> = inputs.map(|ty| self.ty(ty)).collect();
        inputs.extend(more.then(|| "...".to_owned()));
        let returns = match output {
            syn::ReturnType::Default => "void".to_owned(),
            syn::ReturnType::Type(_, ty) => self.ty(ty),
        };
        format!("{returns} ({})", inputs.join(", "))
    }

    /// A type with all aliases resolved.
    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Ptr(pointer) => {
                let to = self.ty(&pointer.elem);
                format!("{}{to} *", if pointer.const_token.is_some() { "const " } else { "" })
            }
            Type::Array(array) => {
                let length = integer(&array.len).map_or_else(|| "?".to_owned(), |length| length.to_string());
                format!("{}[{length}]", self.ty(&array.elem))
            }
            Type::BareFn(function) => {
                let inputs = function.inputs.iter().map(|input| &input.ty);
                format!("function {}", self.function(inputs, function.variadic.is_some(), &function.output))
            }
            Type::Path(path) => {
                let Some(last) = path.path.segments.last() else { return String::new() };
                if let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
                    && let Some(syn::GenericArgument::Type(inner)) = arguments.args.first()
                {
                    // Function pointers are wrapped in `Option`.
                    return self.ty(inner);
                }
                let name = last.ident.to_string();
                match self.aliases.get(&name) {
                    Some(ty) => self.ty(ty),
                    None => plain(&name).to_owned(),
                }
            }
            _ => String::new(),
        }
    }
}

/// The name of a numeric type in the form that includes its size.
fn plain(name: &str) -> &str {
    match name {
        "c_char" => "char",
        "c_schar" => "i8",
        "c_uchar" => "u8",
        "c_short" => "i16",
        "c_ushort" => "u16",
        "c_int" => "i32",
        "c_uint" => "u32",
        "c_long" | "c_longlong" | "isize" => "i64",
        "c_ulong" | "c_ulonglong" | "usize" => "u64",
        "c_void" => "void",
        other => other,
    }
}

/// Reads sizes, alignments and offsets from the assertions that bindgen writes.
fn layouts(written: &str, declarations: &mut Declarations) {
    let pattern = |text: &str| Regex::new(text).expect("the pattern is constant and tested");
    let whole = pattern(r#""(Size|Alignment) of (\w+)"[^;]*?-\s*(\d+)usize"#);
    for found in whole.captures_iter(written) {
        let Some(layout) = declarations.layouts.get_mut(&found[2]) else { continue };
        let value = found[3].parse().unwrap_or(0);
        if &found[1] == "Size" { layout.size = value } else { layout.align = value }
    }
    let field = pattern(r#""Offset of field: (\w+)::(\w+)"[^;]*?-\s*(\d+)usize"#);
    for found in field.captures_iter(written) {
        let fields = declarations.layouts.get_mut(&found[1]).map(|layout| &mut layout.fields);
        let known = fields.into_iter().flatten().find(|field| field.name == found[2]);
        if let Some(known) = known {
            known.offset = found[3].parse().unwrap_or(0);
        }
    }
}
