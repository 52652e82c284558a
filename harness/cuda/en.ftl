### The English wording of the doctor for CUDA. Syntax: https://projectfluent.org
###
### Each finding has a message for its title, named after its id, and further messages for advice and observations.
###
### Not included: names of files, functions and options, citations, and text that runs also record in journals (states
### of devices, meanings of codes and Xids).

## The environment

look-environment = environment
look-toolkit-folder = toolkit's folder
look-service = multi-process service
not-set = not set
environment-stale = { $name } names { $home }, which does not exist
environment-stale-next = set it to the folder of an installed toolkit, or unset it
loading-by-workers = not set; processes of the suite set it to EAGER
environment-loading = CUDA_MODULE_LOADING is set, so kernels are loaded at their first use, which may wait for all streams
environment-loading-next = nothing, or unset it: the processes of a run then load all kernels at the start
environment-connections = CUDA_DEVICE_MAX_CONNECTIONS is below 8, so streams share queues of the hardware
environment-connections-next = unset it: rules that need two streams to run at the same time are blocked with it
environment-blocking = CUDA_LAUNCH_BLOCKING is set, so kernels do not run asynchronously
environment-blocking-next = unset it: rules about order between streams prove less with it
environment-managed = CUDA_MANAGED_FORCE_DEVICE_ALLOC is set, so managed memory is placed in the memory of devices
environment-managed-next = unset it, or record it with the results
service-runs = the multi-process service (MPS) runs: processes share one context of the device
service-runs-next = stop it (`echo quit | nvidia-cuda-mps-control`) while the suite runs: a fault of one process can end the others
service-absent = CUDA_MPS_PIPE_DIRECTORY names { $folder }, where no multi-process service runs
service-absent-next = unset it if no service is intended
advice-installation = install the NVIDIA driver, which contains libcuda.so.1 (a container gets it from the host: start the container with the GPU)
advice-dependency = install the package again from which the library came

## Libraries and versions

look-toolkit = toolkit's library
look-versions = versions of the libraries
look-module-version = version of the kernel module
the-library = the driver's library
libraries-end = the libraries end the process that queries their versions: { $end }
libraries-end-next = run `nvidia-smi`, and have the administrator read the kernel's messages; if the driver works, install the library's package again
toolkit-missing = the toolkit's library was not found ({ $names }), so rules that need it are skipped
toolkit-missing-next = to run them, install the toolkit or the Python package nvidia-cuda-runtime, and add the folder of the library to LD_LIBRARY_PATH
toolkit-missing-next-wheel = to run them, add the folder of the Python package to LD_LIBRARY_PATH: { $folder }
toolkit-not-loadable = the loader rejects the toolkit's library { $path }
toolkit-not-loadable-next = install a toolkit for this architecture and C library, or remove the library from LD_LIBRARY_PATH
toolkit-no-driver = the toolkit's library (version { $version }) finds no driver, so each of its calls that uses a device fails with 35
toolkit-no-driver-next = install the NVIDIA driver, or start the container with the GPU; the toolkit alone cannot use a device
driver-library-missing = the driver's module is loaded, but its library libcuda.so.1 was not found
driver-library-missing-next = install the compute libraries of the same driver version (packages libnvidia-compute, nvidia-driver-cuda or the vendor's installer), or add the folder of libcuda.so.1 to LD_LIBRARY_PATH
driver-stub = { $path } is a stub for linking: each of its functions fails with 34
driver-stub-next = remove the toolkit's folder `stubs` from LD_LIBRARY_PATH, and install the NVIDIA driver, which contains the real library
driver-version-fails = cuDriverGetVersion fails with { $code }: { $meaning }
driver-version-fails-next = run `nvidia-smi`; if it works, install the driver's packages again, so that its library and its module have one version
driver-mismatch = the driver's library and the loaded kernel module have different versions (803)
driver-mismatch-next = reboot, or unload and load the driver's modules: a package was updated while the old module was loaded; in a container, start the container again, so that it gets the host's library
driver-forward = the driver's library comes from the forward compatibility package
driver-forward-next = check that the device supports it (data center devices do): on others each start fails with 804
versions-differ-seen = library { $library }, kernel module { $module }
versions-limited = the toolkit's library ({ $toolkit }) is newer than the driver ({ $driver }), with the same major version
versions-limited-next = record both versions with the results: calls that need a newer driver fail with 36
versions-too-old = the toolkit's library ({ $toolkit }) has a newer major version than the driver ({ $driver }), so its calls fail with 35
versions-too-old-next = install a driver of branch { $branch } or newer, the forward compatibility package on a data center device, or an older toolkit; without the toolkit's folder in LD_LIBRARY_PATH only its rules are skipped

## Device nodes, hardware and the kernel

look-nodes = device nodes
look-hardware = hardware
look-modules = kernel modules
look-kernel-messages = kernel messages
look-channels = channels for fabric handles
look-wsl = Windows Subsystem for Linux
no-nodes = none
no-channels = none; fabric handles work only where the driver offers them without channels
no-modules = none of the driver's modules
accelerators = { $count ->
    [one] 1 display or compute device from the vendor
   *[other] { $count } display or compute devices from the vendor
}, first at { $first }
no-accelerator = { $count ->
    [one] the one PCI device is not from the vendor
   *[other] none of the { $count } PCI devices is from the vendor
}
slot = on the PCI bus: { $slot }
nodes-none-in-container = this container has no device: nodes such as /dev/nvidia0 are missing
nodes-none-in-container-next = start the container with the device: `--gpus all` or the runtime `nvidia` of the NVIDIA Container Toolkit, or the cluster's resource `nvidia.com/gpu`
driver-nouveau = the kernel uses the driver nouveau for the device, so the NVIDIA driver cannot be loaded
driver-nouveau-next = block nouveau (modprobe.d: `blacklist nouveau`), build the initial RAM disk again, and reboot
driver-module-not-loaded = the kernel has not loaded the module nvidia
driver-module-not-loaded-next = install the NVIDIA driver; if it is installed, run `modprobe nvidia` and read its error: after a kernel update the module is built again, and Secure Boot needs a signed module
driver-module-not-loaded-next-no-hardware = check that this is the right machine: its PCI bus has no display or compute device from the vendor
nodes-none = there are no device nodes
nodes-none-next = run `nvidia-smi` or `nvidia-modprobe -c 0 -u` once as root, which creates them; if they are still missing, read the kernel's messages
nodes-incomplete = nodes that every process needs are missing: { $nodes }
nodes-incomplete-next = run `nvidia-modprobe -c 0 -u` as root, which loads the module nvidia-uvm and creates the nodes; the driver also tries this at first use
nodes-incomplete-next-in-container = start the container again with the NVIDIA Container Toolkit, which passes these nodes too
nodes-no-device = { $node } is not a device
nodes-no-device-next = start the container on a host whose driver is loaded, or remove the path
nodes-not-granted = the control group of this process does not allow the device
nodes-not-granted-next = request the device from the scheduler; a container that had it loses it when systemd reloads its units: start the container again, and pass the nodes with --device
nodes-blocked = the devices are blocked: the tool cannot open them
nodes-denied = this user may not open the device
nodes-denied-next = add the user to the group { $group } and log in again, or load the driver with another mode of its nodes (NVreg_DeviceFileMode)
node-denied = { $node } has mode { $mode }, user { $user }, group { $group }: { $error }
wsl-no-device = the Windows Subsystem for Linux has no device /dev/dxg
wsl-no-device-next = install the NVIDIA driver in Windows, use version 2 of the subsystem, and update its kernel (`wsl --update`)
wsl-no-library = the Windows Subsystem for Linux has no libcuda.so.1
wsl-no-library-next = install the NVIDIA driver in Windows (none in Linux), and check that /usr/lib/wsl/lib is in the loader's folders
container-no-library = the container has the device's nodes, but not the driver's library libcuda.so.1
container-no-library-next = start the container with the NVIDIA Container Toolkit and NVIDIA_DRIVER_CAPABILITIES=compute,utility: passing the nodes alone (--device) mounts no library
kernel-device-errors = the kernel reports errors of a device, its firmware or its links since the system started
kernel-device-errors-next = run with --probe to see if the device works now; otherwise have it reset or the machine rebooted
kernel-memory-errors = the kernel reports memory errors of a device since the system started
kernel-memory-errors-next = have the device reset before you trust results: replaced memory takes effect at the reset
kernel-program-errors = the kernel reports errors of programs on a device since the system started
kernel-program-errors-next = nothing, unless the programs were this suite's: then read them with the failures of that run

## The vendor's tool and the devices

look-tool = the vendor's tool
look-product = product
names-of-devices = names of devices
not-recognized = not recognized
product-unknown = no product in the catalog has a device named { $names }; runs test it as a data center GPU
product-unknown-next = give another product with --product; please report the new name
tool-not-found = not found; health and memory data are missing
tool-hangs = nvidia-smi does not answer and was killed after its time limit
tool-hangs-next = have the administrator read the kernel's messages (Xid 79, 119), and reset the device or reboot
tool-no-driver = nvidia-smi does not reach the driver
tool-no-driver-next = run `modprobe nvidia` as root and read its error; install the driver if the module does not exist
tool-no-device = nvidia-smi lists no device
tool-no-device-next = read the kernel's messages about the device; in a container, check NVIDIA_VISIBLE_DEVICES
tool-fails = nvidia-smi fails
tool-fails-next = run it by hand, and follow its message; without it, health and memory use are unknown
device-lost = a device no longer answers the driver
device-lost-next = have the machine rebooted or the device's power cycled; read the kernel's messages for Xid 79, and leave the device out of CUDA_VISIBLE_DEVICES until then
device-user = process { $process } ({ $name })
device-user-with-memory = process { $process } ({ $name }, { $mebibytes } MiB)
devices-in-use = other processes use device { $device }
devices-in-use-next = wait until they end, or leave the device out of CUDA_VISIBLE_DEVICES: they change its free memory, and rules with --dedicated take all of it
devices-memory-in-use = device { $device } has { $used } MiB in use, but no process is listed; an idle device uses up to { $idle } MiB
devices-memory-in-use-next = check on the host, which lists the processes of all containers
health-no-answer = device { $device } does not answer
health-exhausted = device { $device } has bad memory that could not be replaced
health-exhausted-next = leave it out of CUDA_VISIBLE_DEVICES, and have it replaced
health-pending = device { $device } has bad memory that waits for a reset to be replaced
health-pending-next = have the device reset (`nvidia-smi --gpu-reset`, as root, without other users) before you trust results
health-memory-errors = uncorrectable memory errors on device { $device } since the driver was loaded: { $errors }
mode-prohibited = the compute mode of device { $device } prohibits every process
mode-exclusive = the compute mode of device { $device } is { $mode }, which allows one process at a time; the suite uses several, and the others fail with 46
mode-next = set the default mode: `nvidia-smi -i { $device } -c DEFAULT`, as root
mig-no-instance = devices are divided (MIG), but have no parts, so nothing can run on them: { $devices }
mig-no-instance-next = create parts (`nvidia-smi mig -cgi … -C`, as root), or leave this mode (`nvidia-smi -mig 0`)
mig-instances = devices are divided (MIG) into { $parts } parts: { $devices }
mig-instances-next = a process uses one part: give its UUID in CUDA_VISIBLE_DEVICES (`nvidia-smi -L`); rules for several devices are skipped
persistence-off = persistence mode is off, so the driver starts each device again for the first process: { $devices }
persistence-off-next = run the persistence daemon (nvidia-persistenced) if starts are slow

## Device masks

look-container-devices = the container's devices
look-visible-devices = visible devices
look-device-order = order of devices
visible-container-none = NVIDIA_VISIBLE_DEVICES is "{ $given }", so the container runtime passes no device
visible-container-none-next = set it to `all` or to the devices' UUIDs when the container starts
visible-cut-off = the runtime stops reading CUDA_VISIBLE_DEVICES at `{ $token }`; visible devices: { $devices }
visible-cut-off-next = list numbers of this machine's devices, from 0, or UUIDs, separated by commas
visible-none = CUDA_VISIBLE_DEVICES lists no device, so none is visible
visible-none-valid = CUDA_VISIBLE_DEVICES makes no device visible: `{ $token }` is not a device here
visible-none-next = unset it, or list this machine's devices, which are numbered from 0
visible-order = the devices differ ({ $names }), so the runtime may number them in another order than nvidia-smi
visible-order-next = set CUDA_DEVICE_ORDER=PCI_BUS_ID, so that both use one order

## Causes of codes

runtime-code = the runtime fails with { $code }: { $meaning }
runtime-hangs = setting up a device hangs
runtime-hangs-next = have the administrator read the kernel's messages (Xid 79, 119), and reset the device or reboot
runtime-no-memory-next = end the other users of the device: a start needs some hundred MiB of device memory
runtime-driver-too-old-next = install a newer driver, or an older toolkit
runtime-device-unavailable-next = end the process that uses the device exclusively, or set the default compute mode (`nvidia-smi -c DEFAULT`, as root)
runtime-no-such-device-next = unset CUDA_VISIBLE_DEVICES, or give fewer devices with --devices
runtime-not-ready-next = start the service nvidia-fabricmanager, which devices with NVSwitch need, in the version of the driver
runtime-no-forward-next = remove the forward compatibility package (cuda-compat) from LD_LIBRARY_PATH, and use a toolkit as old as the driver
runtime-no-device-next = { $count ->
    [0] no known cause was found: run `nvidia-smi` and read the kernel's messages
    [one] follow the advice of the finding { $causes }, then retry
   *[other] follow the advice of these findings, then retry: { $causes }
}
