//! A device that is right except once: one transfer, one refusal, one output. Each check that no defect needs is held
//! against these: a check that alone notices that one event went wrong looks at something that nothing else looks at.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::lang::judgement::Judgement;
use crate::run::{Attempt, Planned, Session, SessionError, Trial};

use super::work::{Work, lock};

/// What goes wrong, by the numbers of the simulator.
const KINDS: [(u64, &str); 5] = [
    (1, "transfer to the host begins with a wrong byte"),
    (2, "transfer to the host ends with a wrong byte"),
    (3, "refused call answers success"),
    (4, "refused call answers another code"),
    (5, "output differs in one bit"),
];
/// So many events of a kind are tried at most.
const EVENTS: u64 = 100;
/// So many cases of a rule; edges always run.
const CASES: u32 = 40;

impl Work<'_> {
    /// Looks for an event that each remaining check alone notices.
    pub fn glitches(&self, rules: &[Planned]) -> Result<(), SessionError> {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.proof.jobs.max(1))
                .map(|_| {
                    scope.spawn(|| {
                        let mut session = self.session.with_defects(&self.options, Vec::new())?;
                        session.glitches();
                        while let Some(planned) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
                            self.glitches_of(&mut session, planned).map_err(|error| {
                                SessionError::Environment(format!("the simulated machine's folder: {error}"))
                            })?;
                            session.retire();
                        }
                        Ok(())
                    })
                })
                .collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("a proof's threads do not panic"))
        })
    }

    fn glitches_of(&self, session: &mut Session, planned: &Planned) -> std::io::Result<()> {
        for (kind, what) in KINDS {
            for number in 1..=EVENTS {
                if !self.wanting(planned, kind) {
                    break;
                }
                let attempt = run(session, planned, (kind, number), None)?;
                if attempt.passes() && session.armed()? {
                    break;
                }
                let Some(ignored) = self.failed_check(planned, &attempt) else { continue };
                let without = run(session, planned, (kind, number), Some(ignored))?;
                if without.passes() {
                    self.note(planned, |rule| {
                        let check = rule.checks.iter_mut().find(|check| check.judgement == ignored);
                        if let Some(check) = check {
                            check.needed_for = Some(format!("a device whose {number}. {what}"));
                        }
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether the rule has a check of this kind that nothing needs yet.
    fn wanting(&self, planned: &Planned, kind: u64) -> bool {
        let rules = lock(&self.rules);
        rules.get(&planned.id).is_some_and(|rule| {
            rule.unneeded().any(|check| match check.judgement {
                Judgement::Condition(_) | Judgement::Success => kind != 4,
                Judgement::Failure(_) => kind == 3,
                Judgement::Code(_) => kind == 4,
            })
        })
    }

    /// The check that failed, if nothing needs it yet.
    fn failed_check(&self, planned: &Planned, attempt: &Attempt) -> Option<Judgement> {
        let rules = lock(&self.rules);
        let check = rules.get(&planned.id)?.checks.iter().find(|check| check.failed(attempt))?;
        (check.needed_for.is_none() && attempt.kills()).then_some(check.judgement)
    }
}

fn run(
    session: &mut Session,
    planned: &Planned,
    (kind, number): (u64, u64),
    ignored: Option<Judgement>,
) -> std::io::Result<Attempt> {
    session.arm(kind, number)?;
    let trial = Trial { ignored, cases: Some(CASES), unread: true, ..Trial::default() };
    let seed = session.header.seed;
    let attempt = session.attempt(planned, seed, trial);
    if !attempt.passes() {
        // What a process that ended early left behind is not for the next.
        session.arm(0, 0)?;
        session.retire();
    }
    Ok(attempt)
}
