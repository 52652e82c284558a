//! Machines for the doctor: a folder with the files of a machine, tools that print samples, and the command to examine
//! it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use crate::support::{Bench, answer, project};

/// The start of the machine, in seconds since 1970: 2026-02-01.
const BOOTED: u64 = 1_769_904_000;

/// The group of the device nodes.
const GROUP: &str = "root:x:0:\nHwHiAiUser:x:1000:\nusers:x:1001:\n";
/// A user who is in the group, and one who is not.
pub const MEMBER: &str = "Uid:\t1001\t1001\t1001\t1001\nGid:\t1001\t1001\t1001\t1001\nGroups:\t1000 1001\nCapEff:\t0\n";
pub const STRANGER: &str = "Uid:\t1001\t1001\t1001\t1001\nGid:\t1001\t1001\t1001\t1001\nGroups:\t1001\nCapEff:\t0\n";
/// The nodes of a server with two devices; the last field is the result of opening a device.
const NODES: &str = "\
/dev/davinci0\tdevice\t0660\t0\t1000\tDENIED
/dev/davinci1\tdevice\t0660\t0\t1000\tDENIED
/dev/davinci_manager\tdevice\t0660\t0\t1000\tok
/dev/devmm_svm\tdevice\t0660\t0\t1000\tok
/dev/hisi_hdc\tdevice\t0660\t0\t1000\tok
";

/// A machine in a separate folder.
pub struct Machine {
    pub bench: Bench,
    /// Arguments of the command.
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
}

/// A sample of the output of machines.
pub fn sample(name: &str) -> String {
    let path = project().join("fixtures/machines").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The part of a sample after the line that begins with the title.
pub fn part(name: &str, title: &str) -> String {
    let text = sample(name);
    let mut lines = text.lines().skip_while(|line| !line.starts_with(title));
    assert!(lines.next().is_some(), "{name} has no `{title}`");
    let is_title = |line: &&str| !["# ", "$ ", "---"].iter().any(|mark| line.starts_with(mark));
    lines.take_while(is_title).map(|line| format!("{line}\n")).collect()
}

impl Machine {
    /// An empty folder.
    pub fn empty() -> Machine {
        let machine = Machine { bench: Bench::new(), arguments: Vec::new(), variables: Vec::new() };
        machine.file("proc/self/status", MEMBER);
        machine
    }

    /// A server with two A2 devices, completely installed, in order, and idle.
    pub fn healthy() -> Machine {
        let machine = Machine::empty();
        machine
            .file("etc/group", GROUP)
            .file("etc/ascend_install.info", sample("ascend_install.info"))
            .file("usr/local/Ascend/driver/version.info", sample("driver-version.info"))
            .file("usr/local/Ascend/firmware/version.info", sample("firmware-version.info"))
            .file("proc/stat", format!("cpu 1\nbtime {BOOTED}\n"))
            .file("proc/modules", "drv_pcie_host 1 0 - Live 0\next4 1 0 - Live 0\n")
            .file("sys/bus/pci/devices/0000:c1:00.0/vendor", "0x19e5\n")
            .file("sys/bus/pci/devices/0000:c1:00.0/device", "0xd802\n")
            .nodes("ok");
        machine.table(&idle())
    }

    pub fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &Machine {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub fn remove(&self, path: &str) -> &Machine {
        let path = self.root().join(path);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
        self
    }

    pub fn link(&self, path: &str, target: &str) -> &Machine {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    /// Writes the nodes of the devices, with the result of opening a device.
    pub fn nodes(&self, denied: &str) -> &Machine {
        self.file("nodes.tsv", NODES.replace("DENIED", denied))
    }

    /// Writes the install log in UTC, with the file time of its last line.
    pub fn install_log(&self, lines: &str, last: u64) -> &Machine {
        const LOG: &str = "var/log/ascend_seclog/ascend_install.log";
        self.file(LOG, lines);
        let file = fs::File::options().write(true).open(self.root().join(LOG)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(last)).unwrap();
        self
    }

    /// Adds a tool to PATH.
    pub fn tool(&self, name: &str, script: &str) -> &Machine {
        let path = self.bench.path("tools").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Adds the vendor's tool, with its output for each of these queries; it fails for all others.
    pub fn smi(&self, answers: &[(&str, &str)]) -> &Machine {
        let mut script = "case \"$*\" in\n".to_owned();
        for (at, (question, text)) in answers.iter().enumerate() {
            let path = self.bench.write(&format!("answer-{at}.txt"), text);
            script += &format!("'{question}') cat '{}' ;;\n", path.display());
        }
        self.tool("npu-smi", &(script + "*) echo 'Command or option is not found.'; exit 211 ;;\nesac"))
    }

    /// Adds the vendor's tool with this table, good health and no errors of every device.
    pub fn table(self, table: &str) -> Machine {
        let (health, ecc) = (part("npu-smi-health.txt", "# case 1"), part("npu-smi-ecc.txt", "# case 1"));
        let board = sample("npu-smi-board.txt");
        self.smi(&[
            ("info", table),
            ("info -t board -i 0", &board),
            ("info -t board -i 1", &board),
            ("info -t health -i 0 -c 0", &health),
            ("info -t health -i 1 -c 0", &health),
            ("info -t ecc -i 0 -c 0", &ecc),
            ("info -t ecc -i 1 -c 0", &ecc),
        ]);
        self
    }

    /// Adds the vendor's tool, which fails with this output and exit status.
    pub fn smi_fails(&self, text: &str, status: i32) -> &Machine {
        let path = self.bench.write("failure.txt", text);
        self.tool("npu-smi", &format!("cat '{}'\nexit {status}", path.display()))
    }

    /// Builds the management library with these macros.
    pub fn dcmi(&self, flags: &[&str]) -> &Machine {
        let built = self.bench.library("fixtures/machines/dcmi.c", flags);
        let bytes = fs::read(&built).unwrap();
        fs::remove_file(built).unwrap();
        self.file("usr/local/dcmi/libdcmi.so", bytes)
    }

    /// Builds a library of the runtime from a C file of the repository.
    pub fn library(mut self, source: &str, flags: &[&str]) -> Machine {
        let path = self.bench.library(source, flags);
        self.arguments.extend(["--library".to_owned(), path.display().to_string()]);
        self
    }

    pub fn with(mut self, arguments: &[&str]) -> Machine {
        self.arguments.extend(arguments.iter().map(|word| (*word).to_owned()));
        self
    }

    pub fn variable(mut self, name: &str, value: &str) -> Machine {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn root(&self) -> PathBuf {
        self.bench.path("root")
    }

    /// The doctor's page of text, with its status.
    pub fn page(&self) -> crate::support::Answer {
        answer(&mut self.command(&[]))
    }

    /// The doctor's findings.
    pub fn examine(&self) -> Found {
        let answer = answer(&mut self.command(&["--json"]));
        let json = serde_json::from_str(&answer.text).unwrap_or_else(|error| panic!("{error}:\n{}", answer.text));
        Found { status: answer.status, json }
    }

    fn command(&self, more: &[&str]) -> std::process::Command {
        fs::create_dir_all(self.root()).unwrap();
        let mut command = self.bench.command(["doctor", "--root"]);
        command.arg(self.root()).args(&self.arguments).args(more);
        if !self.arguments.iter().any(|word| word == "--report-dir") {
            command.arg("--report-dir").arg(self.bench.path("reports"));
        }
        let tools = format!("{}:/usr/bin:/bin", self.bench.path("tools").display());
        command.env("PATH", tools).env("HOME", "/root").env_remove("ASCEND_HOME_PATH");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The table of two idle A2 devices.
pub fn idle() -> String {
    let busy = "| 1       0                 | 48213         | accel-worker             | 9402                    |";
    let none = "| No running processes found in NPU 1                                                            |";
    sample("npu-smi-info-a2-25x.txt").replace(busy, none).replace("12874/ 65536", "3390 / 65536")
}

/// The doctor's findings.
pub struct Found {
    pub status: i32,
    pub json: Value,
}

impl Found {
    /// The finding of this name.
    #[track_caller]
    pub fn finding(&self, id: &str) -> &Value {
        self.find(id).unwrap_or_else(|| panic!("{id} was not found among {:?}", self.ids()))
    }

    pub fn find(&self, id: &str) -> Option<&Value> {
        self.json["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == id)
    }

    pub fn ids(&self) -> Vec<String> {
        let ids =
            self.json["findings"].as_array().unwrap().iter().map(|finding| finding["id"].as_str().unwrap().to_owned());
        ids.collect()
    }

    /// Checks that there is such a finding of this severity with these texts.
    #[track_caller]
    pub fn says(&self, id: &str, severity: &str, fragments: &[&str]) -> &Found {
        let finding = self.finding(id);
        assert_eq!(finding["severity"], severity, "{finding:#}");
        let text = finding.to_string();
        for fragment in fragments {
            assert!(text.contains(fragment), "`{fragment}` is missing in {finding:#}");
        }
        let next = finding["next"].as_str().unwrap();
        assert!(next.len() > 10, "every finding has advice: {finding:#}");
        self
    }

    #[track_caller]
    pub fn lacks(&self, id: &str) -> &Found {
        assert!(self.find(id).is_none(), "{:#}", self.finding(id));
        self
    }
}
