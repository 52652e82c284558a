### The English wording of the doctor: its page, and findings that do not depend on the runtime.
###
### Each finding has a message for its title, named after its id, and further messages for advice and observations.

## The page

severity-note = note
severity-warning = warning
severity-unclear = unclear
severity-blocker = blocker
certainty-system = the operating system
certainty-code = source code
certainty-document = the vendor's documents
certainty-field = reports from the field
certainty-inferred = our conclusion
cannot-run = This machine cannot run the suite: { $why }{ more-reasons }
may-not-run = It is unclear whether this machine can run the suite: { $why }{ more-reasons }
more-reasons = { $more ->
    [0] { "" }
    [one] { " " }(and 1 more reason)
   *[other] { " " }(and { $more } more reasons)
}
can-run = This machine can run the suite: a device was opened and used
seems-able-to-run = This machine seems able to run the suite; --probe also opens a device
label-next = next
label-rests-on = rests on
heading-devices = devices
heading-versions = versions
heading-looked-at = looked at
device-memory = { $used } of { $total } MiB in use
device-users = used by { $users }
cut-text = { $text }… ({ $bytes } bytes in all)
devices-are-counted = nevertheless, the library counts devices
device-was-used = nevertheless, a device was opened and used
found = found
not-found = not found
not-found-in = { $folder }: not found

## The library

look-library = library
look-further-library = further library
look-loading = loading the library
look-python = the Python interpreter
look-module = the Python module
none-found = none of { $names } found
further-library-not-found = not found; rules that need it are skipped
library-unusable = the runtime's library { $path } cannot be used
library-missing = none of the runtime's libraries was found: { $names }
library-install = install the runtime's library
library-install-again = install the packages of the runtime again
library-missing-next = { $advice }, or give the library with --library PATH
library-simulated = { $path } is this suite's simulated device, not a real device's library
library-simulated-next = give the library of a real device with --library PATH, or remove the simulated one from LD_LIBRARY_PATH
library-dependency-missing = { $path } needs { $missing }, but no folder that the loader searches contains it
library-dependency-missing-next = find { $missing } and add its folder to LD_LIBRARY_PATH, or { $advice }
library-not-loadable = the loader rejects { $path }
library-not-loadable-next = compare the library's version and architecture with those of the driver and this system, and install matching packages
library-hangs = loading { $path } timed out
library-hangs-next = read the kernel log; if the driver does not answer, contact the machine's administrator
library-crashes = loading { $path } crashes the process ({ $end })
library-crashes-next = install the library's package again; if it still crashes, send the vendor the output of `atlas-cts doctor`
python-unusable = calls cannot be made through Python
python-functions = { $offered } of { $all } functions
python-lacks = { $count ->
    [one] { $module } lacks { $count } function that the catalog lists
   *[other] { $module } lacks { $count } functions that the catalog lists
}
python-lacks-next = rules that call them are blocked; a newer module may have them, or the catalog has another name
python-not-imported = the Python module { $module } cannot be imported
python-not-imported-next = set PYTHONPATH to the folder of the module, as a script of the runtime may do
library-rests-on = the dynamic loader's message, from a separate process

## The product

look-rules = rules to expect
rules-apply = { $count ->
    [one] 1 of { $all } rules applies
   *[other] { $count } of { $all } rules apply
}
product-contradicts = the devices belong to the product family { $recognized }, but --product is { $given }
product-contradicts-next = omit --product, or give --product { $recognized }

## Space for reports

look-space = space for reports
space-free = { $mebibytes } MiB free
reports-not-writable = reports cannot be written to { $folder }: { $error }
reports-no-space = no space for reports is left in { $folder }: { space-free }
reports-little-space = little space for reports is left in { $folder }: { space-free }
reports-next = choose another folder with --report-dir DIR, or free space

## The probe

look-probe = probe
look-product-of-probe = product, from the probe
rules-pass = { $passed ->
    [one] 1 of { $all } rules passes
   *[other] { $passed } of { $all } rules pass
}; { $end }
probe-impossible-library = the probe did not run: there is no library to load
probe-impossible-library-next = first follow the advice of the other findings
probe-impossible-folder = the probe did not run: { $error }
probe-impossible-folder-next = set TMPDIR to a writable folder
probe-hangs = the probe timed out
probe-failed = the suite could not use a device: { $result }
probe-next = if a finding above names the cause, follow its advice; otherwise run these rules alone with `atlas-cts run` and keep the report
probe-rests-on = the suite's own worker, which set up a device and used it
