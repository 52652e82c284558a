//! The devices of a run and their health during the run, from the vendor's tool. The devices are simulated, with a
//! library that is given like that of a real device; the tool is a script that prints samples.

#[allow(dead_code, reason = "these tests need only the samples of the doctor's machines")]
use crate::doctor::machine;
use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use record::Verdict;
use rstest::rstest;

use machine::{idle, part, sample};
use support::{Answer, Bench, Report, answer};

/// Rules that write and read back several times.
fn rules() -> String {
    let rule = |number: usize| {
        format!(
            "  - id: acl.watch.copy{number}
    title: It gives back what was written
    statement: It gives back what was written.
    clauses: {{manual: manual.blocks}}
    level: must
    steps: |
      char *back = host(4096, 64);
      aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_NORMAL_ONLY);
      aclrtMemset(p, 4096, 7, 4096);
      ---
      for (i < 40) {{
        aclrtMemcpy(back, 4096, p, 4096, ACL_MEMCPY_DEVICE_TO_HOST);
      }}
      all_bytes(back, 4096, 7);
"
        )
    };
    format!("title: Watch\nrules:\n{}", (0..12).map(rule).collect::<String>())
}

/// Two devices, and the library in front of them.
struct Night {
    bench: Bench,
    variables: Vec<(&'static str, &'static str)>,
}

impl Night {
    fn new(kind: &str) -> Night {
        let bench = Bench::new();
        bench.catalog(rules());
        bench.library_before_the_simulator("night.c", "libnight.so", &[&format!("NIGHT_{kind}")]);
        fs::create_dir(bench.path("machine")).unwrap();
        let night = Night { bench, variables: Vec::new() };
        night.answers("table", idle()).answers("board", sample("npu-smi-board.txt"));
        night.answers("good", part("npu-smi-health.txt", "# case 1"));
        night.answers("clean", part("npu-smi-ecc.txt", "# case 1"));
        night.answers("broken", part("npu-smi-ecc.txt", "# case 2"));
        night.answers("enable", part("npu-smi-secverify.txt", "# enable")).chip_of("C1");
        night
    }

    fn answers(&self, name: &str, text: impl AsRef<[u8]>) -> &Night {
        self.bench.write(&format!("{name}.txt"), text);
        self
    }

    /// Gives the second device this number of its first die.
    fn chip_of(&self, first: &str) -> &Night {
        let chip = sample("npu-smi-board-chip.txt");
        self.answers("chip0", &chip).answers("chip1", chip.replace("42C711D4", &format!("42C711{first}")))
    }

    /// Writes the tool; `more` has answers that come before the usual ones.
    fn tool(&self, more: &str) -> &Night {
        let script = format!(
            "#!/bin/sh
cd '{}'
case \"$*\" in
{more}
info) cat table.txt ;;
'info -t board -i 0' | 'info -t board -i 1') cat board.txt ;;
'info -t board -i 0 -c 0') cat chip0.txt ;;
'info -t board -i 1 -c 0') cat chip1.txt ;;
'info -t custom-op-secverify-enable '*) cat enable.txt ;;
'info -t health '*) cat good.txt ;;
'info -t ecc '*) cat clean.txt ;;
*) echo 'Command or option is not found.'; exit 211 ;;
esac
",
            self.bench.path("").display()
        );
        fs::create_dir_all(self.bench.path("tools")).unwrap();
        let path = self.bench.write("tools/npu-smi", script);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    fn command(&self, arguments: &[&str]) -> Answer {
        let words = ["run", "--specs", "specs", "--library", "libnight.so"];
        let mut command = self.bench.command(words.iter().chain(arguments));
        command.env("PATH", format!("{}:/usr/bin:/bin", self.bench.path("tools").display()));
        command.env("NIGHT_COUNT", self.bench.path("count")).env("ATLAS_CTS_SIM_MACHINE", self.bench.path("machine"));
        command.env("ATLAS_CTS_SIM_PRODUCT", "a2").env("ATLAS_CTS_SIM_DEVICES", "2");
        answer(command.envs(self.variables.iter().copied()))
    }

    fn run(&self) -> (Answer, Report) {
        let answer = self.command(&["--product", "a2", "--report-dir", "report"]);
        let report = self.bench.report("report");
        (answer, report)
    }

    /// Removes the end of the run, as after a kill.
    fn without_end(&self) -> &Night {
        let path = self.bench.path("report/results.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("{\"end\"")).collect();
        fs::write(path, lines[..lines.len() - 1].join("\n") + "\n").unwrap();
        self
    }
}

fn remarks(report: &Report) -> String {
    report.end().told().collect::<Vec<_>>().join("\n")
}

#[test]
fn a_run_names_its_devices() {
    let night = Night::new("WORKS");
    let (answer, report) = night.tool("").run();
    answer.says(0, &["identity 2 × 910B3 (0:0, 1:0), driver 25.2.1, firmware 7.7.0.9.220"]);
    let fingerprint = report.header.fingerprint.as_ref().unwrap();
    let ids: Vec<_> = fingerprint.devices.iter().map(|device| (device.device, &device.ids["VDie ID"][..8])).collect();
    assert_eq!(ids, [(0, "42C711D4"), (1, "42C711C1")]);
    assert_eq!(fingerprint.devices[1].settings["Custom-op-secverify-enable"], "True");
    assert!(report.junit.contains("device 1: 1:0, 910B3, 0000:C1:00.0, NDie ID"), "{}", report.junit);
    assert_eq!(remarks(&report), "");
}

#[test]
fn under_a_mask_devices_have_the_runtimes_numbers() {
    let mut night = Night::new("WORKS");
    night.variables.push(("ASCEND_RT_VISIBLE_DEVICES", "1"));
    let (_, report) = night.tool("").run();
    let fingerprint = report.header.fingerprint.unwrap();
    let seen: Vec<_> = fingerprint.devices.iter().map(|device| (device.device, device.label.as_str())).collect();
    assert_eq!(seen, [(0, "1:0")]);
}

#[test]
fn without_the_tool_a_run_reports_that_health_is_unknown_and_continues() {
    let night = Night::new("WORKS");
    let (answer, report) = night.run();
    answer.says(0, &["unknown npu-smi was not found on this machine"]);
    assert_eq!(answer.text.matches("npu-smi was not found").count(), 1, "{}", answer.text);
    assert!(report.header.fingerprint.unwrap().devices.is_empty());
}

#[test]
fn a_tool_that_lists_other_devices_than_the_runtime_is_not_trusted() {
    let mut night = Night::new("WORKS");
    night.variables.push(("ATLAS_CTS_SIM_DEVICES", "3"));
    let (answer, report) = night.tool("").run();
    answer.says(0, &["lists 2 devices for this process, but the runtime reports 3, so they cannot be matched"]);
    assert!(report.header.fingerprint.unwrap().devices.is_empty());
}

#[test]
fn memory_errors_during_a_run_put_the_device_into_quarantine_and_no_rule_is_blamed() {
    let night = Night::new("MEMORY_ERRORS");
    let (answer, report) =
        night.tool("'info -t ecc -i 1 -c 0') if [ -e count ]; then cat broken.txt; else cat clean.txt; fi ;;").run();
    answer.says(0, &["device 1 is out of use for this run: device 1:0 has 1 uncorrected memory error", "had 0"]);
    assert!(report.results.iter().all(|result| result.verdict == Verdict::Pass), "{:?}", report.verdicts());
    assert_eq!(report.results.len(), report.header.rules);
    assert!(remarks(&report).contains("lost device 1 and runs again"), "{}", remarks(&report));
}

#[rstest]
#[case::that_clears(
    "if [ -e count ] && [ ! -e seen ]; then touch seen; sed s/OK/Warning/ good.txt; else cat good.txt; fi",
    false
)]
#[case::that_stays("if [ -e count ]; then touch seen; sed s/OK/Warning/ good.txt; else cat good.txt; fi", true)]
fn a_lasting_warning_puts_a_device_into_quarantine(#[case] health: &str, #[case] out: bool) {
    let night = Night::new("MEMORY_ERRORS");
    let (_, report) = night.tool(&format!("'info -t health -i 1 -c 0') {health} ;;")).run();
    assert!(night.bench.path("seen").exists(), "the tool was queried after a rule had failed");
    let remarks = remarks(&report);
    assert_eq!(
        remarks.contains("device 1 is out of use for this run: on device 1:0, its state is warning"),
        out,
        "{remarks}"
    );
    // Without a sign of the device, the rule is to blame.
    assert_eq!(report.results.iter().any(|result| result.verdict == Verdict::Fail), !out, "{:?}", report.verdicts());
}

#[test]
fn a_harmless_fault_is_only_reported() {
    let night = Night::new("MEMORY_ERRORS");
    let health = "sed -e s/OK/Warning/ -e '/Error Code/s/NA/80E00209/' good.txt";
    let script = format!("'info -t health -i 1 -c 0') if [ -e count ]; then {health}; else cat good.txt; fi ;;");
    let (_, report) = night.tool(&script).run();
    let remarks = remarks(&report);
    assert!(
        remarks.contains("device 1:0 has the fault 80E00209, which is harmless: the device stays in use"),
        "{remarks}"
    );
    assert!(!remarks.contains("is out of use"), "{remarks}");
}

#[test]
fn a_run_is_not_resumed_with_another_driver_or_other_settings() {
    let night = Night::new("WORKS");
    night.tool("").run();
    night.without_end().answers("table", idle().replace("25.2.1", "25.3.0"));
    let resumed = night.command(&["--resume", "report"]);
    resumed
        .says(2, &["the version of the driver (npu-smi info): 25.2.1 then, 25.3.0 now; use a machine with the same"]);
    night.answers("table", idle()).answers("enable", "\tCustom-op-secverify-enable : False\n");
    let resumed = night.command(&["--resume", "report"]);
    resumed.says(2, &["Custom-op-secverify-enable of device 0: True then, False now"]);
}

#[test]
fn a_run_continues_on_other_devices_of_the_same_model_and_reports_it() {
    let night = Night::new("WORKS");
    night.tool("").run();
    night.without_end().chip_of("E9");
    night.command(&["--resume", "report"]).says(0, &["the run continued on other devices"]);
}
