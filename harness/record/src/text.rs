//! Cleaning and wrapping text from untrusted sources.

use std::borrow::Cow;

/// Makes untrusted text harmless: control characters become visible symbols, writing-direction marks become their code
/// points, and characters that XML does not allow become U+FFFD. Line feeds and tabs are kept.
pub fn clean(text: &str) -> Cow<'_, str> {
    let harmless =
        |c: char| matches!(c, '\n' | '\t') || !(c.is_control() || turns(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}'));
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            c if harmless(c) => cleaned.push(c),
            c if turns(c) => cleaned.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            '\u{7F}' => cleaned.push('\u{2421}'),
            '\0'..='\u{1F}' => cleaned.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}')),
            _ => cleaned.push('\u{FFFD}'),
        }
    }
    Cow::Owned(cleaned)
}

/// True for a writing-direction mark, which can make a line look like a different line.
fn turns(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Clean text on one line: line feeds and tabs become spaces, and the ends are trimmed.
pub fn one_line(text: &str) -> String {
    clean(text).trim().chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c }).collect()
}

/// Text for the output of a command, without commands to the CI system that reads this output: GitHub obeys each line
/// that begins with `::` after white space, and each line that contains `##[`. A backslash makes both plain text.
/// Wrapped text can begin a line anywhere, so this is the last step before printing.
pub fn disarmed(text: &str) -> Cow<'_, str> {
    let ends = ['\n', '\r'];
    if !text.split(ends).any(|line| line.contains(OLD_COMMAND) || line.trim_start().starts_with(COMMAND)) {
        return Cow::Borrowed(text);
    }
    let mut disarmed = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive(ends) {
        let rest = line.trim_start();
        disarmed.push_str(&line[..line.len() - rest.len()]);
        if rest.starts_with(COMMAND) {
            disarmed.push('\\');
        }
        disarmed.push_str(&rest.replace(OLD_COMMAND, "##\\["));
    }
    Cow::Owned(disarmed)
}

/// The beginning of a command to GitHub.
const COMMAND: &str = "::";
/// The beginning of a command in GitHub's older form, anywhere in a line.
const OLD_COMMAND: &str = "##[";

/// Breaks clean text into lines of at most `width` characters, at spaces where possible. Spaces at the start of a line
/// are kept, because they may be indentation.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in clean(text).trim_end().split('\n') {
        let mut rest = line.trim_end();
        while let Some((limit, _)) = rest.char_indices().nth(width) {
            let indent = rest.len() - rest.trim_start().len();
            let space = rest[..limit].rfind(' ').filter(|space| *space > indent);
            // A space right after the limit is also a good place to break.
            let at = if rest[limit..].starts_with(' ') { limit } else { space.unwrap_or(limit) };
            lines.push(rest[..at].trim_end().to_owned());
            rest = rest[at..].trim_start();
        }
        lines.push(rest.to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands that GitHub's runner finds in an output, as its sources read lines.
    fn commands(output: &str) -> usize {
        let lines = output.split(['\n', '\r']);
        lines.filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).count()
    }

    #[test]
    fn output_contains_no_commands_to_the_ci_system() {
        let text =
            "a::b ##\n::error::x\n \t\u{3000}::set-output name=a::b\r::x::\nsee ##[add-path]/tmp ##[x]\n##[error]y";
        assert_eq!(commands(text), 5);
        let disarmed = disarmed(text);
        assert_eq!(commands(&disarmed), 0, "{disarmed}");
        assert_eq!(disarmed.replace("\\::", "::").replace("##\\[", "##["), text, "the rest is unchanged");
        assert!(matches!(super::disarmed("std::vector\n: :a\n# #[b]\n"), Cow::Borrowed(_)));
    }
}
