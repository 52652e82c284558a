//! The catalogs of all runtimes, embedded at build time. A run uses these unless another folder is given: a path from
//! build time may now belong to another user.

include!(concat!(env!("OUT_DIR"), "/catalogs.rs"));
