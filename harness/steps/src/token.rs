//! Splits the text of `steps` into tokens.

use super::{ParseError, Span};

/// A token with its place in the text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// The kind of a token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Name(String),
    Integer(i128),
    Text(String),
    /// An operator or a bracket, as written.
    Symbol(&'static str),
    /// A line that contains only `---`, the end of the set-up.
    SetupEnd,
    /// `[info]` before a check.
    Info,
    End,
}

/// The symbols that start with a byte, longest first, so that `<<=` is not read as `<` and `<=`.
fn symbols(first: u8) -> &'static [&'static str] {
    match first {
        b'<' => &["<<=", "<=", "<<", "<"],
        b'>' => &[">>=", ">=", ">>", ">"],
        b'=' => &["==", "="],
        b'!' => &["!=", "!"],
        b'&' => &["&&", "&=", "&"],
        b'|' => &["||", "|=", "|"],
        b'+' => &["+=", "+"],
        b'-' => &["-=", "-"],
        b'*' => &["*=", "*"],
        b'/' => &["/=", "/"],
        b'%' => &["%=", "%"],
        b'^' => &["^=", "^"],
        b'.' => &["...", "..", "."],
        b'(' => &["("],
        b')' => &[")"],
        b'{' => &["{"],
        b'}' => &["}"],
        b'[' => &["["],
        b']' => &["]"],
        b';' => &[";"],
        b',' => &[","],
        b':' => &[":"],
        b'?' => &["?"],
        b'~' => &["~"],
        _ => &[],
    }
}

/// Splits the text into tokens. `sizes` allows the suffixes KiB, MiB and GiB, which C does not have.
pub(crate) fn tokenize(text: &str, sizes: bool) -> Result<Vec<Token>, ParseError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(text.len() / 3 + 1);
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        let kind = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(bytes.len(), |n| at + n);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => match text[at + 2..].find("*/") {
                Some(length) => {
                    at += length + 4;
                    continue;
                }
                None => return Err(error(start, bytes.len(), "this comment is not closed; add `*/`")),
            },
            b'-' if is_setup_end(text, at) => {
                at += 3;
                Kind::SetupEnd
            }
            b'[' if bytes[at..].starts_with(b"[info]") => {
                at += 6;
                Kind::Info
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at = end_of_word(bytes, at);
                Kind::Name(text[start..at].to_owned())
            }
            b'0'..=b'9' => {
                at = end_of_word(bytes, at);
                Kind::Integer(integer(&text[start..at], sizes).map_err(|message| error(start, at, &message))?)
            }
            b'"' => {
                let (value, end) = quoted(text, at, b'"')?;
                at = end;
                Kind::Text(value)
            }
            b'\'' => {
                let (value, end) = quoted(text, at, b'\'')?;
                at = end;
                let message = "a character constant holds exactly one byte; use \"…\" for text";
                let &[one] = value.as_bytes() else { return Err(error(start, end, message)) };
                Kind::Integer(i128::from(one))
            }
            _ => match symbols(byte).iter().find(|symbol| bytes[at..].starts_with(symbol.as_bytes())) {
                Some(symbol) => {
                    at += symbol.len();
                    Kind::Symbol(symbol)
                }
                None => {
                    let character = text[at..].chars().next().unwrap_or(' ');
                    let message = format!("`{character}` has no meaning here; remove it");
                    return Err(error(start, start + character.len_utf8(), &message));
                }
            },
        };
        tokens.push(Token { kind, span: Span { start, end: at } });
    }
    tokens.push(Token { kind: Kind::End, span: Span { start: text.len(), end: text.len() } });
    Ok(tokens)
}

/// The end of the name or number that begins here.
fn end_of_word(bytes: &[u8], at: usize) -> usize {
    let inside = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    at + bytes[at..].iter().take_while(inside).count()
}

fn error(start: usize, end: usize, message: &str) -> ParseError {
    ParseError { span: Span { start, end }, message: message.to_owned() }
}

/// True if the line at `at` contains only `---`.
fn is_setup_end(text: &str, at: usize) -> bool {
    let line_start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |n| at + n);
    text[line_start..line_end].trim() == "---"
}

fn integer(text: &str, sizes: bool) -> Result<i128, String> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None => (text, 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let value = i128::from_str_radix(&digits[..end], radix)
        .map_err(|_| format!("`{text}` is not an integer that C can write"))?;
    let factor = match &digits[end..] {
        "" | "u" | "U" | "l" | "L" | "ul" | "UL" | "ull" | "ULL" | "ll" | "LL" => 1,
        "KiB" if sizes => 1 << 10,
        "MiB" if sizes => 1 << 20,
        "GiB" if sizes => 1 << 30,
        "TiB" if sizes => 1 << 40,
        suffix @ ("KiB" | "MiB" | "GiB" | "TiB") => {
            return Err(format!("C has no suffix `{suffix}`; write the bytes, for example 64 * 1024"));
        }
        suffix => return Err(format!("`{suffix}` is not a suffix of an integer; write sizes with KiB, MiB or GiB")),
    };
    if radix == 10 && digits[..end].len() > 1 && digits.starts_with('0') {
        return Err(format!("`{text}` is octal in C; write it in decimal or as 0x…"));
    }
    value.checked_mul(factor).ok_or_else(|| format!("`{text}` is too large"))
}

fn quoted(text: &str, start: usize, quote: u8) -> Result<(String, usize), ParseError> {
    let bytes = text.as_bytes();
    let mut value = String::new();
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            byte if byte == quote => return Ok((value, at + 1)),
            b'\\' => {
                value.push(match bytes.get(at + 1) {
                    Some(b'n') => '\n',
                    Some(b't') => '\t',
                    Some(b'0') => '\0',
                    Some(&c @ (b'"' | b'\'' | b'\\')) => c as char,
                    _ => return Err(error(at, at + 2, "unknown escape; known are \\n \\t \\0 \\\" \\' \\\\")),
                });
                at += 2;
            }
            b'\n' => break,
            _ => {
                let character = text[at..].chars().next().expect("`at` is inside the text, on a character boundary");
                value.push(character);
                at += character.len_utf8();
            }
        }
    }
    Err(error(start, at, "this quotation mark is not closed on its line"))
}
