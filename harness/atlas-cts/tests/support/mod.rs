//! The common parts of the end-to-end tests: the command as users run it, catalogs of a few rules, libraries built from
//! C.

#[allow(dead_code, reason = "the engine's tests use more of it")]
#[path = "../../../engine/tests/pairs/mod.rs"]
pub mod pairs;
pub mod small;
pub mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

use catalog::proof::ProofTable;
use catalog::{CatalogPlace, Rules, load};
use record::{RuleResult, RunEnd, RunHeader, read_journal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde_json::Value as Json;
use tempfile::TempDir;

/// The repository.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The catalog of the repository.
pub fn catalog() -> &'static Rules {
    static RULES: LazyLock<Rules> = LazyLock::new(|| catalog_of(project().join("specs")));
    &RULES
}

/// The repository's table of rules and the defects that they kill.
pub fn kills() -> &'static ProofTable {
    static TABLE: LazyLock<ProofTable> = LazyLock::new(|| ProofTable::read(&project().join("specs/acl")).unwrap());
    &TABLE
}

/// The catalog in a folder.
pub fn catalog_of(specs: PathBuf) -> Rules {
    let place = CatalogPlace { specs: specs.into(), bindings: &acl::BINDINGS };
    load(&place).unwrap_or_else(|error| panic!("the catalog does not load:\n{error}"))
}

/// The file of a library built from a C file.
const TESTED: &str = "libtested.so";
/// The file of a library in front of the simulated device's library.
const NIGHT: &str = "libnight.so";

/// The private folder of a test: its catalog, library, reports and locks. Nothing outside it is written.
pub struct Bench {
    folder: TempDir,
}

/// The answer of the command.
pub struct Answer {
    pub status: i32,
    /// The printed text, errors last.
    pub text: String,
}

/// The files of a run in its folder.
pub struct Report {
    pub header: RunHeader,
    pub results: Vec<RuleResult>,
    pub end: Option<RunEnd>,
    pub journal: String,
    pub junit: String,
}

/// The chapters of these rules, by area. Rules of a single area stay unchanged.
fn by_area(text: &str) -> BTreeMap<String, String> {
    const ITEM: &str = "  - id: acl.";
    let area = |item: &str| item.strip_prefix(ITEM)?.split('.').next().map(str::to_owned);
    let starts: Vec<usize> = text.match_indices(ITEM).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let items: Vec<&str> = starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect();
    let areas: BTreeSet<String> = items.iter().filter_map(|item| area(item)).collect();
    if areas.len() < 2 {
        return BTreeMap::from([(areas.into_iter().next().unwrap_or("small".to_owned()), text.to_owned())]);
    }
    let head = &text[..starts[0]];
    let mut chapters = BTreeMap::new();
    for item in items {
        let chapter = chapters.entry(area(item).unwrap_or_default()).or_insert_with(|| head.to_owned());
        chapter.push_str(item);
    }
    chapters
}

/// The clauses of the tests' manual, which promises everything.
const CLAUSES: &str = "\
document: manual
clauses:
  blocks:
    promise:
      manual.blocks:
        says: 000000000000 Blocks are as the manual says.
        codes: &codes [ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
          ACL_ERROR_FEATURE_UNSUPPORTED]
  keys:
    promise:
      manual.keys: {says: 000000000000 Keys are as the manual says., codes: *codes}
";

impl Bench {
    pub fn new() -> Bench {
        Bench { folder: TempDir::new().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A copy of the command outside the target folder. A separate process writes it: a file that is open for writing
    /// here would be inherited by processes that other tests start, and cannot be executed until these end.
    pub fn copy_of_the_command(&self) -> PathBuf {
        let copy = self.path("atlas-cts");
        if !copy.exists() {
            let status = Command::new("cp").arg(env!("CARGO_BIN_EXE_atlas-cts")).arg(&copy).status();
            assert!(status.is_ok_and(|status| status.success()), "the command can be copied");
        }
        copy
    }

    /// The command, without variables of the caller that could change a run.
    pub fn command(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_atlas-cts"));
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            let of_ci = ["NEXTEST_RUN_ID", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "COLUMNS"].contains(&name.as_str());
            let of_locale = name == "LANG" || name.starts_with("LC_");
            if of_locale || of_ci || name.starts_with("ATLAS_CTS_") || name.starts_with("ASCEND_") {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("LD_LIBRARY_PATH")
            .env("ATLAS_CTS_LOCKS", self.path("locks"))
            .env("XDG_CONFIG_HOME", self.path("settings"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("ATLAS_CTS_REGRESSIONS", self.path("regressions"))
            .stdin(Stdio::null());
        if [TESTED, NIGHT].iter().any(|library| self.path(library).exists()) {
            // The faults of such a library are meant for the rules, so nothing is measured before them.
            command.env("ATLAS_CTS_PATIENCE", "2000").env("PATH", self.path_without_debuggers());
        }
        if self.path(TESTED).exists() {
            // It has a handful of functions, with faults that rules have to find.
            command.env("ATLAS_CTS_SKIP_GATE", "1");
        }
        command
    }

    /// The programs of this machine, with a debugger in front that reads nothing. A true one reads the debug information
    /// of the command for seconds, at each hang.
    fn path_without_debuggers(&self) -> OsString {
        let folder = self.path("debuggers");
        // Another thread may have made them.
        let _ = fs::create_dir(&folder);
        let _ = symlink("/bin/false", folder.join("gdb"));
        let mut path = folder.into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        path
    }

    /// Runs the command to its end.
    pub fn run(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Answer {
        answer(&mut self.command(arguments))
    }

    /// Runs the rules of this bench's catalog with additional `arguments`, and writes to `report`.
    pub fn run_catalog(&self, report: &str, arguments: &[&str]) -> Answer {
        let words = ["run", "--specs", "specs", "--report-dir", report];
        self.run(words.iter().chain(arguments))
    }

    /// Runs the replay command that a rule's failure prints, with the executable under test. Writes to `replayed`.
    pub fn replay(&self, id: &str, report: &str, environment: &[(&str, PathBuf)]) -> Answer {
        let failure = self.report(report).result(id).failure.clone().unwrap();
        let (variables, rest) = failure.replay.split_once("atlas-cts run ").unwrap();
        let line = format!("exec env {variables} \"$0\" run {rest} --report-dir replayed");
        let atlas = self.command([""; 0]);
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).arg(atlas.get_program()).current_dir(self.path(""));
        take_environment(&mut shell, &atlas);
        // The folder is the same each time, and a run does not overwrite one.
        let _ = fs::remove_dir_all(self.path("replayed"));
        answer(shell.envs(environment.iter().map(|(name, value)| (name, value))))
    }

    /// A schema that `catalog schema` writes, such as `log`.
    pub fn schema(&self, name: &str) -> Json {
        self.run(["catalog", "schema", "schemas", "--reports", "schemas"]).says(0, &[]);
        let path = self.path(&format!("schemas/{name}.schema.json"));
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    pub fn report(&self, name: &str) -> Report {
        let folder = self.path(name);
        let (header, results, end) = read_journal(&folder).unwrap();
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
        Report { header, results, end, journal: read("results.jsonl"), junit: read("junit.xml") }
    }

    /// Writes a catalog of these rules, with a chapter for each area, or `small` without one. The products and the life
    /// cycle are the real ones. The manual's section that a `must` rule cites becomes the clause that its checks rest
    /// on.
    pub fn catalog(&self, chapter: impl AsRef<[u8]>) {
        let specs = self.path("specs");
        for folder in ["acl/clauses", "acl/rules"] {
            fs::create_dir_all(specs.join(folder)).unwrap();
        }
        for file in ["acl/products.yaml", "acl/api.yaml"] {
            fs::copy(project().join("specs").join(file), specs.join(file)).unwrap();
        }
        self.write(
            "specs/acl/documents.yaml",
            "documents:\n  - {id: manual, title: The manual, edition: first, language: en, covers: blocks}\n",
        );
        self.write("specs/acl/clauses/manual.yaml", CLAUSES);
        let Ok(text) = std::str::from_utf8(chapter.as_ref()) else {
            self.write("specs/acl/rules/small.yaml", chapter);
            return;
        };
        for (area, text) in by_area(text) {
            self.write(&format!("specs/acl/rules/{area}.yaml"), text);
        }
    }

    /// Writes the table of who kills what for this bench's catalog: each rule with its defects, on two products. The
    /// digests are of no rule and no defect.
    pub fn kills(&self, rules: &[(&str, &[&str])]) {
        let row = |rule: &str, defect: &str| format!("{rule}\t{defect}\ta2,a3\t-\t00000000\t00000000\n");
        let rows = rules.iter().flat_map(|(rule, defects)| defects.iter().map(move |defect| row(rule, defect)));
        self.write("specs/acl/proof.tsv", rows.collect::<String>());
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Builds the library under test from a C file of the repository.
    pub fn library(&self, source: &str, flags: &[&str]) -> PathBuf {
        self.library_named(TESTED, source, flags)
    }

    /// Builds a shared library from a C file of the repository.
    pub fn library_named(&self, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        let path = self.path(name);
        compile(Command::new(compiler()).args(defined(flags)).arg(project().join(source)).arg("-o").arg(&path));
        path
    }

    /// Builds a library in front of the simulated device's library, from a C file of the fixtures.
    pub fn library_before_the_simulator(&self, source: &str, name: &str, flags: &[&str]) {
        let simulator = self.run(["simulator", "--print-path", "."]);
        assert_eq!(simulator.status, 0, "{}", simulator.text);
        compile(
            Command::new(compiler())
                .args(defined(flags))
                .arg(project().join("fixtures/faults").join(source))
                // No symbol of it is called directly; the loader finds the next library through this dependency.
                .args(["-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN"])
                .arg(self.path(simulator.text.trim()))
                .arg("-o")
                .arg(self.path(name)),
        );
    }
}

/// Copies a folder with everything below it.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

/// Gives a command the environment of another one, which it starts in a separate environment.
pub fn take_environment(command: &mut Command, other: &Command) {
    for (name, value) in other.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// Runs a command to its end.
pub fn answer(command: &mut Command) -> Answer {
    command.output().unwrap().into()
}

impl From<Output> for Answer {
    fn from(output: Output) -> Answer {
        let text = [output.stdout, output.stderr].concat();
        Answer { status: output.status.code().unwrap_or(-1), text: String::from_utf8_lossy(&text).into_owned() }
    }
}

impl Answer {
    /// Checks that the answer has this exit status and contains each text, wherever its lines are wrapped.
    #[track_caller]
    pub fn says(&self, status: i32, fragments: &[&str]) -> &Answer {
        let unbroken = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        for fragment in fragments {
            assert!(
                self.text.contains(fragment) || unbroken.contains(fragment),
                "`{fragment}` is missing in:\n{}",
                self.text
            );
        }
        assert_eq!(self.status, status, "{}", self.text);
        self
    }
}

impl Report {
    /// The result of a rule.
    #[track_caller]
    pub fn result(&self, id: &str) -> &RuleResult {
        let found: Vec<&RuleResult> = self.results.iter().filter(|result| result.id == id).collect();
        assert_eq!(found.len(), 1, "{id} has {} results", found.len());
        found[0]
    }

    /// The verdicts, in the order of the run.
    pub fn verdicts(&self) -> Vec<(&str, &str)> {
        self.results.iter().map(|result| (result.id.as_str(), result.verdict.name())).collect()
    }

    #[track_caller]
    pub fn end(&self) -> &RunEnd {
        self.end.as_ref().expect("the run reached its end")
    }

    /// The journal without the parts that differ between any two runs: times, the report folder and stacks.
    pub fn timeless(&self) -> Vec<serde_json::Value> {
        fn forget(value: &mut serde_json::Value) {
            match value {
                serde_json::Value::Object(fields) => {
                    for name in ["started", "finished", "nanoseconds", "start_up_nanoseconds", "run", "patience"] {
                        if fields.get(name).is_some_and(|value| !value.is_object()) {
                            fields.remove(name);
                        }
                    }
                    // It has addresses.
                    fields.remove("stack");
                    fields.remove("ran_in");
                    fields.values_mut().for_each(forget);
                }
                serde_json::Value::Array(items) => items.iter_mut().for_each(forget),
                _ => {}
            }
        }
        let lines = self.journal.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.map(|mut line| (forget(&mut line), line).1).collect()
    }
}

/// The longest wait of a test, in seconds.
const LONGEST: u64 = 120;

/// This number of seconds on an idle machine, more on a busy one: a test waits for an event and does not judge its
/// time. The factor is the present cost of starting a process, or ATLAS_CTS_TEST_FACTOR.
pub fn patience(seconds: u64) -> Duration {
    static FACTOR: OnceLock<u64> = OnceLock::new();
    let measured = || {
        let start = |_| {
            let begun = Instant::now();
            Command::new("true").status().unwrap();
            begun.elapsed()
        };
        (0..9).map(start).max().unwrap_or_default().as_millis() as u64 / 20
    };
    let given = || std::env::var("ATLAS_CTS_TEST_FACTOR").ok()?.parse().ok();
    let factor = FACTOR.get_or_init(|| given().unwrap_or_else(measured).clamp(1, 60));
    Duration::from_secs((seconds * factor).min(LONGEST))
}

/// Waits until a run gets this far.
#[track_caller]
pub fn wait_until(mut done: impl FnMut() -> bool) {
    let until = Instant::now() + patience(60);
    while !done() {
        assert!(Instant::now() < until, "the run does not get this far");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// True if a file exists and has this text.
pub fn has(file: &Path, text: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|found| found.contains(text))
}

/// A process that another one started, watched until it ends.
pub struct Watched(Option<OwnedFd>);

impl Watched {
    pub fn new(process: &str) -> Watched {
        let process = Pid::from_raw(process.trim().parse().unwrap()).unwrap();
        Watched(pidfd_open(process, PidfdFlags::empty()).ok())
    }

    /// Waits until the process has ended.
    #[track_caller]
    pub fn expect_end(&self) {
        let Some(process) = &self.0 else { return };
        let patience = Timespec { tv_sec: patience(20).as_secs() as i64, tv_nsec: 0 };
        let ended = poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&patience)).unwrap();
        assert_eq!(ended, 1, "a process was left behind");
    }
}

/// The folders of machines whose lock a process holds.
pub fn machines_of(process: u32) -> Vec<PathBuf> {
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let files = descriptors.filter_map(|entry| fs::read_link(entry.path()).ok());
    let locks = files.filter(|file| file.ends_with("lock") && file.to_string_lossy().contains("/atlas-cts-run-"));
    locks.map(|lock| lock.parent().unwrap().to_owned()).collect()
}

/// The folders of machines of runs that have ended.
pub fn left_over_machines() -> Vec<PathBuf> {
    let places = [PathBuf::from("/dev/shm"), std::env::temp_dir()];
    let entries = places.iter().flat_map(|place| fs::read_dir(place).into_iter().flatten().flatten());
    let runs = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("atlas-cts-run-"));
    let folders: Vec<PathBuf> = runs.map(|entry| entry.path()).collect();
    // The lock is looked up, because trying it would hold it for an instant.
    let held = fs::read_to_string("/proc/locks").unwrap();
    let ended = |folder: &PathBuf| {
        fs::metadata(folder.join("lock")).is_ok_and(|lock| !held.contains(&format!(":{} ", lock.ino())))
    };
    folders.into_iter().filter(ended).collect()
}

pub fn compiler() -> String {
    std::env::var("CC").unwrap_or_else(|_| "gcc".to_owned())
}

/// Flags of the compiler; a word without a hyphen is a name to define.
fn defined<'a>(flags: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    flags.iter().map(|flag| if flag.starts_with('-') { (*flag).to_owned() } else { format!("-D{flag}") })
}

fn compile(command: &mut Command) {
    let output = command
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-lpthread", "-ldl", "-I"])
        .arg(project().join("specs/acl"))
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; the end-to-end tests need a C compiler"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
