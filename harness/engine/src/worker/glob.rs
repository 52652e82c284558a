//! Patterns of texts, as the steps write them.

/// Whether a text matches a pattern of `*`, `?` and `[0-9]`. `steps` is the work that it may cost, and what is left of it
/// afterwards; where nothing is left, the answer means nothing.
pub fn glob(pattern: &[u8], text: &[u8], steps: &mut u64) -> bool {
    let Some(left) = steps.checked_sub(1) else { return false };
    *steps = left;
    match pattern.first() {
        None => text.is_empty(),
        Some(b'*') => (0..=text.len()).any(|skip| glob(&pattern[1..], &text[skip..], steps)),
        Some(b'[') => match (pattern.iter().position(|byte| *byte == b']'), text.first()) {
            (Some(end), Some(byte)) => {
                let set = &pattern[1..end];
                let inside = match set {
                    [low, b'-', high] => (low..=high).contains(&byte),
                    _ => set.contains(byte),
                };
                inside && glob(&pattern[end + 1..], &text[1..], steps)
            }
            _ => false,
        },
        Some(byte) => {
            text.first().is_some_and(|first| *byte == b'?' || byte == first) && glob(&pattern[1..], &text[1..], steps)
        }
    }
}
