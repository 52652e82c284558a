//! Rules that depend on the machine: sentences that exclude virtual machines, and processes that may lock little
//! memory.

use catalog::{Conditions, Edition, Known, Rule, applies, left_out};
use rstest::rstest;

use crate::support::catalog;

fn conditions(virtual_machine: Option<bool>, locked_memory: Option<u64>) -> Conditions {
    Conditions {
        product: "a2".to_owned(),
        run_mode: "host".to_owned(),
        devices: 4,
        lacking: Default::default(),
        editions: None.into(),
        kernel: None,
        virtual_machine,
        capabilities: Default::default(),
        trials: Default::default(),
        locked_memory,
        hazardous: false,
        dedicated: true,
        through: false,
    }
}

fn calling(function: &str) -> Vec<&'static Rule> {
    let calls = |rule: &&Rule| rule.function_names().any(|name| name == function);
    let everywhere = conditions(Some(false), None);
    catalog().rules.iter().filter(calls).filter(|rule| applies(rule, &everywhere, catalog()).is_ok()).collect()
}

#[test]
fn in_a_virtual_machine_copies_between_devices_are_not_judged() {
    let virtual_machine = conditions(Some(true), None);
    let rules = calling("aclrtDeviceCanAccessPeer");
    assert!(rules.len() > 20, "{}", rules.len());
    for rule in rules {
        let skip = applies(rule, &virtual_machine, catalog()).expect_err(&rule.id).to_string();
        assert!(
            skip.ends_with("is documented for physical machines and containers; this is a virtual machine"),
            "{skip}"
        );
    }
    assert!(applies(catalog().rule("acl.malloc.align64").unwrap(), &virtual_machine, catalog()).is_ok());
}

#[test]
fn copies_between_devices_are_observed_if_the_kind_of_machine_is_unknown() {
    let unknown = Known {
        editions: Edition::read("9.1").into(),
        run_mode: None,
        virtual_machine: None,
        shown: Default::default(),
        without: Default::default(),
    };
    let physical = Known { virtual_machine: Some(false), ..unknown.clone() };
    for rule in calling("aclrtDeviceCanAccessPeer") {
        assert!(applies(rule, &conditions(None, None), catalog()).is_ok(), "{}", rule.id);
        let (observed, reasons) = rule.observed_only(catalog(), &unknown);
        assert!(!observed.is_empty() && reasons[0].ends_with("it is unknown if this is one"), "{}", rule.id);
        assert!(rule.observed_only(catalog(), &physical).0.len() < observed.len(), "{}", rule.id);
    }
}

#[rstest]
#[case::the_device_does_it(Ok(()), "")]
#[case::the_device_does_not(Err("r was 507899".to_owned()), "failed the test of copies between devices: r was 507899")]
fn in_a_virtual_machine_copies_between_devices_are_observed_if_they_work(
    #[case] answer: Result<(), String>,
    #[case] skipped: &str,
) {
    let asked = Conditions { trials: [("peers".to_owned(), answer)].into(), ..conditions(Some(true), None) };
    let known = Known {
        editions: None.into(),
        run_mode: None,
        virtual_machine: Some(true),
        shown: ["peers".to_owned()].into(),
        without: Default::default(),
    };
    for rule in calling("aclrtDeviceCanAccessPeer") {
        match applies(rule, &asked, catalog()) {
            Ok(()) => {
                assert!(skipped.is_empty(), "{}", rule.id);
                let reasons = rule.observed_only(catalog(), &known).1;
                assert!(reasons[0].ends_with("this is a virtual machine, whose device supports it"), "{}", rule.id);
            }
            Err(skip) => assert!(!skipped.is_empty() && skip.to_string().contains(skipped), "{}: {skip}", rule.id),
        }
    }
}

#[rstest]
#[case::a_common_limit_of_containers(Some(65536), false)]
#[case::enough(Some(8 << 20), true)]
#[case::no_limit(None, true)]
fn host_memory_is_registered_if_the_process_may_lock_it(#[case] limit: Option<u64>, #[case] judged: bool) {
    let here = conditions(Some(false), limit);
    let rules = calling("aclrtHostRegister");
    assert!(rules.len() > 8, "{}", rules.len());
    for rule in rules {
        let only_an_alternative = !left_out(rule, "a2", &here.missing(catalog()), catalog()).is_empty();
        match applies(rule, &here, catalog()) {
            Ok(()) => assert!(judged || only_an_alternative, "{}", rule.id),
            Err(skip) => {
                assert!(!judged, "{}: {skip}", rule.id);
                assert!(skip.to_string().contains("this process may lock 65536: raise the limit"), "{skip}");
            }
        }
    }
}
