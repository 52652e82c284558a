//! Embeds the simulated device.

#[path = "../../fixtures/simulator/embed.rs"]
mod embed;

fn main() {
    embed::build("cuda");
}
