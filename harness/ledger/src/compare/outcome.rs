//! The outcome of a comparison in one sentence, and its numbers.

use messages::message;

use super::difference::{Change, CoverageKind, Difference, Drift};

/// The color of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Open,
    Bad,
}

/// The numbers of a comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers {
    /// Rules that are broken now and were not before.
    pub worse: usize,
    pub symptoms: usize,
    pub fixes: usize,
    pub flakes: usize,
    /// Rules of level `info` that fail now.
    pub findings: usize,
    pub drift: usize,
    pub lost: usize,
    pub gained: usize,
    pub unchanged: u64,
}

impl Numbers {
    pub(super) fn of(found: &Difference) -> Numbers {
        let of = |wanted: Change| found.changes.iter().filter(|known| known.change == wanted).count();
        let coverage =
            |wanted: [CoverageKind; 2]| found.coverage.iter().filter(|known| wanted.contains(&known.kind)).count();
        let findings = found.drift.iter().filter(|drift| is_finding(drift)).count();
        Numbers {
            worse: of(Change::Regression) + of(Change::NewFailure),
            symptoms: of(Change::OtherSymptom),
            fixes: of(Change::Fix),
            flakes: of(Change::Flake),
            findings,
            drift: found.drift.len() - findings,
            lost: coverage([CoverageKind::OnlyOld, CoverageKind::Gone]),
            gained: coverage([CoverageKind::OnlyNew, CoverageKind::New]),
            unchanged: found.unchanged,
        }
    }
}

/// True if a rule of level `info` fails now and did not before.
pub(super) fn is_finding(drift: &Drift) -> bool {
    drift.finding
}

/// The outcome in one sentence. Only a promise that broke speaks against the newer run.
pub(super) fn outcome(found: &Difference) -> (Tone, String) {
    let numbers = Numbers::of(found);
    let better = match numbers.fixes {
        0 => String::new(),
        fixes => format!(" {}", message!("diff-also-better", count = fixes)),
    };
    match numbers {
        Numbers { worse: 1.., .. } => {
            let worse = match found.causes.len() {
                0 => message!("diff-worse", count = numbers.worse),
                places => message!("diff-worse-in-places", places = places, count = numbers.worse),
            };
            (Tone::Bad, worse + &better)
        }
        Numbers { symptoms: 1.., .. } => {
            (Tone::Open, message!("diff-fails-otherwise", count = numbers.symptoms) + &better)
        }
        Numbers { lost: 1.., .. } => (Tone::Open, message!("diff-lost", count = numbers.lost) + &better),
        Numbers { fixes: 1.., .. } => (Tone::Good, message!("diff-better", count = numbers.fixes)),
        Numbers { findings, drift, .. } if findings + drift > 0 => {
            (Tone::Good, message!("diff-only-drift", count = findings + drift))
        }
        Numbers { unchanged: 0, .. } => (Tone::Open, message!("diff-nothing-compared").to_owned()),
        Numbers { flakes: 1.., .. } => (Tone::Good, message!("diff-same-flaky", count = numbers.flakes)),
        _ => (Tone::Good, message!("diff-same", count = numbers.unchanged)),
    }
}
