//! The catalogs of all runtimes as they were when the executable was built. A run reads these unless another folder is
//! named: what lies at a path that was known at build time may be somebody else's by now.

include!(concat!(env!("OUT_DIR"), "/catalogs.rs"));
