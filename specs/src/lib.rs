//! The catalogs of all runtimes, embedded when the executable was built. A run uses them unless a folder is given; it
//! does not look for the repository's folder, which may have a different owner by now.

include!(concat!(env!("OUT_DIR"), "/catalogs.rs"));
