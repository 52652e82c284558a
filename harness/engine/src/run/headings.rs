//! Headings in the help text, each for the options about one topic.

/// The rules and cases to run.
pub const SELECTION: &str = "Selection";
/// The product, and the catalog with its rules.
pub const PRODUCT: &str = "Product and catalog";
/// The library and the devices.
pub const DEVICE: &str = "Device";
/// The amount of work, and its limits.
pub const WORK: &str = "Work";
/// The reports, and the conditions under which a run fails.
pub const RESULTS: &str = "Results";
/// The simulated device.
pub const SIMULATOR: &str = "Simulated device";
