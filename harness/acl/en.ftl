### The English wording of the doctor for AscendCL. Syntax: https://projectfluent.org
###
### Each finding has a message for its title, named after its id, and further messages for advice and observations.
###
### Not included: names of files, functions and options, citations, and text that runs also record in journals (states
### of devices, meanings of codes, titles of findings about npu-smi and the management library).

## The environment

look-environment = toolkit's environment
look-logs = runtime's logs
not-set = not set
environment-stale = { $name } names { $home }, which does not exist
environment-stale-next = source the set_env.sh of an installed toolkit in a new shell
environment-not-sourced = the toolkit is installed, but its environment was not sourced in this shell
environment-not-sourced-next = run `source { $script }` in the shell that starts the suite, without `set -u` and `pipefail`
logs-on-terminal = no files: logs go to the terminal
logs-of-earlier-processes = { $count ->
    [one] 1 file
   *[other] { $count } files
} from earlier processes in debug/plog
logs-many = { $folder }/debug/plog has { $files } log files from earlier processes, and nothing deletes them
logs-many-next = remove old files; each of the suite's workers adds another

advice-installation = install the toolkit and source its set_env.sh in the shell that starts the suite
advice-dependency = source the toolkit's set_env.sh; the driver's libraries are in its lib64 folder and reach a container through a mount

## Installed components and their versions

look-install-record = install record
look-install-log = install log
look-driver = driver's version
look-firmware = firmware's version
look-toolkit = toolkit's version
look-runtime = runtime's version
look-versions = versions of the runtime
was-read = read
no-version-of = no version for { $component }: { $code }
no-version-function = aclsysGetVersionStr is not exported, so the release is older than 8
install-no-record = the install record /etc/ascend_install.info or the driver's version file is missing, so the runtime cannot report the driver and firmware versions
install-no-record-next = install the driver again: its package writes the record
install-no-record-next-in-container = mount /etc/ascend_install.info and <install path>/driver/version.info into the container; the vendor's container runtime does not do this
driver-incomplete = the tool warns that the driver's installation is incomplete
driver-incomplete-next = install the driver again, then read the end of its install log
driver-reboot-needed = the { $package } was installed, but the machine has not been rebooted since
driver-reboot-maybe-needed = the { $package } was installed within hours of the last start, so the machine may not have been rebooted since
driver-reboot-needed-next = reboot the machine; in a container, ask the host's administrator to do this
driver-before-firmware = in the last upgrade, the driver was installed before the firmware
driver-before-firmware-next = if the devices do not answer after a reboot, install the firmware, reboot, install the driver, reboot
versions-differ = sources report different versions of the { $component }: the running and the installed version
versions-differ-next = reboot if a package was installed since the last start; in a container, mount the host's version files
versions-differ-rests-on = the running driver keeps its version until it is reloaded
versions-rejected-by-driver = the driver itself reports that it is not compatible with the firmware
versions-rejected-by-driver-next = install the firmware that belongs to the driver's package, and reboot
versions-seen = driver { $driver }, firmware { $firmware }
versions-driver-and-firmware = driver { $driver } and firmware { $firmware } are outside each other's supported ranges
versions-driver-and-firmware-next = install a driver and firmware from the same release, and reboot; until then, device identities are zero, and sharing memory between processes fails with 507899
versions-unreadable = the supported ranges of the { $component } cannot be read
versions-unreadable-next = compare the driver and firmware with the vendor's release notes by hand
versions-key = { $key } of the { $component }: { $value }
versions-driver-and-toolkit = the toolkit's branch { $branch } is not among those that the driver lists
versions-driver-and-toolkit-next = use a driver and a toolkit that were released together; the current pair may work partially, and the suite then shows what fails
versions-not-published = toolkit { $toolkit } and driver { $driver } are not a published or tested pair
versions-not-published-next = record both versions with the results, because the pair may be the cause of failures

## Device nodes, hardware and the kernel

look-nodes = device nodes
look-hardware = hardware
look-modules = kernel modules
look-kernel-messages = kernel messages
no-nodes = none
no-modules = none of the driver's
accelerators = { $count ->
    [one] 1 accelerator from the vendor, with id { $first }
   *[other] { $count } accelerators from the vendor, the first with id { $first }
}
no-accelerator = no accelerator from the vendor among { $count ->
    [one] 1 device
   *[other] { $count } devices
}
node-exists = { $node } exists
node = { $node } has mode { $mode }, user { $user }, group { $group }
node-denied = { node }: { $error }
nodes-none-in-container = this container has no device: /dev/davinci0 and similar nodes are missing
nodes-none-in-container-next = start the container with its devices: the vendor's container runtime and ASCEND_VISIBLE_DEVICES, a resource request of the cluster, or --device for /dev/davinci0 (and others), /dev/davinci_manager, /dev/devmm_svm and /dev/hisi_hdc
driver-missing = the driver is not installed: it has neither a version file nor a device node
driver-missing-next = install the driver, then the firmware, and reboot
driver-missing-next-no-hardware = check that this is the right machine: its PCI bus has no accelerator from the vendor; if it should have one, install the driver, then the firmware, and reboot
driver-module-not-loaded = the driver is installed, but none of its modules is loaded into the kernel
driver-module-not-loaded-next = reboot; if that does not help, the kernel was updated: install its headers, then the driver again, so that the modules are built for this kernel
nodes-none = the driver is loaded, but has no device node
nodes-none-next = read the kernel's start-up messages: the driver found no working device
nodes-incomplete = device nodes exist, but other nodes that every process needs are missing: { $nodes }
nodes-incomplete-next = load the driver's modules: reboot, or install the driver again
nodes-incomplete-next-in-container = pass them to the container as well, with --device or through the vendor's container runtime
nodes-no-device = { $node } is not a device: the host lacks this path, so the container got a folder instead
nodes-no-device-next = start the container on a host with the driver loaded, or omit this path
nodes-not-in-group = this user is not allowed to open the devices and is not in their group { $group }
nodes-not-in-group-next = add the user to the group (`usermod -aG { $group } NAME`) and log in again; start a container with --group-add; or run as a user of this group
nodes-not-granted = the machine has devices that this job's control group does not grant
nodes-not-granted-next = request as many devices from the scheduler as you need, or use only those that it grants: the runtime numbers its devices itself
nodes-sandbox = a sandbox forbids opening the devices although their permission bits allow it
nodes-sandbox-next = run outside the sandbox (a restricted shell, a user namespace, a security profile, a mount without devices), or allow /dev/davinci* in its rules
kernel-heartbeat-lost = the kernel reports that a device lost its heartbeat since the system started
kernel-heartbeat-lost-next = run with --probe to see whether the devices work now; otherwise, have the device reset or the machine rebooted

## The vendor's tool and the management library

look-tool = the vendor's tool
look-management-library = management library
tool-not-found = not found; health and memory data are missing
library-answered = answered for { $count ->
    [one] 1 chip
   *[other] { $count } chips
}
tool-hangs-next = if a reset or an upgrade is in progress, wait until it has ended; otherwise the driver or a device hangs: have the administrator read the kernel's messages, then reset the device or reboot
tool-hangs-on-query-next = a device that hangs on a query also hangs in use: run with --probe, and have the administrator read the kernel's messages
tool-fails-next = run the tool by hand and follow its message; without the tool, health and memory use are unknown
tool-lists-nothing-next = read the tool's output; if it lists devices, please report the output, because the suite does not know its layout
dcmi-next = have the administrator read the kernel's messages: a driver that does not answer its own library does not answer the runtime either

## The product

look-product = product
names-of-devices = names of devices
not-recognized = not recognized
product-unknown = no product family in the catalog has a device { $count ->
    [one] named { $names }
   *[other] with one of the names { $names }
}
product-unknown-next = give the family with --product; please report the new name

## Device masks

look-container-devices = the container's devices
look-visible-devices = visible devices
visible-cut-off = the runtime stops reading ASCEND_RT_VISIBLE_DEVICES at `{ $token }`; visible devices: { $devices }
visible-cut-off-next = list this machine's devices, numbered from 0, in ascending order, separated by commas
visible-duplicate = the runtime rejects the whole mask ASCEND_RT_VISIBLE_DEVICES: it lists device { $device } twice
visible-duplicate-next = list each device once, in ascending order
visible-not-ascending = the runtime rejects the whole mask ASCEND_RT_VISIBLE_DEVICES: { $then } comes after { $first }
visible-not-ascending-next = list the devices in ascending order
visible-host-ids = the mask ASCEND_RT_VISIBLE_DEVICES lists device { $token }, but this container has { $count }, numbered from 0: the number is the host's, and the runtime finds 0 devices
visible-host-ids-next = unset the mask, because the container only has its own devices; or list their numbers in the container, starting at 0
visible-none = the mask ASCEND_RT_VISIBLE_DEVICES lists no device, so none is visible
visible-none-valid = the mask ASCEND_RT_VISIBLE_DEVICES makes no device visible: `{ $token }` is not the number of a device here
visible-none-next = unset the mask, or list this machine's devices, which are numbered from 0

## Health

query-failed = the query failed
health-unknown = unknown: a query failed
health-driver = the driver reports that its own state is bad: { $state }
health-driver-next = have the administrator read the kernel's messages and reload the driver, or reboot
health-warning = device { $device } has a health warning
health-warning-next = check again in a few seconds: a warning caused by a test disappears within 100 ms; if the warning stays, report its codes to the administrator
health-bad = device { $device } is in a bad state: { $state }
health-bad-next = omit it from ASCEND_RT_VISIBLE_DEVICES, or have it repaired; its codes show whether a reset helps; on many servers, a reset affects every device
health-query-failed = the health of device { $device } is unknown: the tool's query failed
health-query-failed-next = query the device alone with `npu-smi info -t health -i …`; omit it from ASCEND_RT_VISIBLE_DEVICES, or have it repaired
health-memory-errors = uncorrectable memory errors on device { $device } since its start: { $errors }
health-memory-pages = memory pages on device { $device } that wait for its next reset: { $pages }
health-memory-errors-seen = isolated pages: { $isolated }, waiting for the next reset: { $waiting }
health-memory-errors-next = have the device reset or the machine rebooted before you trust results, because this isolates the pages. Do not clear the counters, because this cancels the isolation

## Other users of the devices

look-openers = processes with open device nodes
no-openers = none visible to this user
openers = { $count }: process ids { $processes }
of-another-namespace = in another namespace
device-user = process { $process } ({ $name })
device-user-with-memory = process { $process } ({ $name }, { $mebibytes } MiB)
devices-in-use = other processes use device { $device }
devices-in-use-next = wait until they end, or omit the device from ASCEND_RT_VISIBLE_DEVICES: they change its free memory, and rules with --dedicated take all of it
devices-memory-in-use = device { $device } has { $used } MiB in use, but no process is listed; an idle device uses up to { $idle } MiB
devices-memory-in-use-next = check on the host, which lists the processes of all containers; a reset or a reboot frees memory that no process owns

## Causes of codes

the-management-library = the driver's management library
opening-a-device = opening a device (507899)
fails-with = { $by } fails with { $code }
driver-no-answer = { fails-with }: { $meaning }
driver-no-answer-next = { $count ->
    [0] no known cause was found (a missing reboot, missing rights, a sandbox, missing nodes, a missing driver); run it as root on the host, and read the kernel's messages
    [one] follow the advice of the finding { $causes }, then retry
   *[other] follow the advice of these findings, then retry: { $causes }
}
devices-resetting = { fails-with }: a reset is in progress
devices-resetting-next = wait a few minutes until it has ended, then retry
devices-upgrading = { fails-with }: an upgrade is in progress
devices-upgrading-next = wait until it has ended; a reboot may be needed afterward
devices-not-ready = { fails-with }: the devices have not yet started
devices-not-ready-next = wait a minute and retry; if it persists, contact the administrator
chip-starting = card { $card }, chip { $chip }: start-up state { $state }; { $started } means started
devices-other-namespace = { fails-with }: a process in another mount namespace owns the device
devices-other-namespace-not-visible = { fails-with }: another mount namespace owns the device, and its process is not visible from here
devices-other-namespace-next = stop the container, sandbox or service that uses it (PrivateTmp and `unshare -m` count too), on the host if it is not visible here; the device is free once the last process in that namespace has ended. The suite runs all its processes in one namespace
process-holds = process { $process } ({ $command }) holds { $node }
process-resetting = process { $process }: { $command }
runtime-hangs = setting up a device hangs, although the machine looks healthy: if the device's side of the channel is dead, only the first process that opens the device gets no answer
runtime-hangs-next = remove the machine from the pool, and have the device reset or the machine rebooted
runtime-no-such-device = the runtime does not know the device (107001): its number is not a visible device's number, or the driver is not loaded
runtime-no-such-device-next = unset ASCEND_RT_VISIBLE_DEVICES or give fewer devices with --devices; check that the driver's modules are loaded
runtime-driver-too-old = the toolkit needs a newer driver (207000, EE1015 or a missing symbol)
runtime-driver-too-old-next = install a driver and firmware as new as the toolkit, or an older toolkit
runtime-device-not-granted = the device side did not start (507033): this job's control group does not grant the device
runtime-device-not-granted-next = use only the devices that the scheduler granted, and query the runtime for their count
runtime-device-crowded = the device side did not start in time (507033): many processes open devices at the same time
runtime-device-crowded-next = wait until the other processes have started, or start fewer processes at a time
runtime-device-side = the device side did not start (507033): the device or its channel is broken, although it looks healthy
runtime-device-side-next = remove the machine from the pool: every start on such a node hangs; a reset or a reboot may recover it
runtime-device-side-seen = other processes that hold a device: { $count }
