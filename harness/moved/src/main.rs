//! The old call of the command, `cargo run -p harness -- …`, says the new one.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    eprintln!("the command is now the package atlas-cts; run: cargo cts {}", arguments.join(" "));
    eprintln!("(its engine is the crates below harness/; `cargo test -- …` runs the suite as before)");
    ExitCode::from(2)
}
