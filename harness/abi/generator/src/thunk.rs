//! Writes the thunks, one for each function in the header, through which the function is called.

use crate::error::Error;
use crate::model::{CType, Function, Model, Parameter, type_argument};
use crate::render::line;

/// The text before the first thunk.
const BEGINNING: &str = r#"
/// A thunk for each function in the header. It converts the arguments from 64-bit words and calls the address.
#[allow(non_snake_case, dead_code, unused_imports, clippy::all, clippy::pedantic)]
mod thunks {
    use super::raw;
    use core::ffi::c_void;
    use core::mem::transmute;

    #[cold]
    fn wrong_count(function: &str, expected: usize, given: usize) -> ! {
        panic!("{function} takes {expected} arguments, not {given}")
    }

    /// A struct passed by value. If it has at most 8 bytes, the word contains them; otherwise, the word is its address.
    ///
    /// # Safety
    /// The word must contain a valid value, or must be the address of one if the struct is larger than 8 bytes.
    unsafe fn by_value<T: Copy>(word: u64) -> T {
        let bytes = word.to_ne_bytes();
        let at = if size_of::<T>() <= bytes.len() { bytes.as_ptr().cast() } else { word as usize as *const T };
        // SAFETY: `at` points to the bytes of a `T`, as the caller promises.
        unsafe { at.read_unaligned() }
    }
"#;

/// The module that contains the thunks.
pub(crate) fn module(model: &Model) -> Result<String, Error> {
    let thunks: String = model.functions.iter().map(thunk).collect::<Result<_, _>>()?;
    Ok(format!("{BEGINNING}{thunks}}}\n"))
}

/// The function that converts the arguments, calls the address and widens the result.
fn thunk(function: &Function) -> Result<String, Error> {
    let Function { name, parameters, .. } = function;
    let (mut words, mut types, mut lines, mut values) = (Vec::new(), Vec::new(), String::new(), Vec::new());
    for (index, parameter) in parameters.iter().enumerate() {
        let (word, ty) = (format!("a{index}"), rust(&parameter.rust)?);
        values.push(argument(&mut lines, name, parameter, &word, &ty)?);
        words.push(word);
        types.push(ty);
    }
    let returned = match &function.result {
        Some(ty) => format!(" -> {}", rust(ty)?),
        None => String::new(),
    };
    let (count, words, values) = (words.len(), words.join(", "), values.join(", "));
    let signature = format!("unsafe extern \"C\" fn({}){returned}", types.join(", "));
    let word = widened(function)?;
    Ok(format!(
        r#"
    pub(super) unsafe fn {name}(address: *const c_void, arguments: &[u64]) -> u64 {{
        let &[{words}] = arguments else {{ wrong_count("{name}", {count}, arguments.len()) }};
        // SAFETY: the caller promises that the address is that of a function with this signature.
        let function = unsafe {{ transmute::<*const c_void, {signature}>(address) }};
{lines}        // SAFETY: the caller promises that each pointer argument is valid for this function.
        let result = unsafe {{ function({values}) }};
        {word}
    }}
"#
    ))
}

/// Converts a word to the argument of type `ty`, after adding the lines that the conversion needs.
fn argument(lines: &mut String, function: &str, parameter: &Parameter, word: &str, ty: &str) -> Result<String, Error> {
    Ok(match &parameter.ty {
        CType::Char | CType::Integer { .. } if ty == "bool" => format!("{word} != 0"),
        CType::Char | CType::Integer { .. } | CType::LongLong { .. } => format!("{word} as {ty}"),
        CType::Float { bytes: 4 } => format!("{ty}::from_bits({word} as u32)"),
        CType::Float { .. } => format!("{ty}::from_bits({word})"),
        CType::Enumeration { signed: true, .. } => format!("{ty}({word} as i32)"),
        CType::Enumeration { .. } => format!("{ty}({word} as u32)"),
        CType::Handle(_) | CType::Pointer { .. } => format!("{word} as usize as {ty}"),
        CType::Callback(_) => {
            let reason = "the caller promises null or the address of a function with the callback's signature.";
            line(lines, 2, &format!("// SAFETY: {reason}"));
            let from = "*const c_void";
            line(lines, 2, &format!("let {word} = unsafe {{ transmute::<{from}, {ty}>({word} as usize as {from}) }};"));
            word.to_owned()
        }
        CType::Struct(_) => {
            let reason = "the caller promises the struct's bytes or, if it is larger than the word, its address.";
            line(lines, 2, &format!("// SAFETY: {reason}"));
            line(lines, 2, &format!("let {word} = unsafe {{ by_value::<{ty}>({word}) }};"));
            word.to_owned()
        }
        CType::Void | CType::Array { .. } => {
            let form = format!("`{ty}` for the parameter {} of {function}", parameter.name);
            return Err(Error::Unknown { form });
        }
    })
}

/// The result, widened to a word.
fn widened(function: &Function) -> Result<&'static str, Error> {
    Ok(match &function.returns {
        CType::Void => "let () = result;\n        0",
        // Sign-extended on architectures where plain `char` is signed.
        CType::Char | CType::Integer { signed: true, .. } | CType::LongLong { signed: true, .. } => {
            "result as i64 as u64"
        }
        CType::Integer { .. } | CType::LongLong { .. } => "result as u64",
        CType::Float { .. } => "u64::from(result.to_bits())",
        CType::Enumeration { signed: true, .. } => "result.0 as i64 as u64",
        CType::Enumeration { .. } => "result.0 as u64",
        CType::Handle(_) | CType::Pointer { .. } => "result as usize as u64",
        CType::Callback(_) => "result.map_or(0, |callback| callback as usize as u64)",
        CType::Struct(_) | CType::Array { .. } => {
            return Err(Error::Unknown { form: format!("a struct as the result of {}", function.name) });
        }
    })
}

/// A type from bindgen's output in the thunks' notation. Names that the output defines are in `raw`.
fn rust(ty: &syn::Type) -> Result<String, Error> {
    match ty {
        syn::Type::Ptr(pointer) => {
            let kind = if pointer.const_token.is_some() { "const" } else { "mut" };
            Ok(format!("*{kind} {}", rust(&pointer.elem)?))
        }
        syn::Type::Array(array) => {
            let length = &array.len;
            Ok(format!("[{}; {}]", rust(&array.elem)?, quote::quote!(#length)))
        }
        syn::Type::BareFn(signature) => {
            let inputs = signature.inputs.iter().map(|input| rust(&input.ty));
            let variadic = signature.variadic.iter().map(|_| Ok("...".to_owned()));
            let inputs: Vec<String> = inputs.chain(variadic).collect::<Result<_, _>>()?;
            let output = match &signature.output {
                syn::ReturnType::Default => String::new(),
                syn::ReturnType::Type(_, ty) => format!(" -> {}", rust(ty)?),
            };
            Ok(format!("unsafe extern \"C\" fn({}){output}", inputs.join(", ")))
        }
        syn::Type::Path(path) => {
            let segments: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let name = segments.last().cloned().unwrap_or_default();
            let own = [
                "c_void", "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "isize", "usize", "f32", "f64",
            ];
            Ok(match type_argument(ty) {
                Some(inner) if name == "Option" => format!("Option<{}>", rust(inner)?),
                _ if own.contains(&name.as_str()) => name,
                _ if segments.len() > 1 => segments.join("::"),
                _ => format!("raw::{name}"),
            })
        }
        _ => Err(Error::Unknown { form: format!("`{}` in a signature", quote::quote!(#ty)) }),
    }
}
