//! Descriptors that pass between the processes of a rule, as the supervisor sees them.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use crate::wire::handing::{self, Handed};
use crate::wire::{HANDING, wait};

use super::child::{TICK, WorkerProcess};
use super::end::WorkerEnd;
use super::interrupt;

/// Starts a worker that has the other end of the returned socket. The worker has the only copy of its end, so that the
/// end closes with the worker.
pub(super) fn spawn_with_socket(command: &mut Command) -> io::Result<(Child, OwnedFd)> {
    static STARTS: Mutex<()> = Mutex::new(());
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    command.env(HANDING, theirs.as_raw_fd().to_string());
    // A process that starts while the end can be inherited would have it too.
    let one = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
    fcntl_setfd(&theirs, FdFlags::empty())?;
    let child = command.spawn();
    drop(theirs);
    drop(one);
    child.map(|child| (child, ours))
}

impl WorkerProcess {
    /// Waits for the descriptor that the worker hands over.
    pub(super) fn take_descriptor(&mut self, deadline: Duration) -> Result<Handed<OwnedFd>, WorkerEnd> {
        let mut since = Instant::now();
        loop {
            if wait::ready(&mut [PollFd::new(&self.handing, PollFlags::IN)], deadline.min(TICK)) > 0 {
                return match handing::receive(&self.handing) {
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
        handing::send(&self.handing, handed).map_err(|_| self.crashed())
    }
}

#[cfg(test)]
mod tests {
    use super::super::child::tests::worker;
    use super::*;

    /// Waits for the descriptor of a worker that runs this script instead.
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
        let end = taken("read further", deadline).unwrap_err();
        assert!(matches!(end, WorkerEnd::Hung(_) | WorkerEnd::Overran(_)), "{end}");
    }
}
