//! Layouts of the tool, from the samples in fixtures/machines.

use proptest::prelude::*;
use rstest::rstest;

use super::keyed::{self, Board, Ecc};
use super::table::{self, User};
use crate::doctor::health::Health;

macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!("../../../../../fixtures/machines/", $name))
    };
}

fn case(text: &str, title: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.starts_with(title)).skip(1);
    lines.take_while(|line| !line.starts_with("# ")).map(|line| format!("{line}\n")).collect()
}

#[rstest]
#[case::a2(sample!("npu-smi-info-a2-25x.txt"), "25.2.1", &[("0", Some("0"), "910B3", 3391, 65536), ("1", Some("0"), "910B3", 12874, 65536)])]
#[case::a2_of_26(sample!("npu-smi-info-a2-26x.txt"), "26.0.rc1", &[("0", Some("0"), "910B3", 3402, 65536), ("1", Some("0"), "910B3", 22871, 65536)])]
#[case::a3(sample!("npu-smi-info-a3-25x.txt"), "25.5.1", &[("0", Some("0"), "Ascend910", 3144, 65536), ("0", Some("1"), "Ascend910", 2891, 65536), ("1", Some("0"), "Ascend910", 20511, 65536), ("1", Some("1"), "Ascend910", 2890, 65536)])]
#[case::inference(sample!("npu-smi-info-310p.txt"), "25.5.1", &[("4", Some("0"), "310P3", 1846, 21525), ("5", Some("0"), "310P3", 1851, 21525)])]
#[case::the_950(sample!("npu-smi-info-950.txt"), "25.7.rc1", &[("0", None, "Ascend950PR", 4441, 131_072), ("1", None, "Ascend950PR", 10772, 131_072)])]
fn a_table_is_read_by_its_titles(
    #[case] text: &str,
    #[case] driver: &str,
    #[case] chips: &[(&str, Option<&str>, &str, u64, u64)],
) {
    let table = table::read(text);
    assert_eq!(table.driver.as_deref(), Some(driver));
    let seen: Vec<_> = table
        .chips
        .iter()
        .map(|chip| {
            let (used, total) = chip.memory.unwrap();
            (chip.card.as_str(), chip.chip.as_deref(), chip.name.as_deref().unwrap(), used, total)
        })
        .collect();
    assert_eq!(seen, chips);
    assert!(table.chips.iter().all(|chip| !chip.failed) && !table.incomplete);
}

#[test]
fn a_process_belongs_to_its_chip_and_may_lack_a_name() {
    let table = table::read(sample!("npu-smi-info-a2-26x.txt"));
    let user = |process: &str, name: &str, memory| User {
        process: process.to_owned(),
        name: name.to_owned(),
        memory: Some(memory),
    };
    assert_eq!(table.chips[1].users, [user("905117", "accel-worker", 19210), user("905244", "", 118)]);
    assert!(table.chips[0].users.is_empty());
    let newest = table::read(sample!("npu-smi-info-950.txt"));
    assert_eq!(newest.chips[1].users, [user("60218", "accel-worker", 6320)]);
}

#[test]
fn a_row_of_zeros_is_a_failed_query_whatever_its_word() {
    let table = table::read(sample!("npu-smi-info-a2-25x-unhealthy.txt"));
    let seen: Vec<_> = table.chips.iter().map(|chip| (chip.health.as_str(), chip.failed)).collect();
    assert_eq!(seen, [("Warning", false), ("Alarm", false), ("Critical", true), ("UNKNOWN", true), ("OK", true)]);
    assert!(table.incomplete);
}

#[test]
fn a_moved_title_takes_its_values_along() {
    let text = sample!("npu-smi-info-a2-25x.txt");
    let moved = text
        .replace(
            "| Power(W)    Temp(C)           Hugepages-Usage(page)|",
            "| Temp(C)  Power(W)   Hugepages-Usage(page)|",
        )
        .replace("AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)", "HBM-Usage(MB)  AICore(%)  Memory-Usage(MB)")
        .replace("0           0    / 0          3391 / 65536", "3391/65536 0 0/0");
    assert_eq!(table::read(&moved).chips[0].memory, Some((3391, 65536)));
}

#[rstest]
#[case::good("# case 1", &[(Some(Health::Good), 0, 0)])]
#[case::two_codes("# case 2", &[(Some(Health::Alarm), 2, 2)])]
#[case::without_the_controller("# case 3", &[(Some(Health::Good), 0, 0)])]
#[case::the_950("# case 4", &[(Some(Health::Good), 0, 0)])]
fn health_is_read_with_its_codes(#[case] title: &str, #[case] is: &[(Option<Health>, usize, usize)]) {
    let chips = keyed::health(&case(sample!("npu-smi-health.txt"), title));
    let seen: Vec<_> = chips.iter().map(|chip| (chip.health, chip.codes.len(), chip.texts.len())).collect();
    assert_eq!(seen, is);
}

#[rstest]
#[case::clean("# case 1", Ecc { double_bit: 0, isolated_pages: 0, waiting_pages: 0 })]
#[case::isolated("# case 2", Ecc { double_bit: 1, isolated_pages: 4, waiting_pages: 0 })]
#[case::waiting("# case 3", Ecc { double_bit: 2, isolated_pages: 0, waiting_pages: 2 })]
fn memory_errors_are_counted(#[case] title: &str, #[case] is: Ecc) {
    assert_eq!(keyed::ecc(&case(sample!("npu-smi-ecc.txt"), title)), Some(is));
}

#[test]
fn a_board_hides_its_firmware_from_normal_users() {
    let board = |firmware: Option<&str>, compatibility: Option<&str>| Board {
        driver: Some("25.2.1".to_owned()),
        firmware: firmware.map(str::to_owned),
        compatibility: compatibility.map(str::to_owned),
        pci: Some("d802".to_owned()),
    };
    assert_eq!(keyed::board(sample!("npu-smi-board.txt")), board(Some("7.7.0.9.220"), Some("OK")));
    assert_eq!(keyed::board(sample!("npu-smi-board-nonroot.txt")), board(None, None));
    let chip = keyed::board(sample!("npu-smi-board-chip.txt"));
    assert_eq!(chip.firmware.as_deref(), Some("7.7.0.9.220"));
}

#[test]
fn a_chip_is_identified_by_the_numbers_of_its_dies() {
    let chip = keyed::identity(sample!("npu-smi-board-chip.txt"));
    assert_eq!((chip.model.as_deref(), chip.address.as_deref()), (Some("910B3"), Some("0000:C1:00.0")));
    let ids: Vec<_> = chip.ids.iter().map(|(name, id)| (name.as_str(), &id[..8])).collect();
    assert_eq!(ids, [("NDie ID", "27216594"), ("VDie ID", "42C711D4")]);
}

#[rstest]
#[case::on("enable", "True")]
#[case::by_community_certificates("mode", "5")]
fn a_setting_is_read_as_the_tool_prints_it(#[case] of: &str, #[case] is: &str) {
    let text = case(sample!("npu-smi-secverify.txt"), &format!("# {of}"));
    assert_eq!(keyed::setting(&text, &format!("Custom-op-secverify-{of}")).as_deref(), Some(is));
}

#[test]
fn the_map_of_chips_has_the_runtimes_numbers() {
    let mapped = keyed::mapping(&case(sample!("npu-smi-list-usages-procmem.txt"), "# npu-smi info -m"));
    let seen: Vec<_> = mapped.iter().map(|row| (row.card.as_str(), row.chip.as_deref(), row.logical)).collect();
    assert_eq!(seen, [("0", Some("0"), Some(0)), ("0", Some("1"), Some(1)), ("0", Some("2"), None)]);
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in "[|+= :/\\-\t\nA-Za-z0-9.()%]{0,400}") {
        table::read(&text);
        keyed::health(&text);
        keyed::ecc(&text);
        keyed::board(&text);
        keyed::identity(&text);
        keyed::mapping(&text);
    }

    #[test]
    fn no_change_of_a_table_makes_the_parser_panic(at in 0usize..3000, with in ".{0,8}", length in 0usize..40) {
        let mut text = sample!("npu-smi-info-a2-26x.txt").to_owned();
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let end = (at + length).min(text.len());
        text.replace_range(at..end, &with);
        table::read(&text);
    }
}
