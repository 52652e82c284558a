//! Other users, containers and programs on the machine: they change no verdict, and their files stay untouched.

use crate::support;

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use atlas_cts::runtimes::RUNTIMES;
use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};
use support::{Answer, Bench, answer, has, machines_of, take_environment, wait_until};

/// One rule of one process.
const RULE: &str = "\
# The rules of a test.
title: Small
rules:
  - id: acl.small.aligned
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    forall: {size: {every: [16, 64, 5000]}}
    steps: |
      char *path = file(\"a file of the case\");
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
";

const NOBODY: u32 = 65534;

fn small() -> Bench {
    let bench = Bench::new();
    bench.catalog(RULE);
    bench
}

/// Runs a shell script in which `cts` is the command, with a private, empty /dev/shm. `None`: not possible here.
fn on_a_private_machine(bench: &Bench, script: &str) -> Option<Answer> {
    let flags = if rustix::process::geteuid().is_root() { "-m" } else { "-Urm" };
    let probe = Command::new("unshare").args([flags, "mount", "-t", "tmpfs", "none", "/dev/shm"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        eprintln!("DID NOT RUN: file systems cannot be mounted here (unshare {flags})");
        return None;
    }
    fs::create_dir(bench.path("tmp")).unwrap();
    fs::set_permissions(bench.path("tmp"), Permissions::from_mode(0o1777)).unwrap();
    fs::set_permissions(bench.path(""), Permissions::from_mode(0o755)).unwrap();
    let set_up = "mount -t tmpfs -o size=2g,mode=1777 none /dev/shm || exit 99; cts() { \"$CTS\" \"$@\"; }";
    let atlas = bench.command([""; 0]);
    let mut shell = Command::new("unshare");
    shell.args([flags, "bash", "-c", &format!("{set_up}\n{script}")]).stdin(Stdio::null());
    take_environment(&mut shell, &atlas);
    shell.env("CTS", atlas.get_program()).env("TMPDIR", bench.path("tmp")).current_dir(bench.path(""));
    Some(answer(&mut shell))
}

fn can(program: &str, arguments: &[&str]) -> bool {
    let can = Command::new(program).args(arguments).arg("true").output().is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("DID NOT RUN: {program} {} is not allowed here", arguments.join(" "));
    }
    can
}

// ---- containers and users

#[test]
fn four_containers_that_share_memory_files_do_not_see_each_other() {
    let bench = Bench::new();
    // In each container the run has the same process id.
    let script = "what='run acl.ipc.close --product a2 --backend simulator --report-dir'
                  cts $what lone >/dev/null 2>&1; echo \"lone: $?\"
                  for n in 1 2 3 4; do
                    (unshare -pf --mount-proc \"$CTS\" $what parallel-$n >printed-$n 2>&1; echo \"parallel: $?\") &
                  done; wait
                  echo left: $(ls -A /dev/shm) $(ls -A tmp)";
    if !can("unshare", &["-Urpf", "--mount-proc"]) {
        return;
    }
    let Some(answer) = on_a_private_machine(&bench, script) else { return };
    answer.says(0, &["lone: 0", "left:\n"]);
    assert_eq!(answer.text.matches("parallel: 0").count(), 4, "{}", answer.text);
    let lone = bench.report("lone");
    let mut expected = lone.verdicts();
    expected.sort_unstable();
    assert!(expected.iter().filter(|(_, verdict)| *verdict == "pass").count() >= 3, "{expected:?}");
    for number in 1..=4 {
        let parallel = bench.report(&format!("parallel-{number}"));
        let mut verdicts = parallel.verdicts();
        verdicts.sort_unstable();
        assert_eq!(verdicts, expected);
    }
}

#[test]
fn two_users_take_turns_on_a_device() {
    let bench = small();
    bench.library("fixtures/faults/faults.c", &[]);
    // Even with the strictest umask, the second user can use the first user's files.
    let script = "umask 077; chmod -R a+rX specs libtested.so; mkdir -m 777 theirs
                  what='run --specs specs --library ./libtested.so --product a2 --report-dir'
                  cts $what first; echo \"ended: $?\"
                  for n in 1 2; do
                    (cts $what mine-$n; echo \"ended: $?\") &
                    (setpriv --reuid=65534 --regid=65534 --clear-groups \"$CTS\" $what theirs/$n; echo \"ended: $?\") &
                  done; wait
                  echo modes: $(stat -c %a locks locks/device-0.lock)
                  echo left: $(ls -A /dev/shm) $(ls -A tmp)";
    if !can("setpriv", &["--reuid=65534", "--regid=65534", "--clear-groups"]) {
        return;
    }
    let Some(answer) = on_a_private_machine(&bench, script) else { return };
    answer.says(0, &["modes: 1777 666", "left:\n"]);
    assert_eq!(answer.text.matches("ended: 0").count(), 5, "{}", answer.text);
}

// ---- the folder of the machines of a run

/// Starts a run in the background, of rules whose processes share memory, and waits until it has a machine.
fn running(bench: &Bench) -> (Child, PathBuf) {
    let mut command = bench.command(["run", "acl.ipc.close", "--product", "a2", "--backend", "simulator"]);
    command.args(["--jobs", "1", "--report-dir", "report", "--sim", "call-ns=1000000"]);
    let run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = bench.path("report/results.jsonl");
    wait_until(|| has(&journal, "\"begin\""));
    let machines = machines_of(run.id());
    assert_eq!(machines.len(), 1);
    (run, machines.into_iter().next().unwrap())
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    if folder.is_dir() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        found.extend(entries.flat_map(|entry| below(&entry.path())));
    }
    found
}

#[test]
fn files_of_a_run_in_shared_places_are_private_to_its_user() {
    let bench = Bench::new();
    let (mut run, machines) = running(&bench);
    let mut seen = std::collections::BTreeMap::new();
    while run.try_wait().unwrap().is_none() {
        for path in below(&machines) {
            if let Ok(about) = path.symlink_metadata() {
                seen.insert(path.file_name().unwrap().to_owned(), about.mode());
            }
        }
    }
    for name in ["lock", "machine-0", "ipc", "ledger", "slot-0.lock", "dev0.mem"] {
        assert!(seen.contains_key(std::ffi::OsStr::new(name)), "{name} is among {seen:?}");
    }
    for (name, mode) in seen {
        assert_eq!(mode & 0o077, 0, "{name:?} is for others too: {mode:o}");
    }
    assert_eq!(run.wait().unwrap().code(), Some(0));
    assert!(!machines.exists());
}

#[test]
fn a_vanished_machine_folder_is_an_error_and_the_next_rule_gets_another() {
    let bench = Bench::new();
    let (mut run, machines) = running(&bench);
    // Its processes create files meanwhile.
    while machines.exists() {
        let _ = fs::remove_dir_all(&machines);
    }
    assert_eq!(run.wait().unwrap().code(), Some(3), "{:?}", bench.report("report").verdicts());
    let report = bench.report("report");
    let verdicts: Vec<&str> = report.results.iter().map(|result| result.verdict.name()).collect();
    assert!(verdicts.iter().all(|verdict| ["pass", "skipped", "error"].contains(verdict)), "{verdicts:?}");
    assert!(verdicts.contains(&"pass"), "{verdicts:?}");
    let lost = report.results.iter().find(|result| result.verdict.name() == "error").unwrap();
    assert!(lost.reason.contains("vanished while the rule ran: another program removed it"), "{}", lost.reason);
    assert!(lost.failure.is_none(), "no counterexample is kept");
}

// ---- the simulated device

/// The output of a run on the simulated device as a library, with a machine of its user.
fn on_machine(bench: &Bench, machine: &Path) -> String {
    let library = RUNTIMES[0].simulated.as_ref().unwrap().libraries[0].bytes;
    bench.write("libsimulator.so", library);
    let words =
        ["run", "--specs", "specs", "--product", "a2", "--report-dir", "report", "--library", "libsimulator.so"];
    let text = answer(bench.command(words).env("ATLAS_CTS_SIM_MACHINE", machine)).text;
    // Reports wrap lines.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[rstest]
#[case::memory("dev0.mem")]
#[case::ledger("ledger")]
#[case::slot("slot-0.lock")]
fn a_link_in_a_machine_is_not_followed(#[case] name: &str) {
    let bench = small();
    let machine = bench.path("machine");
    fs::create_dir(&machine).unwrap();
    let victim = bench.write("victim", "keys");
    symlink(&victim, machine.join(name)).unwrap();
    let text = on_machine(&bench, &machine);
    assert!(text.contains("Too many levels of symbolic links"), "{text}");
    assert_eq!(fs::read_to_string(victim).unwrap(), "keys");
}

#[test]
fn a_machine_of_another_user_is_refused() {
    let bench = small();
    let machine = bench.path("machine");
    fs::create_dir(&machine).unwrap();
    if std::os::unix::fs::chown(&machine, Some(NOBODY), None).is_err() {
        eprintln!("DID NOT RUN: only root can give a folder away");
        return;
    }
    let text = on_machine(&bench, &machine);
    assert!(text.contains("belongs to user 65534; choose another folder"), "{text}");
    assert_eq!(below(&machine).len(), 1);
}

// ---- files of cases

#[test]
fn a_killed_worker_leaves_no_file_of_its_case() {
    let bench = small();
    bench.library("fixtures/faults/faults.c", &["FAULT_SEGFAULT"]);
    let script = "cts run --specs specs --library ./libtested.so --product a2 --report-dir report
                  echo left: $(ls -A /dev/shm) $(ls -A tmp)";
    let Some(answer) = on_a_private_machine(&bench, script) else { return };
    answer.says(0, &["signal 11", "left:\n"]);
}

// ---- locks of devices

#[rstest]
#[case::link("ln -s ../victim locks/device-0.lock", "Too many levels of symbolic links")]
#[case::waits_for_a_writer("mkfifo locks/device-0.lock", "is not a file")]
#[case::folder("mkdir locks/device-0.lock", "is not a file")]
fn a_lock_that_is_not_a_file_is_named(#[case] made: &str, #[case] says: &str) {
    let bench = small();
    bench.library("fixtures/faults/faults.c", &[]);
    let victim = bench.write("victim", "keys");
    let made = Command::new("sh").args(["-c", &format!("mkdir locks && {made}")]).current_dir(bench.path("")).status();
    assert!(made.unwrap().success());
    let words = ["run", "--specs", "specs", "--product", "a2", "--library", "./libtested.so", "--report-dir", "report"];
    bench.run(words).says(
        3,
        &["locks/device-0.lock: ", says, "set ATLAS_CTS_LOCKS to a folder that all users of the devices can write to"],
    );
    assert_eq!(fs::read_to_string(victim).unwrap(), "keys");
}

#[test]
fn a_lock_folder_that_is_not_a_folder_is_named() {
    let bench = small();
    bench.library("fixtures/faults/faults.c", &[]);
    bench.write("a-file", "");
    let words = ["run", "--specs", "specs", "--product", "a2", "--library", "./libtested.so"];
    let run = answer(bench.command(words).env("ATLAS_CTS_LOCKS", "a-file"));
    run.says(3, &["a-file: not a directory; ", "set ATLAS_CTS_LOCKS"]);
}

#[test]
fn a_device_is_locked_by_its_number_on_the_machine() {
    let bench = small();
    bench.library("fixtures/faults/faults.c", &[]);
    let words = ["run", "--specs", "specs", "--product", "a2", "--library", "./libtested.so", "--report-dir", "report"];
    answer(bench.command(words).env("ASCEND_RT_VISIBLE_DEVICES", "2")).says(0, &[]);
    let locks: Vec<String> = fs::read_dir(bench.path("locks"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(locks, ["device-2.lock"]);
}

#[test]
fn a_stopped_run_does_not_wait_for_a_device() {
    let bench = small();
    bench.library("fixtures/faults/faults.c", &[]);
    fs::create_dir(bench.path("locks")).unwrap();
    let held = fs::File::create(bench.path("locks/device-0.lock")).unwrap();
    held.lock().unwrap();
    let words = ["run", "--specs", "specs", "--product", "a2", "--library", "./libtested.so", "--tune", "lock-wait=60"];
    let mut waiting = bench.command(words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(waiting.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.starts_with("device 0 is in use: waiting up to 60 s"), "{line}");
    kill_process(Pid::from_raw(waiting.id() as i32).unwrap(), Signal::TERM).unwrap();
    said.read_to_string(&mut line).unwrap();
    assert!(line.contains("SIGTERM: stopped while waiting for device 0"), "{line}");
    assert_eq!(waiting.wait().unwrap().code(), Some(3));
}
