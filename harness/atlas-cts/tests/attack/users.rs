//! Files of other users on the machine: their programs are not run, their folders are not read, and nothing is written
//! through their links, nor into devices and FIFOs of any user.

use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};

use super::support::{Answer, Bench, Watched, answer};
use super::{STRANGER, bench, broken};
use crate::python::USABLE;

const ON_A2: [&str; 4] = ["--product", "a2", "--backend", "simulator"];
const THROUGH: [&str; 2] = ["--through", "pyacl"];
const REFUSED: &str = "belongs to another user (uid 65534), who could change it (chown it)";

/// Gives a file, folder or link to the stranger. Returns false if this user may not.
fn give_away(path: &Path) -> bool {
    let given = lchown(path, Some(STRANGER), Some(STRANGER));
    if let Err(error) = &given {
        eprintln!("DID NOT RUN: only root may give {} away ({error})", path.display());
    }
    given.is_ok()
}

fn executable(bench: &Bench, name: &str, text: &str) {
    let path = bench.write(name, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

// ---- H1: the folder of a simulated machine

#[rstest]
#[case::that_is_theirs("machine")]
#[case::below_a_folder_of_theirs("theirs/machine")]
#[case::behind_a_link_of_theirs("link")]
fn a_machine_that_another_user_controls_is_refused(bench: Bench, #[case] machine: &str) {
    for folder in ["machine/lib", "theirs/machine", "mine"] {
        fs::create_dir_all(bench.path(folder)).unwrap();
    }
    symlink("mine", bench.path("link")).unwrap();
    if !["machine", "theirs", "link"].iter().all(|name| give_away(&bench.path(name))) {
        return;
    }
    bench.run(["simulator", "run", "--machine", machine, "--", "touch", "ran"]).says(3, &[REFUSED]);
    assert!(!bench.path("ran").exists(), "no program runs with it");
}

#[rstest]
fn a_machine_to_which_other_users_may_write_is_refused(bench: Bench) {
    fs::create_dir(bench.path("machine")).unwrap();
    fs::set_permissions(bench.path("machine"), fs::Permissions::from_mode(0o777)).unwrap();
    let words = ["simulator", "run", "--machine", "machine", "--", "touch", "ran"];
    bench.run(words).says(3, &["other users may write to it (mode 0777; chmod go-w)"]);
    assert!(!bench.path("ran").exists(), "no program runs with it");
}

/// The program loads the library from a new folder that only this user can enter, and that is removed afterwards.
#[rstest]
#[case::of_a_new_machine(&[])]
#[case::of_a_shared_machine(&["--machine", "machine"])]
fn the_library_of_a_machine_is_private(bench: Bench, #[case] options: &[&str]) {
    fs::create_dir_all(bench.path("machine/lib")).unwrap();
    bench.write("machine/lib/libascendcl.so", "planted");
    let script = "folder=${LD_LIBRARY_PATH%%:*}; echo \"$folder\" >folder; stat -c '%n %a' \"$folder\" \"$folder\"/*";
    bench
        .run([&["simulator", "run"], options, &["--", "sh", "-c", script]].concat())
        .says(0, &["/lib 700", "/lib/libascendcl.so 777"]);
    let folder = fs::read_to_string(bench.path("folder")).unwrap();
    assert!(!Path::new(folder.trim()).starts_with(bench.path("machine")), "{folder}");
    assert!(!Path::new(folder.trim()).exists(), "{folder} is removed");
}

/// As the user of a machine with a folder for all does it: the stranger is first.
#[rstest]
fn a_library_that_another_user_planted_is_not_loaded(bench: Bench) {
    let shared = bench.path("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777)).unwrap();
    fs::set_permissions(bench.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    let user = STRANGER.to_string();
    let plant = "mkdir -m 777 -p m/lib && echo planted >m/lib/libascendcl.so";
    let words = ["--reuid", &user, "--regid", &user, "--clear-groups", "sh", "-c", plant];
    let planted = Command::new("setpriv").args(words).current_dir(&shared).status();
    if !planted.is_ok_and(|status| status.success()) {
        eprintln!("DID NOT RUN: only root may become another user");
        return;
    }
    bench.run(["simulator", "run", "--machine", "shared/m", "--", "touch", "ran"]).says(3, &[REFUSED]);
    assert!(!bench.path("ran").exists());
}

// ---- every other folder from which programs or state are read

#[rstest]
#[case::of_libraries(&["simulator", "--print-path", "theirs"])]
fn a_folder_of_another_user_is_not_used(bench: Bench, #[case] words: &[&str]) {
    fs::create_dir(bench.path("theirs")).unwrap();
    if !*USABLE || !give_away(&bench.path("theirs")) {
        return;
    }
    let on = if words[0] == "simulator" { &[] } else { &ON_A2[..] };
    bench.run(words.iter().chain(on)).says(3, &["theirs", REFUSED]);
    assert_eq!(fs::read_dir(bench.path("theirs")).unwrap().count(), 0, "nothing is written there");
}

// ---- H2 and M2: the query of an interpreter

/// Neither the query nor a worker finds a module in the current folder, even if PYTHONPATH has an empty entry.
#[rstest]
fn a_module_in_the_current_folder_is_not_run(
    bench: Bench,
    #[values("run", "doctor")] command: &str,
    #[values("", "/nowhere:")] python_path: &str,
) {
    if !*USABLE {
        return;
    }
    for module in ["json.py", "sysconfig.py", "ctypes.py", "importlib.py"] {
        bench.write(module, format!("open({:?}, 'w')", bench.path("ran")));
    }
    let rule = if command == "run" { &["acl.set.byte", "--report-dir", "report"][..] } else { &[] };
    let on = if command == "run" { &ON_A2[..] } else { &["--product", "a2"] };
    let mut command = bench.command([command].iter().chain(rule).chain(on).chain(&THROUGH));
    let said = answer(command.env("PYTHONPATH", python_path));
    assert!(!bench.path("ran").exists(), "{}", said.text);
    said.says(if rule.is_empty() { said.status } else { 0 }, &["(Python 3."]);
}

/// A relative folder in PYTHONPATH is named by the user, so its modules are found.
#[rstest]
fn a_relative_python_path_is_relative_to_the_current_folder(bench: Bench) {
    if !*USABLE {
        return;
    }
    fs::create_dir(bench.path("modules")).unwrap();
    bench.write("modules/sitecustomize.py", format!("open({:?}, 'w')", bench.path("ran")));
    let words = ["run", "acl.set.byte", "--report-dir", "report"].iter().chain(&ON_A2).chain(&THROUGH);
    answer(bench.command(words).env("PYTHONPATH", "modules")).says(0, &[]);
    assert!(bench.path("ran").exists());
}

/// A run, or the doctor, whose interpreter is a script. The script adds the processes that it starts to $LEFT.
fn query(bench: &Bench, command: &str, script: &str, limit: &str) -> Command {
    executable(bench, "python", &format!("#!/bin/sh\n{script}\n"));
    let limit = format!("deadline={limit}");
    let rule = if command == "run" { &["acl.set.byte", "--backend", "simulator", "--tune", &limit][..] } else { &[] };
    let words = [command, "--product", "a2"];
    let mut command = bench.command(words.iter().chain(rule).chain(&THROUGH));
    command.env("ATLAS_CTS_PYTHON", "./python");
    command.env("LEFT", bench.path("left"));
    command
}

#[rstest]
#[case::hangs("echo $$ >>\"$LEFT\"; exec sleep 3600", "timed out and was killed")]
#[case::prints_without_end("echo $$ >>\"$LEFT\"; exec yes", "timed out and was killed")]
#[case::leaves_a_process("sleep 3600 & echo $! >>\"$LEFT\"", "exit status 0")]
fn an_interpreter_that_does_not_answer_is_ended(bench: Bench, #[case] script: &str, #[case] says: &str) {
    answer(&mut query(&bench, "run", script, "1"))
        .says(3, &["ATLAS_CTS_PYTHON=./python: the interpreter does not answer", says]);
    let left = fs::read_to_string(bench.path("left")).unwrap();
    left.lines().for_each(|process| Watched::new(process).expect_end());
}

#[rstest]
#[case::of_a_run("run", "SIGTERM: stopped while the interpreter ./python was queried; no rule has run")]
#[case::of_the_doctor("doctor", "SIGTERM: the examination was stopped and says nothing; run the command again")]
fn sigterm_ends_the_query_of_an_interpreter(bench: Bench, #[case] command: &str, #[case] says: &str) {
    fifo(&bench.path("left"));
    // The run's own limit does not end the query before the signal does.
    let mut query = query(&bench, command, "echo $$ >\"$LEFT\"; exec sleep 3600", "600");
    let query = query.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let script = Watched::new(&fs::read_to_string(bench.path("left")).unwrap());
    kill_process(Pid::from_child(&query), Signal::TERM).unwrap();
    Answer::from(query.wait_with_output().unwrap()).says(3, &[says]);
    script.expect_end();
}

// ---- M1 and M5: files that are written

#[rstest]
fn only_a_regular_file_is_replaced(
    bench: Bench,
    #[values("--record", "--prometheus")] option: &str,
    #[values("a FIFO", "a link", "a device")] kind: &str,
) {
    let out = bench.path("out");
    bench.write("precious", "precious");
    match kind {
        "a FIFO" => fifo(&out),
        "a link" => symlink("precious", &out).unwrap(),
        _ => {
            // As /dev/null is.
            let made = Command::new("mknod").arg(&out).args(["c", "1", "3"]).output().unwrap();
            if !made.status.success() {
                eprintln!("DID NOT RUN: no device can be made here: {}", String::from_utf8_lossy(&made.stderr));
                return;
            }
        }
    }
    let before = out.symlink_metadata().unwrap().file_type();
    broken(&bench, "report", &[]).says(1, &[]);
    let said = match option {
        "--record" => broken(&bench, "again", &["--record", "out"]),
        _ => bench.run(["history", "report", "--prometheus", "out"]),
    };
    said.says(3, &[&format!("is {kind}, not a file, and is left as it is; give another path")]);
    assert_eq!(out.symlink_metadata().unwrap().file_type(), before);
    assert_eq!(fs::read_to_string(bench.path("precious")).unwrap(), "precious");
}

#[rstest]
#[case::of_the_manual(&["catalog", "man", "pages"], "pages/atlas-cts.1")]
#[case::of_the_schemas(&["catalog", "schema", "pages"], "pages/axioms.schema.json")]
#[case::of_the_printed_schemas(&["catalog", "schema", "pages", "--reports", "pages"], "pages/results.schema.json")]
fn a_planted_link_among_generated_files_is_not_followed(bench: Bench, #[case] words: &[&str], #[case] link: &str) {
    fs::create_dir(bench.path("pages")).unwrap();
    let precious = bench.write("precious", "precious");
    symlink(&precious, bench.path(link)).unwrap();
    // Also as root, this user's own link is not followed.
    give_away(&bench.path(link));
    bench.run(words).says(3, &[link, "is a link, not a file, and is left as it is"]);
    assert_eq!(fs::read_to_string(precious).unwrap(), "precious");
}
