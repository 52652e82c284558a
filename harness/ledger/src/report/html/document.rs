//! The frame for all pages: a self-contained document that supports phones, print, dark mode and keyboard use.

use crate::report::clean;
use catalog::digest;
use maud::{Markup, html};

const STYLE: &str = include_str!("page.css");

/// A complete document. `body` is markup; `script` may be empty. The page loads nothing and runs only this script. The
/// script's nonce is a digest of the page, so no text in the page can contain the nonce. The document has no control
/// characters.
pub(crate) fn document(title: &str, body: &str, script: &str) -> String {
    let body = clean(body);
    let nonce = &digest::of_bytes(format!("{title}{body}").as_bytes())[..32];
    let policy = match script {
        "" => format!("default-src 'none'; style-src 'nonce-{nonce}'"),
        _ => format!("default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'"),
    };
    let script = match script {
        "" => String::new(),
        script => format!("<script nonce=\"{nonce}\">\n{script}</script>\n"),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}; base-uri 'none'; form-action 'none'\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n\
         <title>{}</title>\n<style nonce=\"{nonce}\">\n{STYLE}</style>\n</head>\n\
         <body>\n{body}{script}</body>\n</html>\n",
        escape(title)
    )
}

/// Escapes text for markup. The result contains no control characters and cannot start a tag, an attribute or an
/// entity.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Prose in which text between backticks is code.
pub(crate) fn prose(text: &str) -> Markup {
    let pairs = text.matches('`').count() / 2;
    html! {
        @for (index, part) in text.splitn(2 * pairs + 1, '`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn text_between_two_backticks_is_code() {
        assert_eq!(prose("`a < b` fails; ` alone").into_string(), "<code>a &lt; b</code> fails; ` alone");
        assert_eq!(prose("plain").into_string(), "plain");
    }
}
