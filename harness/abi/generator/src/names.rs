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
    names
}

impl Names<'_> {
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
            "i64" | "isize" | "c_long" | "c_longlong" => return integer(8, true),
            "u64" | "usize" | "c_ulong" | "c_ulonglong" => return integer(8, false),
            "f32" | "c_float" => return Ok(CType::Float { bytes: 4 }),
            "f64" | "c_double" => return Ok(CType::Float { bytes: 8 }),
            _ => {}
        }
        if let Some(target) = self.aliases.get(name) {
            return Ok(match self.resolve(target)? {
                CType::Pointer { to, .. } if self.incomplete(&to) => CType::Handle(name.to_owned()),
                CType::Handle(_) => CType::Handle(name.to_owned()),
                CType::Callback(_) => CType::Callback(name.to_owned()),
                other => other,
            });
        }
        if let Some(inner) = self.enums.get(name) {
            return Ok(match self.resolve(inner)? {
                CType::Integer { bytes: 4, signed } => CType::Enumeration { name: name.to_owned(), signed },
                other => other,
            });
        }
        if self.structs.contains_key(name) || self.opaque.contains(name) {
            return Ok(CType::Struct(name.to_owned()));
        }
        Err(LeftOut::Type(name.to_owned()))
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
            CType::Struct(name) => self.opaque.contains(name),
            _ => false,
        }
    }
}
