//! Known failures, and the test that shows if a known failure applies to a run.

use std::collections::{BTreeMap, BTreeSet};

use time::Date;

use catalog::version::{Range, VersionNumber};
use record::{EntryReference, RunHeader};

use super::model::Kind;
use super::symptom::ExpectedSymptom;

/// The components on whose versions an entry can depend.
pub const VERSIONS: [&str; 6] = ["edition", "runtime", "kernel", "driver", "firmware", "toolkit"];

/// A known failure.
#[derive(Debug, Clone)]
pub struct KnownFailure {
    /// Rules' ids, or patterns in which `*` matches any text; at least one.
    pub(super) patterns: Vec<String>,
    pub kind: Kind,
    /// The products to which the entry applies; empty for all products.
    pub products: Vec<String>,
    pub(super) versions: Vec<(String, Range)>,
    /// The expected symptom; `None` if the rule is not run.
    pub symptom: Option<ExpectedSymptom>,
    /// For a flake, the largest allowed share of failing runs.
    pub rate: f64,
    /// For a rule that is not run, the harm that running the rule would do.
    pub danger: String,
    pub tracker: String,
    pub owner: String,
    pub expires: Date,
    /// The entry's place, as `file.yaml:line`.
    pub place: String,
}

/// The result of matching an entry with a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fit {
    Applies,
    Elsewhere,
    /// Undecided, with the reason: a version is unknown, disputed or not comparable.
    Undecided(String),
}

impl KnownFailure {
    /// True if the entry covers a rule.
    pub fn is_about(&self, id: &str) -> bool {
        self.patterns.iter().any(|pattern| steps::pattern::matches(pattern, id))
    }

    /// True if `on` is after the last day on which the entry applies.
    pub fn expired(&self, on: Date) -> bool {
        on > self.expires
    }

    /// Compares the entry with the product and the versions of a run.
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

    /// The reference by which reports name the entry.
    pub(super) fn reference(&self) -> EntryReference {
        EntryReference {
            place: self.place.clone(),
            tracker: self.tracker.clone(),
            owner: self.owner.clone(),
            expires: self.expires.to_string(),
        }
    }
}

/// A run's known versions by component. A component has several versions if sources disagree.
pub(super) struct Versions(BTreeMap<String, BTreeSet<String>>);

impl Versions {
    /// The versions in a header. A version that the library reports takes precedence over installed versions.
    pub(super) fn of(header: &RunHeader) -> Versions {
        let kernel = header.host.as_ref().and_then(|host| host.kernel.clone());
        let reported =
            [("edition", header.edition.clone()), ("runtime", header.library.version.clone()), ("kernel", kernel)];
        let reported =
            reported.into_iter().filter_map(|(name, version)| Some((name.to_owned(), BTreeSet::from([version?]))));
        let mut known: BTreeMap<String, BTreeSet<String>> = reported.collect();
        let reported: BTreeSet<String> = known.keys().cloned().collect();
        let installed = header.fingerprint.iter().flat_map(|fingerprint| &fingerprint.installed);
        for installed in installed.filter(|installed| !reported.contains(&installed.of)) {
            known.entry(installed.of.clone()).or_default().insert(installed.version.clone());
        }
        Versions(known)
    }

    /// Each version with its component, ordered by component.
    pub(super) fn each(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|(name, versions)| versions.iter().map(move |version| (name.as_str(), version.as_str())))
    }

    /// Compares a component's known versions with a range.
    fn fit(&self, name: &str, range: &Range) -> Fit {
        let Some(versions) = self.0.get(name) else {
            return Fit::Undecided(format!("the version of {name} is unknown"));
        };
        let read: Option<Vec<bool>> =
            versions.iter().map(|text| Some(range.holds(&VersionNumber::read(text)?))).collect();
        let all = || versions.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" and ");
        match read {
            Some(held) if held.iter().all(|held| *held) => Fit::Applies,
            Some(held) if !held.contains(&true) => Fit::Elsewhere,
            Some(_) => Fit::Undecided(format!("sources disagree about the version of {name}: {}", all())),
            None => Fit::Undecided(format!("{name} {} is not a comparable version", all())),
        }
    }
}
