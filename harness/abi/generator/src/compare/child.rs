//! Runs libclang in a process with a timer and limits, because headers can come from anywhere and some of them crash
//! libclang.

use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::declarations::Declarations;
use crate::error::Error;

/// The time limit for reading headers. A whole release takes about a second.
const PATIENCE: Duration = Duration::from_secs(60);
/// The memory limit of the process, in bytes.
const MEMORY: u64 = 4 << 30;
/// The interval between checks whether the process has exited.
const TICK: Duration = Duration::from_millis(5);
/// The number of bytes to show from the process's output.
const SHOWN: usize = 2000;

/// Reads the headers below a folder, and returns the declarations that belong to the interface in the catalog's header.
/// Without a folder, returns the declarations in the catalog's header.
pub(super) fn declarations(own: &Path, folder: Option<&Path>) -> Result<Declarations, Error> {
    let named = folder.unwrap_or(own).to_owned();
    let files = || Ok::<_, std::io::Error>((tempfile::tempfile()?, tempfile::tempfile()?));
    let (mut output, mut errors) = files().map_err(Error::file(Path::new("a temporary file")))?;
    let copies = output.try_clone().and_then(|output| Ok((output, errors.try_clone()?)));
    let (to, errors_to) = copies.map_err(Error::file(Path::new("a temporary file")))?;
    let program = std::env::current_exe().map_err(Error::file(Path::new("/proc/self/exe")))?;
    let mut command = Command::new(&program);
    command.arg("declarations").arg(own).args(folder).stdin(Stdio::null()).stdout(to).stderr(errors_to);
    let mut child = command.spawn().map_err(Error::file(&program))?;
    let status = wait(&mut child).map_err(Error::file(&program))?;
    let mut text = String::new();
    let read = match status {
        Some(status) if status.success() => output.rewind().and_then(|()| output.read_to_string(&mut text)),
        _ => errors.rewind().and_then(|()| errors.take(SHOWN as u64).read_to_string(&mut text)),
    };
    // Output that cannot be read is handled as empty output.
    let _ = read;
    match status {
        Some(status) if status.success() => serde_json::from_str(&text)
            .map_err(|error| Error::Lost { headers: named, how: format!("wrote malformed output ({error})") }),
        // The process has already printed the reason.
        Some(status) if matches!(status.code(), Some(2 | 3)) => Err(Error::Said { text: harmless(text.trim()) }),
        Some(status) => Err(Error::Lost { headers: named, how: ended(status) }),
        None => Err(Error::Lost { headers: named, how: format!("did not end within {} s", PATIENCE.as_secs()) }),
    }
}

/// Sets this process's resource limits. Called before the process reads anything.
pub(super) fn limit() -> Result<(), Error> {
    for (resource, most) in [(Resource::As, MEMORY), (Resource::Cpu, PATIENCE.as_secs()), (Resource::Core, 0)] {
        let maximum = getrlimit(resource).maximum;
        let most = Some(maximum.map_or(most, |maximum| maximum.min(most)));
        let limited = setrlimit(resource, Rlimit { current: most, maximum: most });
        limited.map_err(|error| Error::file(&PathBuf::from("the limits of a process"))(error.into()))?;
    }
    Ok(())
}

/// Waits for the process; `None` if it was killed at the time limit.
fn wait(child: &mut Child) -> std::io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(TICK);
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

fn ended(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) if signal == rustix::process::Signal::XCPU.as_raw() => "used up its processor time".to_owned(),
        Some(signal) => format!("was killed by signal {signal}"),
        None => format!("ended with status {}", status.code().unwrap_or(-1)),
    }
}

/// Text from headers without characters that control a terminal.
pub(super) fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}
