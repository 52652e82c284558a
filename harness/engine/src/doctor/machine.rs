//! The machine under examination, below a root folder. The root is `/`, except in copies and tests.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::fs::Access;

use catalog::files;

use super::child::{ChildAnswer, ask};

/// The maximum number of bytes to read from a file.
const MOST: u64 = 4 << 20;
/// A file that describes device nodes in a copy of a machine, since the copy has no device nodes. Each line describes
/// one node: path, kind, mode, user, group and the result of opening the node, separated by tabs.
const NODES: &str = "nodes.tsv";

/// The machine under examination.
#[derive(Debug)]
pub struct HostMachine {
    root: PathBuf,
    /// The time limit for each query of a tool or a library.
    limit: Duration,
    /// The deadline for all queries together, if any.
    until: Option<Instant>,
    /// Returns true if answers are no longer needed.
    abandoned: fn() -> bool,
    variables: BTreeMap<String, String>,
}

/// The kind of file at the path of a device node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    Device,
    Folder,
    Other,
}

/// A device node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The path, without the root.
    pub path: String,
    pub kind: NodeKind,
    /// The permission bits.
    pub mode: u32,
    pub user: u32,
    pub group: u32,
    /// The error from checking read and write access without opening the node; `None` if access is allowed.
    pub denied: Option<String>,
}

/// The identity of this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    pub user: u32,
    pub groups: Vec<u32>,
    /// True if the process may open any file (CAP_DAC_OVERRIDE).
    pub overrides: bool,
}

impl HostMachine {
    /// The machine below `root`, with this process's environment variables. `limit` is the time limit for each query.
    pub fn new(root: &Path, limit: Duration) -> HostMachine {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
        };
        let variables = std::env::vars_os().map(text).collect();
        // Tools of a copy start in another folder.
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        HostMachine { root, limit, until: None, abandoned: || false, variables }
    }

    /// The same machine, with a time limit for all queries together.
    #[must_use]
    pub fn within(self, whole: Duration) -> HostMachine {
        HostMachine { until: Instant::now().checked_add(whole), ..self }
    }

    /// The same machine. Queries end once `abandoned` returns true because the answers are no longer needed.
    #[must_use]
    pub fn abandoned_where(self, abandoned: fn() -> bool) -> HostMachine {
        HostMachine { abandoned, ..self }
    }

    /// The time limit for the next query.
    fn limit(&self) -> Duration {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        left.map_or(self.limit, |left| left.min(self.limit))
    }

    /// The root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// True if this is a copy of a machine rather than the machine on which this process runs.
    pub fn is_copy(&self) -> bool {
        self.root != Path::new("/")
    }

    /// The path by which this process reaches a path on the machine.
    pub fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// The value of a variable, if the variable is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The value of a variable, if the variable is set; the value may be empty.
    pub fn set_variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The content of a file, with invalid UTF-8 replaced.
    ///
    /// # Errors
    /// Fails if the file does not exist, cannot be read, or is not a regular file.
    pub fn read(&self, path: impl AsRef<Path>) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&files::read(&self.at(path), MOST)?).into_owned())
    }

    /// The names in a folder, sorted; empty if the folder cannot be read.
    pub fn names(&self, folder: impl AsRef<Path>) -> Vec<String> {
        let entries = fs::read_dir(self.at(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The target of a link.
    pub fn link(&self, path: impl AsRef<Path>) -> Option<String> {
        Some(fs::read_link(self.at(path)).ok()?.to_string_lossy().into_owned())
    }

    /// True if the path exists.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.at(path).exists()
    }

    /// Finds a tool in the folders in PATH, or in the given folders on the machine. Relative folders in PATH are
    /// ignored, because they depend on the current folder.
    pub fn tool(&self, name: &str, folders: &[&str]) -> Option<PathBuf> {
        let path = self.variable("PATH").unwrap_or_default();
        let in_path = std::env::split_paths(path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
        in_path.chain(folders.iter().map(|folder| self.at(folder).join(name))).find(|path| path.is_file())
    }

    /// Runs a tool.
    pub fn run(&self, tool: &Path, arguments: &[&str]) -> ChildAnswer {
        self.ask(Command::new(tool).args(arguments).env("LC_ALL", "C"))
    }

    /// Runs a command with the time limit for queries.
    pub fn ask(&self, command: &mut Command) -> ChildAnswer {
        ask(command, self.limit(), &self.abandoned)
    }

    /// The device nodes in `/dev` whose names begin with the prefix.
    pub fn nodes(&self, prefix: &str) -> Vec<Node> {
        if self.is_copy()
            && let Ok(text) = self.read(NODES)
        {
            let nodes = text.lines().filter_map(node_of_line);
            return nodes.filter(|node| node.path.starts_with(&format!("/dev/{prefix}"))).collect();
        }
        let names = self.names("/dev").into_iter().filter(|name| name.starts_with(prefix));
        names.filter_map(|name| self.node(&format!("/dev/{name}"))).collect()
    }

    fn node(&self, path: &str) -> Option<Node> {
        let place = self.at(path);
        let about = fs::metadata(&place).ok()?;
        let kind = match about.file_type() {
            kind if kind.is_char_device() => NodeKind::Device,
            kind if kind.is_dir() => NodeKind::Folder,
            _ => NodeKind::Other,
        };
        // `access` checks modes, access lists and control groups without opening the node.
        let denied = rustix::fs::access(&place, Access::READ_OK | Access::WRITE_OK).err();
        Some(Node {
            path: path.to_owned(),
            kind,
            mode: about.mode() & 0o7777,
            user: about.uid(),
            group: about.gid(),
            denied: denied.map(|error| io::Error::from(error).to_string()),
        })
    }

    /// The identity of this process; `None` if unknown.
    pub fn identity(&self) -> Option<Identity> {
        const DAC_OVERRIDE: u32 = 1;
        let status = self.read("/proc/self/status").ok()?;
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let effective = |name: &str| field(name)?.split_whitespace().nth(1)?.parse::<u32>().ok();
        let capabilities = field("CapEff:").and_then(|bits| u64::from_str_radix(bits, 16).ok()).unwrap_or(0);
        let further = field("Groups:").unwrap_or_default().split_whitespace().filter_map(|group| group.parse().ok());
        Some(Identity {
            user: effective("Uid:")?,
            groups: effective("Gid:").into_iter().chain(further).collect(),
            overrides: capabilities >> DAC_OVERRIDE & 1 == 1,
        })
    }

    /// The name of a group.
    pub fn group_name(&self, group: u32) -> Option<String> {
        let groups = self.read("/etc/group").ok()?;
        let fields = groups.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let named = fields.into_iter().find(|fields| fields.get(2).and_then(|id| id.parse().ok()) == Some(group));
        named.and_then(|fields| fields.first().map(|name| (*name).to_owned()))
    }

    /// The time at which the system started, in seconds since 1970.
    pub fn booted(&self) -> Option<i64> {
        self.read("/proc/stat").ok()?.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse().ok())
    }

    /// The kind of container in which the process runs; `None` if the process is not in a known kind of container.
    pub fn container(&self) -> Option<&'static str> {
        let made = [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")];
        let groups = self.read("/proc/self/cgroup").unwrap_or_default();
        let known = [("kubepods", "kubernetes"), ("docker", "docker"), ("libpod", "podman"), ("lxc", "lxc")];
        let found = made.iter().find(|(path, _)| self.exists(path));
        found.or_else(|| known.iter().find(|(part, _)| groups.contains(part))).map(|(_, name)| *name)
    }
}

fn node_of_line(line: &str) -> Option<Node> {
    let mut fields = line.split('\t');
    let mut next = || fields.next().map(str::trim);
    let (path, kind, mode, user, group) = (next()?, next()?, next()?, next()?, next()?);
    Some(Node {
        path: path.to_owned(),
        kind: match kind {
            "device" => NodeKind::Device,
            "folder" => NodeKind::Folder,
            _ => NodeKind::Other,
        },
        mode: u32::from_str_radix(mode, 8).ok()?,
        user: user.parse().ok()?,
        group: group.parse().ok()?,
        denied: next().filter(|denied| !denied.is_empty() && *denied != "ok").map(str::to_owned),
    })
}

impl Node {
    /// True if the permission bits allow this process to read and write.
    pub fn allows(&self, who: &Identity) -> bool {
        let bits = if who.user == self.user {
            self.mode >> 6
        } else if who.groups.contains(&self.group) {
            self.mode >> 3
        } else {
            self.mode
        };
        who.overrides || bits & 0o6 == 0o6
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::the_owner(7, &[], false, true)]
    #[case::the_group(8, &[50], false, true)]
    #[case::others(8, &[51], false, false)]
    #[case::a_process_that_may_open_any_file(8, &[], true, true)]
    fn permission_bits_apply_as_in_the_system(
        #[case] user: u32,
        #[case] groups: &[u32],
        #[case] overrides: bool,
        #[case] allowed: bool,
    ) {
        let node = node_of_line("/dev/toy0\tdevice\t0660\t7\t50\tok").unwrap();
        assert_eq!(node.allows(&Identity { user, groups: groups.to_vec(), overrides }), allowed);
    }

    #[test]
    fn a_copy_has_the_identity_of_the_process_and_the_start_of_the_system() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc/self")).unwrap();
        fs::create_dir_all(root.path().join("etc")).unwrap();
        let status =
            "Name:\tdoctor\nUid:\t1000\t1001\t1000\t1000\nGid:\t10\t11\t10\t10\nGroups:\t12 13\nCapEff:\t0002\n";
        fs::write(root.path().join("proc/self/status"), status).unwrap();
        fs::write(root.path().join("proc/stat"), "cpu 1 2\nbtime 1772600000\n").unwrap();
        fs::write(root.path().join("etc/group"), "root:x:0:\ndevices:x:12:someone\n").unwrap();
        let machine = HostMachine::new(root.path(), Duration::from_secs(1));
        let who = Identity { user: 1001, groups: vec![11, 12, 13], overrides: true };
        assert_eq!(machine.identity(), Some(who));
        assert_eq!(machine.group_name(12).as_deref(), Some("devices"));
        assert_eq!((machine.group_name(14), machine.booted()), (None, Some(1_772_600_000)));
    }

    #[test]
    fn the_kind_of_file_at_the_path_of_a_device_is_found() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("dev/toy1")).unwrap();
        fs::write(root.path().join("dev/toy0"), "").unwrap();
        let nodes = HostMachine::new(root.path(), Duration::from_secs(1)).nodes("toy");
        let kinds: Vec<_> = nodes.iter().map(|node| (node.path.as_str(), node.kind)).collect();
        assert_eq!(kinds, [("/dev/toy0", NodeKind::Other), ("/dev/toy1", NodeKind::Folder)]);
        let real = HostMachine::new(Path::new("/"), Duration::from_secs(1));
        let null = real.nodes("null").into_iter().find(|node| node.path == "/dev/null").unwrap();
        assert_eq!((null.kind, null.denied), (NodeKind::Device, None));
    }
}
