//! What the runtime says about itself, held against what the options say; and the locks of its devices.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::select::Edition;
use crate::worker::protocol::{Reply, Request};
use crate::worker::{FailedCall, Trouble};

use super::child::lock_file;
use super::choice::{Backend, LibraryChoice};
use super::options::Options;
use super::pool::StartError;
use super::session::{Session, SessionError};

impl Session {
    /// Whether a rule owns a call that was refused. A code of a device that is of no further use is for nobody to judge.
    fn somebody_says(&self, call: &FailedCall) -> bool {
        let lost = call.code.is_some_and(|code| self.rules.fatal.contains(&i128::from(code)));
        self.rules.owners.contains_key(&call.function) && !lost
    }

    /// Asks the runtime what it is; what it says is held against what the options say.
    pub(super) fn probe(&mut self, options: &Options, choice: &LibraryChoice) -> Result<(), SessionError> {
        let environment = |message: String| SessionError::Environment(message);
        let mut slot =
            self.pool.take().map_err(|error| environment(format!("no folder for a simulated machine: {error}")))?;
        let set_up = super::pool::SetUp { state: crate::lang::program::State::Device, device: 0, only: None };
        let shown = self.factory.library.path.display().to_string();
        let (mut worker, started) = match self.factory.start(&slot.machine, set_up) {
            Ok(started) => started,
            // The runtime refuses to start: the rule that owns the call says so, and the others are blocked by it.
            Err(StartError::Refused(Trouble { call: Some(call), .. }))
                if options.product != "auto" && self.somebody_says(&call) =>
            {
                self.pool.give_back(slot);
                return Ok(());
            }
            Err(error) => return Err(environment(format!("{shown}: {error}"))),
        };
        let answers = match worker.ask(&Request::Query, self.factory.deadlines.step) {
            Ok(Reply::Answers(answers)) => answers,
            Ok(other) => return Err(environment(format!("{shown}: unexpected reply {other:?}"))),
            Err(end) => return Err(environment(format!("{shown}: while the runtime was asked what it is, {end}"))),
        };
        slot.workers.insert((0, 0), worker);
        self.pool.give_back(slot);
        let answers: BTreeMap<String, Result<String, String>> = answers.into_iter().collect();
        let answer = |name: &str| answers.get(name).and_then(|answer| answer.as_ref().ok()).cloned();
        self.header.library.simulated = started.simulated.is_some();
        if options.backend == Backend::Device && started.simulated.is_some() {
            return Err(environment(format!(
                "--backend device: {shown} is the simulated device; give the runtime's own library"
            )));
        }
        self.header.library.version = answer("version");
        self.header.edition =
            answer("version").and_then(|version| Edition::read(&version)).map(|edition| edition.to_string());
        self.target.edition = answer("version").and_then(|version| Edition::read(&version));
        self.header.reported_name = answer("product");
        self.take_product(options, answers.get("product"))?;
        if let Some(mode) = answer("run_mode").filter(|mode| matches!(mode.as_str(), "host" | "device"))
            && self.header.defects.is_empty()
        {
            self.target.run_mode = mode;
        }
        if let Some(count) =
            answer("device_count").and_then(|count| count.parse::<u32>().ok()).filter(|_| !choice.embedded)
        {
            if count == 0 {
                return Err(environment(format!("{shown}: the runtime reports no device")));
            }
            let wanted = options.devices.unwrap_or(count);
            if wanted > count {
                return Err(SessionError::Usage(format!("--devices {wanted}: the runtime reports {count}")));
            }
            self.target.devices = wanted;
        } else if !choice.embedded {
            // Where the runtime does not count, no more than one is sure to be there.
            self.target.devices = options.devices.unwrap_or(1);
        }
        self.header.run_mode = self.target.run_mode.clone();
        self.header.devices = self.target.devices;
        if !self.header.library.simulated {
            self.lock_devices()?;
        }
        Ok(())
    }

    fn take_product(&mut self, options: &Options, answer: Option<&Result<String, String>>) -> Result<(), SessionError> {
        let name = match answer {
            Some(Ok(name)) => name,
            _ if options.product != "auto" => return Ok(()),
            Some(Err(message)) => {
                return Err(SessionError::Environment(format!(
                    "the runtime does not say which product it is ({message}); name it with --product ID"
                )));
            }
            None => {
                return Err(SessionError::Environment(
                    "api.yaml has no query for the product; name it with --product ID".to_owned(),
                ));
            }
        };
        let found = self.rules.product_of(name).map(|product| product.id.clone());
        match found {
            Some(found) if options.product == "auto" => {
                self.target.product = found;
                self.header.product.clone_from(&self.target.product);
            }
            // Whether a resumed run is on its device is looked at as a whole.
            _ if options.resume.is_some() => {}
            // A device that lies about its name is for the rules to find, not for the selection.
            Some(found) if found != options.product && self.header.defects.is_empty() => {
                return Err(SessionError::Environment(format!(
                    "the device reports `{name}`, which is {found}, but --product {} was asked for; give --product {found} or auto",
                    options.product
                )));
            }
            None if options.product == "auto" => {
                return Err(SessionError::Environment(format!(
                    "the device reports `{name}`, which no product of products.yaml matches; name the family with --product ID, and add the name there"
                )));
            }
            _ => {}
        }
        Ok(())
    }

    /// One lock for each device, in ascending order, in a folder that containers can share.
    fn lock_devices(&mut self) -> Result<(), SessionError> {
        let folder = std::env::var_os("ATLAS_CTS_LOCKS")
            .map_or_else(|| std::env::temp_dir().join("atlas-cts-locks"), PathBuf::from);
        let failed = |error: std::io::Error| {
            SessionError::Environment(format!(
                "{}: {error}; name a writable folder in ATLAS_CTS_LOCKS",
                folder.display()
            ))
        };
        std::fs::create_dir_all(&folder).map_err(failed)?;
        for device in 0..self.target.devices {
            let path = folder.join(format!("device-{device}.lock"));
            match lock_file(&path).map_err(failed)? {
                Some(lock) => self._locks.push(lock),
                None => {
                    let message = format!(
                        "device {device} is in use by another run (it holds {}); wait for it to end",
                        path.display()
                    );
                    return Err(SessionError::Environment(message));
                }
            }
        }
        Ok(())
    }
}
