//! The names that bindgen's output defines, and the C types behind them.

use std::collections::{BTreeMap, BTreeSet};

use crate::header::LIBRARY;
use crate::model::{self, CType, LeftOut};
use crate::text;

/// The names that bindgen's output defines, by kind.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    /// The type that each typedef names.
    pub aliases: BTreeMap<String, syn::Type>,
    /// The integer type that underlies each enumeration.
    pub enums: BTreeMap<String, &'a syn::Type>,
    /// The fields of each complete struct or union, with true for a union.
    pub structs: BTreeMap<String, (bool, &'a syn::FieldsNamed)>,
    /// Structs that are declared but not defined.
    opaque: BTreeSet<String>,
    /// The names in C for the tags of structs, unions and enumerations whose C name is not the tag alone.
    tags: BTreeMap<String, String>,
    /// The identifiers in the header, to undo bindgen's renaming of Rust keywords.
    words: BTreeSet<&'a str>,
}

/// Sorts the definitions in bindgen's output by kind.
pub(crate) fn names<'a>(raw: &'a syn::File, text: &'a str) -> Names<'a> {
    let mut names = Names { words: text::words(text), ..Names::default() };
    for item in &raw.items {
        match item {
            syn::Item::Type(item) => {
                names.aliases.insert(item.ident.to_string(), (*item.ty).clone());
            }
            // A typedef of an enumeration: `pub use self::tag as name;`
            syn::Item::Use(item) => {
                if let syn::UseTree::Path(path) = &item.tree
                    && let syn::UseTree::Rename(rename) = &*path.tree
                {
                    let tag = &rename.ident;
                    names.aliases.insert(rename.rename.to_string(), syn::parse_quote!(#tag));
                }
            }
            syn::Item::Struct(item) => match &item.fields {
                syn::Fields::Unnamed(fields)
                    if fields.unnamed.len() == 1 && !item.ident.to_string().starts_with("__") =>
                {
                    names.enums.insert(item.ident.to_string(), &fields.unnamed[0].ty);
                }
                syn::Fields::Named(fields) if item.ident != LIBRARY => {
                    let opaque =
                        fields.named.iter().any(|field| field.ident.as_ref().is_some_and(|name| name == "_unused"));
                    if opaque {
                        names.opaque.insert(item.ident.to_string());
                    } else if !item.ident.to_string().starts_with("__Bindgen") {
                        names.structs.insert(item.ident.to_string(), (false, fields));
                    }
                }
                _ => {}
            },
            syn::Item::Union(item) => {
                names.structs.insert(item.ident.to_string(), (true, &item.fields));
            }
            _ => {}
        }
    }
    names.tags = tags(&names, &text::typedefs(text));
    names
}

/// The names in C for tags without a typedef of the same name: the first typedef of the tag or, without any, the tag
/// after its keyword. `typedefs` are the names that the header's typedefs give, in order.
fn tags(names: &Names, typedefs: &[&str]) -> BTreeMap<String, String> {
    let position = |alias: &str| typedefs.iter().position(|name| *name == alias);
    let mut aliases: BTreeMap<String, &str> = BTreeMap::new();
    for (alias, target) in &names.aliases {
        let syn::Type::Path(path) = target else { continue };
        let Some(tag) = path.path.get_ident().map(ToString::to_string) else { continue };
        let first = aliases.entry(tag).or_insert(alias);
        if position(alias).unwrap_or(usize::MAX) < position(first).unwrap_or(usize::MAX) {
            *first = alias;
        }
    }
    let structs = names.structs.iter().map(|(tag, (union, _))| (tag, if *union { "union" } else { "struct" }));
    let opaque = names.opaque.iter().map(|tag| (tag, "struct"));
    let all = structs.chain(opaque).chain(names.enums.keys().map(|tag| (tag, "enum")));
    let named = all.filter_map(|(tag, keyword)| {
        let name = match aliases.get(tag) {
            _ if typedefs.contains(&tag.as_str()) => return None,
            Some(alias) => names.in_c(alias),
            // bindgen makes up the names of the others.
            None if names.words.contains(tag.as_str()) => format!("{keyword} {tag}"),
            None => return None,
        };
        Some((tag.clone(), name))
    });
    named.collect()
}

impl Names<'_> {
    /// The name in C of the struct, union or enumeration with this tag.
    pub(crate) fn of_tag(&self, tag: &str) -> String {
        self.tags.get(tag).cloned().unwrap_or_else(|| tag.to_owned())
    }

    /// The name that the header uses. bindgen appends an underscore to Rust keywords.
    pub(crate) fn in_c(&self, name: &str) -> String {
        match name.strip_suffix('_') {
            Some(stripped)
                if !self.words.contains(name)
                    && (self.words.contains(stripped) || syn::parse_str::<syn::Ident>(stripped).is_err()) =>
            {
                stripped.to_owned()
            }
            _ => name.to_owned(),
        }
    }

    /// The C type for a Rust type in bindgen's output.
    pub(crate) fn resolve(&self, ty: &syn::Type) -> Result<CType, LeftOut> {
        match ty {
            syn::Type::Ptr(pointer) => Ok(CType::Pointer {
                to: Box::new(self.resolve(&pointer.elem)?),
                constant: pointer.const_token.is_some(),
            }),
            syn::Type::Array(array) => Ok(CType::Array {
                of: Box::new(self.resolve(&array.elem)?),
                length: model::integer(&array.len)
                    .and_then(|length| usize::try_from(length).ok())
                    .ok_or(LeftOut::ArrayLength)?,
            }),
            syn::Type::BareFn(_) => Ok(CType::Callback(String::new())),
            syn::Type::Path(path) => {
                let last = path.path.segments.last().ok_or(LeftOut::UnnamedType)?;
                self.resolve_name(&last.ident.to_string())
            }
            _ => Err(LeftOut::UnnamedType),
        }
    }

    /// The C type for a name in bindgen's output.
    pub(crate) fn resolve_name(&self, name: &str) -> Result<CType, LeftOut> {
        let integer = |bytes, signed| Ok(CType::Integer { bytes, signed });
        let long_long = |name: &str, signed| Ok(CType::LongLong { name: name.to_owned(), signed });
        match name {
            "c_void" => return Ok(CType::Void),
            "c_char" => return Ok(CType::Char),
            "Option" => return Ok(CType::Callback(String::new())),
            "i8" | "c_schar" => return integer(1, true),
            "u8" | "c_uchar" | "bool" => return integer(1, false),
            "i16" | "c_short" => return integer(2, true),
            "u16" | "c_ushort" => return integer(2, false),
            "i32" | "c_int" => return integer(4, true),
            "u32" | "c_uint" => return integer(4, false),
            "i64" | "isize" | "c_long" => return integer(8, true),
            "u64" | "usize" | "c_ulong" => return integer(8, false),
            "c_longlong" => return long_long("long long", true),
            "c_ulonglong" => return long_long("unsigned long long", false),
            "f32" | "c_float" => return Ok(CType::Float { bytes: 4 }),
            "f64" | "c_double" => return Ok(CType::Float { bytes: 8 }),
            _ => {}
        }
        if let Some(target) = self.aliases.get(name) {
            return Ok(match self.resolve(target)? {
                CType::Pointer { to, .. } if self.incomplete(&to) => CType::Handle(name.to_owned()),
                CType::Handle(_) => CType::Handle(name.to_owned()),
                CType::Callback(_) => CType::Callback(name.to_owned()),
                CType::LongLong { signed, .. } => CType::LongLong { name: self.in_c(name), signed },
                other => other,
            });
        }
        if let Some(inner) = self.enums.get(name) {
            return Ok(match self.resolve(inner)? {
                CType::Integer { bytes: 4, signed } => CType::Enumeration { name: self.of_tag(name), signed },
                other => other,
            });
        }
        if self.structs.contains_key(name) || self.opaque.contains(name) {
            return Ok(CType::Struct(self.of_tag(name)));
        }
        Err(LeftOut::Type(name.to_owned()))
    }

    /// The type that a cast in C names.
    pub(crate) fn written_type(&self, text: &str) -> Option<CType> {
        let base = text.trim_end_matches([' ', '*']);
        let pointers = text.matches('*').count();
        let known = match base {
            "void" => Ok(CType::Void),
            "char" => Ok(CType::Char),
            "int" | "signed int" | "int32_t" => self.resolve_name("i32"),
            "unsigned" | "unsigned int" | "uint32_t" => self.resolve_name("u32"),
            "long" | "int64_t" | "intptr_t" | "ptrdiff_t" => self.resolve_name("i64"),
            "unsigned long" | "uint64_t" | "uintptr_t" | "size_t" => self.resolve_name("u64"),
            "long long" => self.resolve_name("c_longlong"),
            "unsigned long long" => self.resolve_name("c_ulonglong"),
            "int16_t" => self.resolve_name("i16"),
            "uint16_t" => self.resolve_name("u16"),
            "int8_t" => self.resolve_name("i8"),
            "uint8_t" | "unsigned char" => self.resolve_name("u8"),
            name if self.aliases.contains_key(name) => self.resolve_name(name),
            name => {
                let of_tag = self.enums.keys().chain(self.structs.keys()).chain(&self.opaque);
                self.resolve_name(of_tag.into_iter().find(|tag| self.of_tag(tag) == name)?)
            }
        };
        let pointer = |to| CType::Pointer { to: Box::new(to), constant: false };
        Some((0..pointers).fold(known.ok()?, |to, _| pointer(to)))
    }

    /// The parameters and the result of a function pointer, by its typedef.
    pub(crate) fn called_back(&self, alias: &str) -> Result<(Vec<CType>, CType), LeftOut> {
        let target = self.aliases.get(alias).ok_or(LeftOut::UnnamedType)?;
        let Some(syn::Type::BareFn(signature)) = model::type_argument(target) else {
            // The target is a typedef of the same function pointer.
            let syn::Type::Path(path) = target else { return Err(LeftOut::UnnamedType) };
            let last = path.path.segments.last().ok_or(LeftOut::UnnamedType)?;
            return self.called_back(&last.ident.to_string());
        };
        if signature.variadic.is_some() {
            return Err(LeftOut::Variadic);
        }
        let parameters = signature.inputs.iter().map(|input| self.resolve(&input.ty)).collect::<Result<_, _>>()?;
        let returns = match &signature.output {
            syn::ReturnType::Default => CType::Void,
            syn::ReturnType::Type(_, ty) => self.resolve(ty)?,
        };
        Ok((parameters, returns))
    }

    /// True if the type is incomplete, so that a typedef of a pointer to it is a handle.
    fn incomplete(&self, ty: &CType) -> bool {
        match ty {
            CType::Void => true,
            CType::Struct(name) => self.opaque.iter().any(|tag| self.of_tag(tag) == *name),
            _ => false,
        }
    }
}
