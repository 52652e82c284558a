use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::*;

fn devices(number: usize) -> Devices {
    Devices::of((0..number).map(|number| Unit { name: Some(number.to_string()), ..Unit::default() }).collect())
}

fn runs<'a>(taken: Taken<'a>) -> Lease<'a> {
    match taken {
        Taken::Runs { lease, .. } => lease,
        other => panic!("{other:?}"),
    }
}

fn refused(taken: Taken<'_>) -> (Verdict, String) {
    match taken {
        Taken::Refused(verdict, reason) => (verdict, reason),
        other => panic!("{other:?}"),
    }
}

const ONE: Demand = Demand::Devices(1);
const NOTHING: BTreeSet<&str> = BTreeSet::new();
const ALL: [usize; 3] = [0, 1, 2];

#[test]
fn which_device_a_rule_has_follows_from_seed_and_id_and_not_from_who_is_free() {
    let devices = devices(3);
    let order = devices.order(7, "toy.copy.x");
    let first = runs(devices.take(ONE, &order, &NOTHING, None));
    let (tell, told) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| tell.send(runs(devices.take(ONE, &order, &NOTHING, None)).units().to_vec()).unwrap());
        told.recv_timeout(Duration::from_millis(50)).expect_err("two other devices are free");
        drop(first);
        assert_eq!(told.recv().unwrap(), order[..1]);
    });
}

#[test]
fn rules_are_spread_over_the_devices_and_one_that_is_missing_moves_only_its_own() {
    let (four, three) = (devices(4), devices(3));
    let mut each = [0; 4];
    for rule in 0..400 {
        let rule = format!("toy.rule{rule}");
        let (first, fewer) = (four.order(7, &rule)[0], three.order(7, &rule)[0]);
        each[first] += 1;
        assert!(first == fewer || first == 3);
        assert_eq!(four.order(7, &rule), four.order(7, &rule));
    }
    assert!(each.iter().all(|rules| (60..150).contains(rules)), "{each:?}");
    let moved = (0..400)
        .filter(|rule| four.order(7, &format!("toy.rule{rule}"))[0] != four.order(8, &format!("toy.rule{rule}"))[0]);
    assert!(moved.count() > 200, "another seed gives other devices");
}

#[test]
fn a_rule_of_all_devices_waits_until_each_is_given_back() {
    let devices = devices(2);
    let (first, second) =
        (runs(devices.take(ONE, &[0], &NOTHING, None)), runs(devices.take(ONE, &[1], &NOTHING, None)));
    let (tell, told) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let all = runs(devices.take(Demand::All, &[], &NOTHING, None));
            tell.send(all.visible()).unwrap();
        });
        drop(first);
        told.recv_timeout(Duration::from_millis(50)).expect_err("one is still taken");
        drop(second);
        assert_eq!(told.recv().unwrap().unwrap(), "0,1");
    });
}

#[test]
fn a_device_that_is_out_is_passed_over_and_without_any_nothing_runs() {
    let devices = devices(2);
    devices.units[0].breaker.put_out("it is silent");
    assert_eq!(runs(devices.take(ONE, &ALL[..devices.units.len()], &NOTHING, None)).visible().unwrap(), "1");
    let (verdict, reason) = refused(devices.take(Demand::Devices(2), &[], &NOTHING, None));
    assert_eq!(verdict, Verdict::DeviceLost);
    assert!(reason.contains("needs 2 devices, but one is usable") && reason.contains("it is silent"), "{reason}");
    devices.units[1].breaker.put_out("it is dead");
    assert_eq!(refused(devices.take(ONE, &ALL[..devices.units.len()], &NOTHING, None)).0, Verdict::DeviceLost);
}

#[test]
fn a_device_that_is_out_is_given_to_whoever_may_bring_it_back_but_not_for_ever() {
    let devices = devices(1);
    let recovery = Recovery { command: "true".to_owned(), limit: Duration::from_secs(1) };
    devices.units[0].breaker.put_out("it is silent");
    for _ in 0..recovery::MOST {
        let Taken::Out { lease, .. } = devices.take(ONE, &ALL[..devices.units.len()], &NOTHING, Some(&recovery)) else {
            panic!("it may be recovered")
        };
        lease.devices.units[0].recoveries.fetch_add(1, Ordering::Relaxed);
    }
    assert_eq!(
        refused(devices.take(ONE, &ALL[..devices.units.len()], &NOTHING, Some(&recovery))).0,
        Verdict::DeviceLost
    );
}

#[test]
fn threads_of_a_simulated_run_do_not_wait_for_each_other() {
    let devices = Devices::simulated();
    let first = runs(devices.take(ONE, &[0], &NOTHING, None));
    let second = runs(devices.take(Demand::All, &[0], &NOTHING, None));
    assert_eq!((first.visible(), second.visible()), (None, None));
    assert_eq!(devices.at_the_same_time(), None);
}
