//! Facts from the header's text that are missing from bindgen's output: identifiers and macros.

use std::collections::{BTreeMap, BTreeSet};

fn in_identifier(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// The identifiers in a text.
pub(crate) fn words(text: &str) -> BTreeSet<&str> {
    text.split(|character: char| !in_identifier(character)).filter(|word| !word.is_empty()).collect()
}

/// The object-like macros with a value, as defined at the header's end.
pub(crate) fn macros(text: &str) -> BTreeMap<&str, &str> {
    let mut macros = BTreeMap::new();
    for line in text.lines() {
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
            continue;
        };
        if let Some(name) = directive.strip_prefix("undef") {
            macros.remove(before_comment(name));
        } else if let Some(definition) = directive.strip_prefix("define").map(str::trim_start)
            && let Some(end) = definition.find(|character| !in_identifier(character))
            && !definition[end..].starts_with('(')
            && !before_comment(&definition[end..]).is_empty()
        {
            macros.insert(&definition[..end], before_comment(&definition[end..]));
        }
    }
    macros
}

fn before_comment(text: &str) -> &str {
    let end = [text.find("/*"), text.find("//")].into_iter().flatten().min();
    text[..end.unwrap_or(text.len())].trim()
}

/// The name that the compiler sees if C source contains `name`.
pub(crate) fn expanded<'a>(name: &'a str, macros: &BTreeMap<&'a str, &'a str>) -> &'a str {
    let (mut seen, mut at) = (BTreeSet::new(), name);
    while seen.insert(at) {
        match macros.get(at) {
            Some(value) if value.chars().all(in_identifier) => at = value,
            _ => break,
        }
    }
    at
}

/// The names by which C source can use the declaration `declared`: the macros that expand to its name or, if there are
/// none, its own name, unless a macro redefines that name.
pub(crate) fn written<'a>(declared: &'a str, macros: &BTreeMap<&'a str, &'a str>) -> Vec<&'a str> {
    let others: Vec<&str> =
        macros.keys().copied().filter(|name| *name != declared && expanded(name, macros) == declared).collect();
    if others.is_empty() && expanded(declared, macros) == declared { vec![declared] } else { others }
}

/// The text without comments and preprocessor lines.
fn code(text: &str) -> String {
    // For C++ only.
    let text = text.replace("extern \"C\" {", "");
    let (mut code, mut rest) = (String::new(), text.as_str());
    while let Some(start) = rest.find("/*") {
        code += &rest[..start];
        code.push(' ');
        rest = rest[start..].find("*/").map_or("", |end| &rest[start + end + 2..]);
    }
    code += rest;
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n")
}

/// The names that the header's typedefs give to types other than function pointers and arrays, in order.
pub(crate) fn typedefs(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for declaration in declarations(&code(text)) {
        let Some((_, declared)) = declaration.split_once("typedef") else { continue };
        if !declared.starts_with(char::is_whitespace) || (!declared.contains('}') && declared.contains('(')) {
            continue;
        }
        let declarators = declared.rsplit('}').next().unwrap_or_default();
        let last = |part: &str| part.split(|c| !in_identifier(c)).rfind(|word| !word.is_empty()).map(str::to_owned);
        // The names are those of the given text, which outlives the text without comments.
        found.extend(declarators.split(',').filter_map(last).filter_map(|name| word_in(text, &name)));
    }
    found
}

/// A word of a text.
fn word_in<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.split(|character: char| !in_identifier(character)).find(|found| *found == word)
}

/// The declarations of a text: its parts that end with a semicolon outside braces.
fn declarations(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => start = at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts
}

/// The type and the operand of a macro that is a cast: `((toyStream)0x1)` gives `toyStream` and `0x1`.
pub(crate) fn cast(text: &str) -> Option<(&str, &str)> {
    let (ty, value) = unwrapped(text).strip_prefix('(')?.split_once(')')?;
    let is_type = ty.chars().all(|c| in_identifier(c) || c == ' ' || c == '*') && !ty.trim().is_empty();
    is_type.then(|| (ty.trim(), unwrapped(value)))
}

/// A text without the parentheses around the whole.
fn unwrapped(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0i32;
    let closes = |character: char| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        depth < 0
    };
    if inner.chars().any(closes) { text } else { unwrapped(inner) }
}

/// The value of an integer literal of C, with or without a sign.
pub(crate) fn integer(text: &str) -> Option<i128> {
    if let Some(positive) = text.strip_prefix('-') {
        return integer(positive.trim_start()).map(|value| -value);
    }
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::own_name("", "open", &["open"])]
    #[case::another_version("#define open open_v2", "open_v2", &["open"])]
    #[case::with_a_comment("#  define open open_v2 /* since 2 */", "open_v2", &["open"])]
    #[case::hidden("#define open open_v2", "open", &[])]
    #[case::two_names("#define open open_v2\n#define start open_v2", "open_v2", &["open", "start"])]
    #[case::through_another("#define start open\n#define open open_v2", "open_v2", &["open", "start"])]
    #[case::undone("#define open open_v2\n#undef open // for later", "open_v2", &["open_v2"])]
    #[case::redefined("#define open open_v2\n#undef open\n#define open open_v3", "open_v3", &["open"])]
    #[case::itself("#define open open", "open", &["open"])]
    #[case::a_value("#define open (open_v2)", "open_v2", &["open_v2"])]
    #[case::function_like("#define open(x) open_v2", "open_v2", &["open_v2"])]
    fn a_function_is_called_by_the_names_that_macros_give_it(
        #[case] header: &str,
        #[case] declared: &str,
        #[case] expected: &[&str],
    ) {
        assert_eq!(written(declared, &macros(header)), expected);
    }

    #[rstest]
    #[case::other_than_the_tag("typedef struct a_st { int x; } a;", &["a"])]
    #[case::several("typedef struct a_st { int x; } a, *pa;\ntypedef a b;", &["a", "pa", "b"])]
    #[case::declared("typedef struct a a;\nstruct b { int x; };", &["a"])]
    #[case::in_comments("/* typedef int a; */ // typedef int b;\ntypedef int c;", &["c"])]
    #[case::functions("typedef int (*a)(void *);\ntypedef enum { B } c;", &["c"])]
    fn typedefs_have_the_order_of_the_header(#[case] header: &str, #[case] expected: &[&str]) {
        assert_eq!(typedefs(header), expected);
    }

    #[rstest]
    #[case("((a)0x1)", Some(("a", "0x1")))]
    #[case("(a) -2", Some(("a", "-2")))]
    #[case("((void *)(1))", Some(("void *", "1")))]
    #[case("(a)", None)]
    #[case("(1 << 4)", None)]
    #[case("f((a)1)", None)]
    fn a_cast_is_a_type_and_a_value(#[case] text: &str, #[case] expected: Option<(&str, &str)>) {
        assert_eq!(cast(text), expected);
    }

    #[rstest]
    #[case("0x10", Some(16))]
    #[case("-2", Some(-2))]
    #[case("010", Some(8))]
    #[case("18446744073709551615ULL", Some(18_446_744_073_709_551_615))]
    #[case("", None)]
    #[case("a", None)]
    fn literals_are_read_as_in_c(#[case] text: &str, #[case] expected: Option<i128>) {
        assert_eq!(integer(text), expected);
    }
}
