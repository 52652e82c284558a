### The English wording of reports. Syntax: https://projectfluent.org
###
### Not included: text recorded in journals (reasons, remarks, events).

## Numbers

count-bytes = { $count ->
    [one] { $count } byte
   *[other] { $count } bytes
}
count-cases = { $count ->
    [one] { $count } case
   *[other] { $count } cases
}
count-checks = { $count ->
    [one] { $count } check
   *[other] { $count } checks
}
count-entries = { $count ->
    [one] { $count } entry
   *[other] { $count } entries
}
count-findings = { $count ->
    [one] { $count } finding
   *[other] { $count } findings
}
count-known-failures = { $count ->
    [one] { $count } known failure
   *[other] { $count } known failures
}
count-lines = { $count ->
    [one] { $count } line
   *[other] { $count } lines
}
count-results = { $count ->
    [one] { $count } result
   *[other] { $count } results
}
count-rules = { $count ->
    [one] { $count } rule
   *[other] { $count } rules
}
count-runs = { $count ->
    [one] { $count } run
   *[other] { $count } runs
}
count-times = { $count ->
    [one] once
   *[other] { $count } times
}
of = { $some } of { $all }
some-results = { $some } of the catalog's { $all } rules { $some ->
    [one] has a result
   *[other] have a result
}
no-results = No rule has a result.
all = all
absent = absent
unreadable = unreadable
unfinished = unfinished
exit-status = exit status { $status }
level-info = level info

## Meanings of results, and explanations of verdicts

meaning-good = hold
meaning-broken = broken
meaning-finding = finding
meaning-findings = { $count ->
    [one] finding
   *[other] findings
}
meaning-unknown = unknown
meaning-skipped = skipped
only-observed = only observed
verdict-exceeds = a call documented as unsupported succeeded
verdict-observed = undefined in the documents: recorded, not judged

## Names of verdicts and of sorts of known failures: in English those of the journal

verdict-name-pass = pass
verdict-name-fail = fail
verdict-name-wrong-code = wrong-code
verdict-name-exceeds = exceeds
verdict-name-observed = observed
verdict-name-blocked = blocked
verdict-name-skipped = skipped
verdict-name-error = error
verdict-name-crash = crash
verdict-name-timeout = timeout
verdict-name-flaky = flaky
verdict-name-device-lost = device-lost
verdict-name-cut = cut
sort-name-known = known
sort-name-new = new
sort-name-unlike = unlike
sort-name-too-often = too-often
sort-name-expired = expired
sort-name-fixed = fixed

## The outcome of a run in one sentence

result-unfinished = the run did not finish; { count-rules } broken so far
result-only-known = nothing new: { count-known-failures }; no other rule that ran is broken
result-good-but-cut = no rule that ran is broken, but not all cases ran: { count-rules } unknown
result-nothing-tested = nothing was tested: no rule has an answer
result-only-findings = no promise was tested: see the findings
result-conformant = conformant: no rule that ran is broken
result-fail-on = failed because of --fail-on: see the fixed and expired known failures
result-strict-findings = not conformant: see the findings
result-not-conformant = not conformant: { count-rules } broken
unconfirmed = unconfirmed
count-unconfirmed = { $count ->
    [one] one of { $of } reds was seen once and not run again (unconfirmed)
   *[other] { $count } of { $of } reds were seen once and not run again (unconfirmed)
}
result-too-few = unknown: { count-rules } executed, but min-executed is { $least }
result-unusable-cases = unknown: some kept counterexamples could not be tried; see the remarks
result-unknown-cut = unknown: some cases of { count-rules } did not run
result-unknown = unknown: the environment or a device failed

## Labels of facts, in failure blocks, the summary and pages

label-budget = budget
label-by-device = by device
label-calls = calls
label-case = case
label-catalog = catalog
label-chance = chance
label-check = check
label-code = code
label-coverage = coverage
label-defects = defects
label-device = device
label-devices = devices
label-documents = documents
label-doubt = doubt
label-ended = ended
label-exit-status = exit status
label-expected = expected
label-findings = findings
label-found = found
label-further = further
label-host = host
label-identity = identity
label-in-flight = in flight
label-installed = installed
label-interrupted = interrupted
label-last-call = last call
label-last-error = last error
label-capabilities = capabilities
label-left-out = left out
label-library = library
label-logs = logs
label-mapped = mapped
label-median = median
label-merged = merged
label-new = new
label-not-judged = not judged
label-notes = notes
label-observed = observed
label-old = old
label-only-after = only after
label-open = open
label-outlier = outlier
label-output = output
label-part = part
label-place = place
label-promised = promised
label-reason = reason
label-remark = remark
label-remarks = remarks
label-replay = replay
label-report = report
label-result = result
label-resumed = resumed
label-retried = retried
label-retries = retries
label-rounds = rounds
label-rule = rule
label-rules = rules
label-run = run
label-run-again = run again
label-seen = seen
label-selected = selected
label-settings = settings
label-sources = sources
label-stack = stack
label-started = started
label-started-for = started for
label-statement = statement
label-steps = steps
label-strength = strength
label-suite = suite
label-time = time
label-unknown = unknown
label-unusable = unusable
label-value = value
label-values = values
label-verdict = verdict
label-verdicts = verdicts
label-version = version
label-without-axioms = without axioms
label-work = work
label-workers = workers

## Failure blocks

case-found = found in case { $case }
case-shrunk = found in case { $case }, then shrunk { count-times }
case-shrinking-cut = { $found }; shrinking stopped at its budget (a larger --profile raises it)
again-flaky = { $clause }; found as { $verdict }
again-after-others = { $clause }; alone it failed in { $repeats }
case-without-values = a case without values
observed-class = { $class } in { count-cases }
work = { $cases }, { $checks } in { $time }, seed { $seed }
rule-resumed = the run stopped { count-times } during this rule and was resumed
logs-none = none ({ $why })
logs-no-lines = no source had any lines
logs-file = { $name } ({ count-lines })
logs-file-end = { $name } ({ count-lines }, { $omitted } omitted)
clause-quoted = { $clause } original: { $original }
also-rests-on = also { $clauses }
omitted-calls = { $count ->
    [one] (1 earlier call omitted; the journal has all)
   *[other] ({ $count } earlier calls omitted; the journal has all)
}
stack-thread = thread { $name }: { $wait }
stack-more-frames = { $count ->
    [one] 1 outer frame more; the journal has it
   *[other] { $count } outer frames more; the journal has them
}
stack-more-threads = { $count ->
    [one] 1 other thread; the journal has it
   *[other] { $count } other threads; the journal has them
}
omitted-cases = { $count ->
    [one] (1 earlier case omitted)
   *[other] ({ $count } earlier cases omitted)
}
omitted-lines = { $count ->
    [one] (1 earlier line omitted)
   *[other] ({ $count } earlier lines omitted)
}

## What was tested

simulated = SIMULATED DEVICE
not-simulated = NOT SIMULATED
simulated-warning = SIMULATED DEVICE: this run says nothing about hardware
with-seeded-defect = with the seeded defect { $defect }
first-line = atlas-cts { $suite }: { $library }; { $device }, product { $product }; seed { $seed }; profile { $profile }
first-line-defects = defects { $defects }
library = { $path } (sha256 { $sha256 }, { $version }; chosen: { $by })
version = version { $version }
version-not-reported = version not reported
simulated-device = simulated { $name }
simulated-device-without-name = a simulated device that reports no name
device-without-name = a device that reports no name
unusable-devices = { $devices } (unusable: { $out })
unknown-model = unknown model
device-is = device { $device }: { $what }
target = { $device }, product { $product }, edition { $edition }
programs-run-on = programs on the { $mode }
profile-and-seed = profile { $profile }, seed { $seed }
patience = patience { $milliseconds } ms
deadline = deadline { $seconds } s
started-at = started { $time }
resumed-at = resumed { $time }
host-pages = { $size } pages
host-virtual = a virtual machine
host-physical = not a virtual machine
host-virtual-assumed-physical = a virtual machine, treated as physical (ATLAS_CTS_ASSUME_BARE_METAL)
host-assumed-physical = treated as a physical machine (ATLAS_CTS_ASSUME_BARE_METAL)
host-uncertain = unknown whether this is a virtual machine
host-container = in a container ({ $maker })
host-unprivileged-container = in a container ({ $maker }, unprivileged)
host-may-lock = may lock { $size }
capability-had = has { $name }
capability-lacked = lacks { $name }
capability-unknown = { $name } is unknown ({ $why })
capability-shown = the devices support { $what }, which no document promises here: observed, not judged
capability-missing = the devices do not support { $what }: { $why }
left-out = { count-rules }: { $why }
left-out-on-virtual-machine = { count-rules }: { $why } (if not, set ATLAS_CTS_ASSUME_BARE_METAL=1)
part = { $number } of { $of }
part-balanced = { $number } of { $of }, balanced by the rules' times in an earlier run
merged = { $number } of { $of }, merged
merged-from = { $number } of { $of } from { count-runs }, merged
merged-run = part { $part } of { $of }: { $run }, started { $started }, { count-results }, { $exit }

## The summary on a terminal

broken-info-rules = findings: broken rules of level info
memory-limit-findings = findings: a process reached its memory limit
memory-limit = { $mebibytes } MiB in addition to start-up
memory-limit-in-call = in { $call }: { $mebibytes } MiB in addition to start-up
option-would-add = { $option } would add
subjects = subjects
subject = { $name }: { count-rules }, { $judged } judged: { $parts }
interrupted-rules = interrupted: the run stopped during these rules and was resumed
interrupted = interrupted { count-times }
fewer-cases = fewer cases than planned
other-rules-in-journal = { $count ->
    [one] and 1 other rule in the journal
   *[other] and { $count } other rules in the journal
}
for-other-reasons = { $count ->
    [one] for 1 other reason in the journal
   *[other] for { $count } other reasons in the journal
}
and-more-in-journal = and { $count } more in the journal
no-reason = no reason given
rules-with-observations = { count-rules } with observations
rules-on-contradictory-documents = { count-rules } on contradictory documents
workers = { $count } started, total start-up time { $time }
workers-with-runtime = { $count } started, { $runtimes } with the runtime, total start-up time { $time }
time-since-resumed = { $time } since the run was resumed
retries = { $causes } (never because of a verdict)

## The command alone

welcome-title = Atlas CTS { $version }: { count-rules }
welcome-machine = This machine
welcome-installed = { $path } is installed
welcome-simulated = the runtime's library was not found: rules run on a simulated device
welcome-last = Last run
welcome-broken = { $folder }, { $count } broken
welcome-next = Type next
welcome-probe = check that a device can be used
welcome-run-device = run all rules on the devices
welcome-run-simulated = run all rules on a simulated device
welcome-doctor = find out what a real device needs
welcome-explain = read about the rule to begin with
welcome-help = list all commands

## The progress line on a terminal

progress-rules = { $done }/{ $all } rules, { $time }
progress-left = , about { $time } left
progress-case = case { $case }

## Known failures

known-failures = known failures
known-unlike = unlike: the symptom differs from the known one
known-too-often = too often: flakes that fail more often than their entries allow
known-expired = expired: known failures whose entries have expired
known-fixed = fixed: known failures that now hold
known-entry = { $tracker }, owner { $owner }, until { $expires } ({ $place })
known-applied = { $numbers }; { count-entries } in { $path }, as of { $day }
known-none-matched = no failure matched an entry
known-line = known failures: { $path } (sha256 { $sha256 }…), { count-entries }, { $applying } for this device
known-open = { $count } open

## Headings and columns

heading-all-rules = All rules
heading-broken-rules = Broken rules
heading-course = Course of the run
heading-expired = Known failures with expired entries
heading-findings = Findings
heading-fixed = Known failures that now hold
heading-known = Known failures
heading-overview = Overview
heading-remarks = Remarks
heading-subjects = Subjects
heading-tested = What was tested
heading-times = Times
heading-unanswered-rules = Rules without an answer
heading-unknown = Unknown
column-cases = cases
column-changes = changes
column-chapter = chapter
column-differences = differences
column-exit = exit
column-failed-again = failed again
column-flaky = flaky
column-median-time = median time
column-not-good = not good
column-notes = notes
column-rule = rule
column-rules = rules
column-run = run
column-runs = runs
column-started = started
column-time = time
column-verdict = verdict

## report.html and summary.md

page-title = Atlas CTS: { $runtime } on { $product }
page-simulated = This run used a simulated device and says nothing about hardware.
page-seeded-defects = The device has seeded defects: { $defects }.
page-about = { $device }; product { $product }; started { $started }
page-nothing-broken = No rule is broken, and none lacks an answer.
page-omitted = Omitted to keep the page small: { $blocks }. The journal has everything.
block-facts = facts
block-calls = calls and earlier cases
block-replay = replay command
block-program = C program
block-output = output
block-log = log excerpt
contents = Contents
skip-to-results = Skip to the results
filter-rules = Filter rules
filter-text = Text
filter-verdict = Verdict
filter-chapter = Chapter
show-all = Show all
rules-shown = { $shown } of { $all } rules shown
slowest-rules = The slowest rules
times-of-rules = All rules together took { $rules }.
times-of-rules-and-run = All rules together took { $rules }; the run took { $run }.
program-summary = The case as a C program ({ count-lines })
program-hint = To write the whole program, ready to compile, run atlas-cts reproducer.
program-omitted-lines = … { count-lines } omitted …
whole-file = whole file
and-more = and { $count } more
omitted-entries = { $count ->
    [one] 1 earlier entry omitted
   *[other] { $count } earlier entries omitted
}
catalog = { count-rules }, sha256 { $sha256 }
setting-strict = strict
setting-hazardous = hazardous
setting-dedicated = dedicated
setting-on-every-device = on every device
setting-redacted = redacted
ended-after = { $time }, after { $took }
other-files = In the same folder: results.jsonl (the journal, with every detail), junit.xml, summary.md.
tested-line = { $device }, product { $product }, { $library }; profile { $profile }, seed { $seed }
full-reports = Full reports: `report.html` (one page), `junit.xml`, `results.jsonl` in the run's folder, { $run }
annotation-alike = { $title }, and { $count ->
    [one] { $count } rule that looks alike
   *[other] { $count } rules that look alike
}
annotation-more-broken = { $count ->
    [one] { $count } more rule is broken; `summary.md` and `report.html` in the run's folder list all
   *[other] { $count } more rules are broken; `summary.md` and `report.html` in the run's folder list all
}
annotation-more-unknown = { $count ->
    [one] { $count } more rule has no answer; `summary.md` and `report.html` in the run's folder list all
   *[other] { $count } more rules have no answer; `summary.md` and `report.html` in the run's folder list all
}
and-others = { $count ->
    [one] and 1 other
   *[other] and { $count } others
}

## junit.xml

junit-some-results = { some-results }.
junit-unfinished = The run did not finish.

## Two runs compared

diff-title = Comparison of two runs
diff-side = { $tested }, { $product }, { count-results }, { $started }
diff-verdict = { $regressions ->
    [one] 1 regression
   *[other] { $regressions } regressions
}, { $failures ->
    [one] 1 new failure
   *[other] { $failures } new failures
}, { $symptoms ->
    [one] 1 other symptom
   *[other] { $symptoms } other symptoms
}, { $fixes ->
    [one] 1 fix
   *[other] { $fixes } fixes
}, { $flakes } flaky as before, { $findings ->
    [one] 1 new finding
   *[other] { $findings } new findings
}, { $drifts ->
    [one] 1 drift
   *[other] { $drifts } drifts
}; { $lost ->
    [one] 1 rule lost its answer
   *[other] { $lost } rules lost their answer
}, { $gained } gained one; { $unchanged ->
    [one] 1 rule as before
   *[other] { $unchanged } rules as before
}
diff-note = { $count ->
    [one] 1 statistical test
   *[other] { $count } statistical tests
} of shares and rates ({ $method }): if nothing changed, the chance of any false finding is at most { $level }. Not tested: verdicts, and cases whose answer was constant in each run but differs between the runs.
diff-regressions = Regressions
diff-new-failures = New failures in rules without an earlier answer
diff-other-symptoms = Other symptoms
diff-fixes = Fixes
diff-flakes = Flaky as before: chance explains the difference between the rates
diff-drift = Behavior drift without a broken rule, strongest first
diff-only-old = No longer answered
diff-only-new = Answered for the first time
diff-gone = Removed rules
diff-new = New rules
diff-other-device = Rules that ran on different devices (not comparable)
diff-fields = What was tested, and how
diff-timing = Times (informational unless a budget is set)
diff-limits = Limits of this comparison
diff-check = check `{ $check }`
diff-rate = failed in { $failed } of { $runs } reruns
diff-same-question = the same question
diff-example = for example, { $values }
and-more-in-json = and { $count } more; `--format json` lists all
timing-name = time per case, new divided by old, in { count-rules }
timing-median = { $median } ({ $interval }); half of the rules are within a factor of { $spread } of the median
timing-interval = { $low } to { $high } with 95 % confidence
timing-no-interval = too few rules for an interval
timing-outlier = { $ratio } ({ $old } ms, then { $new } ms per case)

## Runs over time

timeline = { $tested }, { count-runs }
other = other { $what }
steady-rules = { $count ->
    [one] 1 rule was good in every run in which it ran
   *[other] { $count } rules were good in every run in which they ran
}
other-steady-rules = { $count ->
    [one] 1 other rule was good in every run in which it ran
   *[other] { $count } other rules were good in every run in which they ran
}
legend = . pass, + exceeds, o observed, F fail, W wrong-code, C crash, T timeout, ~ flaky, b blocked, e error, d device-lost, c cut, s skipped, blank: no result
history-parts-of-merged-runs = { $count ->
    [one] 1 run is part of a merged run and counts there
   *[other] { $count } runs are parts of merged runs and count there
}

## Causes

heading-causes = causes
heading-causes-of-broken = Causes of the broken rules
cause-answer = { $function } returned { $code }
cause-hang = { $function } did not return
cause-crash = { $function } ended its process
cause-value = a value from { $function } is wrong
cause-after = in { $some } of the { $all } rules after { $call }
cause-first-owner = begin with { $rule }, which owns { $function }
cause-first-smallest = begin with { $rule }, the failure with the fewest calls
also-broken = also:
findings-alike = and { count-findings } like it:
next-program = C program
next-failed = failed
next-page = page

## Differences between bytes

label-difference = bytes
bytes-all = { $count ->
    [one] the only byte
   *[other] all { $count } bytes
}
bytes-one-byte = byte { $first } of { $length }
bytes-head = { $count ->
    [one] the first of { $length } bytes
   *[other] the first { $count } of { $length } bytes
}
bytes-tail = { $count ->
    [one] the last of { $length } bytes
   *[other] the last { $count } of { $length } bytes
}
bytes-block = { count-bytes } from { $first } on, of { $length }
bytes-every-nth = { count-bytes } of { $length }, in parts { $step } bytes apart
bytes-scattered = { $count } of { $length } bytes, in no order
content-never-written = never written
content-zero = zeros
content-other-pattern = another pattern of the same case
content-early = the expected bytes, { count-bytes } too early
content-late = the expected bytes, { count-bytes } too late
content-shifted = the expected bytes, at a wrong position
content-constant = copies of one value
content-unknown = other bytes
group-all = all bytes
group-all-alike = all { count-bytes }
group-one-byte = one byte
group-head = the first bytes
group-tail = the last bytes
group-block = a block in the middle
group-every-nth = parts at equal distances
group-scattered = bytes in no order
group-bytes = { $least } to { $most } bytes

## Calls at once

label-history = history
history-summary = { $name } ({ $model }): no order of the { $part } calls marked with #, of { $count }, is allowed
history-summary-red = { $name } ({ $model }): no order of the { $part } red calls, of { $count }, is allowed
history-before = before: { $state }
history-open = (not returned)

## Boundaries of a failure

label-boundary = fails if
boundary-passes = passes: { $value }
boundary-cut = not exact after { count-cases }
boundary-any = any tried value of { $axes }
boundary-any-axis = { $axis } ({ $count })
boundary-untried = no case has { $values }
boundary-untried-with = no case has { $values } with { $axes }
