### The English wording of pages for people.

## report.html

heading-since = Since the run of { $started }
since-numbers = { $broke ->
    [one] 1 rule is newly broken
   *[other] { $broke } rules are newly broken
}, { $fixed ->
    [one] 1 holds
   *[other] { $fixed } hold
} again, { $still } { $still ->
    [one] is
   *[other] are
} still broken.
since-broke = Newly broken
since-fixed = Hold again
tile-causes = { $count ->
    [one] cause
   *[other] causes
}
tile-broken = { count-rules } broken
tile-broken-and-known = { count-rules } broken, and { $known } as known
known-verdict = known: { $verdict }
other-rules-of-cause = { $count ->
    [one] 1 other rule with the same cause
   *[other] { $count } other rules with the same cause
}
other-rules-of-causes = { $count ->
    [one] 1 other rule with one of the causes above
   *[other] { $count } other rules with one of the causes above
}
was-before = was { $verdict }
print-whole = Print every detail (without this, a print has one page)
copy = Copy
copied = Copied
all-devices = all devices
lane = { $device }: { count-rules }, { $time }
lane-hint = Each lane shows the rules of a device one after another, as long as they took; the journal does not record the pauses between them.
column-time-of-case = time per case

## Two runs compared

diff-worse = NEW is worse: { $count ->
    [one] 1 rule broke
   *[other] { $count } rules broke
}. Do not roll out.
diff-worse-in-places = NEW is worse in { $places ->
    [one] one place
   *[other] { $places } places
} ({ $count ->
    [one] 1 rule broke
   *[other] { $count } rules broke
}). Do not roll out.
diff-also-better = It is better in { $count ->
    [one] 1 rule
   *[other] { $count } rules
}.
diff-fails-otherwise = No further rule broke, but { $count ->
    [one] 1 broken rule fails
   *[other] { $count } broken rules fail
} in another way: read { $count ->
    [one] it
   *[other] them
} before you roll out.
diff-lost = No rule broke, but { $count ->
    [one] 1 rule has no answer from NEW
   *[other] { $count } rules have no answer from NEW
}: nothing is known about { $count ->
    [one] it
   *[other] them
}.
diff-better = NEW is better in { $count ->
    [one] 1 rule
   *[other] { $count } rules
} and worse in none.
diff-only-drift = No promise broke. Behavior that no document promises changed in { $count ->
    [one] 1 place
   *[other] { $count } places
}.
diff-nothing-compared = Nothing was compared: no rule has a result in both runs.
diff-same-flaky = NEW is as good as OLD; { $count ->
    [one] 1 rule is
   *[other] { $count } rules are
} flaky as before.
diff-same = NEW is as good as OLD: { $count ->
    [one] 1 rule behaves
   *[other] { $count } rules behave
} as before.
diff-findings = Findings that are new: rules of level info that fail now
diff-causes = Causes of what broke
tile-worse = worse
tile-other-symptom = fail in another way
tile-better = better
tile-drift = changed, but no promise broke
tile-same = as before

## Runs over time

others-with-same-results = { $count ->
    [one] and 1 other with the same results
   *[other] and { $count } others with the same results
}

## Documents next to rules

sentences-title = The documents and the rules that rest on them
sentences-of-run = Green sentences were proven by the run of { $started } on { $product }: a rule judged them, each of its checks was judged, and it holds.
sentences-without-run = No run was given, so nothing is proven here; --run RUN adds the results of a run.
sentences-known = { $some } of { $all } sentences have a rule
sentence-proven = proven by this run
sentence-broken = a rule is broken
sentence-open = have a rule, not proven by this run
sentence-without-rule = without a rule
column-line = line
column-sentence = sentence
