//! What holds without a library: the language, laws, the order of the rooms. The runs of the toy and of the depot are
//! executables of their own, since their workers are the test executable itself.

#[rustfmt::skip]
#[path = "toy/bindings.rs"]
mod bindings;
mod circles;
#[path = "toy/environment.rs"]
mod environment;
mod given;
mod language;
mod laws;
mod pairs;
mod rooms;
