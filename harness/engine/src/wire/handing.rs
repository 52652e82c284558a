//! A descriptor on its way from one process of a rule through the supervisor to another one.
//!
//! Each worker has a socket for this in addition to the pipes of the protocol, because only a socket passes descriptors.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::cmsg_space;
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// A descriptor, or the reason why there is none.
pub type Handed<D> = Result<D, Absent>;

/// The reason why no descriptor is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// The number is not an open descriptor of its process.
    NotOpen,
    /// The system could not pass the descriptor on.
    Failed(Errno),
}

/// The code before a descriptor.
const HERE: i32 = 0;
const NOT_OPEN: i32 = -1;

/// Sends a descriptor, or the reason why there is none.
///
/// # Errors
/// Fails if the other end is closed.
pub fn send(socket: impl AsFd, handed: Handed<BorrowedFd<'_>>) -> io::Result<()> {
    let socket = socket.as_fd();
    match handed {
        Ok(descriptor) => send_code(socket, HERE, &[descriptor]).or_else(|error| match error {
            Errno::PIPE | Errno::CONNRESET | Errno::NOTSOCK => Err(error),
            error => send_code(socket, error.raw_os_error(), &[]),
        })?,
        Err(Absent::NotOpen) => send_code(socket, NOT_OPEN, &[])?,
        Err(Absent::Failed(error)) => send_code(socket, error.raw_os_error(), &[])?,
    }
    Ok(())
}

fn send_code(socket: BorrowedFd<'_>, code: i32, descriptors: &[BorrowedFd<'_>]) -> rustix::io::Result<()> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    let code = code.to_le_bytes();
    retry_on_intr(|| sendmsg(socket, &[IoSlice::new(&code)], &mut control, SendFlags::NOSIGNAL)).map(drop)
}

/// Receives what the other end sends; `None` if the other end is closed. Descriptors are not inherited by programs that
/// the process starts.
///
/// # Errors
/// Fails if this is not a socket, or if something else arrives.
pub fn receive(socket: impl AsFd) -> io::Result<Option<Handed<OwnedFd>>> {
    let mut code = [0; 4];
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = retry_on_intr(|| {
        recvmsg(socket.as_fd(), &mut [IoSliceMut::new(&mut code)], &mut control, RecvFlags::CMSG_CLOEXEC)
    })?;
    let descriptor = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    Ok(match (received.bytes, i32::from_le_bytes(code), descriptor) {
        (0, ..) => None,
        (4, HERE, Some(descriptor)) => Some(Ok(descriptor)),
        // The system drops a descriptor for which the process has no room.
        (4, HERE, None) => Some(Err(Absent::Failed(Errno::MFILE))),
        (4, NOT_OPEN, _) => Some(Err(Absent::NotOpen)),
        (4, code @ 1..4096, _) => Some(Err(Absent::Failed(Errno::from_raw_os_error(code)))),
        _ => return Err(io::ErrorKind::InvalidData.into()),
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_descriptor_arrives_as_another_number_of_the_same_file() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        send(&ours, Ok(writer.as_fd())).unwrap();
        drop(writer);
        let Some(Ok(arrived)) = receive(&theirs).unwrap() else { panic!("it was sent") };
        std::fs::File::from(arrived).write_all(b"through").unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through", "and its end is closed with the last descriptor");
    }

    #[test]
    fn a_reason_and_an_end_arrive_too() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        for absent in [Absent::NotOpen, Absent::Failed(Errno::MFILE)] {
            send(&ours, Err(absent)).unwrap();
            assert_eq!(receive(&theirs).unwrap().unwrap().unwrap_err(), absent);
        }
        (&ours).write_all(&[1, 2, 3, 4]).unwrap();
        assert_eq!(receive(&theirs).unwrap_err().kind(), io::ErrorKind::InvalidData);
        drop(ours);
        assert!(receive(&theirs).unwrap().is_none());
        let (pipe, _writer) = io::pipe().unwrap();
        assert!(receive(&pipe).is_err());
    }
}
