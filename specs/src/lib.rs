//! The catalogs of all runtimes as of the build of the executable. A run reads these unless it is given a folder: a
//! path that was known at build time may have a different owner now.

include!(concat!(env!("OUT_DIR"), "/catalogs.rs"));
