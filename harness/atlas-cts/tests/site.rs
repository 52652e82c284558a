//! The site file: options below the command line and the environment, from a file that no other user controls.

use crate::support;

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Command;

use rstest::rstest;
use support::small::{ALIGNED, HOLDS, chapter};
use support::{Answer, Bench, answer};

/// Runs the rules of the bench's catalog on a simulated device.
const RUN: [&str; 7] = ["run", "--specs", "specs", "--backend", "simulator", "--report-dir", "report"];

fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, HOLDS]));
    bench
}

/// Writes a site file that only this user can change.
fn site(bench: &Bench, name: &str, text: &str) {
    let path = bench.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
}

/// The command with its user's folder of settings in the bench.
fn command(bench: &Bench, words: &[&str]) -> Command {
    let mut command = bench.command(RUN.iter().chain(words));
    command.env("XDG_CONFIG_HOME", bench.path("settings"));
    command
}

fn run(bench: &Bench, words: &[&str]) -> Answer {
    answer(&mut command(bench, words))
}

#[test]
fn the_first_lines_and_the_journal_name_the_file_and_its_options() {
    let bench = bench();
    site(&bench, "settings/atlas-cts/config.toml", "product = \"a3\"\nseed = 7\nexclude = [\"aligned\"]\n");
    let path = bench.path("settings/atlas-cts/config.toml").display().to_string();
    let answer = run(&bench, &[]);
    answer.says(0, &["conformant: no rule", &format!("3 options from {path}: exclude, product, seed\n")]);
    assert!(!answer.text.contains("acl.small.aligned"), "{}", answer.text);
    let header = bench.report("report").header;
    assert_eq!((header.product.as_str(), header.seed), ("a3", 7));
    let site = header.settings.site.unwrap();
    assert_eq!((site.path, site.options.join(" ")), (path, "exclude product seed".to_owned()));
}

#[test]
fn the_command_line_and_the_environment_come_first() {
    let bench = bench();
    site(&bench, "settings/atlas-cts/config.toml", "product = \"a3\"\nseed = 7\nstrict = true\ndevices = 2\n");
    let answer = answer(command(&bench, &["--product", "infer"]).env("ATLAS_CTS_SEED", "9"));
    answer.says(0, &["2 options from ", ": devices, strict\n"]);
    let header = bench.report("report").header;
    assert_eq!((header.product.as_str(), header.seed, header.devices, header.settings.strict), ("infer", 9, 2, true));
}

#[test]
fn a_file_can_be_named_or_ignored() {
    let bench = bench();
    site(&bench, "settings/atlas-cts/config.toml", "product = \"a3\"\n");
    site(&bench, "other.toml", "product = \"infer\"\n");
    // A file in the current folder is read only if it is named.
    site(&bench, "atlas-cts.toml", "product = \"train\"\n");
    site(&bench, "config.toml", "product = \"train\"\n");
    let product = |words: &[&str], report: &str| {
        let words: Vec<&str> = words.iter().copied().chain(["acl.small.holds"]).collect();
        let mut command = bench.command(["run", "--specs", "specs", "--backend", "simulator", "--report-dir", report]);
        answer(command.args(&words).env("XDG_CONFIG_HOME", bench.path("settings"))).says(0, &[]);
        bench.report(report).header.product
    };
    assert_eq!(product(&[], "first"), "a3");
    assert_eq!(product(&["--config", "other.toml"], "second"), "infer");
    assert_eq!(product(&["--no-config"], "third"), "a2");
    site(&bench, "home/.config/atlas-cts/config.toml", "product = \"ascend950\"\n");
    let mut command = bench.command(RUN.iter().chain(&["acl.small.holds"]));
    answer(command.env_remove("XDG_CONFIG_HOME").env("HOME", bench.path("home"))).says(0, &["1 option from "]);
    assert_eq!(bench.report("report").header.product, "ascend950");
}

#[test]
fn other_commands_read_the_options_that_they_share_with_a_run() {
    let bench = bench();
    site(&bench, "settings/atlas-cts/config.toml", "product = \"a3\"\nseed = 7\n");
    let list = |words: &[&str]| {
        let mut command = bench.command(["list", "--specs", "specs"].iter().chain(words));
        answer(command.env("XDG_CONFIG_HOME", bench.path("settings")))
    };
    list(&[]).says(0, &["2 of 2 rules", "1 option from ", ": product\n"]);
    let ignored = list(&["--no-config"]);
    assert!(!ignored.text.contains("option from"), "{}", ignored.text);
}

#[rstest]
#[case::an_unknown_option(
    "seed = 1\nprodct = \"a2\"\n",
    "config.toml:2:1: unknown option `prodct`; did you mean `product`?"
)]
#[case::an_option_of_one_run("failed = \"latest\"\n", "config.toml:1:1: `failed` belongs to one command line")]
#[case::a_wrong_value("devices = \"many\"\n", "config.toml:1:11: invalid value 'many' for '--devices=<N>'")]
#[case::an_unknown_word("profile = \"long\"\n", "config.toml:1:11: invalid value 'long'")]
#[case::a_value_out_of_range("deadline = 0\n", "config.toml:1:12: invalid value '0'")]
#[case::several_values("product = [\"a2\", \"a3\"]\n", "config.toml:1:11: `product` has one value")]
#[case::a_relative_path(
    "library = \"lib/libascendcl.so\"\n",
    "config.toml:1:11: `lib/libascendcl.so` depends on the current folder"
)]
#[case::no_toml("product a2\n", "config.toml:1:")]
#[case::a_table("[run]\nseed = 1\n", "not a value of an option")]
fn a_mistake_is_reported_with_its_place(#[case] text: &str, #[case] says: &str) {
    let bench = bench();
    site(&bench, "settings/atlas-cts/config.toml", text);
    run(&bench, &[]).says(2, &[says]);
    run(&bench, &["--no-config", "acl.small.holds"]).says(0, &[]);
}

#[test]
fn a_missing_file_is_a_mistake_only_if_it_is_named() {
    let bench = bench();
    run(&bench, &["acl.small.holds"]).says(0, &[]);
    run(&bench, &["--config", "none.toml"]).says(2, &["none.toml: No such file", "--no-config"]);
    fs::create_dir_all(bench.path("folder")).unwrap();
    run(&bench, &["--config", "folder"]).says(2, &["is a folder, not a file"]);
}

#[rstest]
#[case::the_group(0o664)]
#[case::everyone(0o646)]
fn a_file_that_others_may_change_is_refused(#[case] mode: u32) {
    let bench = bench();
    site(&bench, "settings/atlas-cts/config.toml", "recover-cmd = \"true\"\n");
    let path = bench.path("settings/atlas-cts/config.toml");
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    run(&bench, &[]).says(2, &["config.toml: other users may write to it (mode ", "chmod go-w"]);
}

/// Only root can give a file away. In a folder of another user, that user chooses which of this user's files is the
/// site file.
#[rstest]
#[case::the_file("settings/atlas-cts/config.toml")]
#[case::its_folder("settings/atlas-cts")]
#[case::a_folder_above_it("settings")]
fn a_file_of_another_user_is_refused(#[case] given_away: &str) {
    let bench = bench();
    site(&bench, "settings/atlas-cts/config.toml", "recover-cmd = \"true\"\n");
    match chown(bench.path(given_away), Some(12_345), None) {
        Ok(()) => {
            run(&bench, &[]).says(2, &["config.toml: ", "belongs to another user (uid 12345)", "--no-config"]);
        }
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied),
    }
}
