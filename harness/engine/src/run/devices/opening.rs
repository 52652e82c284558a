//! Determines a run's usable devices, which are the devices that pass the gate before the run begins.

use crate::pool::visible;
use crate::pool::{Executor, Seat, Slot, WorkerProcess};
use crate::run::options::Options;
use crate::run::target::{Target, TargetError};
use record::{DeviceOut, Fingerprint};

use super::before::Before;
use super::gate::{ask, number, operate};
use super::{Devices, Unit};

/// The result of checking one device.
pub(super) enum Shown {
    /// The device works, or was not checked. `sees` is the number of devices visible to a process that should see only
    /// this device.
    Works {
        sees: Option<u32>,
        gated: bool,
    },
    Fails(String),
}

/// A run's usable devices, and the findings about them.
#[derive(Debug)]
pub(in crate::run) struct Opened {
    pub devices: Devices,
    pub out: Vec<DeviceOut>,
    /// `None` for simulated machines, or if this runtime's devices cannot be identified.
    pub fingerprint: Option<Fingerprint>,
    /// Remarks about the devices.
    pub said: Vec<String>,
}

/// Determines a run's usable devices, and sets the target's number of devices to match.
///
/// # Errors
/// Fails if too few devices are usable.
pub(in crate::run) fn open(target: &mut Target, options: &Options) -> Result<Opened, TargetError> {
    if target.private_machines {
        return Ok(Opened { devices: Devices::simulated(), out: Vec::new(), fingerprint: None, said: Vec::new() });
    }
    let before = Before::look(target, options);
    let fingerprint = before.as_ref().map(|before| before.fingerprint.clone());
    let said = before.as_ref().map(Before::said).unwrap_or_default();
    // With ATLAS_CTS_SKIP_GATE, no device is put in quarantine.
    let before = before.filter(|_| !options.machine.variables.skip_gate);
    let watch = |units: &[Vec<u32>]| before.and_then(|before| before.watch(units));
    let all: Vec<u32> = (0..target.conditions.devices).collect();
    let names = names(target);
    let executor = &target.executor;
    let gated = !options.machine.variables.skip_gate && usual_run_mode(target);
    let shown: Vec<Shown> = std::thread::scope(|scope| {
        let look = |name: &Option<String>| {
            let name = name.clone();
            scope.spawn(move || match &name {
                // The device is not used even if it works again, so that the remaining rules see the same number of
                // devices as the rules before the interruption.
                Some(out) if options.devices_out.contains(out) => {
                    Shown::Fails("it was unusable when the run began".to_owned())
                }
                name => look(executor, name.as_deref(), gated),
            })
        };
        let looks: Vec<_> = names.iter().map(look).collect();
        let died = |_| Shown::Fails("the suite itself failed during the check; see above".to_owned());
        looks.into_iter().map(|look| look.join().unwrap_or_else(died)).collect()
    });
    // If a library ignores the variable, every process sees all devices, so rules must run one after another.
    let several = names.len() > 1;
    if several && shown.iter().any(|shown| matches!(shown, Shown::Works { sees: Some(sees), .. } if *sees != 1)) {
        executor.pool.close(executor.factory.deadlines);
        executor.factory.remarks.note(
            "the runtime ignores its processes' visibility variable, so rules run one after another".to_owned(),
            "",
        );
        expect_enough(options, all.len(), Vec::new())?;
        let devices = Devices { watch: watch(&[all]), ..Devices::of(vec![Unit::default()]) };
        return Ok(Opened { devices, out: Vec::new(), fingerprint, said });
    }
    let gated = shown.iter().all(|shown| !matches!(shown, Shown::Works { gated: false, .. }));
    let mut out = Vec::new();
    let (mut units, mut numbers) = (Vec::new(), Vec::new());
    for ((name, shown), number) in names.into_iter().zip(shown).zip(0..) {
        match shown {
            Shown::Works { .. } => {
                numbers.push(if name.is_some() { vec![number] } else { all.clone() });
                units.push(Unit { name, ..Unit::default() });
            }
            Shown::Fails(reason) => out.push(DeviceOut { device: name.unwrap_or_else(|| "0".to_owned()), reason }),
        }
    }
    let out = expect_enough(options, numbers.iter().map(Vec::len).sum(), out)?;
    if several {
        let left = u32::try_from(units.len()).expect("it was counted in 32 bits");
        target.conditions.devices = left;
        target.executor.scope.devices = left;
    }
    let devices = Devices { gated, watch: watch(&numbers), ..Devices::of(units) };
    Ok(Opened { devices, out, fingerprint, said })
}

/// Returns the unusable devices, if enough devices remain.
fn expect_enough(options: &Options, left: usize, out: Vec<DeviceOut>) -> Result<Vec<DeviceOut>, TargetError> {
    let least = options.tune.min_devices.unwrap_or(1).max(1) as usize;
    match left >= least {
        true => Ok(out),
        false if out.is_empty() => Err(TargetError::TooFewWork { least, left }),
        false => Err(TargetError::DevicesOut { least, left, out }),
    }
}

/// True if programs run where they usually do, on the host. The gate copies from host memory, which is missing if
/// programs run on the device.
fn usual_run_mode(target: &Target) -> bool {
    target.rules.run_modes.first().is_none_or(|usual| *usual == target.conditions.run_mode)
}

/// The devices' names for the visibility variable: the names in the variable's current value or, if the variable is
/// unset, the numbers of all devices.
fn names(target: &Target) -> Vec<Option<String>> {
    let devices = target.conditions.devices as usize;
    // If only some devices are used, rules must not see the other devices.
    let chosen = devices > 1 || target.leaves_devices;
    let Some(variable) = target.rules.visible.as_ref().filter(|_| chosen) else { return vec![None] };
    let given = visible::given(variable);
    let name = |number: usize| given.get(number).cloned().unwrap_or_else(|| number.to_string());
    (0..devices).map(|number| Some(name(number))).collect()
}

fn look(executor: &Executor, name: Option<&str>, gated: bool) -> Shown {
    let mut slot = match executor.pool.take_seeing(name) {
        Ok(slot) => slot,
        Err(error) => return Shown::Fails(format!("cannot create a folder for its processes: {error}")),
    };
    match shown(executor, &mut slot, gated) {
        Ok(shown) => {
            // The first rule on this device uses this process.
            executor.pool.give_back(slot);
            shown
        }
        Err(reason) => Shown::Fails(reason),
    }
}

/// Checks a device by starting a process on it. With `gated`, the process also performs the known operation.
pub(super) fn shown(executor: &Executor, slot: &mut Slot, gated: bool) -> Result<Shown, String> {
    let deadline = executor.factory.deadlines.step;
    let worker = slot.worker(&executor.factory, Seat::pooled(0, 0)).map_err(|error| error.to_string())?;
    let sees = number(&ask(worker, deadline)?, "device_count");
    let printed = |why: String, worker: &WorkerProcess| match worker.output().trim() {
        "" => why,
        printed => format!("{why}; the process printed: {}", printed.lines().last().unwrap_or_default()),
    };
    if !gated {
        return Ok(Shown::Works { sees, gated });
    }
    let missing = operate(worker, deadline).map_err(|why| printed(why, worker))?;
    if let Some(missing) = &missing {
        let text = format!("skipped the device gate, so the state of the devices is unknown: {missing}");
        executor.factory.remarks.note(text, "");
    }
    Ok(Shown::Works { sees, gated: missing.is_none() })
}
