//! Turns bindgen's output into the declarations that the tables list, in C's terms.

use std::collections::{BTreeMap, BTreeSet};

use crate::header::LIBRARY;

/// A C type, one for one what `Type` of the harness can say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CType {
    Void,
    Char,
    Integer { bytes: u8, signed: bool },
    Float { bytes: u8 },
    Enumeration { name: String, signed: bool },
    Handle(String),
    Struct(String),
    Pointer { to: Box<CType>, constant: bool },
    Array { of: Box<CType>, length: usize },
    Callback(String),
}

/// A parameter with its C type and the type in bindgen's signature.
#[derive(Debug)]
pub struct Parameter {
    pub name: String,
    pub ty: CType,
    pub rust: syn::Type,
}

/// A function that can be called with the arguments widened to 64 bits.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub returns: CType,
    /// The result in bindgen's signature; none for `void`.
    pub result: Option<syn::Type>,
}

/// An enumeration with its enumerators in the order of the header.
#[derive(Debug)]
pub struct Enumeration {
    pub name: String,
    pub constants: Vec<(String, i128)>,
}

/// A field; its offset is left to the compiler of the generated code.
#[derive(Debug)]
pub struct Field {
    pub name: String,
    /// Where bindgen's struct has it: one name, or several when C lifts it out of an anonymous member.
    pub path: String,
    pub ty: CType,
}

/// A complete struct or union.
#[derive(Debug)]
pub struct Struct {
    pub name: String,
    pub union: bool,
    pub fields: Vec<Field>,
}

/// All declarations of a header, each list sorted by name.
#[derive(Debug, Default)]
pub struct Model {
    pub functions: Vec<Function>,
    pub enums: Vec<Enumeration>,
    pub structs: Vec<Struct>,
    pub constants: Vec<(String, i128)>,
    /// What the tables cannot express, with the reason.
    pub left_out: Vec<(String, String)>,
}

/// The names that bindgen's output defines, by kind.
#[derive(Default)]
struct Names<'a> {
    aliases: BTreeMap<String, syn::Type>,
    /// The integer type behind each enumeration.
    enums: BTreeMap<String, &'a syn::Type>,
    /// The fields of each complete struct or union, and whether it is a union.
    structs: BTreeMap<String, (bool, &'a syn::FieldsNamed)>,
    /// Structs that are declared but never defined.
    opaque: BTreeSet<String>,
    /// The identifiers of the header, to undo bindgen's renaming of Rust's keywords.
    words: BTreeSet<&'a str>,
}

/// Reads bindgen's output. The header's text tells a renamed keyword from a name that ends in an underscore, and
/// which macros have no place in the tables; the values of macros come from the C compiler.
pub fn read(raw: &syn::File, text: &str, macros: &BTreeMap<String, i128>) -> Result<Model, String> {
    let names = names(raw, text);
    let mut model = Model::default();
    for item in &raw.items {
        match item {
            syn::Item::Struct(item) if item.ident == LIBRARY => {
                for field in &item.fields {
                    function(field, &names, &mut model)?;
                }
            }
            syn::Item::Const(item) => constant(item, macros, &mut model)?,
            syn::Item::Impl(item) => enumerators(item, &names, &mut model)?,
            _ => {}
        }
    }
    for (name, (union, fields)) in &names.structs {
        let mut listed = Vec::new();
        members(fields, "", &names, &mut |field, reason| match reason {
            None => listed.push(field),
            Some(reason) => model.left_out.push((format!("{name}.{}", field.name), reason)),
        });
        model.structs.push(Struct { name: name.clone(), union: *union, fields: listed });
    }
    for name in object_like_macros(text) {
        if !macros.contains_key(name) {
            let reason = "a macro whose value is no integer that bindgen can read";
            model.left_out.push((name.to_owned(), reason.to_owned()));
        }
    }
    model.functions.sort_by(|left, right| left.name.cmp(&right.name));
    model.enums.sort_by(|left, right| left.name.cmp(&right.name));
    model.constants.sort();
    model.constants.dedup();
    model.left_out.sort();
    Ok(model)
}

fn names<'a>(raw: &'a syn::File, text: &'a str) -> Names<'a> {
    let mut names = Names { words: words(text), ..Names::default() };
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

/// The identifiers of a text.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
        .collect()
}

/// The object-like macros that a header gives a value, whatever it is.
fn object_like_macros(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| {
            let line = line.trim_start().strip_prefix('#')?.trim_start();
            let line = line.strip_prefix("define")?.trim_start();
            let end = line.find(|character: char| !character.is_ascii_alphanumeric() && character != '_')?;
            let (name, value) = line.split_at(end);
            let value = value.split("/*").next()?.split("//").next()?;
            (!value.starts_with('(') && !value.trim().is_empty()).then_some(name)
        })
        .collect()
}

impl Names<'_> {
    /// The name that the header uses: bindgen appends an underscore to Rust's keywords.
    fn in_c(&self, name: &str) -> String {
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

    /// The C type behind a Rust type of bindgen's output.
    fn resolve(&self, ty: &syn::Type) -> Result<CType, String> {
        match ty {
            syn::Type::Ptr(pointer) => Ok(CType::Pointer {
                to: Box::new(self.resolve(&pointer.elem)?),
                constant: pointer.const_token.is_some(),
            }),
            syn::Type::Array(array) => Ok(CType::Array {
                of: Box::new(self.resolve(&array.elem)?),
                length: integer(&array.len)
                    .and_then(|length| usize::try_from(length).ok())
                    .ok_or("an array of unknown length")?,
            }),
            syn::Type::BareFn(_) => Ok(CType::Callback(String::new())),
            syn::Type::Path(path) => self.resolve_path(&path.path),
            _ => Err("a type that has no place in the tables".to_owned()),
        }
    }

    fn resolve_path(&self, path: &syn::Path) -> Result<CType, String> {
        let Some(name) = path.segments.last().map(|segment| segment.ident.to_string()) else {
            return Err("a type without a name".to_owned());
        };
        let integer = |bytes, signed| Ok(CType::Integer { bytes, signed });
        match name.as_str() {
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
        if let Some(target) = self.aliases.get(&name) {
            return Ok(match self.resolve(target)? {
                CType::Pointer { to, .. } if self.incomplete(&to) => CType::Handle(name),
                CType::Handle(_) => CType::Handle(name),
                CType::Callback(_) => CType::Callback(name),
                other => other,
            });
        }
        if let Some(inner) = self.enums.get(&name) {
            return Ok(match self.resolve(inner)? {
                CType::Integer { bytes: 4, signed } => CType::Enumeration { name, signed },
                other => other,
            });
        }
        if self.structs.contains_key(&name) || self.opaque.contains(&name) {
            return Ok(CType::Struct(name));
        }
        Err(format!("the type {name} has no place in the tables"))
    }

    /// Whether nothing is known of what a pointer points to, so that a typedef of the pointer is a handle.
    fn incomplete(&self, ty: &CType) -> bool {
        match ty {
            CType::Void => true,
            CType::Struct(name) => self.opaque.contains(name),
            _ => false,
        }
    }
}

/// Adds the function that a field of the library struct stands for.
fn function(field: &syn::Field, names: &Names, model: &mut Model) -> Result<(), String> {
    let Some(ident) = &field.ident else {
        return Err("bindgen's library struct has a field without a name".to_owned());
    };
    if ident == "__library" {
        return Ok(());
    }
    let name = names.in_c(&ident.to_string());
    let read = || -> Result<Function, String> {
        let signature = match symbol(&field.ty) {
            Some(syn::Type::BareFn(signature)) => signature,
            _ => return Err("a variable, not a function".to_owned()),
        };
        if signature.variadic.is_some() {
            return Err("it takes a variable number of arguments".to_owned());
        }
        let mut parameters = Vec::new();
        for (index, input) in signature.inputs.iter().enumerate() {
            let name = match &input.name {
                Some((name, _)) => names.in_c(&name.to_string()),
                None => format!("arg{}", index + 1),
            };
            parameters.push(Parameter { ty: names.resolve(&input.ty)?, rust: input.ty.clone(), name });
        }
        let (returns, result) = match &signature.output {
            syn::ReturnType::Default => (CType::Void, None),
            syn::ReturnType::Type(_, ty) => (names.resolve(ty)?, Some((**ty).clone())),
        };
        if matches!(returns, CType::Struct(_)) {
            return Err("it returns a struct by value".to_owned());
        }
        Ok(Function { name: name.clone(), parameters, returns, result })
    };
    match read() {
        Ok(function) => model.functions.push(function),
        Err(reason) => model.left_out.push((name.clone(), reason)),
    }
    Ok(())
}

/// What a field of the library struct holds when the symbol is there: `T` of `Result<T, libloading::Error>`.
fn symbol(ty: &syn::Type) -> Option<&syn::Type> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    let syn::PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// Adds a macro, or a constant of an anonymous enumeration.
fn constant(item: &syn::ItemConst, macros: &BTreeMap<String, i128>, model: &mut Model) -> Result<(), String> {
    let name = item.ident.to_string();
    if let Some(value) = macros.get(&name) {
        model.constants.push((name, *value));
    } else if let syn::Expr::Call(call) = &*item.expr {
        let value = call.args.first().and_then(integer);
        let value = value.ok_or_else(|| format!("bindgen gives {name} no integer"))?;
        model.constants.push((name, value));
    }
    Ok(())
}

/// Adds the enumeration whose enumerators an `impl` block of bindgen lists.
fn enumerators(item: &syn::ItemImpl, names: &Names, model: &mut Model) -> Result<(), String> {
    let syn::Type::Path(ty) = &*item.self_ty else {
        return Ok(());
    };
    let Some(name) = ty.path.get_ident().map(ToString::to_string) else {
        return Ok(());
    };
    if item.trait_.is_some() || !names.enums.contains_key(&name) {
        return Ok(());
    }
    let mut constants = Vec::new();
    for entry in &item.items {
        let syn::ImplItem::Const(entry) = entry else {
            continue;
        };
        let value = match &entry.expr {
            syn::Expr::Call(call) => call.args.first().and_then(integer),
            _ => None,
        };
        let constant = names.in_c(&entry.ident.to_string());
        let value = value.ok_or_else(|| format!("bindgen gives {name}::{constant} no integer"))?;
        constants.push((constant, value));
    }
    if name.starts_with("_bindgen_ty_") {
        model.constants.extend(constants);
    } else if let Some(known) = model.enums.iter_mut().find(|known| known.name == name) {
        known.constants.extend(constants);
    } else {
        model.enums.push(Enumeration { name, constants });
    }
    Ok(())
}

/// Visits the members of a struct in the order of the header, those of anonymous members among them as C names them;
/// with a reason for those that the tables cannot list.
fn members(fields: &syn::FieldsNamed, prefix: &str, names: &Names, visit: &mut dyn FnMut(Field, Option<String>)) {
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        let ident = ident.to_string();
        let path = format!("{prefix}{ident}");
        if ident == "_address" || ident.starts_with("__bindgen_padding_") {
            continue;
        }
        if ident.starts_with("__bindgen_anon_")
            && let syn::Type::Path(ty) = &field.ty
            && let Some(inner) = ty.path.get_ident()
            && let Some((_, inner)) = names.structs.get(&inner.to_string())
        {
            members(inner, &format!("{path}."), names, visit);
            continue;
        }
        let (ty, reason) = if ident.starts_with("_bitfield_") {
            (CType::Void, Some("bit-fields have no offset".to_owned()))
        } else {
            match names.resolve(&field.ty) {
                Ok(ty) => (ty, None),
                Err(reason) => (CType::Void, Some(reason)),
            }
        };
        let name = names.in_c(&ident);
        if !ident.starts_with("_bitfield_align_") {
            visit(Field { name, path, ty }, reason);
        }
    }
}

/// The value of an integer literal with or without a minus.
pub fn integer(expression: &syn::Expr) -> Option<i128> {
    match expression {
        syn::Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(value) => value.base10_parse().ok(),
            _ => None,
        },
        syn::Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => integer(&unary.expr).map(|value| -value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// Declarations as bindgen writes them, so that these tests need no libclang.
    const RAW: &str = "
        pub type status = ::core::ffi::c_int;
        pub type handle = *mut ::core::ffi::c_void;
        pub type opaque_handle = *mut hidden;
        pub type hook = ::core::option::Option<unsafe extern \"C\" fn(user: handle)>;
        pub type text = *const ::core::ffi::c_char;
        pub struct hidden { _unused: [u8; 0], }
        #[repr(transparent)] pub struct kind(pub ::core::ffi::c_uint);
        impl kind { pub const B: kind = kind(7); pub const A: kind = kind(1); }
        pub use self::kind as kind_t;
        #[repr(transparent)] pub struct signed_kind(pub ::core::ffi::c_int);
        impl signed_kind { pub const LOW: signed_kind = signed_kind(-1); }
        pub struct place { pub id: u32, pub type_: kind, pub __bindgen_anon_1: place__bindgen_ty_1 }
        pub union place__bindgen_ty_1 { pub x: u64, pub y: f32 }
        pub const LIMIT: i32 = -1;
        pub struct Api {
            __library: ::libloading::Library,
            pub take: Result<unsafe extern \"C\" fn(type_: kind, at: *mut handle) -> status, ::libloading::Error>,
            pub quit: Result<unsafe extern \"C\" fn(), ::libloading::Error>,
            pub log: Result<unsafe extern \"C\" fn(text: text, ...), ::libloading::Error>,
            pub make: Result<unsafe extern \"C\" fn() -> place, ::libloading::Error>,
        }";

    const TEXT: &str = "#define GUARD_H\n#define LIMIT 0xFFFFFFFFU\n#define NAME \"x\"\n#define CALL(x) x\n\
        int take(int type, void *at);";

    fn model() -> Model {
        let raw = syn::parse_file(RAW).unwrap();
        let macros = BTreeMap::from([("LIMIT".to_owned(), 0xFFFF_FFFF)]);
        read(&raw, TEXT, &macros).unwrap()
    }

    fn pointer(to: CType, constant: bool) -> CType {
        let to = Box::new(to);
        CType::Pointer { to, constant }
    }

    #[rstest]
    #[case("status", CType::Integer { bytes: 4, signed: true })]
    #[case("usize", CType::Integer { bytes: 8, signed: false })]
    #[case("u64", CType::Integer { bytes: 8, signed: false })]
    #[case("bool", CType::Integer { bytes: 1, signed: false })]
    #[case("f32", CType::Float { bytes: 4 })]
    #[case("handle", CType::Handle("handle".into()))]
    #[case("opaque_handle", CType::Handle("opaque_handle".into()))]
    #[case("*mut handle", pointer(CType::Handle("handle".into()), false))]
    #[case("hook", CType::Callback("hook".into()))]
    #[case("kind", CType::Enumeration { name: "kind".into(), signed: false })]
    #[case("kind_t", CType::Enumeration { name: "kind".into(), signed: false })]
    #[case("signed_kind", CType::Enumeration { name: "signed_kind".into(), signed: true })]
    #[case("text", pointer(CType::Char, true))]
    #[case("*mut *const ::core::ffi::c_void", pointer(pointer(CType::Void, true), false))]
    #[case("place", CType::Struct("place".into()))]
    #[case("*mut hidden", pointer(CType::Struct("hidden".into()), false))]
    #[case("[u8; 16usize]", CType::Array { of: Box::new(CType::Integer { bytes: 1, signed: false }), length: 16 })]
    fn types_are_those_of_c(#[case] rust: &str, #[case] expected: CType) {
        let raw = syn::parse_file(RAW).unwrap();
        let ty = syn::parse_str(rust).unwrap();
        assert_eq!(names(&raw, TEXT).resolve(&ty), Ok(expected));
    }

    #[rstest]
    fn functions_are_sorted_and_keywords_keep_their_name() {
        let model = model();
        let listed: Vec<_> = model.functions.iter().map(|each| &*each.name).collect();
        assert_eq!(listed, ["quit", "take"]);
        let parameters: Vec<_> = model.functions[1].parameters.iter().map(|each| &*each.name).collect();
        assert_eq!(parameters, ["type", "at"]);
    }

    #[rstest]
    fn what_cannot_be_expressed_is_named_with_a_reason() {
        let left_out: Vec<_> = model().left_out.into_iter().map(|(name, _)| name).collect();
        assert_eq!(left_out, ["NAME", "log", "make"]);
    }

    #[rstest]
    fn enumerators_keep_the_order_of_the_header_and_macros_the_value_of_the_compiler() {
        let model = model();
        assert_eq!(model.enums[0].constants, [("B".to_owned(), 7), ("A".to_owned(), 1)]);
        assert_eq!(model.enums[1].constants, [("LOW".to_owned(), -1)]);
        assert_eq!(model.constants, [("LIMIT".to_owned(), 0xFFFF_FFFF)]);
    }

    #[rstest]
    fn fields_of_anonymous_members_belong_to_the_struct() {
        let model = model();
        let place = &model.structs[0];
        let fields: Vec<_> = place.fields.iter().map(|field| (&*field.name, &*field.path)).collect();
        assert_eq!(fields, [("id", "id"), ("type", "type_"), ("x", "__bindgen_anon_1.x"), ("y", "__bindgen_anon_1.y")]);
    }
}
