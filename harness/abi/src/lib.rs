//! The declarations in a runtime's C header, as data. The generator next to this crate fills these types from bindgen's
//! output and writes one file for each runtime, in its vendor's crate. All other code accesses a runtime's functions
//! only through these tables.

use std::ffi::c_void;

pub mod form;

pub use form::keep_type;

/// The declarations of one runtime's header.
#[derive(Debug)]
pub struct Bindings {
    /// The name of the runtime's folder below `specs/`, which is also the part of its rule ids before the first dot.
    pub runtime: &'static str,
    /// SHA-256 of the header that the tables were generated from, in lower-case hex.
    pub header_digest: &'static str,
    /// Every function in the header, sorted by name.
    pub functions: &'static [Function],
    /// Every enumeration, sorted by name. The name of an enumeration, struct or union is its typedef. Without a typedef
    /// it is the tag after its keyword, as C source writes it. Any value may be passed; the constants are only names.
    pub enums: &'static [Enumeration],
    /// Every complete struct and union, sorted by name.
    pub structs: &'static [Struct],
    /// Every typedef that does not name a handle, a callback, or an enumeration or struct above, sorted by name. These
    /// typedefs name integers, pointers and `void`, or give enumerations and structs a second name.
    pub typedefs: &'static [Typedef],
    /// Every typedef of a function pointer, sorted by name.
    pub callbacks: &'static [Callback],
    /// Object-like macros with an integer value, and the constants of anonymous enumerations, sorted by name.
    pub constants: &'static [Constant],
    /// Object-like macros that cast an integer to another type than a usual integer, such as a handle, sorted by name.
    pub casts: &'static [Cast],
}

/// A function in the header.
#[derive(Debug)]
pub struct Function {
    /// The function's name in C source that uses the header.
    pub name: &'static str,
    /// The symbol that a library exports, if a macro in the header renames the function.
    pub exported_as: Option<&'static str>,
    /// Parameters in order.
    pub parameters: &'static [Parameter],
    /// The return type.
    pub returns: Type,
    /// Calls the function at the address with its arguments widened to 64 bits. Integers and enumerations are
    /// sign-extended if their C type is signed, otherwise zero-extended. Pointers, handles and callbacks are passed as
    /// addresses, and floating point as its bits. A struct passed by value is given by its bytes in memory order if it
    /// has at most 8 bytes, otherwise by the address of its bytes. The result is widened in the same way.
    ///
    /// # Safety
    /// The address must belong to a function with this signature, and each pointer argument must be valid for the
    /// function.
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

/// A C type, with the details that the step language needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`, as a return type or the target of a pointer.
    Void,
    /// Plain `char`.
    Char,
    /// An integer of 1, 2, 4 or 8 bytes.
    Integer { bytes: u8, signed: bool },
    /// `long long` or `unsigned long long`, by the name that the header uses: a typedef, or the C type. C has other
    /// pointers to it than to `int64_t` and `uint64_t`, although the values are the same.
    LongLong { name: &'static str, signed: bool },
    /// `float` (4 bytes) or `double` (8 bytes).
    Float { bytes: u8 },
    /// An enumeration of 4 bytes, by its type name.
    Enumeration { name: &'static str, signed: bool },
    /// An opaque, pointer-sized handle, by the name of its typedef.
    Handle(&'static str),
    /// A struct or union, by its type name.
    Struct(&'static str),
    /// A pointer.
    Pointer { to: &'static Type, constant: bool },
    /// An array inside a struct.
    Array { of: &'static Type, length: usize },
    /// A function pointer, by the name of its typedef.
    Callback(&'static str),
}

/// A second name of a type.
#[derive(Debug)]
pub struct Typedef {
    /// The name in the header.
    pub name: &'static str,
    /// The type that the name refers to, with all typedefs resolved except those of handles and callbacks.
    pub ty: Type,
}

/// The type of a function that a program passes to the library.
#[derive(Debug)]
pub struct Callback {
    /// The name of the type's typedef.
    pub name: &'static str,
    /// The types of the parameters, in order.
    pub parameters: &'static [Type],
    /// The return type.
    pub returns: Type,
}

/// An enumeration in the header.
#[derive(Debug)]
pub struct Enumeration {
    /// The type's name.
    pub name: &'static str,
    /// The enumerators in the header's order.
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

/// A named value of another type than an integer.
#[derive(Debug)]
pub struct Cast {
    /// The name in the header.
    pub name: &'static str,
    /// The type to which the header casts the value.
    pub ty: Type,
    /// Its value.
    pub value: i128,
}

/// A struct or union in the header.
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
    /// The fields in the header's order.
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
