//! Names, types, numbers and strings in C syntax.

use abi::Type;
use steps::builtins::BUILTINS;
use steps::types;

use super::prelude::words;

/// C keywords, which cannot be variable names.
const KEYWORDS: &[&str] = &[
    "auto", "break", "case", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float", "for",
    "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static",
    "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
];

/// Names that the prelude's macros and the code around the steps use, which variables must not hide.
const PRELUDE: &[&str] = &[
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "memset",
    "printf",
    "failed",
    "failure_status",
    "acquired",
    "released",
    "release_all",
    "all_bytes",
    "array",
    "check_guards",
    "in_set",
    "must_fail",
    "must_succeed",
    "should_succeed",
    "pass",
    "open_gate",
    "open_gates",
    "run",
];

/// Starts a line for a variable that may not be read anywhere.
pub(super) const UNREAD: char = '\u{1}';

/// A program with a line added for each variable that is declared but not read.
pub(super) fn mark_unread(text: &str) -> String {
    let marked = |line: &str| line.trim_start().starts_with(UNREAD);
    if !text.lines().any(marked) {
        return text.to_owned();
    }
    let plain: Vec<&str> = text.lines().filter(|line| !marked(line)).collect();
    // An assignment's target is not a read; only the rest of the line counts.
    let reads = |name: &str| {
        let assigned = |line: &str| words(line).next() == Some(name);
        let uses = |line: &&str| words(line).filter(|word| *word == name).count() - usize::from(assigned(line));
        plain.iter().map(uses).sum::<usize>() > 1
    };
    let line = |line: &str| match line.trim_start().strip_prefix(UNREAD) {
        None => format!("{line}\n"),
        Some(name) if reads(name) => String::new(),
        Some(name) => format!("{}(void){name};\n", &line[..line.len() - line.trim_start().len()]),
    };
    text.lines().map(line).collect()
}

/// A variable's C name. Names that C or the prelude uses get an underscore.
pub(super) fn c_name(name: &str) -> String {
    let taken =
        KEYWORDS.contains(&name) || PRELUDE.contains(&name) || BUILTINS.iter().any(|builtin| builtin.name == name);
    format!("{name}{}", if taken { "_" } else { "" })
}

/// A declaration of `name`, or a type name if `name` is empty.
pub(super) fn c_type(ty: Type, name: &str) -> String {
    match ty {
        Type::Pointer { to, constant } => {
            let inner = format!("*{name}");
            match (to, constant) {
                (Type::Pointer { .. }, true) => c_type(*to, &format!("const {inner}")),
                (_, true) => format!("const {}", c_type(*to, &inner)),
                (_, false) => c_type(*to, &inner),
            }
        }
        Type::Integer { bytes: 8, signed: false } => spaced("size_t", name),
        other => spaced(&types::c_name(other), name),
    }
}

fn spaced(ty: &str, name: &str) -> String {
    if name.is_empty() { ty.to_owned() } else { format!("{ty} {name}") }
}

/// An integer constant.
pub(super) fn number(value: i128) -> String {
    match value {
        _ if value == i128::from(i64::MIN) => "INT64_MIN".to_owned(),
        _ if value == i128::from(i32::MIN) => "INT32_MIN".to_owned(),
        _ if value > i128::from(i64::MAX) => format!("{value}u"),
        _ => value.to_string(),
    }
}

/// A string literal.
pub(super) fn c_text(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in bytes {
        match byte {
            b'"' | b'\\' | b'?' => {
                text.push('\\');
                text.push(*byte as char);
            }
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            0x20..=0x7E => text.push(*byte as char),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

/// A comment's text, in lines of at most `width` characters.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.replace("*/", "* /").split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The comments between two statements, each on separate lines.
pub(super) fn comments(between: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = between;
    while let Some(at) = rest.find('/') {
        rest = &rest[at..];
        if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            found.push(format!("/* {} */", rest[2..end].trim().replace("*/", "* /").replace("/*", "/ *")));
            rest = &rest[end..];
        } else if let Some(length) = rest.strip_prefix("/*").and_then(|inner| inner.find("*/")) {
            let words: Vec<&str> = rest[2..length + 2].split_whitespace().collect();
            found.push(format!("/* {} */", words.join(" ")));
            rest = &rest[length + 4..];
        } else {
            rest = &rest[1..];
        }
    }
    found
}
