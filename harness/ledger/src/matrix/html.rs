//! A matrix as one self-contained page without scripts.

use maud::{Markup, html};
use messages::message;
use record::Meaning;

use super::text::{of_suspect, sentence};
use super::{Cell, Matrix, MatrixChapter, MatrixRule};
use crate::report::{anchor, document, elide, meaning_text};

/// The largest number of chapters with a rule that is not good that start open.
const OPEN: usize = 12;

/// The matrix as HTML. Text from journals is escaped, so a journal cannot add markup.
pub fn html(matrix: &Matrix) -> String {
    let restless = |chapter: &MatrixChapter| chapter.rules.iter().any(MatrixRule::is_restless);
    let open = matrix.chapters.iter().filter(|chapter| restless(chapter)).count() <= OPEN;
    let tone = if matrix.rules().any(MatrixRule::is_restless) { "bad" } else { "good" };
    let body = html! {
        main {
            h1 { (message!("matrix-title")) }
            p.result.(tone) { (sentence(matrix)) }
            @if !matrix.suspects.is_empty() {
                section aria-labelledby="suspects" {
                    h2 id="suspects" { (message!("matrix-suspects")) " (" (matrix.suspects.len()) ")" }
                    ul { @for suspect in &matrix.suspects { li { (of_suspect(suspect)) } } }
                }
                "\n"
            }
            section aria-labelledby="chapters" {
                h2 id="chapters" { (message!("matrix-chapters")) }
                ul.key { @for meaning in KEY { li { span.cell.(color(Some(meaning))) { (meaning_text(meaning)) } } } }
                div.wide role="region" aria-label=(message!("matrix-title")) tabindex="0" {
                    div.matrix {
                        div.columns {
                            span { (message!("column-chapter")) }
                            @for column in &matrix.columns {
                                span {
                                    (elide(&column.name, 60))
                                    @if column.runs.len() > 1 {
                                        " (" (message!("count-runs", count = column.runs.len())) ")"
                                    }
                                }
                            }
                        }
                        @for chapter in &matrix.chapters {
                            (of_chapter(matrix, chapter, open && restless(chapter))) "\n"
                        }
                    }
                }
            }
        }
        "\n"
    };
    document(message!("matrix-title"), &body.0, "")
}

/// The meanings in the key.
const KEY: [Meaning; 5] = [Meaning::Good, Meaning::Broken, Meaning::Unknown, Meaning::Finding, Meaning::Skipped];

/// The CSS class of a cell.
fn color(meaning: Option<Meaning>) -> &'static str {
    match meaning {
        Some(Meaning::Good) => "cell-good",
        Some(Meaning::Broken) => "cell-bad",
        Some(Meaning::Unknown) => "cell-open",
        Some(Meaning::Finding) => "cell-note",
        Some(Meaning::Skipped) | None => "cell-faint",
    }
}

fn of_chapter(matrix: &Matrix, chapter: &MatrixChapter, open: bool) -> Markup {
    html! {
        details id=(anchor("chapter", &chapter.name)) open=[open.then_some("")] {
            summary.columns {
                span { (elide(&chapter.name, 60)) }
                @for column in 0..matrix.columns.len() {
                    @let (held, ran) = chapter.held(column);
                    span.cell.(color(chapter.worst(column))) {
                        @if ran == 0 { "–" } @else { (message!("of", some = held, all = ran)) }
                    }
                }
            }
            table {
                thead {
                    tr {
                        th scope="col" { (message!("column-rule")) }
                        @for column in &matrix.columns { th scope="col" { (elide(&column.name, 60)) } }
                    }
                }
                tbody { @for rule in &chapter.rules { (row(rule)) "\n" } }
            }
        }
    }
}

fn row(rule: &MatrixRule) -> Markup {
    let word = |cell: &Option<Cell>| cell.map_or("–", |cell| cell.verdict.name());
    html! {
        tr {
            th scope="row" { (elide(&rule.id, 120)) div.faint { (elide(&rule.title, 120)) } }
            @for cell in &rule.cells { td.(color(cell.map(|cell| cell.meaning))) { (word(cell)) } }
        }
    }
}
