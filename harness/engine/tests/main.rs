//! The tests of the engine in one executable: those without a library (the language, laws, the order of the modules),
//! and runs of the toy and of the depot.

#![allow(clippy::disallowed_methods, reason = "tests write and run what they like")]

mod bench;
mod circles;
mod depot;
mod gcc;
mod given;
mod given_cases;
mod language;
mod laws;
mod pairs;
mod processes;
mod query;
mod rooms;
mod seeds;
mod sequences;
mod soak;
mod starts;
mod toy;
mod worker;
