//! The stored form of types and functions: positions in the tables of one header. It is read and written
//! [`within`] those tables, and is valid only for a header with the same digest.

use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};

use crate::{Bindings, Function, Type};

thread_local! {
    static CURRENT: Cell<Option<&'static Names>> = const { Cell::new(None) };
}

/// Reads or writes stored values of one header.
pub fn within<T>(bindings: &'static Bindings, work: impl FnOnce() -> T) -> T {
    let outer = CURRENT.replace(Some(Names::of(bindings)));
    let done = work();
    CURRENT.set(outer);
    done
}

/// A name that is kept until the process ends.
pub type Name = &'static str;

/// The tables within which values are being read or written.
pub fn current() -> Option<&'static Bindings> {
    CURRENT.get().map(|names| names.bindings)
}

/// The names of a header's types, sorted. A stored type refers to its name by position.
struct Names {
    bindings: &'static Bindings,
    types: Vec<&'static str>,
}

impl Names {
    /// The names for these tables, collected on first use and then kept until the process ends.
    fn of(bindings: &'static Bindings) -> &'static Names {
        static KNOWN: Mutex<Vec<&'static Names>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = known.iter().find(|names| std::ptr::eq(names.bindings, bindings)) {
            return names;
        }
        // The language knows these two although no header needs to mention them.
        let mut found = BTreeSet::from(["long long", "unsigned long long"]);
        let functions = bindings.functions.iter();
        let parameters = functions.flat_map(|function| function.parameters.iter().map(|parameter| parameter.ty));
        let fields = bindings.structs.iter().flat_map(|structure| structure.fields.iter().map(|field| field.ty));
        let callbacks = bindings.callbacks.iter().flat_map(|callback| callback.parameters.iter().copied());
        let returned = bindings.functions.iter().map(|function| function.returns);
        let returned = returned.chain(bindings.callbacks.iter().map(|callback| callback.returns));
        let named = bindings.typedefs.iter().map(|typedef| typedef.ty);
        let named = named.chain(bindings.casts.iter().map(|cast| cast.ty));
        for ty in parameters.chain(fields).chain(callbacks).chain(returned).chain(named) {
            note(ty, &mut found);
        }
        found.extend(bindings.enums.iter().map(|enumeration| enumeration.name));
        found.extend(bindings.structs.iter().map(|structure| structure.name));
        found.extend(bindings.callbacks.iter().map(|callback| callback.name));
        let names: &'static Names = Box::leak(Box::new(Names { bindings, types: found.into_iter().collect() }));
        known.push(names);
        names
    }

    fn position(&self, name: &str) -> Result<u32, String> {
        let found = self.types.binary_search(&name);
        found.map(|at| at as u32).map_err(|_| format!("the header has no type {name}"))
    }

    fn name(&self, position: u32) -> Result<&'static str, String> {
        self.types.get(position as usize).copied().ok_or_else(|| format!("the header has no type {position}"))
    }
}

/// Collects the name in a type, also of what it points to.
fn note(ty: Type, found: &mut BTreeSet<&'static str>) {
    match ty {
        Type::Pointer { to, .. } => note(*to, found),
        Type::Array { of, .. } => note(*of, found),
        Type::LongLong { name, .. }
        | Type::Enumeration { name, .. }
        | Type::Handle(name)
        | Type::Struct(name)
        | Type::Callback(name) => {
            found.insert(name);
        }
        Type::Void | Type::Char | Type::Integer { .. } | Type::Float { .. } => {}
    }
}

/// A type as it is stored.
#[derive(Serialize, Deserialize)]
enum Stored {
    Void,
    Char,
    Integer { bytes: u8, signed: bool },
    LongLong { name: u32, signed: bool },
    Float { bytes: u8 },
    Enumeration { name: u32, signed: bool },
    Handle(u32),
    Struct(u32),
    Pointer { to: Box<Stored>, constant: bool },
    Array { of: Box<Stored>, length: usize },
    Callback(u32),
}

impl Stored {
    fn of(ty: Type, names: &Names) -> Result<Stored, String> {
        Ok(match ty {
            Type::Void => Stored::Void,
            Type::Char => Stored::Char,
            Type::Integer { bytes, signed } => Stored::Integer { bytes, signed },
            Type::LongLong { name, signed } => Stored::LongLong { name: names.position(name)?, signed },
            Type::Float { bytes } => Stored::Float { bytes },
            Type::Enumeration { name, signed } => Stored::Enumeration { name: names.position(name)?, signed },
            Type::Handle(name) => Stored::Handle(names.position(name)?),
            Type::Struct(name) => Stored::Struct(names.position(name)?),
            Type::Pointer { to, constant } => Stored::Pointer { to: Box::new(Stored::of(*to, names)?), constant },
            Type::Array { of, length } => Stored::Array { of: Box::new(Stored::of(*of, names)?), length },
            Type::Callback(name) => Stored::Callback(names.position(name)?),
        })
    }

    fn ty(self, names: &Names) -> Result<Type, String> {
        Ok(match self {
            Stored::Void => Type::Void,
            Stored::Char => Type::Char,
            Stored::Integer { bytes, signed } if matches!(bytes, 1 | 2 | 4 | 8) => Type::Integer { bytes, signed },
            Stored::Integer { bytes, .. } => return Err(format!("no integer has {bytes} bytes")),
            Stored::LongLong { name, signed } => Type::LongLong { name: names.name(name)?, signed },
            Stored::Float { bytes } => Type::Float { bytes },
            Stored::Enumeration { name, signed } => Type::Enumeration { name: names.name(name)?, signed },
            Stored::Handle(name) => Type::Handle(names.name(name)?),
            Stored::Struct(name) => Type::Struct(names.name(name)?),
            Stored::Pointer { to, constant } => Type::Pointer { to: keep_type(to.ty(names)?), constant },
            Stored::Array { of, length } => Type::Array { of: keep_type(of.ty(names)?), length },
            Stored::Callback(name) => Type::Callback(names.name(name)?),
        })
    }
}

const OUTSIDE: &str = "types and functions are read and written within the tables of their header";

impl Serialize for Type {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = CURRENT.get().ok_or_else(|| ser::Error::custom(OUTSIDE))?;
        Stored::of(*self, names).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Type {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Type, D::Error> {
        let names = CURRENT.get().ok_or_else(|| D::Error::custom(OUTSIDE))?;
        Stored::deserialize(deserializer)?.ty(names).map_err(D::Error::custom)
    }
}

impl Serialize for Function {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = CURRENT.get().ok_or_else(|| ser::Error::custom(OUTSIDE))?;
        let found = names.bindings.functions.binary_search_by(|known| known.name.cmp(self.name));
        let missing = |_| ser::Error::custom(format!("the header has no function {}", self.name));
        (found.map_err(missing)? as u32).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for &'static Function {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<&'static Function, D::Error> {
        let names = CURRENT.get().ok_or_else(|| D::Error::custom(OUTSIDE))?;
        let position = u32::deserialize(deserializer)?;
        let found = names.bindings.functions.get(position as usize);
        found.ok_or_else(|| D::Error::custom(format!("the header has no function {position}")))
    }
}

/// A type that is kept until the process ends. A catalog has few distinct types.
pub fn keep_type(ty: Type) -> &'static Type {
    static TYPES: Mutex<Option<HashSet<&'static Type>>> = Mutex::new(None);
    let mut types = TYPES.lock().unwrap_or_else(PoisonError::into_inner);
    let types = types.get_or_insert_default();
    if let Some(found) = types.get(&ty) {
        return found;
    }
    let kept: &'static Type = Box::leak(Box::new(ty));
    types.insert(kept);
    kept
}

/// A name that is kept until the process ends: names in stored values are those of a header's tables.
fn name(text: &str) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    if let Some(found) = names.get(text) {
        return found;
    }
    let kept: &'static str = Box::leak(text.into());
    names.insert(kept);
    kept
}

/// Reads a name (`deserialize_with`).
///
/// # Errors
/// Fails if the stored value is not text.
pub fn read_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
    Ok(name(&String::deserialize(deserializer)?))
}

/// Reads names (`deserialize_with`).
///
/// # Errors
/// Fails if the stored value is not a list of texts.
pub fn read_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'static str>, D::Error> {
    Ok(Vec::<String>::deserialize(deserializer)?.iter().map(|text| name(text)).collect())
}

/// Reads a map from names, of any kind (`deserialize_with`).
///
/// # Errors
/// Fails if the stored value is not such a map.
pub fn read_map<'de, D, V, M>(deserializer: D) -> Result<M, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
    M: FromIterator<(&'static str, V)>,
{
    let stored = std::collections::BTreeMap::<String, V>::deserialize(deserializer)?;
    Ok(stored.into_iter().map(|(text, value)| (name(&text), value)).collect())
}

/// Reads pairs of a value and a name (`deserialize_with`).
///
/// # Errors
/// Fails if the stored value is not a list of such pairs.
pub fn read_pairs<'de, D, V>(deserializer: D) -> Result<Vec<(V, &'static str)>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    let stored = Vec::<(V, String)>::deserialize(deserializer)?;
    Ok(stored.into_iter().map(|(value, text)| (value, name(&text))).collect())
}
