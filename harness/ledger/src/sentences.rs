//! Documents next to rules: each sentence of a document in its order, with the rules that rest on it, and their results
//! in a run.

use std::collections::{BTreeMap, HashMap};

use catalog::coverage::{ClauseState, Coverage, CoveredClause};
use catalog::{DocumentText, Level, SENTENCE, Sentence};
use maud::{Markup, html};
use messages::message;
use record::{Meaning, Recorded, RuleResult, Verdict};

use crate::report::{anchor, bar, document, one_line};

/// The results of a run for a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Proof {
    /// A rule that judges the sentence is broken.
    Broken,
    /// A rule judged the sentence, and it held.
    Proven,
    /// A rule rests on the sentence, but the run judged none of its checks.
    Open,
    /// No rule rests on the sentence.
    None,
}

/// The documents as one self-contained page without scripts. Without a run, nothing is proven. Documents without a
/// sentence that the catalog knows are left out.
pub fn html(coverage: &Coverage<'_>, documents: &[DocumentText], run: Option<&Recorded>) -> String {
    let mut clauses: HashMap<&str, Vec<&CoveredClause<'_>>> = HashMap::new();
    for covered in &coverage.clauses {
        clauses.entry(&covered.clause.sentence).or_default().push(covered);
    }
    let results: BTreeMap<&str, &RuleResult> =
        run.iter().flat_map(|run| &run.results).map(|result| (result.id.as_str(), result)).collect();
    let known = |sentence: &Sentence| clauses.get(&sentence.digest[..SENTENCE]).map_or(&[][..], Vec::as_slice);
    let known_documents: Vec<&DocumentText> =
        documents.iter().filter(|document| document.sentences.iter().any(|one| !known(one).is_empty())).collect();
    let proofs = |document: &DocumentText| -> Vec<Proof> {
        document.sentences.iter().map(|one| proof(known(one), &results)).collect()
    };
    let all: Vec<Proof> = known_documents.iter().flat_map(|document| proofs(document)).collect();
    let body = html! {
        main {
            h1 { (message!("sentences-title")) }
            @match run {
                Some(run) => {
                    p { (message!("sentences-of-run", product = one_line(&run.header.product), started = one_line(&run.header.started))) }
                    @if run.header.library.simulated { p.open { (message!("page-simulated")) } }
                }
                None => p.open { (message!("sentences-without-run")) },
            }
            (numbers(&all))
            @for document in &known_documents {
                @let of_document = proofs(document);
                details id=(anchor("document", &document.path)) {
                    summary {
                        h2 { (document.path) } " "
                        span.faint { (message!("sentences-known", some = count(&of_document, Proof::None, true), all = of_document.len())) }
                        (picture(&of_document))
                    }
                    (table(document, &|sentence| known(sentence), &results))
                }
                "\n"
            }
        }
        "\n"
    };
    document(message!("sentences-title"), &body.0, "")
}

/// The result of the rules that rest on a sentence.
fn proof(clauses: &[&CoveredClause<'_>], results: &BTreeMap<&str, &RuleResult>) -> Proof {
    let of_clause = |covered: &&CoveredClause<'_>| {
        let judged = covered.rules.iter().filter_map(|rule| results.get(rule));
        let judged: Vec<&&RuleResult> = judged.filter(|result| result.level == Level::Must).collect();
        match covered {
            covered if covered.rules.is_empty() => Proof::None,
            covered if covered.state != ClauseState::Judged => Proof::Open,
            _ if judged.iter().any(|result| result.meaning() == Meaning::Broken) => Proof::Broken,
            _ if judged.iter().any(|result| proves(result)) => Proof::Proven,
            _ => Proof::Open,
        }
    };
    clauses.iter().map(of_clause).min().unwrap_or(Proof::None)
}

/// True if each check of the rule was judged and held.
fn proves(result: &RuleResult) -> bool {
    result.verdict == Verdict::Pass && result.observed_only.is_empty()
}

/// The number of sentences with a proof, or of all others.
fn count(proofs: &[Proof], wanted: Proof, others: bool) -> usize {
    proofs.iter().filter(|proof| (**proof == wanted) != others).count()
}

/// The kinds of sentences: CSS classes of words, of the picture, and the word.
fn kinds() -> [(Proof, &'static str, &'static str, &'static str); 4] {
    [
        (Proof::Proven, "good", "fill-good", message!("sentence-proven")),
        (Proof::Broken, "bad", "fill-bad", message!("sentence-broken")),
        (Proof::Open, "note", "fill-note", message!("sentence-open")),
        (Proof::None, "faint", "fill-faint", message!("sentence-without-rule")),
    ]
}

fn numbers(all: &[Proof]) -> Markup {
    html! {
        ul.tiles {
            @for (kind, class, _, word) in kinds() { li.(class) { strong { (count(all, kind, false)) } (word) } }
        }
        (picture(all))
    }
}

fn picture(proofs: &[Proof]) -> Markup {
    bar(&kinds().map(|(kind, _, fill, _)| (count(proofs, kind, false), fill)))
}

fn table<'a>(
    document: &DocumentText,
    known: &dyn Fn(&Sentence) -> &'a [&'a CoveredClause<'a>],
    results: &BTreeMap<&str, &RuleResult>,
) -> Markup {
    html! {
        div.wide role="region" aria-label=(document.path) tabindex="0" {
            table.sentences {
                thead {
                    tr {
                        th.number scope="col" { (message!("column-line")) }
                        th scope="col" { (message!("column-sentence")) }
                        th scope="col" { (message!("column-rules")) }
                    }
                }
                tbody {
                    @for sentence in &document.sentences {
                        @let clauses = known(sentence);
                        @let proof = proof(clauses, results);
                        @let class = match proof { Proof::Proven => Some("proven"), Proof::Broken => Some("broken"), _ => None };
                        tr class=[class] {
                            td.number { (sentence.line) }
                            td lang="und" { @if clauses.is_empty() { span.faint { (sentence.text) } } @else { (sentence.text) } }
                            td { @for covered in clauses { (of_clause(covered, results)) } }
                        }
                        "\n"
                    }
                }
            }
        }
    }
}

/// A clause, and the rules that rest on it with their verdicts.
fn of_clause(covered: &CoveredClause<'_>, results: &BTreeMap<&str, &RuleResult>) -> Markup {
    let result = |rule: &str| results.get(rule).copied();
    html! {
        div {
            code { (covered.clause.id) } " "
            span.faint { (covered.clause.modality.name()) ", " (covered.state.name()) }
            @if let Some(reason) = &covered.clause.untestable { span.faint { ": " (reason) } }
            @for rule in &covered.rules {
                div {
                    (rule) " "
                    @if let Some(result) = result(rule) { span.verdict.(crate::report::class(result.meaning())) { (result.verdict) } }
                }
            }
        }
    }
}
