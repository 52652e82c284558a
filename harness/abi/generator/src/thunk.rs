//! Writes the thunks: one function for each of the header's, through which it is called.

use crate::error::Error;
use crate::model::{CType, Function, Model, Parameter, type_argument};
use crate::render::line;

/// What comes before the first thunk.
const BEGINNING: &str = r#"
/// One function for each of the header's, which converts the arguments from 64-bit words and calls the address.
#[allow(non_snake_case, dead_code, unused_imports, clippy::all, clippy::pedantic)]
mod thunks {
    use super::raw;
    use core::ffi::c_void;
    use core::mem::transmute;

    #[cold]
    fn wrong_count(function: &str, expected: usize, given: usize) -> ! {
        panic!("{function} takes {expected} arguments, not {given}")
    }

    /// A struct passed by value: of up to 8 bytes from the bytes of the word, a larger one from its address.
    ///
    /// # Safety
    /// The bytes are those of a valid value; if the struct is larger than 8 bytes, the word is its address.
    unsafe fn by_value<T: Copy>(word: u64) -> T {
        let bytes = word.to_ne_bytes();
        let at = if size_of::<T>() <= bytes.len() { bytes.as_ptr().cast() } else { word as usize as *const T };
        // SAFETY: `at` points to the bytes of a `T`, by the size or by the caller's promise.
        unsafe { at.read_unaligned() }
    }
"#;

/// The module of the thunks.
pub(crate) fn module(model: &Model) -> Result<String, Error> {
    let mut text = BEGINNING.to_owned();
    for function in &model.functions {
        thunk(&mut text, function)?;
    }
    text += "}\n";
    Ok(text)
}

/// Writes the function that converts the arguments, calls the address and widens the result.
fn thunk(text: &mut String, function: &Function) -> Result<(), Error> {
    let name = &function.name;
    let count = function.parameters.len();
    let words: Vec<String> = (0..count).map(|index| format!("a{index}")).collect();
    let types: Vec<String> =
        function.parameters.iter().map(|parameter| rust(&parameter.rust)).collect::<Result<_, _>>()?;
    let result = match &function.result {
        Some(ty) => format!(" -> {}", rust(ty)?),
        None => String::new(),
    };
    text.push('\n');
    line(text, 1, &format!("pub(super) unsafe fn {name}(address: *const c_void, arguments: &[u64]) -> u64 {{"));
    let pattern = words.join(", ");
    line(
        text,
        2,
        &format!("let &[{pattern}] = arguments else {{ wrong_count(\"{name}\", {count}, arguments.len()) }};"),
    );
    line(text, 2, "// SAFETY: the caller promises that the address is that of a function with this signature.");
    let signature = format!("unsafe extern \"C\" fn({}){result}", types.join(", "));
    line(text, 2, &format!("let function = unsafe {{ transmute::<*const c_void, {signature}>(address) }};"));
    let mut values = Vec::new();
    for ((parameter, word), ty) in function.parameters.iter().zip(&words).zip(&types) {
        values.push(argument(text, function, parameter, word, ty)?);
    }
    line(text, 2, "// SAFETY: the caller promises that each pointer argument is valid for this function.");
    let values = values.join(", ");
    line(text, 2, &format!("let result = unsafe {{ function({values}) }};"));
    widened(text, function)?;
    line(text, 1, "}");
    Ok(())
}

/// The argument of type `ty` that a word stands for, after the lines that it needs.
fn argument(
    text: &mut String,
    function: &Function,
    parameter: &Parameter,
    word: &str,
    ty: &str,
) -> Result<String, Error> {
    Ok(match &parameter.ty {
        CType::Char | CType::Integer { .. } if ty == "bool" => format!("{word} != 0"),
        CType::Char | CType::Integer { .. } => format!("{word} as {ty}"),
        CType::Float { bytes: 4 } => format!("{ty}::from_bits({word} as u32)"),
        CType::Float { .. } => format!("{ty}::from_bits({word})"),
        CType::Enumeration { signed, .. } => {
            let number = if *signed { "i32" } else { "u32" };
            format!("{ty}({word} as {number})")
        }
        CType::Handle(_) | CType::Pointer { .. } => format!("{word} as usize as {ty}"),
        CType::Callback(_) => {
            let reason = "the caller promises null or the address of a function with the callback's signature.";
            line(text, 2, &format!("// SAFETY: {reason}"));
            let from = "*const c_void";
            line(text, 2, &format!("let {word} = unsafe {{ transmute::<{from}, {ty}>({word} as usize as {from}) }};"));
            word.to_owned()
        }
        CType::Struct(_) => {
            let reason = "the caller promises the struct's bytes or, if it is larger than the word, its address.";
            line(text, 2, &format!("// SAFETY: {reason}"));
            line(text, 2, &format!("let {word} = unsafe {{ by_value::<{ty}>({word}) }};"));
            word.to_owned()
        }
        CType::Void | CType::Array { .. } => {
            let form = format!("`{ty}` for the parameter {} of {}", parameter.name, function.name);
            return Err(Error::Unknown { form });
        }
    })
}

/// Writes the result as a word.
fn widened(text: &mut String, function: &Function) -> Result<(), Error> {
    let word = match &function.returns {
        CType::Void => {
            line(text, 2, "let () = result;");
            "0"
        }
        CType::Integer { signed: true, .. } => "result as i64 as u64",
        CType::Integer { .. } => "result as u64",
        // Sign-extended where plain `char` is signed.
        CType::Char => "result as i64 as u64",
        CType::Float { .. } => "u64::from(result.to_bits())",
        CType::Enumeration { signed: true, .. } => "result.0 as i64 as u64",
        CType::Enumeration { .. } => "result.0 as u64",
        CType::Handle(_) | CType::Pointer { .. } => "result as usize as u64",
        CType::Callback(_) => "result.map_or(0, |callback| callback as usize as u64)",
        CType::Struct(_) | CType::Array { .. } => {
            return Err(Error::Unknown { form: format!("a struct as the result of {}", function.name) });
        }
    };
    line(text, 2, word);
    Ok(())
}

/// A type of bindgen's output as the thunks write it: names that the output defines lie in `raw`.
fn rust(ty: &syn::Type) -> Result<String, Error> {
    let unknown = || Err(Error::Unknown { form: format!("`{}` in a signature", quote::quote!(#ty)) });
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
            let inputs: Vec<String> = signature.inputs.iter().map(|input| rust(&input.ty)).collect::<Result<_, _>>()?;
            let variadic = match (&signature.variadic, inputs.is_empty()) {
                (None, _) => "",
                (Some(_), true) => "...",
                (Some(_), false) => ", ...",
            };
            let output = match &signature.output {
                syn::ReturnType::Default => String::new(),
                syn::ReturnType::Type(_, ty) => format!(" -> {}", rust(ty)?),
            };
            let inputs = inputs.join(", ");
            Ok(format!("unsafe extern \"C\" fn({inputs}{variadic}){output}"))
        }
        syn::Type::Path(path) => {
            let path = &path.path;
            let Some(last) = path.segments.last() else { return unknown() };
            let name = last.ident.to_string();
            if name == "Option" {
                let Some(inner) = type_argument(ty) else { return unknown() };
                return Ok(format!("Option<{}>", rust(inner)?));
            }
            if name == "c_void" {
                return Ok(name);
            }
            if path.segments.len() > 1 {
                let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                return Ok(names.join("::"));
            }
            let primitive =
                ["bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "isize", "usize", "f32", "f64"];
            Ok(if primitive.contains(&name.as_str()) { name } else { format!("raw::{name}") })
        }
        _ => unknown(),
    }
}
