//! No legal variant of the simulated device is inert: for each there is a rule that relies on one interpretation of the
//! documents and fails only there. Most are rules of the catalog as an audit found them.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use atlas_cts::runtimes::RUNTIMES;
use record::Verdict;
use rstest::rstest;
use support::Bench;

const MEMORY: &str = include_str!("variants/memory.yaml");
const COPY: &str = include_str!("variants/copy.yaml");
const DEVICE: &str = include_str!("variants/device.yaml");
const DEVICE_FACTS: &str = include_str!("variants/device_facts.yaml");
const SHARING: &str = include_str!("variants/sharing.yaml");
const SIGNALS: &str = include_str!("variants/signals.yaml");
const VIRTUAL: &str = include_str!("variants/virtual.yaml");
const POOLS: &str = include_str!("variants/pools.yaml");
const CHANCES: &str = include_str!("variants/chances.yaml");
const INITIALIZATION: &str = include_str!("variants/initialization.yaml");
const MODELS: &str = include_str!("variants/models.yaml");
const MANAGED: &str = include_str!("variants/managed.yaml");
const ON_A_HOST: &str = include_str!("variants/on_a_host.yaml");

/// A variant, the product to run, and the rules of a chapter that fail there.
type Reading = (&'static str, &'static str, &'static str, &'static [&'static str]);

const READINGS: &[Reading] = &[
    ("variant.capture-survives-refusals", "a2", MODELS, &["acl.chance.refusal-fails-capture"]),
    ("variant.capture-ended-by-any-thread", "a2", MODELS, &["acl.chance.wrong-thread-leaves-capture"]),
    ("variant.activated-stream-first", "a2", MODELS, &["acl.chance.activated-stream-last"]),
    ("variant.sums-saturate", "a2", MODELS, &["acl.chance.sums-wrap"]),
    ("variant.random-counter-advances", "a2", MODELS, &["acl.chance.seed-repeats"]),
    ("variant.mask-of-dropped", "a2", MODELS, &["acl.chance.mask-of-kept"]),
    ("variant.other-configuration-refused", "a2", INITIALIZATION, &["acl.chance.second-configuration"]),
    ("variant.callback-text-null", "a2", INITIALIZATION, &["acl.chance.callback-text"]),
    ("variant.surplus-finalize-succeeds", "ipv350", INITIALIZATION, &["acl.chance.surplus-finalize"]),
    ("variant.unknown-chip-incompatible", "a2", INITIALIZATION, &["acl.chance.unknown-chip"]),
    ("variant.determinism-implies-consistency", "a2", INITIALIZATION, &["acl.chance.separate-parameters"]),
    ("variant.managed-invalid-id-large", "a2", MANAGED, &["acl.chance.shared-id"]),
    ("variant.managed-write-ends-read-mostly", "a2", MANAGED, &["acl.chance.written-read-mostly"]),
    ("variant.cache-writes-back", "a2", MANAGED, &["acl.chance.only-prefetches"]),
    ("variant.accounts-zero-for-unknown", "a2", MEMORY, &["acl.meminfo.bad-attr"]),
    ("variant.accounts-refuse-unsupported", "ipv350", MEMORY, &["acl.meminfo.unsupported-attr"]),
    ("variant.accounts-totals-move", "a2", MEMORY, &["acl.meminfo.total-stable"]),
    ("variant.lenient-accounts", "a2", MEMORY, &["acl.memtype.args", "acl.flush.args"]),
    ("variant.types-overlap", "ascend950", MEMORY, &["acl.memtype.match"]),
    ("variant.free-refuses-scheduler", "a2", MEMORY, &["acl.free.all-sources"]),
    ("variant.ranges-of-listed-only", "a2", MEMORY, &["acl.malloc.extent-align32"]),
    ("variant.policy-bits-honoured", "a2", MEMORY, &["acl.malloc.policy-out-of-range"]),
    ("variant.reserved-words-checked", "a2", MEMORY, &["acl.malloc.cfg-module-id", "acl.memtype.reserved-value"]),
    ("variant.normal-pages-64-KiB", "a2", MEMORY, &["acl.malloc.page-normal"]),
    ("variant.giant-pages-report-huge", "a2", MEMORY, &["acl.malloc.page-huge1g"]),
    ("variant.media-needs-initialisation", "a2", MEMORY, &["acl.dvpp.align128-v2"]),
    ("variant.one-pool", "train", MEMORY, &["acl.malloc.hugefirst-fallback"]),
    ("variant.foreign-words-set", "a2", MEMORY, &["acl.set.d32-foreign"]),
    ("variant.registration-unaligned", "a2", MEMORY, &["acl.hostreg.page-align"]),
    ("variant.registration-repeats", "a2", MEMORY, &["acl.hostreg.double", "acl.hostreg.unregistered"]),
    ("variant.other-codes", "a2", MEMORY, &["acl.malloc.size0"]),
    ("variant.lenient-devices", "a2", MEMORY, &["acl.meminfo.no-device"]),
    ("variant.ranges-as-asked", "a2", MEMORY, &["acl.chance.range-padded"]),
    ("variant.ranges-of-larger-blocks", "a2", MEMORY, &["acl.chance.ranges-apart"]),
    ("variant.totals-leave-out-reserves", "a2", MEMORY, &["acl.chance.total-is-all"]),
    ("variant.host-location-reserved", "a2", MEMORY, &["acl.chance.host-place"]),
    ("variant.capabilities-unasked", "a2", MEMORY, &["acl.chance.capability"]),
    ("variant.peer-pages-counted-apart", "a2", MEMORY, &["acl.chance.peer-giants"]),
    ("variant.huge-first-mixed", "a2", MEMORY, &["acl.chance.one-kind"]),
    ("variant.bandwidth-means-huge-first", "ipv350", MEMORY, &["acl.chance.flagged-huge"]),
    (
        "variant.lenient-rectangles",
        "a2",
        COPY,
        &["acl.copy2d.sync-d2d", "acl.copy2d.kind-h2h", "acl.copy2d.pitch", "acl.copy2d.limits"],
    ),
    ("variant.lenient-descriptors", "a2", COPY, &["acl.copydesc.kind"]),
    ("variant.lenient-batches", "a2", COPY, &["acl.copybatch.rsv", "acl.copybatch.index-rules"]),
    ("variant.fail-index-kept-on-success", "a2", COPY, &["acl.copybatch.each"]),
    ("variant.fail-index-last-of-range", "a2", COPY, &["acl.copybatch.attr-ranges"]),
    ("variant.batch-pageable-unregistered", "a2", COPY, &["acl.copybatch.async-pageable-complete"]),
    ("variant.batch-copies-part-on-error", "a2", COPY, &["acl.copybatch.location-mismatch"]),
    ("variant.lenient-devices", "a2", DEVICE, &["acl.dev.get-unset", "acl.ctx.destroy-default"]),
    ("variant.device-waits-for-current-context", "a2", DEVICE, &["acl.dev.sync"]),
    ("variant.notify-waits-end-quietly", "a2", SIGNALS, &["acl.notify.wait-expires"]),
    ("variant.counting-waits-end-quietly", "ascend950", SIGNALS, &["acl.cntnotify.wait-expires"]),
    ("variant.short-notify-keys", "a2", SIGNALS, &["acl.notify.key-length"]),
    ("variant.event-count-moves", "a2", SIGNALS, &["acl.chance.events-left"]),
    ("variant.events-refuse-plain", "a2", DEVICE, &["acl.event.ex-unsupported"]),
    ("variant.events-cross-devices", "a2", DEVICE, &["acl.stream.other-device"]),
    ("variant.peer-policies-refused", "a2", DEVICE, &["acl.p2p.query-range"]),
    ("variant.peer-status-symmetric", "a2", DEVICE, &["acl.p2p.status-off", "acl.p2p.status-one-way"]),
    ("variant.peer-enable-one-way-suffices", "a2", DEVICE, &["acl.p2p.status-one-way"]),
    ("variant.peer-status-zero-outside", "a2", DEVICE, &["acl.p2p.status-invalid"]),
    (
        "variant.lenient-peers",
        "a2",
        DEVICE,
        &["acl.p2p.query-self", "acl.p2p.query-invalid", "acl.p2p.enable-self", "acl.p2p.enable-flags"],
    ),
    ("variant.peer-copies-from-target", "a2", DEVICE, &["acl.p2p.copy-sync"]),
    ("variant.other-codes", "a2", DEVICE, &["acl.p2p.enable-flags-code"]),
    ("variant.elapsed-of-one-synchronised-stream", "a2", DEVICE, &["acl.event.elapsed-order"]),
    ("variant.events-limited-at-creation", "infer", DEVICE, &["acl.event.created-unlimited"]),
    ("variant.plain-events-recorded-once", "a2", DEVICE, &["acl.event.record-again"]),
    ("variant.event-status-lags-elsewhere", "a2", DEVICE, &["acl.event.status-elsewhere"]),
    ("variant.reset-leaves-memory", "a2", DEVICE, &["acl.dev.reset-frees"]),
    ("variant.reset-drops-created-streams", "a2", DEVICE, &["acl.dev.reset-waits"]),
    ("variant.fine-operator-interval", "a2", DEVICE, &["acl.timeouts.coarse"]),
    ("variant.operator-limit-rounded-up", "a2", DEVICE, &["acl.timeouts.whole-milliseconds"]),
    ("variant.stream-count-moves", "a2", DEVICE, &["acl.stream.count-stays"]),
    ("variant.abort-told-to-next-wait", "a2", DEVICE, &["acl.stream.abort-then-wait"]),
    ("variant.creation-priority-ignored", "a2", DEVICE, &["acl.stream.priority-of-creation"]),
    ("variant.one-stream-priority", "a2", DEVICE, &["acl.stream.several-priorities"]),
    ("variant.destroyed-context-falls-back", "a2", DEVICE, &["acl.ctx.destroy-current"]),
    ("variant.negative-device-is-argument", "a2", DEVICE, &["acl.dev.set-invalid"]),
    ("variant.device-told-to-selecting-threads", "a2", DEVICE, &["acl.ctx.across-threads"]),
    ("variant.peer-status-on-at-first", "a2", DEVICE, &["acl.p2p.status-at-first"]),
    ("variant.in-a-container", "a2", DEVICE_FACTS, &["acl.chance.physical-ids"]),
    ("variant.device-on-a-unified-bus", "ascend950", DEVICE_FACTS, &["acl.chance.bus-ids"]),
    ("variant.stream-limits-reset-to-hardware", "a2", DEVICE_FACTS, &["acl.chance.stream-limit"]),
    ("variant.device-limit-told-as-given", "a2", DEVICE_FACTS, &["acl.chance.rounded-limit"]),
    ("variant.device-state-of-each-call", "a2", DEVICE_FACTS, &["acl.chance.later-selections"]),
    ("variant.peer-links-one-way", "a2", DEVICE, &["acl.p2p.enable-supported"]),
    ("variant.key-lists-read-at-use", "a2", SHARING, &["acl.ipc.whitelist-deny"]),
    ("variant.destination-room-checked", "a2", COPY, &["acl.copy.dest-max-trusted"]),
    ("variant.keys-binary", "a2", SHARING, &["acl.ipc.export-key"]),
    (
        "variant.lenient-keys",
        "a2",
        SHARING,
        &[
            "acl.ipc.key-length",
            "acl.ipc.export-flags",
            "acl.ipc.import-args",
            "acl.ipc.close-unknown",
            "acl.ipc.setpid-unknown-key",
        ],
    ),
    ("variant.lists-replace", "a2", SHARING, &["acl.ipc.whitelist-allow"]),
    ("variant.lists-of-live-processes", "a2", SHARING, &["acl.ipc.whitelist-strangers"]),
    ("variant.exports-of-block-starts", "a2", SHARING, &["acl.ipc.export-inside"]),
    ("variant.pages-checked-at-import", "a2", SHARING, &["acl.ipc.page-align"]),
    ("variant.lenient-virtual-memory", "a2", VIRTUAL, &["acl.chance.reserved-word"]),
    ("variant.recommended-granularity-larger", "a2", VIRTUAL, &["acl.chance.recommended"]),
    ("variant.physical-sizes-checked", "a2", VIRTUAL, &["acl.chance.any-size"]),
    ("variant.mapping-once", "a2", VIRTUAL, &["acl.chance.two-addresses"]),
    ("variant.mappings-start-closed", "a2", VIRTUAL, &["acl.chance.open-at-once"]),
    ("variant.unset-access-refused", "a2", VIRTUAL, &["acl.chance.access-is-told"]),
    ("variant.reservations-mixed", "a2", VIRTUAL, &["acl.chance.one-device"]),
    ("variant.retained-handles-differ", "a2", VIRTUAL, &["acl.chance.same-handle"]),
    ("variant.retain-lacking-other-code", "a2", VIRTUAL, &["acl.vmm.retain"]),
    ("variant.retain-unsupported", "a2", VIRTUAL, &["acl.chance.same-handle"]),
    ("variant.attributes-as-synonyms", "a2", VIRTUAL, &["acl.chance.same-attribute"]),
    ("variant.shareable-import-repeats", "a2", VIRTUAL, &["acl.chance.own-import"]),
    ("variant.shareable-lists-read-by-mapping", "a2", VIRTUAL, &["acl.chance.unlisted-import"]),
    ("variant.access-replaced", "a2", VIRTUAL, &["acl.chance.access-adds"]),
    ("variant.linked-ranges-unsupported", "a3", VIRTUAL, &["acl.chance.links", "acl.chance.any-link"]),
    ("variant.first-link-only", "a2", VIRTUAL, &["acl.chance.any-link"]),
    ("variant.shareable-import-while-held", "a2", VIRTUAL, &["acl.chance.freed-is-closed"]),
    ("variant.dead-importers-keep-memory", "a2", VIRTUAL, &["acl.chance.death-frees"]),
    ("variant.reservations-within-memory", "a2", VIRTUAL, &["acl.chance.vast-range"]),
    ("variant.second-export-flags-reserved", "a2", VIRTUAL, &["acl.chance.second-flags"]),
    ("variant.retained-handles-keep-nothing", "a2", VIRTUAL, &["acl.chance.retained-keeps"]),
    ("variant.mapped-host-needs-direction", "a2", VIRTUAL, &["acl.chance.finds-direction"]),
    ("variant.shareable-lists-read-by-access", "a2", VIRTUAL, &["acl.chance.unlisted-access"]),
    ("variant.lists-of-other-processes", "a2", VIRTUAL, &["acl.chance.own-listed"]),
    ("variant.more-links", "a2", VIRTUAL, &["acl.chance.four-links"]),
    ("variant.link-other-code", "a3", VIRTUAL, &["acl.chance.link-code"]),
    ("variant.mappings-start-closed", "a3", VIRTUAL, &["acl.chance.linked-open"]),
    ("variant.pool-reuse-on", "a2", POOLS, &["acl.chance.pool-off-at-first"]),
    ("variant.pool-used-until-execution", "a2", POOLS, &["acl.chance.pool-used-until-call"]),
    ("variant.pool-grows-by-64-MiB", "a2", POOLS, &["acl.chance.pool-small"]),
    ("variant.pool-highest-address-first", "a2", POOLS, &["acl.chance.pool-upwards"]),
    ("variant.pool-reuses-executed-releases-only", "a2", POOLS, &["acl.chance.pool-queued"]),
    ("variant.pool-reuses-within-streams-only", "a2", POOLS, &["acl.chance.pool-behind-an-event"]),
    ("variant.pool-full-refuses-to-wait", "a2", POOLS, &["acl.chance.pool-full"]),
    ("variant.pool-used-is-what-was-asked", "a2", POOLS, &["acl.chance.pool-rounded"]),
    ("variant.pool-never-releases-by-synchronisation", "a2", POOLS, &["acl.chance.pool-given-back"]),
    ("variant.pool-size-zero-null", "a2", POOLS, &["acl.chance.pool-nothing"]),
    ("variant.pool-destroy-deferred", "a2", POOLS, &["acl.chance.pool-busy"]),
    ("variant.pool-foreign-blocks-freed", "a2", POOLS, &["acl.chance.pool-foreign"]),
    ("variant.pool-null-stream", "a2", POOLS, &["acl.chance.pool-stream"]),
    (
        "variant.lenient-pools",
        "a2",
        POOLS,
        &[
            "acl.chance.pool-reserved-byte",
            "acl.chance.pool-of-host",
            "acl.chance.pool-switch",
            "acl.chance.pool-read-only",
            "acl.chance.pool-mark",
        ],
    ),
    ("variant.pool-threshold-of-whole-pool", "a2", POOLS, &["acl.chance.pool-idle"]),
    ("variant.pool-high-marks-read-zero", "a2", POOLS, &["acl.chance.pool-reset"]),
    ("variant.pool-blocks-whole-pages", "a2", POOLS, &["acl.chance.pool-as-asked"]),
    ("variant.pool-unlimited-refused", "a2", POOLS, &["acl.chance.pool-unlimited"]),
    ("variant.pool-trim-below-used-refused", "a2", POOLS, &["acl.chance.pool-trim"]),
    ("variant.pool-streams-of-any-context", "a2", POOLS, &["acl.chance.pool-context"]),
    ("variant.pool-grows-before-waiting", "a2", POOLS, &["acl.chance.pool-waits"]),
    ("variant.pool-blocks-freed-by-free", "a2", POOLS, &["acl.chance.pool-free"]),
    ("variant.pool-memory-exportable", "a2", POOLS, &["acl.chance.pool-export"]),
    ("variant.pool-threshold-within-limit", "a2", POOLS, &["acl.chance.pool-threshold"]),
    ("variant.pool-larger-than-device", "a2", POOLS, &["acl.chance.pool-too-large"]),
    ("variant.pool-counts-pages-in-use", "a2", POOLS, &["acl.chance.pool-bytes-in-use"]),
    ("variant.pool-trim-lasts", "a2", POOLS, &["acl.chance.pool-threshold-again"]),
    ("variant.pool-size-is-no-limit", "a2", POOLS, &["acl.chance.pool-limited"]),
    ("variant.pool-returns-in-own-stream", "a2", POOLS, &["acl.chance.pool-foreign-return"]),
    ("variant.pool-releases-in-the-background", "a2", POOLS, &["acl.chance.pool-released-then"]),
    ("variant.pool-opportunistic-at-first", "a2", POOLS, &["acl.chance.pool-serves-another"]),
    ("variant.addresses-at-odd-multiples-of-64", "a2", CHANCES, &["acl.chance.start"]),
    ("variant.addresses-never-reused", "a2", CHANCES, &["acl.chance.same-address"]),
    ("variant.extents-whole-pages", "a2", CHANCES, &["acl.chance.extent"]),
    ("variant.async-eager", "a2", CHANCES, &["acl.chance.queued"]),
    ("variant.async-h2h-fails-at-synchronise", "a2", CHANCES, &["acl.chance.at-the-call"]),
    ("variant.other-misuse-codes", "a2", CHANCES, &["acl.chance.layer"]),
    ("variant.fresh-memory-random", "a2", CHANCES, &["acl.chance.fresh"]),
    ("variant.fresh-memory-old", "a2", CHANCES, &["acl.chance.fresh"]),
    ("variant.handles-reused-at-once", "a2", CHANCES, &["acl.chance.handle"]),
    ("variant.free-memory-lags", "a2", CHANCES, &["acl.chance.account"]),
    ("variant.free-memory-noisy", "a2", CHANCES, &["acl.chance.account"]),
];

/// Variants of a device that runs programs itself, each with a rule that fails there.
const ON_THE_DEVICE: &[(&str, &str)] = &[
    ("variant.device-mode-refuses-program-memory", "acl.copy.sync-to-device"),
    ("variant.device-mode-refuses-to-fill-program-memory", "acl.copy.sync-to-host"),
];

/// These variants change times, threads and printed text: a rule that relied on them would have a race.
const ELSEWHERE: &[&str] = &[
    "variant.async-delayed",
    "variant.slow-calls",
    "variant.chatter-on-stdout",
    "variant.callbacks-on-new-threads",
    "variant.callbacks-late",
    "variant.copies-one-after-the-other-each-way",
    "variant.streams-one-after-the-other",
];

/// The effect of these variants lasts for a while: on a busy machine it may be over when a failing rule is rerun.
const FOR_A_WHILE: &[&str] = &["variant.free-memory-lags", "variant.free-memory-noisy"];

/// The verdicts of the rules in a bench's catalog, with additional arguments.
fn verdicts(bench: &Bench, product: &str, besides: &[&str]) -> BTreeMap<String, Verdict> {
    let report = format!("report-{product}-{}", besides.join("-"));
    let words = [&["--product", product, "--backend", "simulator", "--dedicated"], besides].concat();
    bench.run_catalog(&report, &words);
    bench.report(&report).results.into_iter().map(|result| (result.id, result.verdict)).collect()
}

#[rstest]
#[case::of_memory(MEMORY)]
#[case::of_copies(COPY)]
#[case::of_devices(DEVICE)]
#[case::of_facts_of_devices(DEVICE_FACTS)]
#[case::of_sharing(SHARING)]
#[case::of_signals(SIGNALS)]
#[case::of_virtual_memory(VIRTUAL)]
#[case::of_pools(POOLS)]
#[case::of_chances(CHANCES)]
#[case::of_managed_memory(MANAGED)]
fn an_interpretation_fails_only_on_variants_that_contradict_it(#[case] chapter: &str) {
    let bench = Bench::new();
    bench.catalog(chapter);
    let mut faithful = BTreeMap::new();
    for (variant, product, _, rules) in READINGS.iter().filter(|(_, _, of, _)| *of == chapter) {
        let faithful = faithful.entry(product).or_insert_with(|| verdicts(&bench, product, &[]));
        let found = verdicts(&bench, product, &["--defect", variant]);
        for rule in *rules {
            assert!(faithful[*rule].passes(), "{rule} on {product}: {:?}", faithful[*rule]);
            let failed_once = found[*rule] == Verdict::Flaky && FOR_A_WHILE.contains(variant);
            assert!(found[*rule].kills() || failed_once, "{rule} on {product} with {variant}: {:?}", found[*rule]);
        }
    }
}

#[test]
fn an_interpretation_about_host_programs_fails_on_a_device_that_runs_programs() {
    let bench = Bench::new();
    bench.catalog(ON_A_HOST);
    for (variant, rule) in ON_THE_DEVICE {
        let on_a_host = verdicts(&bench, "infer", &["--defect", variant]);
        let on_the_device = verdicts(&bench, "infer", &["--sim", "run-mode=device", "--defect", variant]);
        assert!(on_a_host[*rule].passes(), "{rule} with {variant}: {:?}", on_a_host[*rule]);
        assert!(on_the_device[*rule].kills(), "{rule} with {variant}: {:?}", on_the_device[*rule]);
    }
}

/// Rules that copy memory of the program after their set-up, some of them while another context is current.
const COPYING: [&str; 7] = [
    "acl.ctx.set-last-wins",
    "acl.dev.runmode",
    "acl.dev.set-valid",
    "acl.dev.thread-scope",
    "acl.free.all-sources",
    "acl.malloc.device-of-current",
    "acl.memusage.sorted",
];

#[rstest]
fn a_device_that_runs_programs_and_refuses_their_memory_fails_no_rule(
    #[values(0, 1)] variant: usize,
    #[values("infer", "200i-500-a2")] product: &str,
) {
    let (variant, _) = ON_THE_DEVICE[variant];
    let words =
        ["run", "--product", product, "--sim", "run-mode=device", "--backend", "simulator", "--defect", variant];
    let bench = Bench::new();
    bench.run(words.iter().chain(&COPYING).chain(&["--report-dir", "report"])).says(0, &["conformant"]);
    let result = bench.report("report").result("acl.free.all-sources").clone();
    assert!(result.findings.iter().any(|finding| finding.starts_with("aclrtMemcpy returned")), "{:?}", result.findings);
    let why = "aclrtMemcpy may be refused by device.device-mode-uses-device-memory (in run mode device)";
    assert_eq!(result.observed_only, [why]);
}

#[test]
fn no_variant_is_inert() {
    let runtime = RUNTIMES.iter().find(|runtime| std::ptr::eq(runtime.bindings, &acl::BINDINGS));
    let variants = runtime.unwrap().simulated.as_ref().unwrap().variants;
    let on_the_device = ON_THE_DEVICE.iter().map(|(variant, _)| *variant);
    let shown: BTreeSet<&str> =
        READINGS.iter().map(|(variant, ..)| *variant).chain(on_the_device).chain(ELSEWHERE.iter().copied()).collect();
    assert_eq!(shown, variants.iter().map(|variant| variant.name).collect());
}
