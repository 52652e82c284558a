//! C types: their names, sizes and ranges.

use std::collections::HashMap;

use abi::{Bindings, Callback, Enumeration, Function, Struct, Type};

use super::pattern;

/// A header's declarations, by name.
#[derive(Debug)]
pub struct Declarations {
    pub bindings: &'static Bindings,
    functions: HashMap<&'static str, &'static Function>,
    structs: HashMap<&'static str, &'static Struct>,
    callbacks: HashMap<&'static str, &'static Callback>,
    constants: HashMap<&'static str, (i128, Option<&'static Enumeration>)>,
    /// The types of the constants that are casts.
    casts: HashMap<&'static str, Type>,
    types: HashMap<&'static str, Type>,
}

/// `int`.
pub const INT: Type = Type::Integer { bytes: 4, signed: true };
/// `size_t`.
pub const SIZE: Type = Type::Integer { bytes: 8, signed: false };
/// `int64_t`.
pub const INT64: Type = Type::Integer { bytes: 8, signed: true };
/// `void *`.
pub const VOID_POINTER: Type = Type::Pointer { to: &Type::Void, constant: false };
/// `char *`.
pub const CHAR_POINTER: Type = Type::Pointer { to: &Type::Char, constant: false };
/// `const char *`.
pub const TEXT: Type = Type::Pointer { to: &Type::Char, constant: true };

const C_TYPES: &[(&str, Type)] = &[
    ("void", Type::Void),
    ("char", Type::Char),
    ("int8_t", Type::Integer { bytes: 1, signed: true }),
    ("uint8_t", Type::Integer { bytes: 1, signed: false }),
    ("unsigned char", Type::Integer { bytes: 1, signed: false }),
    ("int16_t", Type::Integer { bytes: 2, signed: true }),
    ("uint16_t", Type::Integer { bytes: 2, signed: false }),
    ("int", INT),
    ("int32_t", INT),
    ("uint32_t", Type::Integer { bytes: 4, signed: false }),
    ("unsigned", Type::Integer { bytes: 4, signed: false }),
    ("unsigned int", Type::Integer { bytes: 4, signed: false }),
    ("int64_t", INT64),
    ("long", INT64),
    ("long long", Type::LongLong { name: "long long", signed: true }),
    ("unsigned long long", Type::LongLong { name: "unsigned long long", signed: false }),
    ("uint64_t", SIZE),
    ("unsigned long", SIZE),
    ("size_t", SIZE),
    ("uintptr_t", SIZE),
    ("intptr_t", INT64),
    ("float", Type::Float { bytes: 4 }),
    ("double", Type::Float { bytes: 8 }),
];

/// The limits of C's integer types, with their names from <stdint.h>.
const C_CONSTANTS: &[(&str, i128)] = &[
    ("NULL", 0),
    ("INT32_MIN", i32::MIN as i128),
    ("INT32_MAX", i32::MAX as i128),
    ("UINT32_MAX", u32::MAX as i128),
    ("INT64_MIN", i64::MIN as i128),
    ("INT64_MAX", i64::MAX as i128),
    ("UINT64_MAX", u64::MAX as i128),
    ("SIZE_MAX", u64::MAX as i128),
];

impl Declarations {
    /// Indexes a header's declarations.
    pub fn new(bindings: &'static Bindings) -> Declarations {
        let mut types: HashMap<&'static str, Type> = C_TYPES.iter().copied().collect();
        let mut constants: HashMap<&'static str, (i128, Option<&'static Enumeration>)> =
            C_CONSTANTS.iter().map(|(name, value)| (*name, (*value, None))).collect();
        for constant in bindings.constants {
            constants.insert(constant.name, (constant.value, None));
        }
        for cast in bindings.casts {
            constants.insert(cast.name, (cast.value, None));
        }
        for enumeration in bindings.enums {
            let signed = enumeration.constants.iter().any(|constant| constant.value < 0);
            types.insert(enumeration.name, Type::Enumeration { name: enumeration.name, signed });
            for constant in enumeration.constants {
                constants.insert(constant.name, (constant.value, Some(enumeration)));
            }
        }
        for structure in bindings.structs {
            types.insert(structure.name, Type::Struct(structure.name));
        }
        for function in bindings.functions {
            for ty in function.parameters.iter().map(|parameter| &parameter.ty).chain([&function.returns]) {
                note_named_types(ty, &mut types);
            }
        }
        for callback in bindings.callbacks {
            types.insert(callback.name, Type::Callback(callback.name));
        }
        for typedef in bindings.typedefs {
            types.entry(typedef.name).or_insert(typedef.ty);
        }
        let mut structs: HashMap<&'static str, &'static Struct> =
            bindings.structs.iter().map(|structure| (structure.name, structure)).collect();
        // A tag without a typedef may also be written alone.
        for structure in bindings.structs {
            if let Some((_, tag)) = structure.name.split_once(' ') {
                types.entry(tag).or_insert(Type::Struct(structure.name));
                structs.entry(tag).or_insert(structure);
            }
        }
        for enumeration in bindings.enums {
            if let (Some((_, tag)), Some(ty)) = (enumeration.name.split_once(' '), types.get(enumeration.name).copied())
            {
                types.entry(tag).or_insert(ty);
            }
        }
        Declarations {
            bindings,
            functions: bindings.functions.iter().map(|function| (function.name, function)).collect(),
            structs,
            callbacks: bindings.callbacks.iter().map(|callback| (callback.name, callback)).collect(),
            constants,
            casts: bindings.casts.iter().map(|cast| (cast.name, cast.ty)).collect(),
            types,
        }
    }

    /// All functions, sorted by name.
    pub fn functions(&self) -> &'static [Function] {
        self.bindings.functions
    }

    pub fn function(&self, name: &str) -> Option<&'static Function> {
        self.functions.get(name).copied()
    }

    pub fn structure(&self, name: &str) -> Option<&'static Struct> {
        self.structs.get(name).copied()
    }

    /// The callback type that a typedef names.
    pub fn callback(&self, name: &str) -> Option<&'static Callback> {
        self.callbacks.get(name).copied()
    }

    /// The names of callback types that `hook` supports.
    pub fn hooks(&self) -> impl Iterator<Item = &'static str> + '_ {
        let hooks = self.bindings.callbacks.iter().filter(|callback| is_hook(callback));
        hooks.map(|callback| callback.name)
    }

    /// The position of a callback type among the header's callback types.
    pub fn callback_position(&self, name: &str) -> Option<usize> {
        self.bindings.callbacks.iter().position(|callback| callback.name == name)
    }

    /// The value of an enumerator or macro. For an enumerator, its enumeration is returned too.
    pub fn constant(&self, name: &str) -> Option<(i128, Option<&'static Enumeration>)> {
        self.constants.get(name).copied()
    }

    /// The type of a constant that is a cast.
    pub fn cast(&self, name: &str) -> Option<Type> {
        self.casts.get(name).copied()
    }

    pub fn ty(&self, name: &str) -> Option<Type> {
        self.types.get(name).copied()
    }

    pub fn function_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.functions.keys().copied()
    }

    /// The name of a constant, as a `&'static str` from the header's tables.
    pub fn constant_name(&self, name: &str) -> Option<&'static str> {
        self.constants.get_key_value(name).map(|(name, _)| *name)
    }

    pub fn constant_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.constants.keys().copied()
    }

    pub fn type_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.types.keys().copied()
    }

    /// The codes of a result type: the enumerators of an enumeration or, for other types, the macros whose names match
    /// a pattern. Without a pattern, no macro is a code.
    pub fn codes(&self, ty: Type, pattern: Option<&str>) -> Vec<(i128, &'static str)> {
        let enumeration = match ty {
            Type::Enumeration { name, .. } => self.bindings.enums.iter().find(|known| known.name == name),
            _ => None,
        };
        let wanted = |name: &str| match pattern {
            Some(pattern) => pattern::matches(pattern, name),
            None => enumeration.is_some(),
        };
        let constants = enumeration.map_or(self.bindings.constants, |enumeration| enumeration.constants);
        let named = constants.iter().filter(|constant| wanted(constant.name));
        named.map(|constant| (constant.value, constant.name)).collect()
    }

    /// Adds the structs on whose layout a type depends: the type itself, its pointee, and their fields.
    pub fn note_structs(&self, ty: Type, found: &mut Vec<&'static str>) {
        match ty {
            Type::Pointer { to, .. } => self.note_structs(*to, found),
            Type::Array { of, .. } => self.note_structs(*of, found),
            Type::Struct(name) if !found.contains(&name) => {
                found.push(name);
                let fields = self.structure(name).into_iter().flat_map(|structure| structure.fields);
                fields.for_each(|field| self.note_structs(field.ty, found));
            }
            _ => {}
        }
    }

    /// The size of a type in bytes.
    #[inline]
    pub fn size(&self, ty: Type) -> usize {
        match ty {
            Type::Void | Type::Char => 1,
            Type::Integer { bytes, .. } | Type::Float { bytes } => bytes as usize,
            Type::Enumeration { .. } => 4,
            Type::LongLong { .. } | Type::Handle(_) | Type::Pointer { .. } | Type::Callback(_) => 8,
            Type::Struct(name) => self.structs.get(name).map_or(0, |structure| structure.size),
            Type::Array { of, length } => self.size(*of) * length,
        }
    }

    /// The alignment of a type in bytes.
    pub fn align(&self, ty: Type) -> usize {
        match ty {
            Type::Struct(name) => self.structs.get(name).map_or(1, |structure| structure.align),
            Type::Array { of, .. } => self.align(*of),
            other => self.size(other),
        }
    }
}

fn note_named_types(ty: &Type, types: &mut HashMap<&'static str, Type>) {
    match ty {
        Type::Handle(name) | Type::Callback(name) => {
            types.insert(name, *ty);
        }
        Type::Pointer { to, .. } => note_named_types(to, types),
        Type::Array { of, .. } => note_named_types(of, types),
        _ => {}
    }
}

/// True if computations use a value of the type as an integer.
#[inline]
pub fn is_integer(ty: Type) -> bool {
    matches!(ty, Type::Char | Type::Integer { .. } | Type::LongLong { .. } | Type::Enumeration { .. })
}

/// The integer type with the same values, for a type that C tells from it.
#[inline]
pub fn plain(ty: Type) -> Type {
    match ty {
        Type::LongLong { signed, .. } => Type::Integer { bytes: 8, signed },
        other => other,
    }
}

/// True if C has the same type under both names.
pub fn is_same(left: Type, right: Type) -> bool {
    match (left, right) {
        (Type::LongLong { signed: left, .. }, Type::LongLong { signed: right, .. }) => left == right,
        (Type::Pointer { to: left, constant }, Type::Pointer { to: right, constant: other }) => {
            constant == other && is_same(*left, *right)
        }
        _ => left == right,
    }
}

/// True if a value of the type is an address.
#[inline]
pub fn is_address(ty: Type) -> bool {
    matches!(ty, Type::Pointer { .. } | Type::Handle(_) | Type::Callback(_))
}

/// The smallest and largest value of a type that is read and written as an integer or address.
#[inline]
pub fn range(ty: Type) -> (i128, i128) {
    match plain(ty) {
        Type::Integer { bytes, signed: true } => (-(1i128 << (bytes * 8 - 1)), (1i128 << (bytes * 8 - 1)) - 1),
        Type::Integer { bytes, signed: false } => (0, (1i128 << (bytes * 8)) - 1),
        // Plain `char`: values of either sign are allowed, as in C.
        Type::Char => (-128, 255),
        // Any 32-bit pattern can be passed as an enumeration, because invalid values are test inputs.
        Type::Enumeration { .. } => (i128::from(i32::MIN), i128::from(u32::MAX)),
        _ => (0, i128::from(u64::MAX)),
    }
}

/// The value after a C cast to the type.
#[inline]
pub fn wrap(ty: Type, value: i128) -> i128 {
    let (bits, signed) = match plain(ty) {
        Type::Char => (8, true),
        Type::Integer { bytes, signed } => (u32::from(bytes) * 8, signed),
        Type::Enumeration { signed, .. } => (32, signed),
        _ => (64, false),
    };
    let low = value & ((1i128 << bits) - 1);
    if signed && low >> (bits - 1) != 0 { low - (1i128 << bits) } else { low }
}

/// The type in C notation.
pub fn c_name(ty: Type) -> String {
    match ty {
        Type::Void => "void".to_owned(),
        Type::Char => "char".to_owned(),
        Type::Integer { bytes, signed } => format!("{}int{}_t", if signed { "" } else { "u" }, bytes * 8),
        Type::Float { bytes: 4 } => "float".to_owned(),
        Type::Float { .. } => "double".to_owned(),
        Type::LongLong { name, .. }
        | Type::Enumeration { name, .. }
        | Type::Handle(name)
        | Type::Struct(name)
        | Type::Callback(name) => name.to_owned(),
        Type::Pointer { to, constant } => format!("{}{} *", if constant { "const " } else { "" }, c_name(*to)),
        Type::Array { of, length } => format!("{}[{length}]", c_name(*of)),
    }
}

/// The largest number of parameters of a callback that `hook` supports. Both x86_64 and aarch64 pass as many integers
/// and pointers in registers.
pub const HOOK_PARAMETERS: usize = 6;

/// True if `hook` has a function for the callback type: all parameters and the return value are integers or addresses.
pub fn is_hook(callback: &Callback) -> bool {
    let is_word = |ty: &Type| is_integer(*ty) || is_address(*ty);
    callback.parameters.len() <= HOOK_PARAMETERS
        && callback.parameters.iter().all(is_word)
        && (callback.returns == Type::Void || is_word(&callback.returns))
}

/// True if a callback's parameter can receive a gate: an untyped pointer, or a handle.
pub fn receives_gate(parameter: Type) -> bool {
    matches!(parameter, Type::Pointer { to: Type::Void, .. } | Type::Handle(_))
}

/// A callback type in C notation, without a name.
pub fn c_callback(callback: &Callback) -> String {
    let parameters: Vec<String> = callback.parameters.iter().map(|ty| c_name(*ty)).collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    format!("{} (*)({parameters})", c_name(callback.returns))
}

/// A pointer to a type.
pub fn pointer_to(ty: Type, constant: bool) -> Type {
    Type::Pointer { to: abi::keep_type(ty), constant }
}
