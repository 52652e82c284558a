//! Reads and checks files of known failures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_yaml::Spanned;
use sha2::{Digest, Sha256};
use steps::pattern::matches;
use steps::suggest::hint;

use catalog::digest::hex;
use catalog::files;
use catalog::version::Range;
use catalog::{Diagnostic, Rules, Source, parse_source};
use record::{ExpectationFiles, Shape, Verdict};

use super::date::day;
use super::error::ExpectationsError;
use super::known_failure::{KnownFailure, VERSIONS};
use super::model::{EntrySource, ExpectationsFile, Kind, SymptomSource};
use super::symptom::ExpectedSymptom;

/// The largest file, in bytes. The files are written by hand.
const LARGEST: u64 = 8 << 20;

/// The verdicts that an entry can expect.
const VERDICTS: [Verdict; 8] = [
    Verdict::Fail,
    Verdict::WrongCode,
    Verdict::Crash,
    Verdict::Timeout,
    Verdict::Flaky,
    Verdict::Blocked,
    Verdict::Error,
    Verdict::DeviceLost,
];

/// Known failures, checked against the catalog.
#[derive(Debug, Clone)]
pub struct Expectations {
    pub entries: Vec<KnownFailure>,
    /// The files that contain the entries, for the journal.
    pub files: ExpectationFiles,
}

impl Expectations {
    /// Reads a file, or all `*.yaml` and `*.yml` files in a folder in order of their names.
    ///
    /// # Errors
    /// Fails if a file cannot be read or has mistakes. All mistakes are reported.
    pub fn read(path: &Path, rules: &Rules) -> Result<Expectations, ExpectationsError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| ExpectationsError::Unreadable { path, source }
        };
        let (mut entries, mut mistakes, mut digest) = (Vec::new(), Vec::new(), Sha256::new());
        for file in yaml_files(path).map_err(unreadable(path))? {
            let text = files::read_to_string(&file, LARGEST).map_err(unreadable(&file))?;
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for part in [&name, &text] {
                digest.update((part.len() as u64).to_le_bytes());
                digest.update(part.as_bytes());
            }
            let source = Arc::new(Source::new(file, text));
            match parse_source::<ExpectationsFile>(&source) {
                Err(mistake) => mistakes.push(mistake),
                Ok(file) => {
                    for entry in file.expectations.iter().filter(|entry| !of_another_runtime(entry, rules)) {
                        let mut check = Check { source: &source, name: &name, rules, mistakes: &mut mistakes };
                        entries.extend(check.entry(entry));
                    }
                }
            }
        }
        if !mistakes.is_empty() {
            return Err(ExpectationsError::Mistakes(mistakes));
        }
        let digest = hex(&digest.finalize());
        let files = ExpectationFiles { path: path.display().to_string(), digest, entries: entries.len() };
        Ok(Expectations { entries, files })
    }

    /// The known failures without the names of sites and people.
    pub fn without_names(mut self) -> Expectations {
        let name = Path::new(&self.files.path).file_name().unwrap_or_default();
        self.files.path = name.to_string_lossy().into_owned();
        self.entries.iter_mut().for_each(|entry| entry.owner = "(removed)".to_owned());
        self
    }
}

/// True if an entry is about rules of another runtime, which may share the folder. A name close to this runtime's is a
/// mistake.
fn of_another_runtime(entry: &EntrySource, rules: &Rules) -> bool {
    let other = |pattern: &Spanned<String>| {
        let first = pattern.value.split_once('.').map(|(first, _)| first);
        first.is_some_and(|first| {
            let plain = first.bytes().all(|byte| byte.is_ascii_alphanumeric());
            plain && first != rules.runtime && hint(first, std::iter::once(rules.runtime.as_str())).is_empty()
        })
    };
    let mut patterns = entry.rule.iter().chain(&entry.rules).peekable();
    patterns.peek().is_some() && patterns.all(other)
}

fn yaml_files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries: std::io::Result<Vec<PathBuf>> =
        std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let yaml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let mut files: Vec<PathBuf> = entries?.into_iter().filter(yaml).collect();
    files.sort();
    Ok(files)
}

/// The state of checking a file.
struct Check<'a> {
    source: &'a Arc<Source>,
    /// The file's name in its folder.
    name: &'a str,
    rules: &'a Rules,
    mistakes: &'a mut Vec<Diagnostic>,
}

impl Check<'_> {
    fn mistake<T>(&mut self, place: &Spanned<T>, message: impl Into<String>) {
        self.mistakes.push(Diagnostic::at(self.source, place, message));
    }

    /// The checked entry; `None` if the entry has a mistake.
    fn entry(&mut self, entry: &EntrySource) -> Option<KnownFailure> {
        let before = self.mistakes.len();
        let patterns: Vec<String> = entry.rule.iter().chain(&entry.rules).map(|rule| self.pattern(rule)).collect();
        if entry.rule.is_some() != entry.rules.is_empty() {
            let message = "an entry is about one `rule` or about several `rules`; write one of the two";
            self.mistake(&entry.kind, message);
        }
        entry.products.iter().for_each(|product| self.product(product));
        let versions = entry.versions.iter().filter_map(|(name, range)| self.range(name, range)).collect();
        let symptom = self.symptom(entry);
        let rate = self.rate(entry);
        let danger = self.danger(entry);
        for (what, text) in [("tracker", &entry.tracker), ("owner", &entry.owner)] {
            if text.value.trim().is_empty() {
                self.mistake(text, format!("the {what} is empty; name one, so that the entry can be removed someday"));
            }
        }
        let expires = day(&entry.expires.value);
        if expires.is_none() {
            let message = format!("`{}` is not a day; write, for example, 2027-03-31", entry.expires.value);
            self.mistake(&entry.expires, message);
        }
        if self.mistakes.len() > before {
            return None;
        }
        Some(KnownFailure {
            patterns,
            kind: entry.kind.value,
            products: entry.products.iter().map(|product| product.value.clone()).collect(),
            versions,
            symptom,
            rate,
            danger,
            tracker: entry.tracker.value.trim().to_owned(),
            owner: entry.owner.value.trim().to_owned(),
            expires: expires?,
            place: format!("{}:{}", self.name, entry.rule.iter().chain(&entry.rules).next()?.referenced.line()),
        })
    }

    fn pattern(&mut self, rule: &Spanned<String>) -> String {
        let derived = self.rules.support_rule();
        let ids = || self.rules.rules.iter().map(|rule| rule.id.as_str()).chain(derived.as_deref());
        if !ids().any(|id| matches(&rule.value, id)) {
            let message = match rule.value.contains('*') {
                true => format!("no rule matches `{}`; `atlas-cts list` lists all rules", rule.value),
                false => format!(
                    "unknown rule `{}`{}; `*` matches any text, `atlas-cts list` lists all rules",
                    rule.value,
                    hint(&rule.value, ids())
                ),
            };
            self.mistake(rule, message);
        }
        rule.value.clone()
    }

    fn product(&mut self, product: &Spanned<String>) {
        if self.rules.product(&product.value).is_none() {
            let known = self.rules.products.iter().map(|known| known.id.as_str());
            let message = format!("unknown product `{}`{}", product.value, hint(&product.value, known.clone()));
            let message = format!("{message}; known products are {}", known.collect::<Vec<_>>().join(", "));
            self.mistake(product, message);
        }
    }

    fn range(&mut self, name: &str, range: &Spanned<String>) -> Option<(String, Range)> {
        if !VERSIONS.contains(&name) {
            let message = format!("unknown component `{name}`{}", hint(name, VERSIONS));
            self.mistake(range, format!("{message}; known are {}", VERSIONS.join(", ")));
        }
        let read = Range::read(&range.value);
        read.map_err(|error| self.mistake(range, error.to_string())).ok().map(|read| (name.to_owned(), read))
    }

    fn symptom(&mut self, entry: &EntrySource) -> Option<ExpectedSymptom> {
        match (&entry.symptom, entry.kind.value) {
            (None, Kind::Skip) => None,
            (None, _) => {
                self.mistake(
                    &entry.kind,
                    "the entry needs a symptom: `symptom: {verdict: …, check: …, code: …, call: …}`",
                );
                None
            }
            (Some(symptom), Kind::Skip) => {
                self.mistake(&symptom.verdict, "a rule that is not run has no symptom; remove it, or use `kind: fail`");
                None
            }
            (Some(symptom), kind) => self.expected(symptom, kind),
        }
    }

    fn expected(&mut self, symptom: &SymptomSource, kind: Kind) -> Option<ExpectedSymptom> {
        let SymptomSource { verdict, check, code, call, shape } = symptom;
        let allowed = || VERDICTS.iter().filter(|known| kind != Kind::Flake || **known != Verdict::Flaky);
        let Some(known) = allowed().find(|known| known.name() == verdict.value) else {
            let names: Vec<&str> = allowed().map(|known| known.name()).collect();
            let (given, hint) = (&verdict.value, hint(&verdict.value, names.iter().copied()));
            let of = if kind == Kind::Flake { "a single run" } else { "a rule" };
            self.mistake(verdict, format!("{of} cannot fail with `{given}`{hint}; use one of {}", names.join(", ")));
            return None;
        };
        let shape = match shape {
            None => None,
            Some(named) => Some(self.shape(named)?),
        };
        let (check, code, call) = (check.clone(), code.clone(), call.clone());
        Some(ExpectedSymptom { verdict: *known, check, code, call, shape })
    }

    fn shape(&mut self, named: &Spanned<String>) -> Option<Shape> {
        let shape = Shape::EACH.into_iter().find(|shape| shape.name() == named.value);
        if shape.is_none() {
            let names = Shape::EACH.map(Shape::name);
            let hint = hint(&named.value, names);
            self.mistake(named, format!("unknown shape `{}`{hint}; use one of {}", named.value, names.join(", ")));
        }
        shape
    }

    fn rate(&mut self, entry: &EntrySource) -> f64 {
        match (&entry.rate, entry.kind.value) {
            (None, Kind::Flake) => {
                self.mistake(
                    &entry.kind,
                    "a flake needs a rate, the largest allowed share of failing runs: for example `rate: 0.1`",
                );
            }
            (Some(rate), Kind::Flake) if !(rate.value > 0.0 && rate.value < 1.0) => {
                self.mistake(rate, format!("{} is not a rate between 0 and 1; write, for example, 0.1", rate.value));
            }
            (Some(rate), Kind::Fail | Kind::Skip) => {
                self.mistake(rate, "only a flake has a rate; remove it, or use `kind: flake`")
            }
            _ => {}
        }
        entry.rate.as_ref().map_or(0.0, |rate| rate.value)
    }

    fn danger(&mut self, entry: &EntrySource) -> String {
        let danger = entry.danger.as_ref().filter(|danger| !danger.value.trim().is_empty());
        match (danger, entry.kind.value) {
            (None, Kind::Skip) => {
                let message = "a rule may be left out only if running it does harm: name the harm, for example \
                               `danger: hangs the machine`";
                self.mistake(&entry.kind, message);
            }
            (Some(danger), Kind::Fail | Kind::Flake) => {
                self.mistake(danger, "only a rule that is not run has a danger; remove it, or use `kind: skip`");
            }
            _ => {}
        }
        danger.map_or(String::new(), |danger| danger.value.trim().to_owned())
    }
}
