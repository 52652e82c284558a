//! Converts bindgen's output into the declarations for the tables, described with C types.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::header::LIBRARY;
use crate::names::{Names, names};
use crate::text;

/// A C type, with the same variants as `Type` in the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CType {
    Void,
    Char,
    Integer { bytes: u8, signed: bool },
    LongLong { name: String, signed: bool },
    Float { bytes: u8 },
    Enumeration { name: String, signed: bool },
    Handle(String),
    Struct(String),
    Pointer { to: Box<CType>, constant: bool },
    Array { of: Box<CType>, length: usize },
    Callback(String),
}

/// A parameter with its C type and its type in bindgen's signature.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub name: String,
    pub ty: CType,
    pub rust: syn::Type,
}

/// A function that can be called with the arguments widened to 64 bits.
#[derive(Debug)]
pub(crate) struct Function {
    /// The function's name in C source that uses the header.
    pub name: String,
    /// The symbol, if a macro renames the function.
    pub exported_as: Option<String>,
    pub parameters: Vec<Parameter>,
    pub returns: CType,
    /// The result type in bindgen's signature; `None` for `void`.
    pub result: Option<syn::Type>,
}

/// An enumeration with its enumerators in the header's order.
#[derive(Debug)]
pub(crate) struct Enumeration {
    pub name: String,
    pub constants: Vec<(String, i128)>,
}

/// A field. When the generated code is compiled, the compiler determines the field's offset.
#[derive(Debug)]
pub(crate) struct Field {
    pub name: String,
    /// The path in bindgen's struct: one name, or several if the field is inside an anonymous member.
    pub path: String,
    pub ty: CType,
}

/// A complete struct or union.
#[derive(Debug)]
pub(crate) struct Struct {
    /// The name in C.
    pub name: String,
    /// The name in bindgen's output.
    pub rust: String,
    pub union: bool,
    pub fields: Vec<Field>,
}

/// A typedef of a function pointer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Callback {
    pub name: String,
    pub parameters: Vec<CType>,
    pub returns: CType,
}

/// All declarations in a header, each list sorted by name.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub functions: Vec<Function>,
    pub enums: Vec<Enumeration>,
    pub structs: Vec<Struct>,
    pub typedefs: Vec<(String, CType)>,
    pub callbacks: Vec<Callback>,
    pub constants: Vec<(String, i128)>,
    /// The macros that cast an integer to a type of the header.
    pub casts: Vec<(String, CType, i128)>,
    /// Declarations that the tables cannot express, each with the reason.
    pub left_out: Vec<(String, LeftOut)>,
}

/// The reason why a declaration is not in the tables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub(crate) enum LeftOut {
    #[error("an array of unknown length")]
    ArrayLength,
    #[error("a typedef of an array")]
    ArrayTypedef,
    #[error("bit-fields have no offset")]
    BitField,
    #[error("a macro of this name has another meaning")]
    Hidden,
    #[error("a macro whose value bindgen cannot read as an integer")]
    Macro,
    #[error("it returns a struct by value")]
    ReturnsStruct,
    #[error("a type that the tables cannot express")]
    UnnamedType,
    #[error("the tables cannot express the type {0}")]
    Type(String),
    #[error("a variable, not a function")]
    Variable,
    #[error("it takes a variable number of arguments")]
    Variadic,
}

/// Reads bindgen's output. The header's text distinguishes renamed keywords from names that end in an underscore. It
/// also shows which functions macros rename and which macros the tables cannot express. The values of macros come from
/// the C compiler.
pub(crate) fn read(raw: &syn::File, header: &str, macros: &BTreeMap<String, i128>) -> Result<Model, Error> {
    let names = names(raw, header);
    let written = text::macros(header);
    let mut model = Model::default();
    for item in &raw.items {
        match item {
            syn::Item::Struct(item) if item.ident == LIBRARY => {
                for field in &item.fields {
                    function(field, &names, &written, &mut model)?;
                }
            }
            syn::Item::Const(item) => constant(item, macros, &mut model)?,
            syn::Item::Impl(item) => enumerators(item, &names, &mut model)?,
            _ => {}
        }
    }
    for (name, (union, fields)) in &names.structs {
        let (name, rust) = (names.of_tag(name), name.clone());
        let mut structure = Struct { name, rust, union: *union, fields: Vec::new() };
        members(fields, "", &names, &mut structure, &mut model.left_out);
        model.structs.push(structure);
    }
    typedefs(&names, &mut model);
    for (name, value) in &written {
        let listed = model.functions.iter().any(|function| function.name == *name);
        let left_out = model.left_out.iter().any(|(known, _)| known == name);
        if macros.contains_key(*name) || listed || left_out {
            continue;
        }
        match cast(value, &names, macros) {
            Some((CType::Integer { .. }, value)) => model.constants.push(((*name).to_owned(), value)),
            Some((ty, value)) => model.casts.push(((*name).to_owned(), ty, value)),
            None => model.left_out.push(((*name).to_owned(), LeftOut::Macro)),
        }
    }
    model.structs.sort_by(|left, right| left.name.cmp(&right.name));
    model.functions.sort_by(|left, right| left.name.cmp(&right.name));
    model.enums.sort_by(|left, right| left.name.cmp(&right.name));
    model.constants.sort();
    model.constants.dedup();
    model.left_out.sort();
    Ok(model)
}

/// Adds the typedefs except handles, which appear by name in the types of functions and fields.
fn typedefs(names: &Names, model: &mut Model) {
    for alias in names.aliases.keys() {
        let name = names.in_c(alias);
        match names.resolve_name(alias) {
            Ok(CType::Handle(_)) => {}
            Ok(CType::Callback(_)) => match names.called_back(alias) {
                Ok((parameters, returns)) => model.callbacks.push(Callback { name, parameters, returns }),
                Err(reason) => model.left_out.push((name, reason)),
            },
            Ok(CType::Array { .. }) => model.left_out.push((name, LeftOut::ArrayTypedef)),
            // The table of that type has it under this name.
            Ok(CType::Struct(own) | CType::Enumeration { name: own, .. }) if own == name => {}
            Ok(ty) => model.typedefs.push((name, ty)),
            Err(reason) => model.left_out.push((name, reason)),
        }
    }
    model.typedefs.sort_by(|(left, _), (right, _)| left.cmp(right));
    model.callbacks.sort_by(|left, right| left.name.cmp(&right.name));
}

/// Adds the function for a field in the library struct, under each name that C source can use.
fn function(field: &syn::Field, names: &Names, macros: &BTreeMap<&str, &str>, model: &mut Model) -> Result<(), Error> {
    let Some(ident) = &field.ident else {
        return Err(Error::Unknown { form: "a function without a name".to_owned() });
    };
    if ident == "__library" {
        return Ok(());
    }
    let symbol = names.in_c(&ident.to_string());
    let written = text::written(&symbol, macros);
    if written.is_empty() {
        model.left_out.push((symbol.clone(), LeftOut::Hidden));
    }
    for name in written {
        match signature(field, names) {
            Ok((parameters, returns, result)) => model.functions.push(Function {
                name: name.to_owned(),
                exported_as: (name != symbol).then(|| symbol.clone()),
                parameters,
                returns,
                result,
            }),
            Err(reason) => model.left_out.push((name.to_owned(), reason)),
        }
    }
    Ok(())
}

/// The parameters and the result of the function for a field in the library struct.
fn signature(field: &syn::Field, names: &Names) -> Result<(Vec<Parameter>, CType, Option<syn::Type>), LeftOut> {
    let Some(syn::Type::BareFn(signature)) = type_argument(&field.ty) else {
        return Err(LeftOut::Variable);
    };
    if signature.variadic.is_some() {
        return Err(LeftOut::Variadic);
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
    match returns {
        CType::Struct(_) => Err(LeftOut::ReturnsStruct),
        returns => Ok((parameters, returns, result)),
    }
}

/// The `T` in `Option<T>` or `Result<T, libloading::Error>`, the types of fields in the library struct.
pub(crate) fn type_argument(ty: &syn::Type) -> Option<&syn::Type> {
    let syn::Type::Path(path) = ty else { return None };
    let syn::PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    match arguments.args.first()? {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// Adds a macro, or a constant from an anonymous enumeration.
fn constant(item: &syn::ItemConst, macros: &BTreeMap<String, i128>, model: &mut Model) -> Result<(), Error> {
    let name = item.ident.to_string();
    if let Some(value) = macros.get(&name) {
        model.constants.push((name, *value));
    } else if matches!(&*item.expr, syn::Expr::Call(_)) {
        let value = enumerator(&item.expr, &name)?;
        model.constants.push((name, value));
    }
    Ok(())
}

/// The value of an enumerator, which bindgen writes in parentheses after the name of the type.
fn enumerator(expression: &syn::Expr, name: &str) -> Result<i128, Error> {
    let value = match expression {
        syn::Expr::Call(call) => call.args.first().and_then(integer),
        _ => None,
    };
    value.ok_or_else(|| Error::Unknown { form: format!("{name} without an integer") })
}

/// Adds the enumeration whose enumerators are listed in one of bindgen's `impl` blocks.
fn enumerators(item: &syn::ItemImpl, names: &Names, model: &mut Model) -> Result<(), Error> {
    let syn::Type::Path(ty) = &*item.self_ty else { return Ok(()) };
    let Some(name) = ty.path.get_ident().map(ToString::to_string) else { return Ok(()) };
    if item.trait_.is_some() || !names.enums.contains_key(&name) {
        return Ok(());
    }
    let mut constants = Vec::new();
    for entry in &item.items {
        let syn::ImplItem::Const(entry) = entry else { continue };
        let constant = names.in_c(&entry.ident.to_string());
        let value = enumerator(&entry.expr, &format!("{name}::{constant}"))?;
        constants.push((constant, value));
    }
    let anonymous = name.starts_with("_bindgen_ty_");
    let name = names.of_tag(&name);
    if anonymous {
        model.constants.extend(constants);
    } else if let Some(known) = model.enums.iter_mut().find(|known| known.name == name) {
        known.constants.extend(constants);
    } else {
        model.enums.push(Enumeration { name, constants });
    }
    Ok(())
}

/// Adds a struct's members in the header's order, including the members of anonymous members, named as in C. Members
/// that the tables cannot express are left out with a reason.
fn members(
    fields: &syn::FieldsNamed,
    prefix: &str,
    names: &Names,
    structure: &mut Struct,
    left_out: &mut Vec<(String, LeftOut)>,
) {
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        let ident = ident.to_string();
        let path = format!("{prefix}{ident}");
        if ident == "_address" || ident.starts_with("__bindgen_padding_") || ident.starts_with("_bitfield_align_") {
            continue;
        }
        if ident.starts_with("__bindgen_anon_")
            && let syn::Type::Path(ty) = &field.ty
            && let Some(inner) = ty.path.get_ident()
            && let Some((_, inner)) = names.structs.get(&inner.to_string())
        {
            members(inner, &format!("{path}."), names, structure, left_out);
            continue;
        }
        let bit_field = ident.starts_with("_bitfield_");
        let ty = if bit_field { Err(LeftOut::BitField) } else { names.resolve(&field.ty) };
        let name = names.in_c(&ident);
        match ty {
            Ok(ty) => structure.fields.push(Field { name, path, ty }),
            Err(reason) => left_out.push((format!("{}.{name}", structure.name), reason)),
        }
    }
}

/// The type and the value of a macro that casts an integer, such as `((toyStream)0x1)`.
fn cast(text: &str, names: &Names, macros: &BTreeMap<String, i128>) -> Option<(CType, i128)> {
    let (ty, value) = text::cast(text)?;
    let value = text::integer(value).or_else(|| macros.get(value).copied())?;
    let ty = names.written_type(ty)?;
    let (bits, signed) = match &ty {
        CType::Integer { bytes, signed } => (u32::from(*bytes) * 8, *signed),
        CType::LongLong { signed, .. } => (64, *signed),
        CType::Enumeration { signed, .. } => (32, *signed),
        CType::Handle(_) | CType::Pointer { .. } => (64, false),
        _ => return None,
    };
    let low = value & ((1i128 << bits) - 1);
    let value = if signed && low >> (bits - 1) != 0 { low - (1i128 << bits) } else { low };
    Some((ty, value))
}

/// The value of an integer literal with or without a minus sign.
pub(crate) fn integer(expression: &syn::Expr) -> Option<i128> {
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
mod tests;
