//! Pictures in characters.

use history::models::{Allocator, Register};
use history::{Model, Of, Picture, draw, smallest};

use crate::support::{BUDGET, allocate, open, read, release, write};

fn drawn<M: Model>(model: &M, history: &[Of<M>]) -> Vec<String> {
    let lanes = ["A".to_owned(), "B".to_owned(), "Third".to_owned()];
    let part = smallest(model, history, BUDGET).expect("an inconsistent history");
    draw(&Picture::of(model, history, &part, &lanes), "(not returned)")
}

#[test]
fn the_part_and_its_surroundings_are_lanes_and_bars() {
    let history =
        vec![allocate(0, 64, 0x10000, 0, 1000), allocate(1, 64, 0x10020, 500, 1500), release(1, 0x10020, 2000, 2500)];
    let seen = drawn(&Allocator::default(), &history);
    assert_eq!(
        seen,
        [
            "A  [####1#####]",
            "B        [####2#####]",
            "  1  A  allocate(64) = 0x10000",
            "  2  B  allocate(64) = 0x10020",
        ]
    );
}

#[test]
fn a_call_that_has_not_returned_is_open_at_its_end() {
    let history = vec![
        open(2, write(0, 5, 0, 0).call, 0),
        read(0, 5, 10, 20),
        write(1, 6, 30, 40),
        read(1, 6, 50, 60),
        read(0, 5, 70, 80),
    ];
    let seen = drawn(&Register { initial: Some(0) }, &history);
    let third = seen.iter().find(|line| line.starts_with("Third  [")).expect("a lane");
    assert!(third.ends_with("#>"), "{third}");
    assert!(seen.iter().any(|line| line.ends_with("Third  write(5) = (not returned)")), "{seen:#?}");
}

#[test]
fn a_picture_survives_the_journal() {
    let history = vec![write(0, 1, 0, 10), read(1, 9, 5, 15)];
    let model = Register { initial: Some(0) };
    let part = smallest(&model, &history, BUDGET).expect("an inconsistent history");
    let picture = Picture::of(&model, &history, &part, &["A".to_owned(), "B".to_owned()]);
    let text = serde_json::to_string(&picture).expect("a picture is JSON");
    assert_eq!(serde_json::from_str::<Picture>(&text).expect("a picture is read again"), picture);
}
