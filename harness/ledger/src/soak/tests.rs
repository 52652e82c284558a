use record::{Levels, Quantity, RecordedSoak, SoakBatch, SoakBreak, SoakHeader, SoakRule};

use super::{judge, junit, page, text};

/// A soak of one rule with these batches.
fn soak(batches: Vec<SoakBatch>) -> RecordedSoak {
    let rule = SoakRule {
        id: "toy.hours.block".to_owned(),
        title: "A block".to_owned(),
        place: "rules/hours.yaml:1:1".to_owned(),
        calls: vec!["toy_make".to_owned()],
    };
    let header = SoakHeader {
        format: 1,
        suite: "1".to_owned(),
        runtime: "toy".to_owned(),
        product: "one".to_owned(),
        library: "<libtoy>".to_owned(),
        sha256: String::new(),
        version: None,
        simulated: false,
        catalog: String::new(),
        seed: 1,
        defects: Vec::new(),
        cycles: None,
        seconds: None,
        started: "2026-01-01T00:00:00Z".to_owned(),
        rules: vec![rule],
    };
    let (breaks, skips, resumed, rates, end) = Default::default();
    RecordedSoak { header, batches, breaks, skips, resumed, rates, end }
}

/// Batches of 100 cycles, whose levels depend on the number of cycles before.
fn batches(count: u64, level: impl Fn(u64) -> Levels) -> Vec<SoakBatch> {
    let batch = |number: u64| SoakBatch {
        rule: 0,
        segment: 0,
        cycles: 100,
        before: level(number * 100),
        after: level(number * 100 + 100),
        nanoseconds: 1,
        at: number,
        quickest: None,
    };
    (0..count).map(batch).collect()
}

fn alarms(soak: &RecordedSoak) -> Vec<Quantity> {
    judge(soak).rules[0].alarms().map(|course| course.quantity).collect()
}

#[test]
fn a_leak_of_one_in_fifty_and_one_in_a_thousand_cycles_is_an_alarm() {
    for every in [1, 50, 1000] {
        let leaks = |cycles: u64| Levels {
            free: Some((1 << 30) - 4096 * (cycles / every)),
            descriptors: Some(10 + cycles / every),
            ..Levels::default()
        };
        assert_eq!(alarms(&soak(batches(100, leaks))), [Quantity::DeviceMemory, Quantity::Descriptors], "1 in {every}");
    }
}

#[test]
fn a_level_that_jumps_once_or_returns_is_no_alarm() {
    let jump = |cycles: u64| Levels { heap: Some(if cycles > 5000 { 1 << 20 } else { 0 }), ..Levels::default() };
    assert_eq!(alarms(&soak(batches(100, jump))), []);
    let saw = |cycles: u64| Levels { mappings: Some(50 + cycles / 100 % 7), ..Levels::default() };
    assert_eq!(alarms(&soak(batches(100, saw))), []);
    let falls = |cycles: u64| Levels { threads: Some(500 - cycles / 100), ..Levels::default() };
    assert_eq!(alarms(&soak(batches(100, falls))), []);
}

#[test]
fn memory_that_others_take_is_not_attributed_to_the_rule() {
    let leaks = |cycles: u64| Levels { free: Some((1 << 30) - 4096 * cycles), ..Levels::default() };
    let mut taken = batches(100, leaks);
    assert_eq!(alarms(&soak(taken.clone())), [Quantity::DeviceMemory]);
    taken.iter_mut().for_each(|batch| batch.before = batch.after);
    assert_eq!(alarms(&soak(taken)), []);
}

#[test]
fn growth_continues_over_new_processes_and_warm_up_does_not_count() {
    let leaks = |cycles: u64| Levels { descriptors: Some(10 + cycles / 50), ..Levels::default() };
    let mut two = batches(30, leaks);
    let second = batches(30, leaks).into_iter().map(|batch| SoakBatch { segment: 1, ..batch });
    two.extend(second);
    let judged = judge(&soak(two));
    let course = judged.rules[0].alarms().next().expect("the descriptors grow");
    let slope = course.slope.expect("there are enough batches");
    assert!((slope.estimate - 0.02).abs() < 0.001, "{slope:?}");
    let warms = |cycles: u64| Levels { heap: Some(cycles.min(300) * 1000), ..Levels::default() };
    assert_eq!(alarms(&soak(batches(40, warms))), []);
}

#[test]
fn a_latency_that_doubles_steadily_is_an_alarm() {
    let of = |number: u64, slower: u64| 1000 + number * slower;
    for (slower, expected) in [(0, vec![]), (1, vec![]), (30, vec![Quantity::Latency])] {
        let mut timed = batches(100, |_| Levels::default());
        (0..).zip(&mut timed).for_each(|(number, batch)| batch.quickest = Some(of(number, slower)));
        assert_eq!(alarms(&soak(timed)), expected, "{slower} ns for each batch");
    }
}

#[test]
fn a_cycle_that_fails_after_others_is_an_alarm_and_one_on_a_busy_machine_is_not() {
    let broken = |fails| SoakBreak {
        rule: 0,
        after: 65_536,
        verdict: "fail".to_owned(),
        reason: "the handle is in use".to_owned(),
        fails,
    };
    let mut failed = soak(batches(40, |_| Levels { threads: Some(1), ..Levels::default() }));
    failed.breaks = vec![broken(true)];
    assert_eq!(judge(&failed).alarms(), 1);
    let told = text(&failed, &judge(&failed));
    assert!(told.contains("fails     fail after 65536 cycles that passed: the handle is in use"), "{told}");
    failed.breaks = vec![broken(false)];
    assert_eq!(judge(&failed).alarms(), 0);
}

#[test]
fn the_reports_name_the_rule_and_what_grows() {
    let leaks = |cycles: u64| Levels { free: Some((1 << 30) - 4096 * (cycles / 50)), ..Levels::default() };
    let mut leaking = soak(batches(100, leaks));
    leaking.header.rules[0].title = "A <block>".to_owned();
    let judged = judge(&leaking);
    let told = text(&leaking, &judged);
    for expected in
        ["ALARM toy.hours.block", "device memory: ", "slope     81.9", "--cycles 10000", "1 rule with an alarm"]
    {
        assert!(told.contains(expected), "`{expected}` is missing in:\n{told}");
    }
    let page = page(&leaking, &judged);
    assert!(page.contains("<polyline") && page.contains("device memory: grows") && page.contains("A &lt;block&gt;"));
    let xml = junit(&leaking, &judged);
    assert!(xml.contains("failures=\"1\"") && xml.contains("the soak did not end"), "{xml}");
}
