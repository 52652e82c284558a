//! Mutates a corpus by lines and tokens. In YAML, JSON and steps, random bytes would be rejected at the first invalid
//! byte.

use std::ops::Range;

use crate::LONGEST_INPUT;

/// Numbers at the limits of types and ranges.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "-7",
    "65536",
    "65537",
    "2147483648",
    "4000000000",
    "4294967296",
    "4611686018427387904",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "170141183460469231731687303715884105727",
    "170141183460469231731687303715884105728",
    "0x7fffffffffffffff",
    "1e308",
    "00",
];

/// Characters that are special to a terminal, a file system or a parser.
const ODD: &[&str] = &[
    "\0",
    "\x1b[31m",
    "\u{7}",
    "\r",
    "\u{202e}",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "é",
    "\t",
    "\\",
    "\"",
    "'",
    "/",
    "../",
    "%s%n",
    "&",
    "<",
    "]]>",
    "\u{1f600}",
    " ",
    "*",
    ":",
    "A",
];

const BRACKETS: &[(&str, &str)] = &[("(", ")"), ("[", "]"), ("{", "}"), ("{\"a\":", "}"), ("!", ""), ("- ", "")];

/// A random sequence from a seed. It uses SplitMix64, so that a seed gives the same inputs everywhere.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `count` - 1; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

/// Creates inputs from those in a corpus.
#[derive(Debug)]
pub struct Mutator<'a> {
    corpus: &'a [Vec<u8>],
    /// The texts to insert in place of others.
    words: Vec<&'a [u8]>,
}

impl<'a> Mutator<'a> {
    /// Creates a mutator that inserts the given words and all tokens in the corpus.
    pub fn new(corpus: &'a [Vec<u8>], words: &[&'a str]) -> Mutator<'a> {
        let tokens = corpus.iter().flat_map(|entry| tokens(entry).into_iter().map(|token| &entry[token]));
        let mut of_corpus: Vec<&[u8]> = tokens.collect();
        of_corpus.sort_unstable();
        of_corpus.dedup();
        // Given words get more weight than tokens from the corpus.
        let share = of_corpus.len() / words.len().max(1) / 2 + 1;
        let given = words.iter().flat_map(|word| std::iter::repeat_n(word.as_bytes(), share));
        Mutator { corpus, words: given.chain(of_corpus).collect() }
    }

    /// A new input.
    pub fn input(&self, random: &mut Random) -> Vec<u8> {
        let mut input = self.corpus.get(random.below(self.corpus.len())).cloned().unwrap_or_default();
        for _ in 0..1 + random.below(2) * random.below(5) {
            self.mutate(&mut input, random);
        }
        input.truncate(LONGEST_INPUT);
        input
    }

    /// Changes an input in one way.
    fn mutate(&self, input: &mut Vec<u8>, random: &mut Random) {
        let pieces = if random.below(4) == 0 { lines(input) } else { tokens(input) };
        let at = |random: &mut Random| pieces.get(random.below(pieces.len())).cloned().unwrap_or(0..0);
        let one = at(random);
        let text = input[one.clone()].to_vec();
        let new = match random.below(15) {
            0 => Vec::new(),
            1 => text.repeat(2),
            2 => text.repeat(2 + random.below(100)),
            3 => {
                let other = at(random);
                let (first, second) = if one.start < other.start { (one, other) } else { (other, one) };
                let (early, late) = (input[first.clone()].to_vec(), input[second.clone()].to_vec());
                if first.end <= second.start {
                    input.splice(second, early);
                    input.splice(first, late);
                }
                return;
            }
            4 | 5 => return self.replace_number(input, random),
            6 | 7 => self.word(random).to_vec(),
            8 => [&text, self.word(random)].concat(),
            9 => return self.replace_value(input, random),
            10 => {
                let at = random.below(text.len() + 1);
                [&text[..at], random.of(ODD).as_bytes(), &text[at..]].concat()
            }
            11 => {
                let (open, close) = BRACKETS[random.below(BRACKETS.len())];
                let depth = [1, 2, 50, 300][random.below(4)];
                [open.repeat(depth).as_bytes(), &text, close.repeat(depth).as_bytes()].concat()
            }
            12 => return self.splice(input, random),
            13 => return self.replace_everywhere(input, one, random),
            _ => {
                // Copies a piece to another place.
                let to = at(random).start;
                return drop(input.splice(to..to, text));
            }
        };
        input.splice(one, new);
    }

    fn word(&self, random: &mut Random) -> &'a [u8] {
        self.words.get(random.below(self.words.len())).copied().unwrap_or_default()
    }

    fn replace_number(&self, input: &mut Vec<u8>, random: &mut Random) {
        let is_number = |token: &Range<usize>| input[token.start].is_ascii_digit();
        let numbers: Vec<Range<usize>> = tokens(input).into_iter().filter(is_number).collect();
        if let Some(number) = numbers.get(random.below(numbers.len())) {
            input.splice(number.clone(), random.of(NUMBERS).bytes());
        }
    }

    /// Replaces a piece, and all pieces equal to it.
    fn replace_everywhere(&self, input: &mut Vec<u8>, one: Range<usize>, random: &mut Random) {
        let old = input[one].to_vec();
        let number = old.first().is_some_and(u8::is_ascii_digit);
        let new = if number { random.of(NUMBERS).as_bytes() } else { self.word(random) };
        let replace = |piece: Range<usize>| if input[piece.clone()] == old { new } else { &input[piece] };
        *input = tokens(input).into_iter().map(replace).collect::<Vec<_>>().concat();
    }

    /// Replaces the text after a colon, up to the end of its line or the next comma or bracket.
    fn replace_value(&self, input: &mut Vec<u8>, random: &mut Random) {
        let colons: Vec<usize> = (0..input.len()).filter(|at| input[*at] == b':').map(|at| at + 1).collect();
        let Some(start) = colons.get(random.below(colons.len())).copied() else { return };
        let length = input[start..].iter().position(|byte| b",}]\n".contains(byte));
        let end = length.map_or(input.len(), |length| start + length);
        let value = match random.below(3) {
            0 => random.of(NUMBERS).as_bytes(),
            _ => self.word(random),
        };
        let blank: &[u8] = if input[start..].starts_with(b" ") { b" " } else { b"" };
        input.splice(start..end, [blank, value].concat());
    }

    /// Joins the first lines of this input and the last lines of another input.
    fn splice(&self, input: &mut Vec<u8>, random: &mut Random) {
        let Some(other) = self.corpus.get(random.below(self.corpus.len())) else { return };
        let cut = |text: &[u8], random: &mut Random| {
            let lines = lines(text);
            lines.get(random.below(lines.len())).map_or(0, |line| line.start)
        };
        let (kept, from) = (cut(input, random), cut(other, random));
        input.truncate(kept);
        input.extend_from_slice(&other[from..]);
    }
}

/// The lines of a text, including their terminators.
pub(crate) fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let length = |line: &[u8]| {
        start += line.len();
        start - line.len()..start
    };
    text.split_inclusive(|byte| *byte == b'\n').map(length).collect()
}

/// The words, numbers, blanks and signs in a text.
pub(crate) fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let kind = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => 1,
        b' ' | b'\t' => 2,
        // Each sign is a separate token.
        _ => 3,
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match found.last_mut() {
            Some(last) if kind(*byte) != 3 && kind(text[last.start]) == kind(*byte) => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}
