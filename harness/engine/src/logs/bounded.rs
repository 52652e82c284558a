//! Converts log excerpts to the text of files, within a size limit.

use std::collections::BTreeMap;

use super::Excerpt;

/// The text of a file with the lines from one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub source: &'static str,
    pub text: String,
    /// The number of log lines in the text.
    pub lines: u64,
    /// The number of older lines left out.
    pub left_out: u64,
}

/// The texts for all sources that have lines, each starting with `head`, with at most `most` bytes in total. If the
/// lines do not fit, the newest lines stay, and a note gives the number of omitted lines. Space that one source does
/// not need is available to the others.
pub fn bounded(head: &str, excerpts: &[Excerpt], most: usize) -> Vec<Text> {
    let mut sources: BTreeMap<&'static str, Vec<&Excerpt>> = BTreeMap::new();
    for excerpt in excerpts {
        sources.entry(excerpt.source).or_default().push(excerpt);
    }
    sources.retain(|_, excerpts| excerpts.iter().any(|excerpt| !excerpt.lines.is_empty()));
    let mut wanted: Vec<(&'static str, Vec<&Excerpt>)> = sources.into_iter().collect();
    wanted.sort_by_key(|(source, excerpts)| (text(head, source, excerpts, usize::MAX).text.len(), *source));
    let (mut left, mut texts, count) = (most, Vec::new(), wanted.len());
    for (at, (source, excerpts)) in wanted.into_iter().enumerate() {
        let text = text(head, source, &excerpts, left / (count - at));
        left -= text.text.len();
        texts.extend((text.lines > 0).then_some(text));
    }
    texts.sort_by_key(|text| text.source);
    texts
}

/// The text for one source. The excerpts are ordered by time, so the oldest lines are left out first. If nothing
/// fits, the text is empty.
fn text(head: &str, source: &'static str, excerpts: &[&Excerpt], most: usize) -> Text {
    let heads: Vec<String> = excerpts.iter().map(|excerpt| about(excerpt)).collect();
    // Space for notes is reserved before it is known whether there are any notes.
    let notes = excerpts.len() * NOTE;
    let mut room = most.saturating_sub(head.len() + heads.iter().map(String::len).sum::<usize>() + notes);
    let (mut full, mut kept) = (false, vec![0; excerpts.len()]);
    for (at, excerpt) in excerpts.iter().enumerate().rev() {
        for line in excerpt.lines.iter().rev() {
            full |= line.len() + 1 > room;
            if full {
                break;
            }
            room -= line.len() + 1;
            kept[at] += 1;
        }
    }
    let lines: usize = kept.iter().sum();
    let all: usize = excerpts.iter().map(|excerpt| excerpt.lines.len()).sum();
    let earlier: u64 = excerpts.iter().map(|excerpt| excerpt.left_out).sum();
    let left_out = earlier + (all - lines) as u64;
    if lines == 0 {
        return Text { source, text: String::new(), lines: 0, left_out };
    }
    let mut text = head.to_owned();
    for ((excerpt, about), kept) in excerpts.iter().zip(&heads).zip(kept) {
        text.push_str(about);
        let hidden = excerpt.lines.len() - kept;
        let missing = excerpt.left_out + hidden as u64;
        if missing > 0 {
            text.push_str(&format!("# ({missing} lines before these left out)\n"));
        }
        for line in &excerpt.lines[hidden..] {
            text.push_str(line);
            text.push('\n');
        }
    }
    Text { source, text, lines: lines as u64, left_out }
}

/// The maximum length of a note about omitted lines.
const NOTE: usize = 64;

/// The origin of an excerpt, as comment lines.
fn about(excerpt: &Excerpt) -> String {
    let lines = std::iter::once(&excerpt.place).chain(&excerpt.remarks);
    lines.map(|line| format!("# {}\n", line.replace('\n', " "))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn excerpt(source: &'static str, lines: impl IntoIterator<Item = String>) -> Excerpt {
        Excerpt {
            source,
            place: format!("where {source} is"),
            lines: lines.into_iter().collect(),
            ..Excerpt::default()
        }
    }

    #[test]
    fn the_newest_lines_stay_and_the_number_of_the_others_is_said() {
        let long = excerpt("long", (0..1000).map(|number| format!("line {number}")));
        let short = excerpt("short", ["one line".to_owned()]);
        let texts = bounded("# head\n", &[long, short], 400);
        assert_eq!(texts.len(), 2);
        let (long, short) = (&texts[0], &texts[1]);
        assert_eq!(short.text, "# head\n# where short is\none line\n");
        assert!(long.text.ends_with("line 998\nline 999\n"), "{}", long.text);
        assert!(long.text.contains(&format!("# ({} lines before these left out)\n", long.left_out)), "{}", long.text);
        assert_eq!(long.lines + long.left_out, 1000);
        assert!(long.text.len() > 200, "it gets the share that the short one leaves: {}", long.text.len());
    }

    #[test]
    fn a_source_without_lines_has_no_text() {
        assert_eq!(bounded("", &[Excerpt::nothing("quiet", "/nowhere", "there is no such folder")], 1000), []);
    }

    proptest! {
        #[test]
        fn no_line_is_lost_without_being_counted_and_no_byte_is_too_much(
            lines in prop::collection::vec(prop::collection::vec("[a-z]{0,40}", 0..30), 1..5),
            most in 0usize..3000,
        ) {
            let sources = ["a", "b", "a", "c", "b"];
            let excerpts: Vec<Excerpt> = lines.iter().zip(sources).map(|(lines, source)| excerpt(source, lines.clone())).collect();
            let texts = bounded("# head\n", &excerpts, most);
            prop_assert!(texts.iter().map(|text| text.text.len()).sum::<usize>() <= most);
            for text in &texts {
                let all: usize = excerpts.iter().filter(|of| of.source == text.source).map(|of| of.lines.len()).sum();
                prop_assert_eq!(text.lines + text.left_out, all as u64);
                let kept = text.text.lines().filter(|line| !line.starts_with('#')).count();
                prop_assert_eq!(kept as u64, text.lines);
            }
        }
    }
}
