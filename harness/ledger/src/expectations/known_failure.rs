//! A checked entry, and whether it applies to a run.

use std::collections::{BTreeMap, BTreeSet};

use time::Date;

use catalog::version::{Range, Release};
use record::{EntryReference, RunHeader};

use super::model::Kind;
use super::symptom::ExpectedSymptom;

/// What a run may know a version of, and an entry may depend on.
pub const VERSIONS: [&str; 6] = ["edition", "runtime", "kernel", "driver", "firmware", "toolkit"];

/// A known failure.
#[derive(Debug, Clone)]
pub struct KnownFailure {
    /// The id of a rule, or a text in which `*` stands for any text.
    pub(super) pattern: String,
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

impl KnownFailure {
    /// Whether it is about a rule.
    pub fn is_about(&self, id: &str) -> bool {
        steps::pattern::matches(&self.pattern, id)
    }

    /// Whether the last day on which it holds is over.
    pub fn expired(&self, on: Date) -> bool {
        on > self.expires
    }

    /// Whether it is about a run on this product with these versions.
    pub(super) fn fit(&self, product: &str, known: &Versions) -> Fit {
        if !self.products.is_empty() && !self.products.iter().any(|named| named == product) {
            return Fit::Elsewhere;
        }
        let fits = self.versions.iter().map(|(name, range)| known.fit(name, range));
        fits.fold(Fit::Applies, |all, one| match (all, one) {
            (Fit::Elsewhere, _) | (_, Fit::Elsewhere) => Fit::Elsewhere,
            (Fit::Applies, one) => one,
            (undecided, _) => undecided,
        })
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

/// The versions that a run knows, by what has them: several where its sources do not agree.
pub(super) struct Versions(BTreeMap<String, BTreeSet<String>>);

impl Versions {
    /// Those of the run's first line: what the library says of itself goes before what is installed beside it.
    pub(super) fn of(header: &RunHeader) -> Versions {
        let kernel = header.host.as_ref().and_then(|host| host.kernel.clone());
        let said =
            [("edition", header.edition.clone()), ("runtime", header.library.version.clone()), ("kernel", kernel)];
        let said = said.into_iter().filter_map(|(name, version)| Some((name.to_owned(), BTreeSet::from([version?]))));
        let mut known: BTreeMap<String, BTreeSet<String>> = said.collect();
        let said: BTreeSet<String> = known.keys().cloned().collect();
        let installed = header.fingerprint.iter().flat_map(|fingerprint| &fingerprint.installed);
        for installed in installed.filter(|installed| !said.contains(&installed.of)) {
            known.entry(installed.of.clone()).or_default().insert(installed.version.clone());
        }
        Versions(known)
    }

    /// Each version by its name, in the order of names.
    pub(super) fn each(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|(name, versions)| versions.iter().map(move |version| (name.as_str(), version.as_str())))
    }

    /// Whether what has this name is in a range.
    fn fit(&self, name: &str, range: &Range) -> Fit {
        let Some(versions) = self.0.get(name) else {
            return Fit::Undecided(format!("the version of {name} is not known"));
        };
        let read: Option<Vec<bool>> = versions.iter().map(|text| Some(range.holds(&Release::read(text)?))).collect();
        let all = || versions.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" and ");
        match read {
            Some(held) if held.iter().all(|held| *held) => Fit::Applies,
            Some(held) if !held.contains(&true) => Fit::Elsewhere,
            Some(_) => Fit::Undecided(format!("sources do not agree on the version of {name}: {}", all())),
            None => Fit::Undecided(format!("{name} {} is no version that compares", all())),
        }
    }
}
