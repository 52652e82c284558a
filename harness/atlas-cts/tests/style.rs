//! The English of the project (docs/HACKING.md, Style): banned patterns over sources, catalogs, scripts and pages.
//!
//! A file may have a budget for a pattern, with the reason, in `style/budget.tsv`. A budget only falls: one that is larger
//! than what the file has fails too. `BLESS=1` lowers budgets and raises none.

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;

use record::text::columns;
use regex_lite::Regex;
use rstest::rstest;

use crate::support::project;
use crate::support::sources::{relative, tracked};

/// A way of writing that reads as translated, and its cure.
struct Pattern {
    name: &'static str,
    banned: &'static str,
    /// Idiomatic uses of the same words.
    fine: &'static str,
    instead: &'static str,
}

const PATTERNS: [Pattern; 13] = [
    Pattern {
        name: "is-no",
        banned: r"\b(is|are|was|were) no [a-z]",
        fine: r"[Tt]here (is|are|was|were) no |\b(is|are|was|were) no (longer|more|fewer|less|later|larger|longer)\b",
        instead: "\"is not a …\", or the fact itself (\"unknown option\")",
    },
    Pattern {
        name: "stands",
        banned: r"\b(stands?|stood)\b",
        fine: r"stands? (for|in for|alone|out)\b|stand-alone|[\w.-]+-stands-[\w-]+",
        instead: "is, appears, is listed",
    },
    Pattern {
        name: "what-as-noun",
        banned: r"^\s*(///|//!|//|#) (What|Who|Whose|Whether|How|Which) ",
        fine: r"^.*\?\s*$",
        instead: "a noun phrase: \"The results of a run.\"",
    },
    Pattern {
        name: "nobody",
        banned: r"\b([Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody|[Ww]hoever)\b",
        fine: "",
        instead: "the actor (another run, the user, the driver), or the passive",
    },
    Pattern { name: "any-more", banned: r"\bany more\b", fine: r"any more than", instead: "no longer" },
    Pattern {
        name: "so-many",
        banned: r"\b[Ss]o (many|often|much|few|long)\b",
        fine: r"[Ss]o long as",
        instead: "this many, or the number",
    },
    Pattern {
        name: "of-its-own",
        banned: r"\bof (its|their|his|our) own\b|\b(by|for) (itself|themselves)\b|\bfor (its|their) own\b",
        fine: "",
        instead: "own, alone, separate, exclusive",
    },
    Pattern {
        name: "is-asked",
        banned: r"\b(is|are|was|were|be|been|being) (asked|told|said)\b|\b[Aa]sked for\b|\bto be said\b",
        fine: "",
        instead: "query, request, report, print, give",
    },
    Pattern {
        name: "goes-on",
        banned: r"\bheld against\b|\b(go|goes|went|going) on\b|\bmend(s|ed|ing)?\b|\b[Bb]eside\b|\bin the way\b",
        fine: r"\bbeside:|[\w.-]+-beside[\w-]*|[(`]beside[)`]",
        instead: "compare with, continue, fix, next to or in addition to, block",
    },
    Pattern {
        name: "that-is-there",
        banned: r"\b(that|what) (is|are|was|were) there\b|\bthere is nothing of\b",
        fine: "",
        instead: "existing, present",
    },
    Pattern { name: "plural-in-brackets", banned: r"[a-z]\(s\)", fine: "", instead: "the plural function" },
    Pattern {
        name: "bare-participle",
        banned: r"\bfn ([a-z]+ed|become|begun|bound|broken|brought|built|caught|chosen|dealt|done|drawn|driven|fallen|felt|forbidden|foreseen|forgotten|found|frozen|given|gone|grown|heard|held|hidden|hung|kept|known|laid|led|left|lost|made|meant|met|paid|rewritten|said|seen|sent|shown|slept|sold|sought|spent|stolen|stuck|taken|taught|thrown|told|torn|un(bound|broken|drawn|known|met|seen|written)|understood|won|worn|wound|written) *[(<]",
        fine: r"\bfn (embed|exceed|feed|need|proceed|red|seed|speed|succeed)\b",
        instead: "a verb, alone or with its noun: keep, keep_rows; is_kept for a question",
    },
    Pattern {
        name: "british",
        banned: r"(?i)\b(re|un|de|pre|mis)?(synchronis|initialis|finalis|recognis|normalis|optimis[ei]|utilis|organis|serialis|summaris|minimis|generalis)[a-z]*|(?i)\b(un|mis)?(behaviour|colour|honour|neighbour|judgement|favour|cancelled|labelled|signalled|modelled|misspelt|licence|afterwards|towards|catalogue|artefact|centre|grey)[a-z]*",
        fine: r"[\w.-]+[.:_/-][\w.-]*|\b[A-Za-z]+[A-Z][A-Za-z]*|aria-labelledby",
        instead: "American spelling",
    },
];

/// Files that others wrote, that programs wrote, or that keep what an earlier release said.
const NOT_OURS: [&str; 15] = [
    "fixtures/runs/",
    "fixtures/machines/",
    "harness/fuzz/corpus/",
    "harness/fuzz/seeds/",
    "harness/engine/proptest-regressions/",
    "harness/acl/src/bindings.rs",
    "reports/schema/",
    "specs/schema/",
    "specs/acl/abi.h",
    "specs/acl/mustpass/",
    "specs/acl/inventory.tsv",
    "Cargo.lock",
    "LICENSE",
    // They name the patterns.
    "harness/atlas-cts/tests/style.rs",
    "harness/atlas-cts/tests/style/",
];

const BUDGET: &str = "harness/atlas-cts/tests/style/budget.tsv";

const ENDINGS: [&str; 14] =
    ["rs", "yaml", "yml", "md", "sh", "toml", "h", "c", "py", "err", "snap", "html", "js", "ftl"];

/// Occurrences of each pattern in each file, with the lines.
type Found = BTreeMap<(String, &'static str), Vec<String>>;

/// Read once for all tests: it takes seconds.
static FOUND: LazyLock<Found> = LazyLock::new(found);

fn found() -> Found {
    let patterns: Vec<(&Pattern, Regex, Option<Regex>)> = PATTERNS
        .iter()
        .map(|pattern| {
            let read = |text: &str| Regex::new(text).expect("the pattern is a regular expression");
            (pattern, read(pattern.banned), (!pattern.fine.is_empty()).then(|| read(pattern.fine)))
        })
        .collect();
    let mut found = Found::new();
    for path in tracked(&ENDINGS) {
        let name = relative(&path);
        if NOT_OURS.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let mut in_comment = false;
        for (number, line) in prose(&name, &text) {
            let comment = ["//", "#"].iter().any(|mark| line.trim_start().starts_with(mark));
            for (pattern, banned, fine) in &patterns {
                // A page has headings, not comments, and a comment has a first line.
                let heading = pattern.name == "what-as-noun" && (name.ends_with(".md") || in_comment);
                // `call(s)` is C.
                let call = pattern.name == "plural-in-brackets" && name.ends_with(".c");
                if heading || call {
                    continue;
                }
                let line_without =
                    fine.as_ref().map_or_else(|| line.to_owned(), |fine| fine.replace_all(line, " ").into_owned());
                if banned.is_match(&line_without) {
                    let place = format!("{name}:{number}: {} ({})", line.trim(), pattern.instead);
                    found.entry((name.clone(), pattern.name)).or_default().push(place);
                }
            }
            in_comment = comment;
        }
    }
    found
}

/// The lines of a file that hold prose, with their numbers: of the steps of a rule only the comments.
fn prose<'a>(name: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    let of_rules = name.starts_with("specs/") && name.ends_with(".yaml");
    let mut steps: Option<usize> = None;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        let indent = line.len() - line.trim_start().len();
        if steps.is_some_and(|outer| !line.trim().is_empty() && indent <= outer) {
            steps = None;
        }
        match line.split_once("//") {
            Some((_, comment)) if steps.is_some() => lines.push((number, comment)),
            _ if steps.is_none() => lines.push((number, line)),
            _ => {}
        }
        let key = line.trim_start().trim_start_matches("- ");
        if of_rules && ["steps:", "actors:", "observe:", "choose:"].iter().any(|known| key.starts_with(known)) {
            steps = Some(indent);
        }
    }
    lines
}

/// What a file may still have of a pattern, and why.
fn budgets() -> BTreeMap<(String, String), (usize, String)> {
    let text = fs::read_to_string(project().join(BUDGET)).expect("the budget can be read");
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [file, pattern, count, why] = cells[..] else { panic!("{BUDGET}: four cells, not: {line}") };
            assert!(!why.trim().is_empty(), "{BUDGET}: {file}: say why");
            let count = count.parse().unwrap_or_else(|_| panic!("{BUDGET}: a number, not: {line}"));
            ((file.to_owned(), pattern.to_owned()), (count, why.to_owned()))
        })
        .collect()
}

#[test]
fn no_file_has_more_of_a_pattern_than_its_budget() {
    let budgets = budgets();
    let mut over = Vec::new();
    for ((file, pattern), places) in FOUND.iter() {
        let allowed = budgets.get(&(file.clone(), (*pattern).to_owned())).map_or(0, |(count, _)| *count);
        if places.len() > allowed {
            over.extend(places.iter().map(String::as_str));
        }
    }
    assert!(over.is_empty(), "{} places, each with its cure:\n{}", over.len(), over.join("\n"));
}

#[test]
fn a_budget_is_what_its_file_has() {
    let has = |file: &str, pattern: &str| {
        FOUND.iter().find(|((of, name), _)| of == file && *name == pattern).map_or(0, |(_, places)| places.len())
    };
    let mut lower = Vec::new();
    let mut text =
        String::from("# file\tpattern\tcount\twhy; docs/HACKING.md, Style. Numbers only fall: BLESS=1 lowers them.\n");
    for ((file, pattern), (count, why)) in budgets() {
        let now = has(&file, &pattern).min(count);
        if now < count {
            lower.push(format!("{file}: {pattern}: {count} allowed, {now} found"));
        }
        if now > 0 {
            text += &format!("{file}\t{pattern}\t{now}\t{why}\n");
        }
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(project().join(BUDGET), text).expect("the budget can be written");
    } else {
        assert!(lower.is_empty(), "lower these budgets (BLESS=1 does it):\n{}", lower.join("\n"));
    }
}

#[rstest]
#[case::is_no("is-no", "it is no file", "there is no file, and it is no longer here")]
#[case::stands("stands", "the rule stands in a chapter", "the name stands for a device")]
#[case::what_as_noun("what-as-noun", "/// What a run found.", "// What does a driver do here?")]
#[case::nobody("nobody", "nobody uses it", "no process uses it")]
#[case::any_more("any-more", "not any more", "any more than that")]
#[case::so_many("so-many", "so many devices", "so long as it holds")]
#[case::of_its_own("of-its-own", "a process of its own", "its own process")]
#[case::is_asked("is-asked", "the device is asked", "the suite asks the device")]
#[case::goes_on("goes-on", "the run goes on", "the run continues")]
#[case::that_is_there("that-is-there", "a file that is there", "an existing file")]
#[case::plural_in_brackets("plural-in-brackets", "2 rule(s)", "2 rules (some)")]
#[case::bare_participle("bare-participle", "fn kept(&self)", "fn keep(&self), fn kept_rows(), fn seed()")]
#[case::british("british", "the behaviour", "the behavior of stream.synchronised-late")]
fn each_pattern_finds_its_phrase_and_no_other(#[case] name: &str, #[case] bad: &str, #[case] good: &str) {
    let pattern = PATTERNS.iter().find(|pattern| pattern.name == name).expect("the pattern exists");
    let banned = Regex::new(pattern.banned).expect("the pattern is a regular expression");
    let without = |text: &str| match pattern.fine {
        "" => text.to_owned(),
        fine => Regex::new(fine).expect("the exception is a regular expression").replace_all(text, " ").into_owned(),
    };
    assert!(banned.is_match(&without(bad)), "{bad}");
    assert!(!banned.is_match(&without(good)), "{good}");
}

/// The columns of a line of prose in a page.
const WIDTH: usize = 100;

#[test]
fn lines_of_pages_are_short() {
    let mut long = Vec::new();
    for path in tracked(&["md"]) {
        let name = relative(&path);
        if NOT_OURS.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a page can be read");
        let mut in_code = false;
        for (index, line) in text.lines().enumerate() {
            in_code ^= line.trim_start().starts_with("```");
            // A table row, and a link, cannot be broken.
            let whole = in_code || line.trim_start().starts_with('|') || line.contains("](") || line.contains("://");
            // A Chinese character takes two columns.
            if !whole && columns(line) > WIDTH {
                long.push(format!("{name}:{}", index + 1));
            }
        }
    }
    assert!(long.is_empty(), "lines of more than {WIDTH} columns: {}", long.join(", "));
}

/// Paths that a page or a comment names must exist: it is how a reader finds the rest.
#[test]
fn files_that_comments_name_exist() {
    let named = Regex::new(r"\b((?:docs|specs|harness|fixtures|suites|reports|ci)/[\w./-]*\w\.(?:rs|md|yaml|sh|tsv|toml|json|h|ftl|xsd))\b")
        .expect("the pattern is a regular expression");
    let mut dead = Vec::new();
    for path in tracked(&["rs", "yaml", "sh", "toml", "md", "tsv"]) {
        let name = relative(&path);
        // Tests name the files of their benches.
        let of_a_bench = name.contains("/tests/") && name.ends_with(".rs");
        if NOT_OURS.iter().any(|start| name.starts_with(start)) || name == "CHANGELOG.md" || of_a_bench {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source can be read");
        for (index, line) in text.lines().enumerate() {
            for found in named.find_iter(line) {
                let before = &line[..found.start()];
                // A path within another folder: of a test's bench, of an archive, of the vendor's snapshot.
                let within = before.ends_with(['/', '.', '-', '$', '}', '~']) || before.ends_with("\"");
                if !within && !project().join(found.as_str()).exists() {
                    dead.push(format!("{name}:{}: {}", index + 1, found.as_str()));
                }
            }
        }
    }
    assert!(dead.is_empty(), "these files do not exist:\n{}", dead.join("\n"));
}
