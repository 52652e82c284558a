//! Descriptors that pass between the processes of a rule, as the supervisor sees them.

use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use crate::wire::handing::{self, Handed};
use crate::wire::wait;

use super::child::{TICK, WorkerProcess};
use super::end::WorkerEnd;
use super::interrupt;

impl WorkerProcess {
    /// Waits for the descriptor that the worker hands over.
    pub(super) fn take_descriptor(&mut self, deadline: Duration) -> Result<Handed<OwnedFd>, WorkerEnd> {
        let mut since = Instant::now();
        loop {
            let Some(socket) = &self.requests else { return Err(self.crashed()) };
            if wait::ready(&mut [PollFd::new(socket, PollFlags::IN)], deadline.min(TICK)) > 0 {
                return match handing::receive(socket) {
                    Ok(Some(handed)) => Ok(handed),
                    Ok(None) | Err(_) => Err(self.crashed()),
                };
            }
            if let Some(signal) = interrupt::requested() {
                self.kill();
                return Err(WorkerEnd::Interrupted(signal));
            }
            if self.status().is_some() {
                return Err(self.crashed());
            }
            if self.is_traced() {
                since = Instant::now();
            } else if since.elapsed() >= deadline {
                let overran = self.flight.between_calls();
                return Err(match self.kill() {
                    _ if overran => WorkerEnd::Overran(deadline),
                    true => WorkerEnd::Hung(deadline),
                    false => WorkerEnd::Stuck(deadline),
                });
            }
        }
    }

    /// Gives the worker, which waits for it, a descriptor of another process.
    pub(super) fn give_descriptor(&mut self, handed: &Handed<OwnedFd>) -> Result<(), WorkerEnd> {
        let handed = handed.as_ref().map(OwnedFd::as_fd).map_err(|absent| *absent);
        match self.requests.as_ref().map(|socket| handing::send(socket, handed)) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.crashed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::child::tests::worker;
    use super::*;

    /// What becomes of a descriptor for which a worker with this script is asked.
    fn taken(script: &str, deadline: Duration) -> Result<Handed<OwnedFd>, WorkerEnd> {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = worker(folder.path(), script);
        worker.send(&crate::wire::message::Request::Query).unwrap();
        worker.take_descriptor(deadline)
    }

    #[test]
    fn a_process_that_dies_instead_of_handing_over_is_the_accident() {
        let ended = taken("exit 3", Duration::from_secs(60)).unwrap_err();
        assert_eq!(ended, WorkerEnd::Crashed("exit status 3".to_owned()));
        let killed = taken("kill -KILL $$", Duration::from_secs(60)).unwrap_err();
        assert!(matches!(&killed, WorkerEnd::Crashed(how) if how.contains("SIGKILL")), "{killed}");
    }

    #[test]
    fn a_process_that_hands_nothing_over_has_a_deadline() {
        let deadline = Duration::from_millis(300);
        assert_eq!(taken("read further", deadline).unwrap_err(), WorkerEnd::Overran(deadline));
    }
}
