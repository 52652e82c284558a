//! Which devices a run uses: those that do the known operation before it begins.

use crate::record::DeviceOut;
use crate::run::options::Options;
use crate::run::target::{Target, TargetError};
use crate::workers::{Executor, Seat, Slot, WorkerProcess};

use super::gate::{ask, number, operate};
use super::{Devices, Unit};

/// What one device showed.
enum Shown {
    /// It works, or nobody asked it; a process that was to see only this one sees so many.
    Works {
        sees: Option<u32>,
        gated: bool,
    },
    Fails(String),
}

/// Finds the devices that a run can use; the target has so many from now on.
///
/// # Errors
/// Too few are left.
pub(in crate::run) fn open(target: &mut Target, options: &Options) -> Result<(Devices, Vec<DeviceOut>), TargetError> {
    if target.private_machines {
        return Ok((Devices::simulated(), Vec::new()));
    }
    let names = names(target);
    let executor = &target.executor;
    let gated = !options.skip_gate && usual_run_mode(target);
    let shown: Vec<Shown> = std::thread::scope(|scope| {
        let look = |name: &Option<String>| {
            let name = name.clone();
            scope.spawn(move || look(executor, name.as_deref(), gated))
        };
        let looks: Vec<_> = names.iter().map(look).collect();
        let died = |_| Shown::Fails("the suite itself failed while it looked; see above".to_owned());
        looks.into_iter().map(|look| look.join().unwrap_or_else(died)).collect()
    });
    // A library that does not read the variable shows everything to everybody: its rules run one after another.
    let several = names.len() > 1;
    if several && shown.iter().any(|shown| matches!(shown, Shown::Works { sees: Some(sees), .. } if *sees != 1)) {
        executor.pool.close(executor.factory.deadlines);
        executor.factory.remarks.note(
            "the runtime shows a process more devices than its variable names: rules run one after another".to_owned(),
            "",
        );
        return Ok((Devices::of(vec![Unit::default()]), Vec::new()));
    }
    let gated = shown.iter().all(|shown| !matches!(shown, Shown::Works { gated: false, .. }));
    let mut out = Vec::new();
    let mut units = Vec::new();
    for (name, shown) in names.into_iter().zip(shown) {
        match shown {
            Shown::Works { .. } => units.push(Unit { name, ..Unit::default() }),
            Shown::Fails(reason) => out.push(DeviceOut { device: name.unwrap_or_else(|| "0".to_owned()), reason }),
        }
    }
    let least = options.min_devices.unwrap_or(1).max(1) as usize;
    if units.is_empty() || several && units.len() < least {
        return Err(TargetError::DevicesOut { least, left: units.len(), out });
    }
    if several {
        let left = u32::try_from(units.len()).expect("it was counted in 32 bits");
        target.conditions.devices = left;
        target.executor.scope.devices = left;
    }
    Ok((Devices { gated, ..Devices::of(units) }, out))
}

/// The gate copies from the host: where programs run on the device itself, there is none.
fn usual_run_mode(target: &Target) -> bool {
    target.rules.run_modes.first().is_none_or(|usual| *usual == target.conditions.run_mode)
}

/// The devices as the variable names them that shows them to a process: what it named before, or all by number.
fn names(target: &Target) -> Vec<Option<String>> {
    let devices = target.conditions.devices as usize;
    let Some(variable) = target.rules.visible.as_ref().filter(|_| devices > 1) else { return vec![None] };
    let given = std::env::var(variable).unwrap_or_default();
    let given: Vec<&str> = given.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let name = |number: usize| given.get(number).map_or_else(|| number.to_string(), |name| (*name).to_owned());
    (0..devices).map(|number| Some(name(number))).collect()
}

fn look(executor: &Executor, name: Option<&str>, gated: bool) -> Shown {
    let mut slot = match executor.pool.take_seeing(name) {
        Ok(slot) => slot,
        Err(error) => return Shown::Fails(format!("no folder for its processes: {error}")),
    };
    match shown(executor, &mut slot, gated) {
        Ok(shown) => {
            // Its process is the first that rules use.
            executor.pool.give_back(slot);
            shown
        }
        Err(reason) => Shown::Fails(reason),
    }
}

fn shown(executor: &Executor, slot: &mut Slot, gated: bool) -> Result<Shown, String> {
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
        let text = format!("the gate was left out, so that nothing is known of the devices beforehand: {missing}");
        executor.factory.remarks.note(text, "");
    }
    Ok(Shown::Works { sees, gated: missing.is_none() })
}
