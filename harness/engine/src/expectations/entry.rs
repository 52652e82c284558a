//! A checked entry, and whether it applies to a run.

use std::collections::BTreeMap;

use time::Date;

use crate::record::{EntryReference, RunHeader};
use crate::version::{Range, Release};

use super::model::Kind;
use super::pattern::Pattern;
use super::symptom::ExpectedSymptom;

/// What a run may know a version of, and an entry may depend on.
pub const VERSIONS: [&str; 6] = ["edition", "runtime", "kernel", "driver", "firmware", "toolkit"];

/// A known failure.
#[derive(Debug, Clone)]
pub struct Entry {
    pub(super) pattern: Pattern,
    pub kind: Kind,
    /// None: all.
    pub products: Vec<String>,
    pub(super) versions: Vec<(String, Range)>,
    /// `None`: it is not run.
    pub symptom: Option<ExpectedSymptom>,
    /// Of a flake: the largest share of runs that fail.
    pub rate: f64,
    /// Of what is not run: what it does.
    pub danger: String,
    pub tracker: String,
    pub owner: String,
    pub expires: Date,
    /// `file.yaml:line`.
    pub place: String,
}

/// Whether an entry is about a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fit {
    Applies,
    Elsewhere,
    /// A version that it depends on is not known: which one.
    Undecided(String),
}

impl Entry {
    /// Whether it is about a rule.
    pub fn is_about(&self, id: &str) -> bool {
        self.pattern.matches(id)
    }

    /// Whether the last day on which it holds is over.
    pub fn expired(&self, on: Date) -> bool {
        on > self.expires
    }

    /// Whether it is about a run on this product with these versions.
    pub(super) fn fit(&self, product: &str, known: &BTreeMap<String, String>) -> Fit {
        if !self.products.is_empty() && !self.products.iter().any(|named| named == product) {
            return Fit::Elsewhere;
        }
        let mut undecided = None;
        for (name, range) in &self.versions {
            match known.get(name).map(|text| (text, Release::read(text))) {
                Some((_, Some(version))) if !range.holds(&version) => return Fit::Elsewhere,
                Some((_, Some(_))) => {}
                Some((text, None)) => undecided = Some(format!("{name} `{text}` is no version that compares")),
                None => undecided = Some(format!("the version of {name} is not known")),
            }
        }
        undecided.map_or(Fit::Applies, Fit::Undecided)
    }

    /// As reports name it.
    pub(super) fn reference(&self) -> EntryReference {
        EntryReference {
            place: self.place.clone(),
            tracker: self.tracker.clone(),
            owner: self.owner.clone(),
            expires: self.expires.to_string(),
        }
    }
}

/// The versions that a run knows, by what has them.
pub(super) fn versions(header: &RunHeader) -> BTreeMap<String, String> {
    let kernel = header.host.as_ref().and_then(|host| host.kernel.clone());
    let known = [("edition", header.edition.clone()), ("runtime", header.library.version.clone()), ("kernel", kernel)];
    known.into_iter().filter_map(|(name, version)| Some((name.to_owned(), version?))).collect()
}
