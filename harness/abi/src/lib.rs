//! The declarations of a runtime's C header, as data. The generator next to this crate fills these types from bindgen's
//! output, with one file for each runtime, in the crate of its vendor. All other code knows a runtime's functions only
//! through these tables.

use std::ffi::c_void;

/// The declarations of one runtime's header.
#[derive(Debug)]
pub struct Bindings {
    /// Name of the runtime's folder below `specs/`, for example the part before the first dot of its rule ids.
    pub runtime: &'static str,
    /// SHA-256 of the header that the tables were generated from, in lower-case hex.
    pub header_digest: &'static str,
    /// Every function of the header, sorted by name.
    pub functions: &'static [Function],
    /// Every enumeration, sorted by name. Any value may be passed; the constants are only names.
    pub enums: &'static [Enumeration],
    /// Every complete struct and union, sorted by name.
    pub structs: &'static [Struct],
    /// Every typedef that is not the name of a handle, a callback, an enumeration or a struct above, sorted by name:
    /// names of integers, of pointers and of `void`, and second names of enumerations and structs.
    pub typedefs: &'static [Typedef],
    /// Every typedef of a function pointer, sorted by name.
    pub callbacks: &'static [Callback],
    /// Object-like macros with an integer value, and the constants of anonymous enumerations, sorted by name.
    pub constants: &'static [Constant],
}

/// One function of the header.
#[derive(Debug)]
pub struct Function {
    /// The name that a user of the header writes.
    pub name: &'static str,
    /// The symbol that a library exports, if a macro of the header renames it.
    pub exported_as: Option<&'static str>,
    /// Parameters in order.
    pub parameters: &'static [Parameter],
    /// The return type.
    pub returns: Type,
    /// Calls the function at the address with its arguments widened to 64 bits: signed integers and enumerations
    /// sign-extended where their C type is signed, else zero-extended; pointers, handles and callbacks as addresses;
    /// a struct of at most 8 bytes passed by value as its bytes in memory order, a larger one as the address of its
    /// bytes; floating point as its bits. The result is widened alike.
    ///
    /// # Safety
    /// The address is that of a function with this signature and each pointer argument is valid for it.
    pub call: unsafe fn(address: *const c_void, arguments: &[u64]) -> u64,
}

impl Function {
    /// The symbol that a library exports for this function.
    pub fn symbol(&self) -> &'static str {
        self.exported_as.unwrap_or(self.name)
    }
}

/// One parameter of a function.
#[derive(Debug)]
pub struct Parameter {
    /// The name in the header.
    pub name: &'static str,
    /// The declared type.
    pub ty: Type,
}

/// A C type, as detailed as the step language needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// `void`, as a return type or behind a pointer.
    Void,
    /// Plain `char`.
    Char,
    /// An integer of 1, 2, 4 or 8 bytes.
    Integer { bytes: u8, signed: bool },
    /// `float` (4 bytes) or `double` (8 bytes).
    Float { bytes: u8 },
    /// An enumeration by its type name: 4 bytes.
    Enumeration { name: &'static str, signed: bool },
    /// An opaque handle by the name of its typedef: pointer-sized.
    Handle(&'static str),
    /// A struct or union by its type name.
    Struct(&'static str),
    /// A pointer.
    Pointer { to: &'static Type, constant: bool },
    /// An array inside a struct.
    Array { of: &'static Type, length: usize },
    /// A function pointer by the name of its typedef.
    Callback(&'static str),
}

/// A second name of a type.
#[derive(Debug)]
pub struct Typedef {
    /// The name in the header.
    pub name: &'static str,
    /// The target, with all typedefs resolved except those of handles and callbacks.
    pub ty: Type,
}

/// A function type that a program passes to the library.
#[derive(Debug)]
pub struct Callback {
    /// The name of its typedef.
    pub name: &'static str,
    /// Types of the parameters in order.
    pub parameters: &'static [Type],
    /// The return type.
    pub returns: Type,
}

/// An enumeration of the header.
#[derive(Debug)]
pub struct Enumeration {
    /// The type's name.
    pub name: &'static str,
    /// The enumerators in the order of the header.
    pub constants: &'static [Constant],
}

/// A named integer.
#[derive(Debug)]
pub struct Constant {
    /// The name in the header.
    pub name: &'static str,
    /// Its value.
    pub value: i128,
}

/// A struct or union of the header.
#[derive(Debug)]
pub struct Struct {
    /// The type's name.
    pub name: &'static str,
    /// Size in bytes, as the compiler lays it out.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// True if all fields start at offset 0.
    pub union: bool,
    /// Fields in the order of the header.
    pub fields: &'static [Field],
}

/// A field of a struct or union.
#[derive(Debug)]
pub struct Field {
    /// The field's name.
    pub name: &'static str,
    /// Offset in bytes from the start of the struct.
    pub offset: usize,
    /// The declared type.
    pub ty: Type,
}
